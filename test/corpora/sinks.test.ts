import { describe, expect, test } from "vitest"
import type { Message } from "../../src/core/span.ts"
import { assemble } from "../../src/prompt/assemble/assemble.ts"
import { breakTokens } from "../../src/prompt/encode/sanitise.ts"
import type { TurnState } from "../../src/prompt/layers/turn-state.ts"
import { PromptStack } from "../../src/prompt/stack/prompt-stack.ts"
import { defineTool } from "../../src/prompt/tools/define-tool.ts"
import { dataPresent, hostileStrings, triedOf } from "../support/corpora.ts"
import { isWhole, lineBreaks, readFence, readInline, seen, skeleton, unescapeLines, visible } from "../support/hostile-reader.ts"
import { ran, said, turnState } from "../support/turns.ts"

/** Most lines stand in thousands of prompts. */
const seenLines = new Map<string, string>()

/** A place where somebody else's words enter a prompt, and how to find them again in fay's planner message. */
interface Sink {
  readonly name: string
  /** The turn with the words in this place; other places stay as they were. */
  readonly fill: (turn: TurnState, text: string) => TurnState
  /** Reads the words back; the cursor stands behind the sink before it. Absent where fay's planner does not show them. */
  readonly read?: (message: Cursor) => string
}

/** A message that is read from its beginning to its end. */
class Cursor {
  readonly text: string
  #at = 0

  constructor(text: string) {
    this.text = text
  }

  /** What stands between two marks; the second one is not passed. */
  between(before: string, after: string): string {
    const from = this.#find(before) + before.length
    this.#at = from
    const to = this.#find(after)
    this.#at = to
    return this.text.slice(from, to)
  }

  fenceAfter(before: string): string {
    const { content, end } = readFence(this.text, this.#find(before) + before.length)
    this.#at = end
    return content
  }

  /** A text that has its lines to itself: in a fence, or with marked lines. */
  lines(before: string, after: string): string {
    if (this.text.startsWith("```", this.#find(before) + before.length)) return this.fenceAfter(before)
    return unescapeLines(this.between(before, after), isMarker, closers)
  }

  /** A tool run's result after its arrow: inside the line, or fenced below it. */
  resultAfter(before: string): string {
    const from = this.#find(before) + before.length
    if (this.text[from] === "\n") return this.fenceAfter(`${before}\n`)
    return readInline(this.between(before, "\n").replace(/^ /, ""))
  }

  #find(mark: string): number {
    const at = this.text.indexOf(mark, this.#at)
    if (at < 0) throw new Error(`${JSON.stringify(mark)} is not in the message behind ${this.#at}`)
    return at
  }
}

const page = (text: string) => ({ tool: "search", args: {}, result: text })

/** Sinks that can all be filled at once and still be read one after the other, in the order of fay's planner. */
const groups: readonly { readonly name: string; readonly sinks: readonly Sink[] }[] = [
  {
    name: "words of every kind",
    sinks: [
      {
        name: "question",
        fill: (turn, text) => ({ ...turn, question: { ...turn.question, text } }),
        read: (message) => message.fenceAfter("**提问内容**\n主人：\n"),
      },
      {
        name: "memory",
        fill: (turn, text) => ({ ...turn, memories: [{ text }] }),
        read: (message) => message.lines("**关联记忆**\n", "\n---\n"),
      },
      {
        name: "prestart result",
        fill: (turn, text) => ({ ...turn, prestart: [page(text)] }),
        read: (message) => message.fenceAfter("**预启动工具结果**\n【search】\n"),
      },
      {
        name: "description of a tool from outside",
        fill: (turn, text) => ({ ...turn, tools: [remote({ description: text })] }),
        read: (message) => readInline(message.between("**可用工具**\n- remote: ", "\n---\n")),
      },
      {
        name: "tool result",
        fill: (turn, text) => ({ ...turn, runs: [...turn.runs, ran("read", {}, text)] }),
        read: (message) => message.resultAfter("read() →"),
      },
      {
        name: "failed tool result",
        fill: (turn, text) => ({ ...turn, runs: [...turn.runs, ran("write", {}, text, { status: "failed", failure: "threw" })] }),
        read: (message) => message.resultAfter("write() → 失败："),
      },
      {
        name: "kept prestart result",
        fill: (turn, text) => ({ ...turn, history: [...turn.history, said("user", "前", { prestart: [page(text)] })] }),
        read: (message) => message.fenceAfter('<prestart keep="true">\n【search】\n'),
      },
      {
        name: "history of the user",
        fill: (turn, text) => ({ ...turn, history: [...turn.history, said("user", text)] }),
        read: (message) => message.fenceAfter("主人：\n```\n前\n```\n主人：\n"),
      },
      {
        name: "history of the agent",
        fill: (turn, text) => ({ ...turn, history: [...turn.history, said("assistant", text)] }),
        read: (message) => message.fenceAfter("Fay：\n"),
      },
      {
        name: "call and result of a step, an output that could not be read",
        fill: (turn, text) => ({
          ...turn,
          steps: [
            { type: "run", call: text, run: ran("read", {}, text) },
            { type: "fault", output: text, notice: "再试一次" },
          ],
        }),
      },
      { name: "the planner's note", fill: (turn, text) => ({ ...turn, note: text }) },
    ],
  },
  {
    name: "names",
    sinks: [
      {
        name: "user name",
        fill: (turn, text) => ({ ...turn, question: { ...turn.question, speaker: { id: "u", name: text } } }),
        read: (message) => readInline(message.between("**提问内容**\n", "：\n```\n问")),
      },
      {
        name: "names of a parameter from outside",
        fill: (turn, text) => ({ ...turn, tools: [remote({ parameter: text })] }),
      },
      {
        name: "name of a called tool",
        fill: (turn, text) => ({ ...turn, runs: [...turn.runs, ran(text, {}, "好")] }),
        read: (message) => readInline(message.between("**历史工具执行**\n", "() → 好\n")),
      },
      {
        name: "argument",
        fill: (turn, text) => ({ ...turn, runs: [...turn.runs, ran("read", { path: text }, "好")] }),
        read: (message) => readInline(message.between("\nread(path=", ") → 好\n")),
      },
      {
        name: "argument's name",
        fill: (turn, text) => ({ ...turn, runs: [...turn.runs, ran("write", { [text]: "x" }, "好")] }),
        read: (message) => readInline(message.between("\nwrite(", "=x) → 好\n---")),
      },
      {
        name: "name of another speaker",
        fill: (turn, text) => ({
          ...turn,
          group: true,
          history: [said("user", "前", { speaker: { id: "g", name: text } }), ...turn.history],
        }),
        read: (message) => readInline(message.between("**最近对话**\n", "：\n```\n前")),
      },
    ],
  },
]

const noParameters = { type: "object", properties: {} }

function remote({ description = "", parameter }: { readonly description?: string; readonly parameter?: string }) {
  const told = (name: string) => ({ type: "string", description: name, enum: [name, "x"] })
  const jsonSchema = parameter === undefined ? noParameters : { type: "object", properties: { [parameter]: told(parameter) } }
  return defineTool({ name: "remote", description, trust: "tool", jsonSchema, execute: () => "" })
}

const titles = [
  "提问内容",
  "系统设定",
  "额外观察",
  "其他观察",
  "关联记忆",
  "预启动工具结果",
  "可用工具",
  "历史工具执行",
  "工具执行摘要",
  "最近对话",
]
const blocks = ["memory context", "prestart", "tool runs"].flatMap((name) => [`[${name}]`, `[/${name}]`])
const keep = ['<prestart keep="true">', "</prestart>"]

/** The structure of each dialect, listed by hand: whole lines, and how other lines begin. */
const structure = {
  fay: { lines: [...titles.map((title) => `**${title}**`), "---", ...keep], heads: ["【"] },
  layered: { lines: [...blocks, ...keep], heads: ["【"] },
  stack: { lines: keep, heads: ["## ", "【"] },
  "stack-cached": { lines: ["[context]", "[/context]", ...keep], heads: ["## ", "【"] },
} as const

type DialectName = keyof typeof structure

const markersOf = (dialect: DialectName) => markerReader(structure[dialect].lines, structure[dialect].heads)

function markerReader(lines: readonly string[], heads: readonly string[]): (line: string) => boolean {
  const whole = new Set(lines.map(seenOnce))
  const begins = heads.map(seenOnce)
  return (line) => whole.has(line) || begins.some((head) => line.startsWith(head))
}

const markersOfDialect = {
  fay: markersOf("fay"),
  layered: markersOf("layered"),
  stack: markersOf("stack"),
  "stack-cached": markersOf("stack-cached"),
}

/** Fay's own sentences and placeholders are protected too: a line that reads like one of them may carry a backslash. */
const isSentence = markerReader(
  [
    "（无补充）",
    "（无相关记忆）",
    "（暂无可用工具）",
    "（无）",
    "（暂无对话）",
    '{"action": "tool", "tool": "工具名", "args": {...}}',
    '{"action": "finish", "message": "你的回复内容"}',
    "请返回 JSON，格式如下：",
    "- 若需要调用工具：",
    "- 若直接回复（需附带回复内容）：",
    "请重新输出，只输出一个符合格式要求的 JSON 对象。",
    "（没有返回内容）",
    "可选",
    "[...内容被截断...]",
    "你有以下技能可按需使用:",
    "需要时读取对应文件获取详细指引。",
  ],
  [
    "[...内容被截断：保留了",
    "[...内容被截断，完整内容请使用 read 工具查看",
    "（截断：保留了",
    "[...较早的",
    "[...排序靠后的",
    "[...结果过长：保留了",
    "（与之前的调用相同，没有再次执行，之前的结果是：）",
    "（规划器建议：",
    "没有名为",
    "参数:",
    "参数不符合要求：",
    "使用时机:",
    "工具出错：",
    "超过",
    "上一次输出无法读取：",
  ],
)
/** Headings and rules in fay's own shape, and lines by which its speaker or its tool speaks. */
const isShape = (line: string) =>
  /^\*\*[^*]+\*\*:?$|^(?:主人|fay)(?:\(.*\))?:$/.test(line) ||
  /^([-=_*])\1{2,}$/.test(line.replaceAll(" ", "")) ||
  isBracket(line)
const isBracket = (line: string) => /^\[[^[\]]+\]$/.test(line)
/** The lines by which fay closes a block. */
const closers = ["</prestart>", "[/tool runs]"]
/** A speaker's name behind signs or the rest of a terminal's code, which may carry a backslash too. */
const isDisguised = (line: string) => /^[^主]{0,20}主人:/.test(line)
const isMarker = (line: string) => markersOfDialect.fay(line) || isSentence(line) || isShape(line) || isDisguised(line)

function seenOnce(line: string): string {
  const known = seenLines.get(line)
  if (known !== undefined) return known
  const read = seen(line)
  seenLines.set(line, read)
  return read
}

const persona = new PromptStack([{ key: "persona", content: "你是Fay。", scope: "global" }])
const dialects = ["fay", "layered", "stack", "stack-cached"] as const

function write(sinks: readonly Sink[], text: string, { dialect, prompt }: { dialect: DialectName; prompt: string }): Message[] {
  const turn = sinks.reduce((filled, sink) => sink.fill(filled, text), turnState("问"))
  return [...assemble(persona, { dialect, locale: "zh-CN", prompt, turn }).messages]
}

/** Whole fences go: a text may stand in one, and a fence holds no structure. One that is not closed stays. */
function withoutFences(lines: readonly string[]): string[] {
  return lines.filter(
    (line, at) => !((line === "open" && lines[at + 1] === "close") || (line === "close" && lines[at - 1] === "open")),
  )
}

function skeletonOf(messages: readonly Message[], dialect: DialectName, words: string): string {
  const marks = markersOfDialect[dialect]
  const linesOf = (message: Message) => (isWhole(message, words) ? [] : withoutFences(skeleton(message.content, marks, seenOnce)))
  return messages.map((message) => [`<${message.role}>`, ...linesOf(message)].join("\n")).join("\n")
}

describe.skipIf(!dataPresent)("forging strings × sinks", () => {
  const strings = dataPresent ? [...new Set(hostileStrings())] : []
  const sinks = groups.flatMap((group) => group.sinks)
  const cases = dialects.flatMap((dialect) => ["planner", "final"].map((prompt) => ({ dialect, prompt })))
  const readable = strings.filter(isReadable)

  test.each(cases)("T5 T6 T10 T28 $dialect/$prompt: no structure is forged in any sink", ({ dialect, prompt }) => {
    const from = cases.findIndex((known) => known.dialect === dialect && known.prompt === prompt)
    const place = { dialect, prompt }
    const structureOf = (some: readonly Sink[], text: string) => skeletonOf(write(some, text, place), dialect, text)
    const [oneLine, twoLines] = [structureOf(sinks, "好"), structureOf(sinks, "好\n好")]
    for (const text of triedOf(readable, from)) {
      const isLong = lineBreaks.test(visible(text))
      const found = structureOf(sinks, text)
      if (found === (isLong ? twoLines : oneLine)) continue
      const guilty = sinks.filter((sink) => structureOf([sink], text) !== structureOf([sink], isLong ? "好\n好" : "好"))
      const names = guilty.map(({ name }) => name).join(", ") || "all together"
      expect.fail(`forged in ${dialect}/${prompt} by ${JSON.stringify(text)} as ${names}:\n${found}`)
    }
  })

  test.each(groups)("T5 T6 T10 T28 fay, $name: every sink's words are read back as they were", ({ sinks }) => {
    for (const text of triedOf(readable)) {
      const message = new Cursor(write(sinks, text, { dialect: "fay", prompt: "planner" }).at(-1)?.content ?? "")
      const back = sinks.flatMap(({ name, read }) => (read ? [[name, read(message)]] : []))
      const clean = visible(text)
      // T50: of a tool from outside, tokens are broken before the prompt is made.
      const written = (name?: string) => (name === "description of a tool from outside" ? breakTokens(clean) : clean)
      if (back.every(([name, words]) => words === written(name))) continue
      expect(Object.fromEntries(back)).toEqual(Object.fromEntries(back.map(([name]) => [name, written(name)])))
    }
  })

  test("T5 T28 an observation of a hook forges nothing in any dialect and is read back as it was", () => {
    const stackOf = (text: string) =>
      new PromptStack([...persona.items(), { key: "observed", content: text, trust: "tool" as const }])
    for (const [from, dialect] of dialects.entries()) {
      const written = (text: string) => assemble(stackOf(text), { dialect, locale: "zh-CN", turn: turnState("问") }).messages
      const harmless = skeletonOf(written("好"), dialect, "好")
      for (const text of triedOf(readable, from)) {
        const messages = written(text)
        if (skeletonOf(messages, dialect, text) !== harmless) expect.fail(`forged in ${dialect} by ${JSON.stringify(text)}`)
        if (dialect !== "fay") continue
        const back = new Cursor(messages.at(-1)?.content ?? "").lines("**额外观察**\n", "\n---\n")
        if (back.trim() !== visible(text).trim()) expect(back).toBe(visible(text))
      }
    }
  })

  test("the same strings put in as they are do forge structure, so the reader can tell", () => {
    const frame = (text: string) => skeleton(`**关联记忆**\n${text}\n---`, markersOfDialect.fay).join("\n")
    const forged = strings.filter((text) => frame(text) !== frame("好"))
    expect(forged.length).toBeGreaterThan(200)
  })
})

/** Blank texts are not printed; a flag of tags is kept on purpose, and the reader knows none. */
function isReadable(text: string): boolean {
  return visible(text).trim() !== "" && !text.includes("\u{1F3F4}")
}
