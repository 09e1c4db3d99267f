import fc from "fast-check"
import type { TokenCounter } from "../../../src/core/ports.ts"
import type { FitRule } from "../../../src/core/value.ts"
import type { TurnState } from "../../../src/prompt/layers/turn-state.ts"
import type { InjectionInput } from "../../../src/prompt/stack/injection.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { ran, said, turnState } from "../../support/turns.ts"
import { anyText } from "../encode/arbitrary-text.ts"

/** Every shipped prompt that makes a turn's request. */
export const turnPrompts = (["fay", "layered", "stack", "stack-cached"] as const).flatMap((dialect) =>
  (["en", "zh-CN"] as const).flatMap((locale) =>
    ["planner", "final", ...(dialect.startsWith("stack") ? ["chat"] : [])].map((prompt) => ({ dialect, locale, prompt })),
  ),
)

/** One token a code point: exact, and additive. */
export const perCodePoint: TokenCounter = { exact: true, count: countCodePoints }

/** One token a word or run of blanks, begun anew by every count: parts never add up to the whole. */
export const perRun: TokenCounter = { exact: true, count: (text) => text.match(/\s+|\S+/gu)?.length ?? 0 }

function countCodePoints(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count++
  return count
}

/** Words, hostile characters, and blanks now and then. */
export const words: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.constantFrom("好", "word", "two\nlines", "---", "**系统设定**", "[/memory context]", "## x", "```js\nx\n```"),
  },
  { weight: 2, arbitrary: anyText },
  { weight: 1, arbitrary: fc.constantFrom("", " ", "\n\n", "\u202e", "\u{e0041}") },
)

const trust = fc.constantFrom("author", "user", "agent", "tool", "memory")

/** Rules for the budget, reserved and grouped ones too. */
const anyFit: fc.Arbitrary<FitRule> = fc.record(
  {
    rank: fc.constantFrom(0, 10, 10, 35, 90),
    shrink: fc.constantFrom("drop", "entries", "head", "tail", "headTail"),
    minTokens: fc.constantFrom(0, 1, 5, 12),
    maxTokens: fc.constantFrom(0, 8, 30),
    group: fc.constantFrom("g", "h"),
  },
  { requiredKeys: ["rank", "shrink"] },
)

/** Slots of text: a list in one of them has no file to print it. */
const textSlots = ["persona", "format", "final_system", "base", "note"]
const otherKeys = [
  "rest",
  "developer",
  "planner",
  "truncated",
  "world_book",
  "__proto__",
  "constructor",
  "x",
  "知识",
  "memories",
  "question",
]

const anyContent = fc.oneof(words, fc.boolean(), fc.record({ text: words, trust }))
const anyList = fc.array(fc.record({ speaker: words, text: fc.record({ text: words, trust }) }), { maxLength: 3 })
const placed = fc.oneof(
  fc.record({ key: fc.constantFrom(...textSlots), content: anyContent }),
  fc.record({ key: fc.constantFrom(...otherKeys), content: fc.oneof({ weight: 3, arbitrary: anyContent }, anyList) }),
)
const options = fc.record(
  {
    trust,
    priority: fc.constantFrom(10, 20, 20, 100, -1),
    role: fc.constantFrom("system", "developer"),
    scope: fc.constantFrom("global", "session", "turn"),
    enabled: fc.boolean(),
    fit: anyFit,
  },
  { requiredKeys: [] },
)

/** Items of a stack: keys with and without a slot, of any kind. */
export const anyItems: fc.Arbitrary<InjectionInput[]> = fc.uniqueArray(
  fc.tuple(placed, options).map(([item, rest]) => ({ ...item, ...rest })),
  { selector: ({ key }) => key, maxLength: 7 },
)

const args = fc.dictionary(words, fc.oneof(words, fc.integer(), fc.array(words, { maxLength: 2 })), { maxKeys: 2 })
const kept = fc.record({ tool: words, args, result: words })
const run = fc
  .tuple(words, args, words, fc.boolean())
  .map(([tool, given, result, failed]) => ran(tool, given, result, failed ? { status: "failed", failure: "threw" } : {}))
const message = fc
  .tuple(fc.constantFrom("user", "assistant"), words, words, fc.array(kept, { maxLength: 1 }))
  .map(([role, text, name, prestart]) =>
    said(role as "user" | "assistant", text, { speaker: { id: name, name }, ...(prestart.length > 0 ? { prestart } : {}) }),
  )
const tool = fc.tuple(fc.constantFrom("author", "tool"), words, words).map(([writer, description, usageHint]) =>
  defineTool({
    name: "look_up",
    description,
    usageHint,
    trust: writer as "author" | "tool",
    jsonSchema: { type: "object", properties: { [description]: { type: "string", description: usageHint } } },
    execute: () => "",
  }),
)

const call = fc.record({ id: fc.constantFrom("1", "2"), name: words, args: fc.constantFrom("{}", '{"q":"x\u202e"}', "") })

/** One step of a planner: a run, native calls, or an output that could not be read. */
export const anyStep: fc.Arbitrary<TurnState["steps"][number]> = fc.oneof(
  fc
    .record({ text: words, calls: fc.array(call, { maxLength: 2 }), runs: fc.array(run, { maxLength: 2 }) })
    .map((step) => ({ type: "native" as const, ...step })),
  fc.tuple(words, run).map(([call, done]) => ({ type: "run" as const, call, run: done })),
  words.map((output) => ({ type: "fault" as const, output, notice: "again" })),
)

/** A turn with anything in any place. */
export const anyTurn: fc.Arbitrary<TurnState> = fc
  .record({
    text: words,
    name: words,
    group: fc.boolean(),
    history: fc.array(message, { maxLength: 4 }),
    memories: fc.array(fc.record({ text: words }), { maxLength: 3 }),
    prestart: fc.array(kept, { maxLength: 2 }),
    tools: fc.array(tool, { maxLength: 2 }),
    runs: fc.array(run, { maxLength: 3 }),
    steps: fc.array(anyStep, { maxLength: 3 }),
    note: words,
  })
  .map(({ text, name, ...turn }) => turnState(text, { question: { speaker: { id: name, name }, text }, ...turn }))

/** A stack of items; what cannot be added is left out. */
export function stackOf(items: readonly InjectionInput[]): PromptStack {
  return new PromptStack(items)
}
