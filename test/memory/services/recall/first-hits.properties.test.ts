import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { mulberry32 } from "../../../../src/core/mulberry.ts"
import { RecallIndex } from "../../../../src/memory/services/recall/recall-index.ts"
import type { RecallDocument, RecallHit, RecallQuery } from "../../../../src/memory/services/recall/recall-query.ts"
import { recallSignals } from "../../../../src/memory/services/recall/recall-weights.ts"
import { runs } from "../../../support/size.ts"
import { dayMs, memory, nowMs } from "./documents.ts"

const common = [
  "tea",
  "race",
  "museum",
  "photograph",
  "garden",
  "yesterday",
  "three",
  "at 5 pm",
  "I",
  "my",
  "茶",
  "图书馆",
  "昨天",
]
const speakers = ["Ann", "Bob", "王"].map((name) => ({ id: name.toLowerCase(), name }))

/** Documents of talks of about twelve lines: of common and rare words, some long, some that tell a fact anew, some removed again. */
function storeOf(seed: number, size: number): RecallIndex {
  const random = mulberry32(seed)
  const below = (end: number) => Math.floor(random() * end)
  const oneOf = <T>(list: readonly T[]): T => list[below(list.length)] as T
  const index = new RecallIndex()
  const longShare = oneOf([0, 0.02, 0.4])
  const updateShare = oneOf([0, 0.02])
  for (let at = 0; at < size; at++) {
    const words = Array.from({ length: below(7) }, () => (below(3) === 0 ? oneOf(common) : `w${below(size)}`))
    const isLong = random() < longShare
    const text = isLong
      ? Array.from({ length: 500 }, (_, part) => oneOf([`x${part}`, `x${part}`, ...words])).join(". ")
      : words.join(" ")
    const talk = Math.floor(at / 12)
    const rest: Partial<RecallDocument> = {
      session: `s${talk}`,
      turn: at % 12,
      atMs: nowMs - (below(400) < 2 ? 1 : 400 - (talk % 390)) * dayMs + (at % 12) * 60_000,
      speaker: oneOf(speakers),
      importance: below(11),
      keys: random() < 0.1 ? { words: [oneOf(common)] } : undefined,
      updates: random() < updateShare ? [`m${below(size)}`, `m${below(size)}`] : undefined,
      facts: random() < updateShare ? [{ name: "home", words: ["home"], value: oneOf(common) }] : undefined,
    }
    index.replace(memory(`m${at}`, `${text}${oneOf(["?", "."])}`, rest))
  }
  for (let gone = 0; gone < size / 20; gone++) index.remove(`m${below(size)}`)
  return index
}

const word = fc.oneof(
  fc.constantFrom(...common, "Ann", "王", "first", "latest", "before", "last week", "in May"),
  fc.nat(300).map((of) => `w${of}`),
)
const query = fc.record({
  text: fc
    .tuple(
      fc.constantFrom("", "When did ", "How many ", "What is my "),
      fc.array(word, { maxLength: 5 }),
      fc.constantFrom("", "?"),
    )
    .map(([begin, words, end]) => `${begin}${words.join(" ")}${end}`),
  askedBy: fc.constantFrom("ann", "bob"),
  weights: fc.oneof(
    fc.constant({}),
    fc.dictionary(fc.constantFrom(...recallSignals.filter((signal) => signal !== "vector")), fc.constantFrom(0, 0.05, 1, 3), {
      maxKeys: 3,
    }),
  ),
})

const plain = (hits: readonly RecallHit[]) =>
  hits.map(({ id, score, confidence, why, foundAt }) => ({ id, score, confidence, why, foundAt }))

describe("the first hits", () => {
  test("M30 are the same, whether others are weighed as well or not", () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.constantFrom(40, 150, 600),
        fc.array(query, { minLength: 4, maxLength: 4 }),
        (seed, size, queries) => {
          const index = storeOf(seed, size)
          for (const asked of queries) {
            const all: RecallQuery = { nowMs, ...asked, limit: 1_000 }
            const whole = plain(index.rank(all))
            for (const limit of [1, 10, 30])
              expect(plain(index.rank({ ...all, limit })), asked.text).toEqual(whole.slice(0, limit))
          }
        },
      ),
      { numRuns: runs(60) },
    )
  })
})
