import fc from "fast-check"
import { expect, test } from "vitest"
import { Memo } from "../../../../src/core/memo.ts"
import type { CountedTool, TokenCounter } from "../../../../src/core/ports.ts"
import type { MessageRole } from "../../../../src/core/span.ts"
import { countDraft, countMessages } from "../../../../src/prompt/assemble/draft/count.ts"
import type { DraftMessage, Piece } from "../../../../src/prompt/assemble/draft/draft.ts"
import { runs } from "../../../support/size.ts"

const pieceOf = (text: string): Piece => ({ text, key: "k", part: "content", trust: "user", stability: "turn" })
const messages = fc.array(
  fc.record({
    role: fc.constantFrom<MessageRole>("system", "user", "assistant"),
    // From 16 pieces on, a message is remembered.
    texts: fc.oneof(fc.array(fc.string({ maxLength: 5 }), { maxLength: 3 }), fc.constant(Array<string>(16).fill("ab"))),
    calls: fc.option(fc.constantFrom("{}", '{"a":1}'), { nil: undefined, freq: 2 }),
  }),
  { maxLength: 6 },
)
type Given = Parameters<Parameters<typeof messages.map>[0]>[0][number]

const callsOf = (args: string) => ({ toolCalls: [{ id: "1", name: "t", args }] })
const draftOf = (all: readonly Given[]): DraftMessage[] =>
  all.map(({ role, texts, calls }) => ({
    role,
    pieces: texts.map(pieceOf),
    calls: calls === undefined ? undefined : callsOf(calls),
  }))
const printed = new Set<string>()

/** Counters that count characters; one has an overhead that depends on the whole messages. */
const counters: readonly (() => TokenCounter)[] = [
  () => ({ exact: true, count: (text) => text.length }),
  () => ({
    exact: true,
    count: (text) => text.length,
    overhead: (list, tools = []) =>
      list.reduce((sum, { role, content }) => sum + 3 + role.length + content.split("a").length, 5 * tools.length),
  }),
]

test("a draft has the tokens of its messages, whichever of them were written out before, for whom, and in what place", () => {
  const tools: readonly CountedTool[] = [{ name: "t", description: "", parameters: {} }]
  const asked = fc.record({
    all: messages,
    known: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
    which: fc.nat(1),
    withTools: fc.boolean(),
    moved: fc.boolean(),
  })
  fc.assert(
    fc.property(asked, ({ all, known, which, withTools, moved }) => {
      const counter = counters[which]?.() as TokenCounter
      const counting = { counter, memo: new Memo(), tools: withTools ? tools : undefined }
      const contents = all.map(({ role, texts }) => ({ role, content: texts.join("") }))
      const ofLists = [
        ...all.flatMap(({ calls }) => (calls === undefined ? [] : [callsOf(calls).toolCalls])),
        ...(withTools && counter.overhead === undefined ? [tools] : []),
      ]
      const naive =
        contents.reduce((sum, { content }) => sum + content.length, 0) +
        ofLists.reduce((sum, list) => sum + JSON.stringify(list).length, 0) +
        (counter.overhead?.(contents, counting.tools) ?? 0)
      const fresh = draftOf(all)
      expect(countDraft({ messages: fresh, printed }, counting)).toBe(naive)

      const draft = draftOf(all)
      const first = draft.filter((_, at) => known[at])
      countMessages({ messages: moved ? first.toReversed() : first, printed }, counting)
      expect(countDraft({ messages: draft, printed }, counting)).toBe(naive)
      const counted = countMessages({ messages: draft, printed }, counting)
      expect(counted.tokens + counted.overheadTokens).toBe(naive)
      expect(counted.exact).toBe(all.every(({ calls }) => calls === undefined) && !(withTools && which === 0))
      expect(countDraft({ messages: draft, printed }, counting)).toBe(naive)
      // Another counter of the same kind has counted nothing yet.
      expect(countDraft({ messages: draft, printed }, { ...counting, counter: { ...counter } })).toBe(naive)
    }),
    { numRuns: runs(10_000) },
  )
})
