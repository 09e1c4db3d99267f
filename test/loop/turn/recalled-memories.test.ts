import fc from "fast-check"
import { expect, test } from "vitest"
import { roughCounter } from "../../../src/core/ports.ts"
import { recalledMemories, withinTokens } from "../../../src/loop/turn/prepare.ts"
import type { MemoryRecall } from "../../../src/memory/services/memory/memory-service.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { finish, testAgent } from "../../support/agents.ts"

test.each<[string, unknown, number]>([
  ["nothing", undefined, 1],
  ["null", null, 1],
  ["a text", "memories", 1],
  ["a number", 5, 1],
  ["an object", { text: "x" }, 1],
  ["empty places", [null, undefined, 5, "x", [], {}], 1],
  ["texts that are none", [{ text: {} }, { text: 5 }, { text: " " }], 1],
  ["fields of other types", [{ id: 1, text: "good", speaker: {}, atMs: Number.NaN, why: 5, score: "1" }], 0],
  ["a time that no date has", [{ id: "1", text: "good", atMs: 1e300 }], 0],
  ["reasons that are none", [{ id: "1", text: "good", why: [null, 5, { signal: {} }, { signal: "words", share: 1 }] }], 0],
  ["half a character and NUL", [{ id: "1", text: "good \ud800\0" }], 0],
])("a memory service that answers %s costs no turn, and is told of", async (_, answer, warnings) => {
  const memory: MemoryRecall = { recall: async () => answer as never }
  const { session } = testAgent(scriptedModel([finish("well")]), {}, { memory })
  const result = await session.send("good day").result
  expect(result.ok).toBe(true)
  expect(result.trace.warnings.filter(({ kind }) => kind === "recall")).toHaveLength(warnings)
})

test.each([
  [undefined, "undefined"],
  [null, "null"],
  [{}, "object"],
  ["x", "string"],
])("an answer that is no list is told by its type: %j", (answer, found) => {
  expect(() => recalledMemories(answer, 1)).toThrow(`to return a list of memories, found ${found}.`)
})

test("each field of a memory is read at its edges, or left out", () => {
  const most = 8_640_000_000_000_000
  const read = (given: object) => recalledMemories([{ id: "m", text: "x", ...given }], 1).memories[0]
  for (const atMs of [0, most, -most]) expect(read({ atMs })).toEqual({ id: "m", text: "x", atMs })
  for (const atMs of [most + 1, -most - 1, Number.NaN, "0"]) expect(read({ atMs })).toEqual({ id: "m", text: "x" })
  expect(read({ againAtMs: [1, most + 1, -most, "2"] })).toEqual({ id: "m", text: "x", againAtMs: [1, -most] })
  for (const untrusted of [false, 1, "true"]) expect(read({ untrusted })).toEqual({ id: "m", text: "x" })
  expect(read({ untrusted: true, score: 0, reranked: 0, speaker: "" })).toEqual({
    ...{ id: "m", text: "x", untrusted: true, score: 0, reranked: 0, speaker: "" },
  })
  expect(read({ reranked: "1", score: null, speaker: 5 })).toEqual({ id: "m", text: "x" })
  expect(read({ speaker: { id: "ann", name: "Ann" } })).toEqual({ id: "m", text: "x", speaker: "Ann" })
  expect(read({ speaker: { id: "ann" } })).toEqual({ id: "m", text: "x" })
  const reason = { signal: "words", value: 1, share: 0.5 }
  expect(read({ why: [reason, { ...reason, value: "1" }, { ...reason, share: undefined }, null] })).toEqual({
    id: "m",
    text: "x",
    why: [reason],
  })
  const { memories, passedOver } = recalledMemories([{ text: "a" }, { text: "" }, { id: 7, text: "c" }, { text: "d" }], 3)
  expect([memories.map(({ id }) => id), passedOver]).toEqual([["0", "2"], 1])
})

test("whatever a service answers, what is read are memories, no more than were asked for", () => {
  const field = fc.anything()
  const entry = fc.oneof(
    field,
    fc.record(
      {
        id: field,
        text: fc.oneof(fc.string(), field),
        atMs: fc.oneof(fc.double(), field),
        againAtMs: fc.oneof(fc.array(fc.double()), field),
        why: fc.oneof(fc.array(field), field),
      },
      { requiredKeys: [] },
    ),
  )
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 8 }), fc.integer({ min: -1, max: 6 }), (answer, limit) => {
      const { memories, passedOver } = recalledMemories(answer, limit)
      expect(memories.length + passedOver).toBe(Math.min(answer.length, Math.max(0, limit)))
      for (const { id, text, atMs = 0, againAtMs = [], why = [] } of memories) {
        expect([typeof id, typeof text]).toEqual(["string", "string"])
        expect(() => [atMs, ...againAtMs].map((time) => new Date(time).toISOString())).not.toThrow()
        for (const { signal, share } of why) expect([typeof signal, typeof share]).toEqual(["string", "number"])
      }
    }),
    { numRuns: 300 },
  )
})

test("a memory whose words were said again shows its first and its last time", async () => {
  const days = [5, 3, 9, 7].map((day) => Date.UTC(2026, 0, day, 12))
  const [atMs = 0, ...againAtMs] = days
  const memory: MemoryRecall = { recall: async () => [{ id: "a", text: "I swam.", speaker: "Ann", atMs, againAtMs }] }
  const model = scriptedModel([finish("well")])
  const { session } = testAgent(model, { dialect: "layered" }, { memory })
  await session.send("good day").result
  const prompt = model.requests.flatMap(({ messages }) => messages.map(({ content }) => content)).join("\n")
  expect(prompt).toMatch(/Ann（20260103 12:00 \/ 20260109 12:00）：/)
  expect(prompt).not.toMatch(/2026010[57]/)
})

test("M16 recall shows the best memories that its tokens have room for; a pasted text is cut, and the trace tells it", async () => {
  const line = "Ann said that the boat lay in the harbour all day. "
  const memories = Array.from({ length: 8 }, (_, at) => ({ id: `${at}`, text: at === 0 ? line.repeat(400) : line.repeat(4) }))
  const memory: MemoryRecall = { recall: async () => memories }
  const { session } = testAgent(scriptedModel([finish("well")]), { memory: { recallTokens: 200 } }, { memory })
  const { trace } = await session.send("Where is the boat?").result
  const shown = trace.recalled ?? []
  expect(shown.map(({ id }) => id)).toEqual(["0", "1"])
  expect(shown[0]?.text.endsWith("…")).toBe(true)
  expect(roughCounter.count(shown.map(({ text }) => text).join("\n"))).toBeLessThanOrEqual(210)
  expect(trace.warnings.map(({ message }) => message)).toEqual([
    "Cut to half of memory.recall_tokens: 1 of the recalled memories.",
  ])
})

test("M23 of a long memory a turn shows the part that answers, also if it stands near the end", () => {
  const line = "Ann said that the boat lay in the harbour all day. "
  const text = `${line.repeat(400)}The key is blue. ${line.repeat(3)}`
  const shownFrom = (foundAt: number) => withinTokens([{ text, foundAt }], 200, roughCounter).shown[0]?.text ?? ""
  expect(shownFrom(text.indexOf("The key"))).toMatch(/^….*The key is blue\. Ann .*day\. $/)
  expect(shownFrom(5_100)).toMatch(/^…Ann said .*…$/)
  for (const foundAt of [-1, 0.5, Number.NaN, text.length, 1e9]) expect(roughCounter.count(shownFrom(foundAt))).toBeLessThan(110)
  const { shown } = withinTokens([{ text: "short", foundAt: 3 }], 200, roughCounter)
  expect(shown).toEqual([{ text: "short" }])
})

test("M16 a part that is denser than its text keeps to the tokens, too", () => {
  const text = `${"harbour ".repeat(900)}${"港口里的船。".repeat(500)}`
  const { shown } = withinTokens([{ text, foundAt: text.indexOf("港") }], 200, roughCounter)
  expect(roughCounter.count(shown[0]?.text ?? "")).toBeLessThanOrEqual(110)
})

test("a turn asks for the confidence that its profile wants", async () => {
  const asked: (number | undefined)[] = []
  const memory: MemoryRecall = {
    recall: async (_query, _key, { minConfidence }) => {
      asked.push(minConfidence)
      return []
    },
  }
  for (const own of [{}, { memory: { minConfidence: 0.3 } }])
    await testAgent(scriptedModel([finish("well")]), own, { memory }).session.send("Where is the boat?").result
  expect(asked).toEqual([0, 0.3])
})

test("M16 whatever is recalled, what is shown are its first memories, whole or their beginning", () => {
  const text = fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1 }),
    fc.nat(20_000).map((length) => "Boot 👩‍🚀 ".repeat(length / 8 + 1)),
  )
  fc.assert(
    fc.property(fc.array(text, { maxLength: 9 }), fc.integer({ min: 50, max: 800 }), (texts, tokens) => {
      const { shown, shortened } = withinTokens(
        texts.map((text, at) => ({ id: `${at}`, text })),
        tokens,
        roughCounter,
      )
      for (const [at, memory] of shown.entries()) {
        const whole = texts[at] ?? ""
        expect(memory.text === whole || whole.startsWith(memory.text.slice(0, -1))).toBe(true)
        expect(roughCounter.count(memory.text)).toBeLessThanOrEqual(tokens / 2 + 10)
      }
      expect(shown.filter(({ text }, at) => text !== texts[at])).toHaveLength(shortened)
      expect(shown.length).toBeGreaterThanOrEqual(Math.min(2, texts.length))
    }),
  )
})
