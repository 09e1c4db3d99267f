import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test, vi } from "vitest"
import type { Agent } from "../../src/loop/agent/agent.ts"
import type { Session } from "../../src/loop/agent/session.ts"
import { type DocumentsOptions, documentsHook, type LivingDocuments, openDocuments } from "../../src/node/living-documents.ts"
import type { Confirm } from "../../src/prompt/tools/tool.ts"
import { scriptedModel } from "../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../support/agents.ts"
import { tempFolder } from "../support/temp-folder.ts"

type Steps = Parameters<typeof scriptedModel>[0]

/** An agent with living documents in a folder. Its model follows a script. */
async function scene(
  files: Readonly<Record<string, string | Uint8Array>>,
  steps: Steps,
  { confirm, ...options }: DocumentsOptions & { readonly confirm?: Confirm } = {},
): Promise<{
  folder: string
  documents: LivingDocuments
  agent: Agent
  session: Session
  model: ReturnType<typeof scriptedModel>
}> {
  const folder = tempFolder(files)
  const documents = await openDocuments(folder, { locale: "zh-CN", ...options })
  const model = scriptedModel(steps)
  const profile = { dialect: "soul", persona: "" }
  const { agent, session } = testAgent(model, profile, { hooks: [documents.hook], ...(confirm ? { confirm } : {}) })
  return { folder, documents, agent, session, model }
}

const files = { "SOUL.md": "我叫小鱼。\n", "USER.md": "- 称呼：主人\n", "MEMORY.md": "- 周六烤面包\n" }

async function results(session: Session, question = "你好"): Promise<readonly string[]> {
  const result = await session.send(question).result
  if (!result.ok) throw result.error
  return result.trace.runs.map((run) => `${run.status}: ${run.result}`)
}

async function system(session: Session): Promise<string> {
  return (await session.preview("你好")).messages[0]?.content ?? ""
}

describe("living documents in a turn", () => {
  test("D1 what the model wrote in one turn stands in the prompt of the next, and so does what a person wrote", async () => {
    const { session, folder, model } = await scene(files, [
      callTool("edit", { path: "MEMORY.md", old_text: "烤面包", new_text: "烤可颂" }),
      finish("记住了"),
      finish("嗯"),
      finish("好"),
    ])
    expect(await results(session)).toEqual(["ok: 已修改 MEMORY.md。"])
    await results(session)
    expect(model.requests.at(-1)?.messages[0]?.content).toContain("- 周六烤可颂")
    writeFileSync(join(folder, "USER.md"), "- 称呼：船长\n")
    await results(session)
    expect(model.requests.at(-1)?.messages[0]?.content).toContain("- 称呼：船长")
  })

  test("D2 with memory off USER.md and MEMORY.md are neither read nor named, in the prompt or by the tool; SOUL.md is read", async () => {
    const folder = tempFolder(files)
    const { workspace } = await openDocuments(folder)
    const read = vi.fn(workspace.read)
    const { hook } = documentsHook({ ...workspace, read }, { locale: "zh-CN" })
    const model = scriptedModel([
      callTool("read", { path: "MEMORY.md" }),
      callTool("read", { path: "memory.MD" }),
      callTool("read", { path: "SOUL.md" }),
      callTool("write", { path: "MEMORY.md", content: "x" }),
      finish("好"),
    ])
    const { session } = testAgent(model, { dialect: "soul", persona: "" }, { hooks: [hook] })
    await session.setMemory(false)
    const told = await results(session)
    expect(told.slice(0, 3)).toEqual(["failed: 不能访问 MEMORY.md。", "failed: 不能访问 memory.MD。", "ok: 我叫小鱼。\n"])
    expect(told[3]).toContain("没有名为 write 的工具")
    expect(read.mock.calls.map(([path]) => path)).toEqual(["SOUL.md", "SOUL.md"])
    expect(model.requests[0]?.messages[0]?.content).toMatch(/我叫小鱼/)
    expect(JSON.stringify(model.requests[0]?.messages)).not.toMatch(/称呼|周六|USER|MEMORY/)
    read.mockClear()
    await session.setMemory(true)
    await session.preview("你好")
    expect(read.mock.calls.map(([path]) => path).sort()).toEqual(["MEMORY.md", "SOUL.md", "USER.md"])
  })

  test("D2 the switch belongs to a conversation", async () => {
    const { agent, session } = await scene(files, [])
    await session.setMemory(false)
    expect(await system(session)).not.toContain("# 记忆")
    expect(await system(agent.session("other"))).toContain("# 记忆")
  })

  test("D3 an unreadable document is left out and reported, a missing one only said to be missing", async () => {
    const { session, folder } = await scene({ "USER.md": new Uint8Array([0xff, 0xfe, 0x41]) }, [finish("好")])
    mkdirSync(join(folder, "MEMORY.md"))
    const result = await session.send("你好").result
    expect(result.ok).toBe(true)
    const warnings = result.trace.warnings.map(({ kind, message }) => `${kind}: ${message.split("\n")[0]}`)
    expect(warnings.sort()).toEqual([
      expect.stringMatching(/^document: MEMORY\.md was left out of the prompt\. MEMORY\.md: expected a file, found a folder/),
      expect.stringMatching(/^document: USER\.md was left out of the prompt\. USER\.md: expected UTF-8 text/),
    ])
    const text = await system(session)
    expect(text).not.toMatch(/# 用户信息|# 记忆/)
    expect(text).toContain("你还没有人格定义。")
  })

  test("D3 why one is left out is told once, until that changes", async () => {
    const { session, folder } = await scene(
      {},
      ["一", "二", "三", "四", "五"].map((text) => finish(text)),
    )
    const path = join(folder, "USER.md")
    const warned = async () => (await session.send("你好").result).trace.warnings.map(({ message }) => message.split(" ", 1)[0])
    writeFileSync(path, new Uint8Array([0xff]))
    expect([await warned(), await warned()]).toEqual([["USER.md"], []])
    writeFileSync(path, "喜欢狗")
    expect(await warned()).toEqual([])
    writeFileSync(path, new Uint8Array([0xff]))
    expect([await warned(), await warned()]).toEqual([["USER.md"], []])
  })

  test("D3 what was told stays told while memory is off", async () => {
    const { session } = await scene({ "USER.md": new Uint8Array([0xff]) }, ["一", "二", "三"].map(finish))
    const warned = async () => (await session.send("你好").result).trace.warnings.map(({ message }) => message.split(" ", 1)[0])
    expect(await warned()).toEqual(["USER.md"])
    await session.setMemory(false)
    expect(await warned()).toEqual([])
    await session.setMemory(true)
    expect(await warned()).toEqual([])
  })

  test("D1 everybody shares them, which is told once when a second person speaks", async () => {
    const { agent } = await scene(
      files,
      ["一", "二", "三", "四"].map((text) => finish(text)),
    )
    const warned = async (id: string) => (await agent.session(id).send("你好").result).trace.warnings
    expect(await warned("tg:42")).toEqual([])
    expect(await warned("tg:42")).toEqual([])
    expect(await warned("tg:77")).toEqual([{ kind: "document", message: expect.stringContaining("second person") }])
    expect(await warned("tg:77")).toEqual([])
  })

  test("a byte order mark, CRLF and lone surrogates in a document do no harm", async () => {
    const { session } = await scene({ "MEMORY.md": "\uFEFF- 一\r\n- 二\r\n" }, [])
    expect(await system(session)).toContain("# 记忆\n\n- 一\r\n- 二\n\n遇到")
  })

  test("D9 the tools of a turn are read, write and edit; off, read alone", async () => {
    const { session, documents } = await scene(files, [])
    expect(documents.tools.map(({ name }) => name)).toEqual(["read", "write", "edit"])
    const listed = async () =>
      (await session.preview("你好")).messages[1]?.content.match(/^- (?:read|write|edit|list|search)(?=\()/gm)
    expect(await listed()).toEqual(["- read", "- write", "- edit"])
    await session.setMemory(false)
    expect(await listed()).toEqual(["- read"])
  })

  test("other tools of the agent are listed with them", async () => {
    const { documents } = await scene(files, [])
    const { createFileTools } = await import("../../src/node/files/create-file-tools.ts")
    const [search] = createFileTools(documents.workspace, { tools: ["search"], locale: "zh-CN" })
    const { session } = testAgent(
      scriptedModel([]),
      { dialect: "soul", persona: "" },
      { hooks: [documents.hook], tools: search ? [search] : [] },
    )
    expect(await system(session)).toContain("- search：在文件中查找文字\n- read：读取文件内容\n- write")
  })
})

describe("what counts as read", () => {
  test("D10 a document that stands whole in the prompt can be edited and overwritten at once", async () => {
    const { session, documents } = await scene(files, [
      callTool("write", { path: "USER.md", content: "- 称呼：主人，喜欢猫\n" }),
      callTool("edit", { path: "USER.md", old_text: "猫", new_text: "狗" }),
      finish("好"),
    ])
    expect(await results(session)).toEqual(["ok: 已覆盖 USER.md。", "ok: 已修改 USER.md。"])
    expect((await documents.workspace.read("USER.md")).text).toBe("- 称呼：主人，喜欢狗\n")
  })

  test("D10 a document of white space, shown as empty, can be overwritten at once", async () => {
    const { session } = await scene({ "MEMORY.md": "\n\n" }, [
      callTool("write", { path: "MEMORY.md", content: "- 一\n" }),
      finish("好"),
    ])
    expect(await results(session)).toEqual(["ok: 已覆盖 MEMORY.md。"])
  })

  test("D10 one that was cut at its limit must be read first", async () => {
    const long = { "MEMORY.md": `- 开头\n${"字".repeat(400)}\n- 结尾\n` }
    const { session } = await scene(
      long,
      [
        callTool("edit", { path: "MEMORY.md", old_text: "- 开头", new_text: "- 起" }),
        callTool("read", { path: "MEMORY.md" }),
        callTool("edit", { path: "MEMORY.md", old_text: "- 开头", new_text: "- 起" }),
        finish("好"),
      ],
      { maxCharacters: 200 },
    )
    const told = await results(session)
    expect(told[0]).toBe("failed: 请先用 read 读取 MEMORY.md，再修改它。")
    expect(told[2]).toBe("ok: 已修改 MEMORY.md。")
  })

  test("D4 one that was cut at its limit is told by the turn's warnings and by the decisions, with its tokens before and after", async () => {
    const { session } = await scene({ ...files, "MEMORY.md": "字".repeat(42_000) }, [finish("好")])
    const { trace } = await session.send("你好").result
    expect(trace.warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^MEMORY\.md has 42000 characters\. Its limit of 20000 .* leaves 18000 of them\. A short budget /),
    ])
    const { decisions } = await session.preview("你好")
    const [decision] = decisions.filter(({ key }) => key === "memory_document")
    expect(decision).toMatchObject({ fate: "shortened", reason: expect.stringContaining("20000") })
    expect(decision?.fromTokens).toBeGreaterThan((decision?.toTokens ?? 0) * 2)
  })

  test("D8 MEMORY.md that comes near its limit is told to the app once, and again after it was shorter", async () => {
    const { session, folder } = await scene({ ...files, "MEMORY.md": "字".repeat(16_000) }, Array(7).fill(finish("好")))
    const told: string[] = []
    for (const [text, memoryOn] of [
      ["字".repeat(16_000), true],
      ["字".repeat(16_001), true],
      ["字".repeat(17_000), true],
      ["字".repeat(17_000), false],
      ["字".repeat(17_000), true],
      ["字", true],
      ["字".repeat(17_000), true],
    ] as const) {
      writeFileSync(join(folder, "MEMORY.md"), text)
      await session.setMemory(memoryOn)
      const { trace } = await session.send("你好").result
      told.push(trace.warnings.map(({ kind, message }) => `${kind}: ${message}`).join("\n"))
    }
    const near =
      "document: MEMORY.md has over 80 % of its limit of 20000 characters (max_characters in [documents]). Once it is longer, prompts lack its middle: tidy it, or raise the limit."
    expect(told).toEqual(["", near, "", "", "", "", near])
  })

  test.each([1, 7, 100, 1_000])(
    "D4 a limit of %d tokens holds, counted as the agent counts, whatever max_characters says",
    async (maxTokens) => {
      const counter = { exact: true, count: (text: string) => [...text].length * 2 }
      const folder = tempFolder({ ...files, "MEMORY.md": "字".repeat(30_000) })
      const { hook } = await openDocuments(folder, { locale: "zh-CN", maxTokens, maxCharacters: 10 })
      const { session } = testAgent(scriptedModel([]), { dialect: "soul", persona: "" }, { hooks: [hook], ports: { counter } })
      const { decisions, spans } = await session.preview("你好")
      const shown = spans
        .filter(({ key, part }) => key === "memory_document" && part !== "frame")
        .reduce((sum, { tokens }) => sum + tokens, 0)
      expect(shown).toBeLessThanOrEqual(maxTokens)
      expect(shown).toBeGreaterThan(maxTokens - 10)
      const [decision] = decisions.filter(({ key }) => key === "memory_document")
      if (shown > 0) expect(decision).toMatchObject({ fate: "shortened", fromTokens: 60_000 })
    },
  )

  test("D5 D10 one that the turn's budget cut must be read first too", async () => {
    const folder = tempFolder({ ...files, "MEMORY.md": `- 开头\n${"字".repeat(3_000)}\n` })
    const documents = await openDocuments(folder, { locale: "zh-CN" })
    const model = scriptedModel([
      callTool("edit", { path: "MEMORY.md", old_text: "- 开头", new_text: "- 起" }),
      callTool("edit", { path: "USER.md", old_text: "主人", new_text: "船长" }),
      finish("好"),
    ])
    const budget = { tokens: 3_500, answerTokens: 100, stepTokens: 0 }
    const { session } = testAgent(model, { dialect: "soul", persona: "", budget }, { hooks: [documents.hook] })
    const told = await results(session)
    expect(model.requests[0]?.messages[0]?.content).toContain("内容被截断")
    expect(told).toEqual(["failed: 请先用 read 读取 MEMORY.md，再修改它。", "ok: 已修改 USER.md。"])
  })

  test("D5 D10 a page that the turn's budget would cut is a smaller page: what was never shown is not overwritten", async () => {
    const lines = Array.from({ length: 600 }, (_, at) => `- 第${at}条记忆`)
    const folder = tempFolder({ ...files, "MEMORY.md": lines.join("\n") })
    const documents = await openDocuments(folder, { locale: "zh-CN", maxCharacters: 500 })
    const model = scriptedModel([
      callTool("read", { path: "MEMORY.md" }),
      callTool("write", { path: "MEMORY.md", content: lines.slice(0, 300).join("\n") }),
      finish("好"),
    ])
    const budget = { tokens: 8_000, answerTokens: 100, stepTokens: 0 }
    const { session } = testAgent(model, { dialect: "soul", persona: "", budget }, { hooks: [documents.hook] })
    const [page, written] = await results(session)
    const shown = new Set(page?.match(/第\d+条/g)).size
    expect(page).toContain(`MEMORY.md 第 1–${shown} 行，共 600 行。未完`)
    expect(page).not.toContain("省略")
    expect(written).toMatch(/^failed: .*你还没有读到 MEMORY\.md 中要修改的全部内容/)
  })

  test("D10 two sessions that edit one document lose neither's change", async () => {
    const { agent, documents } = await scene(files, [])
    const edit = (text: string) =>
      callTool("edit", { path: "MEMORY.md", old_text: "- 周六烤面包\n", new_text: `- 周六烤面包\n- ${text}\n` })
    const one = testAgent(scriptedModel([edit("一"), finish("好")]), { dialect: "soul" }, { hooks: [documents.hook] })
    const two = testAgent(scriptedModel([edit("二"), finish("好")]), { dialect: "soul" }, { hooks: [documents.hook] })
    const told = (await Promise.all([results(one.session), results(two.session)])).flat()
    const text = (await documents.workspace.read("MEMORY.md")).text
    for (const [at, word] of ["一", "二"].entries())
      expect(text.includes(`- ${word}\n`)).toBe(told[at]?.startsWith("ok") === true)
    expect(told.filter((result) => result.startsWith("ok")).length).toBeGreaterThan(0)
    await agent.close()
  })
})

describe("what goes wrong with a document", () => {
  test("reaches the agent's onWarning too, where a program that shows only answers can see it", async () => {
    const { hook } = await openDocuments(tempFolder({ "MEMORY.md": new Uint8Array([0xff]) }))
    const warned: string[] = []
    const options = { hooks: [hook], onWarning: ({ message }: { readonly message: string }) => warned.push(message) }
    const { session } = testAgent(scriptedModel([finish("好")]), { dialect: "soul", persona: "" }, options)
    const { trace } = await session.send("你好").result
    expect(trace.warnings.map(({ kind }) => kind)).toEqual(["document"])
    expect(warned).toEqual(trace.warnings.map(({ message }) => message))
  })
})

describe("asking before a document changes", () => {
  const yes: Confirm = async () => true
  const newSoul = callTool("write", { path: "SOUL.md", content: "我叫小鸟。\n" })

  test("D9 without anybody to ask a missing SOUL.md may be made, an existing one not changed", async () => {
    const { session, documents } = await scene({}, [
      newSoul,
      callTool("write", { path: "./soul.md", content: "我叫小虫。" }),
      finish("好"),
    ])
    expect(await results(session)).toEqual([
      "ok: 已创建 SOUL.md。",
      "failed: 修改 SOUL.md 需要确认，但现在没有人可以确认，因此没有修改。",
    ])
    expect((await documents.workspace.read("SOUL.md")).text).toBe("我叫小鸟。\n")
  })

  test("D9 whoever can be asked is asked, also for a missing one; a refusal is told to the model", async () => {
    const asked: string[] = []
    const no: Confirm = async ({ summary }) => asked.push(summary) < 0
    const refused = ["failed: 对 SOUL.md 的这次修改被拒绝了，文件没有改变。"]
    expect(await results((await scene({}, [newSoul, finish("好")], { confirm: no })).session)).toEqual(refused)
    expect(await results((await scene(files, [newSoul, finish("好")], { confirm: no })).session)).toEqual(refused)
    expect(asked).toEqual(["新建 SOUL.md", "修改 SOUL.md"])
    expect(await results((await scene(files, [newSoul, finish("好")], { confirm: yes })).session)).toEqual([
      "ok: 已覆盖 SOUL.md。",
    ])
  })

  test.each([
    ["to nothing", "", { USER: "refused", MEMORY: "refused" }],
    ["to white space", "\n \n", { USER: "refused", MEMORY: "refused" }],
    // Tidying MEMORY.md is what its guidance asks for (D7).
    ["below a quarter", "字".repeat(24), { USER: "refused", MEMORY: "asked" }],
    ["to a quarter", "字".repeat(25), { USER: "free", MEMORY: "free" }],
    ["by a little", "字".repeat(90), { USER: "free", MEMORY: "free" }],
  ])("a document that would shrink %s is asked for, or refused where nobody can be asked", async (_, content, expected) => {
    for (const name of ["USER", "MEMORY"] as const) {
      const write = callTool("write", { path: `${name}.md`, content })
      const before = { [`${name}.md`]: `${"字".repeat(100)}\n` }
      const alone = await scene(before, [write, finish("好")])
      const [told] = await results(alone.session)
      expect(told?.startsWith("failed")).toBe(expected[name] === "refused")
      if (told?.startsWith("ok")) {
        await alone.documents.workspace.undo({ by: "user" })
        expect((await alone.documents.workspace.read(`${name}.md`)).text).toBe(before[`${name}.md`])
      }
      const confirm = vi.fn(yes)
      expect(await results((await scene(before, [write, finish("好")], { confirm })).session)).toEqual([
        `ok: 已覆盖 ${name}.md。`,
      ])
      expect(confirm).toHaveBeenCalledTimes(expected[name] === "free" ? 0 : 1)
    }
  })

  test.each(["", "\n \n"])(
    "D7, D9 a SOUL.md that holds %j is created when nobody can be asked, as its guidance says",
    async (text) => {
      const { session } = await scene({ "SOUL.md": text }, [newSoul, finish("好")])
      expect(await system(session)).toContain("和主人一起创建 SOUL.md")
      expect(await results(session)).toEqual(["ok: 已覆盖 SOUL.md。"])
    },
  )

  test("D3, D9, D14 a SOUL.md of a comment alone counts as empty, and a short persona may take its place; words beside it count", async () => {
    const seed = "<!-- There is no persona yet. Write it here, in place of this comment: who it is and how it speaks. -->\n"
    const steps = [callTool("write", { path: "SOUL.md", content: "我叫小鱼。\n" }), finish("好")]
    const { session, folder } = await scene({ "SOUL.md": seed }, steps)
    expect(await system(session)).toContain("# 人格\n\n（空）\n\n你还没有人格定义。在第一次对话时，和主人一起创建 SOUL.md。")
    expect(await results(session)).toEqual([expect.stringMatching(/^ok/)])
    expect(readFileSync(join(folder, "SOUL.md"), "utf8")).toBe("我叫小鱼。\n")
    const beside = await scene({ "SOUL.md": `${seed}我叫小鱼。` }, [])
    expect(await system(beside.session)).toContain("我叫小鱼。\n\n请根据上述人格定义来塑造你的性格和语气。")
  })

  test("D9 what is taken from a document bit by bit within a turn counts as one: below a quarter it is asked", async () => {
    const parts = ["甲", "乙", "丙", "丁"].map((letter) => letter.repeat(25))
    const without = (part: string) => callTool("edit", { path: "USER.md", old_text: part, new_text: "" })
    const left = "丁".repeat(20)
    const shorter = callTool("edit", { path: "USER.md", old_text: parts[3], new_text: left })
    const longer = callTool("edit", { path: "USER.md", old_text: left, new_text: `${left}，还有` })
    const script = [...parts.slice(0, 3).map(without), shorter, longer, finish("好")]
    const memory = { "USER.md": parts.join("") }
    const alone = await results((await scene(memory, script)).session)
    expect(alone.map((told) => told.split(":")[0])).toEqual(["ok", "ok", "ok", "failed", "failed"])
    let asked = 0
    const confirm: Confirm = async () => {
      asked += 1
      return true
    }
    const told = await results((await scene(memory, script, { confirm })).session)
    expect([told.map((one) => one.split(":")[0]), asked]).toEqual([["ok", "ok", "ok", "ok", "ok"], 1])
  })

  test("an edit that would empty USER.md needs confirmation too", async () => {
    const edit = callTool("edit", { path: "USER.md", old_text: "- 称呼：主人", new_text: "" })
    const { session, documents } = await scene(files, [edit, finish("好")])
    expect((await results(session))[0]).toMatch(/^failed: .*需要确认/)
    expect((await documents.workspace.read("USER.md")).text).toBe(files["USER.md"])
  })

  test("D12 a SOUL.md that is spelled otherwise on the disk is read and guarded like any other", async () => {
    const { session, documents } = await scene({ "soul.md": "我叫小鱼。\n" }, [newSoul, finish("好")])
    expect(await system(session)).toContain("# 人格\n\n我叫小鱼。")
    expect((await results(session))[0]).toMatch(/^failed: .*需要确认/)
    expect((await documents.workspace.read("soul.md")).text).toBe("我叫小鱼。\n")
  })

  test("every write is noted in the turn's trace and can be undone", async () => {
    const { session, documents } = await scene(files, [
      callTool("edit", { path: "MEMORY.md", old_text: "面包", new_text: "可颂" }),
      finish("好"),
    ])
    const { trace } = await session.send("你好").result
    expect(trace.records).toMatchObject([
      { kind: "write", tool: "edit", summary: "changed MEMORY.md", detail: expect.stringContaining("+- 周六烤可颂") },
    ])
    await documents.workspace.undo({ by: "user", id: trace.records[0]?.id })
    expect((await documents.workspace.read("MEMORY.md")).text).toBe(files["MEMORY.md"])
  })
})
