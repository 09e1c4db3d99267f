import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { assemble } from "../../../src/prompt/assemble/assemble.ts"
import type { TurnState } from "../../../src/prompt/layers/turn-state.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { runs } from "../../support/size.ts"
import { ran, said, turnState } from "../../support/turns.ts"
import { anyItems, anyTurn, stackOf, turnPrompts } from "./arbitrary-turn.ts"

/** One of each kind, with words around them: tag characters, a bidi override, an escape sequence, half a pair. */
const dirty = "a\u{e0041}b\u202ec\u001bd\ud83de"
const kinds = ["bidi", "control", "surrogate", "tags"]
const wire = (given: Record<string, unknown>) =>
  defineTool({ name: "remote", description: "", trust: "tool", execute: () => "", ...given })
const parameters = (name: string) => ({
  type: "object",
  properties: { [name]: { type: "string", description: name, enum: [name] } },
})

const sinks: Record<string, { key: string; turn?: Partial<TurnState>; removed?: number }> = {
  question: { key: "question", turn: { question: { speaker: { id: "u", name: "u" }, text: dirty } } },
  "user name": { key: "question", turn: { question: { speaker: { id: "u", name: dirty }, text: "?" } } },
  "history of the user": { key: "history", turn: { history: [said("user", dirty)] } },
  "history of the agent": { key: "history", turn: { history: [said("assistant", dirty)] } },
  "name of another speaker": {
    key: "history",
    turn: { group: true, history: [said("user", "x", { speaker: { id: "g", name: dirty } })] },
  },
  memory: { key: "memories", turn: { memories: [{ text: dirty }] } },
  "prestart's result": { key: "prestart", turn: { prestart: [{ tool: "t", args: {}, result: dirty }] } },
  "prestart's tool": { key: "prestart", turn: { prestart: [{ tool: dirty, args: {}, result: "x" }] } },
  "kept prestart's arguments": {
    key: "history",
    turn: { history: [said("user", "x", { prestart: [{ tool: "t", args: { [dirty]: [dirty, { k: dirty }] }, result: "x" }] })] },
    removed: 12,
  },
  "tool name": { key: "runs", turn: { runs: [ran(dirty, {}, "x")] } },
  arguments: { key: "runs", turn: { runs: [ran("t", { k: dirty }, "x")] } },
  "arguments' names": { key: "runs", turn: { runs: [ran("t", { [dirty]: 1 }, "x")] } },
  result: { key: "runs", turn: { runs: [ran("t", {}, dirty)] } },
  "result of lines": { key: "runs", turn: { runs: [ran("t", {}, `${dirty}\nx`)] } },
  "a wire tool's description": { key: "tools", turn: { tools: [wire({ description: dirty })] } },
  "a wire tool's hint": { key: "tools", turn: { tools: [wire({ usageHint: dirty })] } },
  "a wire tool's parameters": { key: "tools", turn: { tools: [wire({ jsonSchema: parameters(dirty) })] }, removed: 12 },
  "the planner's note": { key: "note", turn: { note: dirty } },
  observation: { key: "observed" },
}
const shownIn = (key: string) => (key === "tools" ? "planner" : "final")

describe("what nobody can see or what acts on a terminal", () => {
  test.each(Object.entries(sinks))(
    "is taken out of %s and reported, in fay and in layered",
    (name, { key, turn, removed = 4 }) => {
      const stack = new PromptStack(name === "observation" ? [{ key, content: dirty, trust: "tool" }] : [])
      for (const dialect of ["fay", "layered"]) {
        const assembly = assemble(stack, { dialect, prompt: shownIn(key), turn: turnState("?", turn) })
        expect(assembly.sanitised.map((entry) => ({ ...entry, kinds: entry.kinds.toSorted() }))).toEqual([
          { key, removed, kinds },
        ])
        const text = assembly.messages.map(({ content }) => content).join("\n")
        // Only fay shows who speaks to one person alone.
        if (dialect === "fay" || name !== "user name") expect(text).toContain("abcd\ufffde")
        expect(text).not.toMatch(unseen)
      }
    },
  )

  test("is in no message, whatever it was in, unless an author wrote it", () => {
    fc.assert(
      fc.property(fc.constantFrom(...turnPrompts), anyItems, anyTurn, (where, items, turn) => {
        const untrusted = items.filter(({ content, trust }) => typeof content === "string" && (trust ?? "author") !== "author")
        const { spans } = assemble(stackOf(untrusted), { ...where, turn })
        const byOthers = spans.filter(({ trust }) => trust !== "author").map(({ text }) => text)
        for (const text of byOthers) expect(text).not.toMatch(unseen)
      }),
      { numRuns: runs(600) },
    )
  })

  test("stays where an author wrote it, and nothing is reported that was not taken out", () => {
    const stack = new PromptStack([{ key: "persona", content: dirty, scope: "global" }])
    const assembly = assemble(stack, {
      dialect: "layered",
      turn: turnState("👨‍👩‍👧 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}"),
    })
    expect(assembly.messages[0]?.content).toContain(dirty)
    expect(assembly.messages[1]?.content).toContain("👨‍👩‍👧 🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}")
    expect(assembly.sanitised).toEqual([])
  })

  test("is reported once for what is printed twice, and not at all for what the file omits", () => {
    const turn = turnState(dirty, { tools: [wire({ description: dirty })] })
    const { sanitised } = assemble(new PromptStack(), { dialect: "fay", prompt: "final", turn })
    expect(sanitised).toMatchObject([{ key: "question", removed: 4 }])
  })

  test("T30 leaves no trace of a block or a message that holds nothing else", () => {
    const turn = turnState("?", {
      memories: [{ text: "\u202e" }, { text: " " }],
      history: [said("user", "\u202e"), said("assistant", " ")],
    })
    const { messages } = assemble(new PromptStack(), { dialect: "layered", turn })
    expect(messages.slice(1)).toEqual([{ role: "user", content: "?" }])
  })
})

/** Tag characters outside flags, bidi controls, C0 and C1 but tab and line breaks, half characters. */
const unseen =
  /(?<!\u{1f3f4}[\u{e0030}-\u{e007a}]{0,6})[\u{e0000}-\u{e007f}]|[\u{202a}-\u{202e}\u{2066}-\u{2069}\u{200e}\u{200f}\u{61c}\p{Cs}[\p{Cc}--[\t\n\v\f\r\u{85}]]]/v
