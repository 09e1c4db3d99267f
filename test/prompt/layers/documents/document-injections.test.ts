import { describe, expect, test } from "vitest"
import { isNearlyEmpty } from "../../../../src/prompt/layers/documents/document-injections.ts"
import { ran } from "../../../support/turns.ts"
import { missing, read, soulPrompt, systemOf, unreadable } from "./soul-prompt.ts"

const rich = read(`- 称呼：主人\n${"喜欢的事很多。".repeat(20)}`)
const memory = read("- 周六烤面包")
const soul = read("我叫小鱼。")

const guidance = {
  soul: "请根据上述人格定义来塑造你的性格和语气。",
  soulMissing: "你还没有人格定义。在第一次对话时，和主人一起创建 SOUL.md。",
  userPoor: "你对主人还不太了解。在对话中自然地了解他们，并更新 USER.md。",
  userRich: "你已经了解了主人的一些信息（见上方）。继续在对话中学习。\n在对话中获知新的用户信息时，使用 edit 工具更新 USER.md。",
  memoryMissing: "你还没有长期记忆。当有值得记住的事时，创建 MEMORY.md。",
  memory: "遇到值得记住的信息时，使用 edit 工具更新 MEMORY.md。定期整理，保持精炼。",
  memoryFull: "你的记忆快满了。请在本次对话中整理 MEMORY.md，移除过时内容。",
} as const

/** The sections of a system message by their headings, as far as the given headings go. */
function section(text: string, heading: string): string | undefined {
  const headings = ["# System", "# 人格", "# 用户信息", "# 记忆", "# 工具", "# 对话规则"]
  const from = text.indexOf(`${heading}\n\n`)
  if (from < 0) return undefined
  const ends = headings.map((other) => text.indexOf(`\n\n${other}\n`, from)).filter((at) => at > from)
  return text.slice(from + heading.length + 2, Math.min(text.length, ...ends))
}

const all = { soul, user: rich, memory }

describe("guidance after each body", () => {
  test.each([
    ["SOUL has content", { ...all }, "# 人格", `我叫小鱼。\n\n${guidance.soul}`],
    ["SOUL is missing", { ...all, soul: missing }, "# 人格", guidance.soulMissing],
    ["SOUL is empty", { ...all, soul: read("") }, "# 人格", `（空）\n\n${guidance.soulMissing}`],
    ["USER is missing", { ...all, user: missing }, "# 用户信息", guidance.userPoor],
    [
      "USER is nearly empty",
      { ...all, user: read("# USER\n\n- 称呼：") },
      "# 用户信息",
      `# USER\n\n- 称呼：\n\n${guidance.userPoor}`,
    ],
    ["USER is empty", { ...all, user: read(" \n") }, "# 用户信息", `（空）\n\n${guidance.userPoor}`],
    ["MEMORY is missing", { ...all, memory: missing }, "# 记忆", guidance.memoryMissing],
    ["MEMORY is white space", { ...all, memory: read("\u3000\n\t") }, "# 记忆", `（空）\n\n${guidance.memoryMissing}`],
    ["MEMORY is normal", { ...all }, "# 记忆", `- 周六烤面包\n\n${guidance.memory}`],
  ])("D3 D7 %s", (_, documents, heading, expected) => {
    expect(section(systemOf(soulPrompt(documents)), heading)).toBe(expected)
  })

  test.each([
    ["zh-CN", "# 人格", `${guidance.soulMissing}\n在那之前，以上面 System 里的设定为准。`],
    ["en", "# Persona", "together with the user.\nUntil then, go by what stands under System."],
  ])("D7 without SOUL.md the persona of a profile is not denied, in %s", (locale, heading, expected) => {
    for (const soul of [missing, read("")]) {
      const system = systemOf(soulPrompt({ soul }, { locale, persona: "我叫小雨。" }))
      expect(system).toContain("# System\n\n我叫小雨。")
      expect(system.slice(system.indexOf(heading))).toContain(expected)
    }
    const told = expected.split("\n")[1]
    expect(systemOf(soulPrompt({ soul: missing }, { locale }))).not.toContain(told)
    expect(systemOf(soulPrompt({ soul }, { locale, persona: "我叫小雨。" }))).not.toContain(told)
  })

  test("D7 USER is rich", () => {
    expect(section(systemOf(soulPrompt(all)), "# 用户信息")?.endsWith(`\n\n${guidance.userRich}`)).toBe(true)
  })

  test("D7 with memory off there is none for USER and MEMORY, and SOUL keeps its own", () => {
    const system = systemOf(soulPrompt({ soul: missing }))
    expect(section(system, "# 人格")).toBe(guidance.soulMissing)
    for (const words of [guidance.userPoor, guidance.memoryMissing, guidance.memory, "USER.md", "MEMORY.md"])
      expect(system).not.toContain(words)
  })

  test("D7 every state has a sentence in English too", () => {
    const english = (documents: Parameters<typeof soulPrompt>[0]) => systemOf(soulPrompt(documents, { locale: "en" }))
    const found = [
      english(all),
      english({ soul: missing, user: missing, memory: missing }),
      english({ soul: read(""), user: read(""), memory: read("x".repeat(17_000)) }),
    ]
    for (const sentence of [
      "Let this description shape your character and your tone.",
      "write SOUL.md together with the user.",
      "You know some things about the user already (see above)",
      "You know little about the user so far.",
      "You have no long-term memory yet.",
      "update MEMORY.md with the edit tool. Tidy it now and then",
      "Your memory is nearly full.",
      "(empty)",
    ])
      expect(found.filter((prompt) => prompt.includes(sentence))).not.toEqual([])
    expect(
      found
        .join("")
        .replace(/我叫小鱼。|- 称呼：主人|喜欢的事很多。|- 周六烤面包|读取文件内容|创建或覆盖文件|精确文本查找替换/g, ""),
    ).not.toMatch(/\p{Script=Han}/u)
  })
})

describe("thresholds", () => {
  test.each([
    [16_000, 20_000, false],
    [16_001, 20_000, true],
    [40_000, 20_000, true],
    [80, 100, false],
    [81, 100, true],
  ])("D8 a memory of %i characters with a limit of %i is near it: %s", (length, maxCharacters, near) => {
    const system = systemOf(soulPrompt({ ...all, memory: read("记".repeat(length)) }, { settings: { maxCharacters } }))
    expect(system.includes(guidance.memoryFull)).toBe(near)
    expect(system.includes(guidance.memory)).toBe(!near)
  })

  test("D8 both thresholds are settings", () => {
    const settings = { nearlyEmptyCharacters: 3, nearLimitShare: 0.0001 }
    const system = systemOf(soulPrompt({ ...all, user: read("主人叫小明") }, { settings }))
    expect(system).toContain(guidance.userRich)
    expect(system).toContain(guidance.memoryFull)
  })

  test.each([
    ["a".repeat(99), true],
    ["a".repeat(100), false],
    [`${"a".repeat(99)} \n# - * _\t`, true],
    [`${"a".repeat(50)}<!-- ${"hidden ".repeat(50)} -->${"b".repeat(49)}`, true],
    [`<!-- never closed ${"a".repeat(100)}`, false],
    ["😀".repeat(99), true],
    ["<!---->".repeat(100), true],
  ])("D8 %j: nearly empty is %s", (text, expected) => {
    expect(isNearlyEmpty(text, 100)).toBe(expected)
  })

  test("D8 comments are looked for in linear time", () => {
    expect(isNearlyEmpty("<!-- ".repeat(200_000), 100)).toBe(false)
  })
})

describe("what is shown where", () => {
  test("D6 with memory on the six sections stand in order, off three of them", () => {
    const headings = (text: string) => text.match(/^# .+$/gm)
    expect(headings(systemOf(soulPrompt(all)))).toEqual(["# System", "# 人格", "# 用户信息", "# 记忆", "# 工具", "# 对话规则"])
    expect(headings(systemOf(soulPrompt({ soul })))).toEqual(["# System", "# 人格", "# 对话规则"])
  })

  test("D3 a document that cannot be read is left out with its guidance, the others stay", () => {
    const system = systemOf(soulPrompt({ soul: unreadable, user: unreadable, memory }))
    expect(system).not.toMatch(/# 人格|# 用户信息|SOUL\.md|USER\.md/)
    expect(section(system, "# 记忆")).toContain("周六烤面包")
  })

  test("D6 the base instruction and the dialogue rules can come from the profile", () => {
    const { messages } = soulPrompt(all)
    expect(messages[0]?.content).toMatch(/^# System\n\n你是一个桌面助手。\n\n# 人格/)
    expect(messages[0]?.content.endsWith("# 对话规则\n\n用中文回答。")).toBe(true)
  })

  test("D9 in JSON mode the system message is the same and a second one lists the tools with how to call them; off, only read", () => {
    const on = soulPrompt(all, { prompt: "planner" })
    expect(on.messages[0]).toEqual(soulPrompt(all).messages[0])
    expect(on.messages[1]?.role).toBe("system")
    expect(on.messages[1]?.content).toContain("- read()\n- write()\n- edit()")
    const off = soulPrompt({ soul }, { prompt: "planner" })
    expect(off.messages[0]).toEqual(soulPrompt({ soul }).messages[0])
    expect(off.messages[1]?.content).toContain("- read()")
    expect(off.messages[1]?.content).not.toMatch(/write|edit/)
  })

  test.each(["native", "planner"])("a later step of %s extends the request before it", (prompt) => {
    const before = soulPrompt(all, { prompt }).messages
    const steps = [{ type: "run", call: '{"action":"tool"}', run: ran("read", { path: "SOUL.md" }, "好") }] as const
    const after = soulPrompt(all, { prompt, turn: { steps } }).messages
    expect(after.slice(0, before.length)).toEqual(before)
    expect(after.length).toBe(before.length + 2)
  })

  test("placed below, USER and MEMORY stand in the user's message and SOUL stays in the system message", () => {
    const { messages } = soulPrompt(all, { settings: { placement: "user" } })
    const [system, user] = messages
    expect(system?.content).toContain("我叫小鱼。")
    expect(system?.content).not.toMatch(/# 用户信息|# 记忆|周六/)
    expect(user?.role).toBe("user")
    expect(user?.content).toMatch(
      /^\[文档\]\n# 用户信息\n\n- 称呼：主人\n[\s\S]*# 记忆\n\n- 周六烤面包\n\n.*\n\[\/文档\]\n\n你好$/,
    )
    const { messages: off } = soulPrompt({ soul }, { settings: { placement: "user" } })
    expect(off[1]?.content).toBe("你好")
  })

  test.each(["planner", "native", "final", "chat"])("D1 prompt %s shows all three documents", (prompt) => {
    const system = systemOf(soulPrompt(all, { prompt }))
    for (const text of ["我叫小鱼。", "称呼：主人", "周六烤面包"]) expect(system).toContain(text)
  })

  test("what was cut and its marker are known apart: the marker is a notice, the rest content", () => {
    const { spans } = soulPrompt({ ...all, memory: read("记".repeat(3_000)) }, { settings: { maxCharacters: 1_000 } })
    const parts = spans
      .filter(({ key, part }) => key === "memory_document" && part !== "frame")
      .map(({ part, trust }) => `${part} ${trust}`)
    expect(parts).toEqual(["content memory", "notice author", "content memory"])
  })
})
