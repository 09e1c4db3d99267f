import { describe, expect, test } from "vitest"
import type { Message } from "../../src/core/span.ts"
import { assemble } from "../../src/prompt/assemble/assemble.ts"
import { shippedDialect } from "../../src/prompt/dialect/shipped.ts"
import { decodeTranscript, parseTranscript } from "../../src/prompt/encode/transcript.ts"
import type { TurnState } from "../../src/prompt/layers/turn-state.ts"
import { PromptStack } from "../../src/prompt/stack/prompt-stack.ts"
import { dataPresent, hostileStrings, triedOf } from "../support/corpora.ts"
import { joinTokens } from "../support/decode-text.ts"
import { isWhole, lineBreaks, seen, visible } from "../support/hostile-reader.ts"
import { ran, said, turnState } from "../support/turns.ts"

/** Texts of the turn and of the layers, all filled with the same words of somebody else's. */
interface Filled {
  readonly turn: TurnState
  readonly stack: PromptStack
}

const place = { dialect: "root", locale: "zh-CN" } as const
const page = (result: string) => ({ tool: "search", args: { q: result }, result })

function filledWith(text: string, name = "主人"): Filled {
  const speaker = { id: "u", name }
  const memory = { text, trust: "memory" as const }
  const turn = turnState(text, {
    group: true,
    question: { speaker, text },
    history: [
      said("user", text, { speaker, recalled: [text], prestart: [page(text)], attachments: [{ name: text }] }),
      said("assistant", text),
    ],
    memories: [{ text }],
    prestart: [page(text)],
    attachments: [{ name: text }],
    fileFaults: [{ written: text, fault: "missing" }],
    runs: [ran("read", { path: text }, text)],
    steps: [
      { type: "run", call: text, run: ran("read", {}, text) },
      { type: "run", call: "{}", run: ran("write", {}, text, { status: "failed", failure: "threw" }) },
      { type: "fault", output: text, notice: "再试一次" },
    ],
    note: text,
  })
  const stack = new PromptStack([
    { key: "persona", content: "我是青蓝。", scope: "global" },
    { key: "events", content: [{ stamp: { text: "20260216 3:16", trust: "author" }, text: memory }] },
    { key: "workspace", content: [{ id: memory, kind: memory, text: memory }] },
    { key: "pulled", content: [{ id: memory, text: memory, content: memory }] },
    { key: "observed", content: text, trust: "tool" },
  ])
  return { turn, stack }
}

const blocks = new Set(["<memory>", "</memory>", "<event>", "</event>"])

/** Who speaks and which blocks begin and end, as a careless reader of the notation sees it: nothing of this is the library's. */
function structureOf(messages: readonly Message[], { withNames = true, words = "" } = {}): string {
  const found = messages.flatMap((message) => [
    `<${message.role}>`,
    ...(isWhole(message, words) ? [] : message.content.split(lineBreaks)).flatMap((raw) => {
      const line = seen(raw)
      if (line.startsWith("^")) return [withNames ? `^${line.slice(1, line.indexOf(":"))}` : "^"]
      if (line.startsWith("#")) return [line]
      return blocks.has(line) ? [line] : []
    }),
  ])
  return found.join("\n")
}

const written = ({ turn, stack }: Filled, prompt: string) => assemble(stack, { ...place, prompt, turn }).messages

describe.skipIf(!dataPresent)("root × forging strings", () => {
  const strings = dataPresent ? [...new Set(hostileStrings())].filter(isReadable) : []

  // `native` and `chat` are made of the same files.
  test.each([
    { prompt: "planner", every: 1 },
    { prompt: "final", every: 3 },
  ])("R5 T5 T28 $prompt: no text in any place forges a speaker, a tool or a block", ({ prompt, every }) => {
    const harmless = structureOf(written(filledWith("好"), prompt), { words: "好" })
    const all = strings.filter((_, at) => at % every === 0)
    for (const text of triedOf(all, 2)) {
      const found = structureOf(written(filledWith(text), prompt), { words: text })
      if (found !== harmless) expect.fail(`forged in ${prompt} by ${JSON.stringify(text)}:\n${found}\ninstead of\n${harmless}`)
    }
  })

  test("R5 no name forges another speaker, a tool or a block", () => {
    const harmless = structureOf(written(filledWith("好", "小明"), "planner"), { withNames: false })
    for (const name of triedOf(strings)) {
      const found = structureOf(written(filledWith("好", name), "planner"), { withNames: false })
      if (found !== harmless) expect.fail(`forged by the name ${JSON.stringify(name)}:\n${found}`)
    }
  })

  test("R5 what is said is one message of one speaker, and is read back as it was", () => {
    const { markers } = shippedDialect("root", "zh-CN")
    const head = "^主人:"
    for (const text of triedOf(strings, 1)) {
      const { messages } = assemble(new PromptStack(), { ...place, prompt: "chat", turn: turnState(text) })
      const content = messages.at(-1)?.content ?? ""
      expect(parseTranscript(content)).toHaveLength(1)
      const back = decodeTranscript(joinTokens(content.slice(head.length)), markers)
      if (!content.startsWith(head) || back !== visible(text)) expect(back).toBe(visible(text))
    }
  })

  test("the same strings put in as they are do forge structure, so the reader can tell", () => {
    const forging = strings.filter((text) => structureOf([{ role: "user", content: `^主人:好\n${text}` }]) !== "<user>\n^主人")
    expect(forging.length).toBeGreaterThan(100)
  })
})

/** Blank texts are not printed; a flag of tags is kept on purpose, and the reader knows none. */
function isReadable(text: string): boolean {
  return visible(text).trim() !== "" && !text.includes("\u{1F3F4}")
}
