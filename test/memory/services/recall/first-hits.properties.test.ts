import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { mulberry32 } from "../../../../src/core/mulberry.ts"
import { DocumentTable } from "../../../../src/memory/services/recall/documents/document-table.ts"
import { finished } from "../../../../src/memory/services/recall/documents/steps.ts"
import { planQuery } from "../../../../src/memory/services/recall/query-plan.ts"
import { rankDocuments } from "../../../../src/memory/services/recall/rank-documents.ts"
import { RecallIndex } from "../../../../src/memory/services/recall/recall-index.ts"
import type { RecallDocument, RecallHit, RecallQuery } from "../../../../src/memory/services/recall/recall-query.ts"
import { defaultRecallWeights, recallSignals } from "../../../../src/memory/services/recall/recall-weights.ts"
import { amount } from "../../../support/size.ts"
import { dayMs, indexOf, memory, nowMs } from "./documents.ts"

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
  const longShare = oneOf([0, 2 / size, 8 / size])
  const updateShare = oneOf([0, 0.02])
  for (let at = 0; at < size; at++) {
    const words = Array.from({ length: below(7) }, () => (below(3) === 0 ? oneOf(common) : `w${below(size)}`))
    const isLong = random() < longShare
    const text = isLong
      ? Array.from({ length: 1_600 }, (_, part) => oneOf([`x${part}`, `x${part}`, ...words])).join(". ")
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

/** Ids of the first hits, which must be those of a question for all of them. */
function firstOf(documents: readonly RecallDocument[], text: string, weights: RecallQuery["weights"] = {}): string[] {
  const index = indexOf(documents)
  const asked = { text, nowMs, weights, askedBy: "ann" }
  const whole = plain(index.rank({ ...asked, limit: 1_000 }))
  for (const limit of [1, 10]) expect(plain(index.rank({ ...asked, limit }))).toEqual(whole.slice(0, limit))
  return whole.slice(0, 10).map(({ id }) => id)
}

const bob = { id: "bob", name: "Bob" }
const filler = (words: number) => Array.from({ length: words }, (_, at) => `x${at % 300}`).join(" ")
const many = (count: number, text: string, rest: Partial<RecallDocument> = {}) =>
  Array.from({ length: count }, (_, at) => memory(`${text.slice(0, 3)}${at}`, text, { session: `${text}${at}`, ...rest }))

describe("the first hits", () => {
  // Each has a line that comes first or among the first by something that words alone do not tell.
  const old = { speaker: bob, atMs: nowMs - 300 * dayMs, importance: 0 }
  const strong = many(30, "museum tea", old)
  const weak = memory("new", `tea ${filler(80)}`, { speaker: bob, atMs: nowMs, importance: 0 })

  test("M30 hold a long text whose beginning has nothing of the question", () => {
    const long = memory("long", `${filler(16_000)} museum tea cup`)
    // Without the evidence of its talk, which the beginning would share.
    expect(firstOf([...many(12, "museum tea"), ...many(60, "milk"), long], "museum tea cup", { session: 0 })).toContain("long")
  })

  test("M30 hold others behind a long text with many fitting passages", () => {
    const long = memory("long", `museum ${filler(3_000)} `.repeat(16))
    expect(firstOf([...many(20, "tea with milk"), long], "museum tea")).toHaveLength(10)
  })

  test("M30 hold what fits behind much that people say of themselves, which is found only by a question", () => {
    const own = many(40, "I am at my window")
    const tea = many(5, "tea", { speaker: bob })
    expect(firstOf([...own, ...tea], "My tea.", { self: 60 }).sort()).toEqual(tea.map(({ id }) => id))
  })

  test("M30 hold a new line where evidence that is not found makes all other evidence small", () => {
    const others = many(3, "garden", { importance: 0 })
    const weights = { speaker: 60, recency: 0.4, session: 0 }
    expect(firstOf([...others, ...strong, weak], "What did Ann say about the museum tea?", weights)[0]).toBe("new")
  })

  test("M30 hold a new line where the talk of the best line makes all other evidence small", () => {
    const beside = strong.map((line) => ({ ...line, id: `after ${line.id}`, text: "garden party", turn: 1 }))
    expect(firstOf([...strong, ...beside, weak], "museum tea", { talk: 9, recency: 0.4 })[1]).toBe("new")
  })

  test("M37 hold the line of the speaker who is asked about, behind hundreds of others with more of the words", () => {
    const others = many(300, "museum tea", old)
    const hers = memory("hers", `tea ${filler(40)}`)
    expect(firstOf([...others, hers], "What did Ann say about the museum tea?", { speaker: 60 })[0]).toBe("hers")
  })

  test("M37 are the same with embeddings, also where hundreds of questions lose a part of their score", () => {
    const random = mulberry32(3)
    const vector = () => ({ model: "m", values: Float32Array.from({ length: 4 }, () => random() - 0.5) })
    const index = new RecallIndex()
    for (let at = 0; at < 600; at++) {
      const text = `tea ${at % 7 < 3 ? "museum " : ""}${filler(at % 9)}${at % 2 === 0 ? "?" : "."}`
      index.replace(memory(`m${at}`, text, { vector: vector() }))
    }
    const asked = { text: "museum tea", nowMs, vector: vector(), weights: { vector: 1.5 } }
    const whole = plain(index.rank({ ...asked, limit: 1_000 }))
    for (const limit of [1, 10, 30]) expect(plain(index.rank({ ...asked, limit }))).toEqual(whole.slice(0, limit))
  })

  test("M37 have a score by the line with the most of the words, also behind hundreds with a phrase", () => {
    const most = memory("most", "door to the red museum garden")
    const others = [...many(300, "a red door"), ...many(900, "milk")]
    const ids = firstOf([...others, most], 'What is behind the "red door", a museum or a garden?', {
      phrase: 60,
    })
    expect(ids).not.toContain("most")
  })

  test("M37 need all signals only of memories that words bring near the best, not of all that share a common one", () => {
    const table = new DocumentTable()
    const size = 20_000
    for (let slot = 0; slot < size; slot++) finished(table.adding(memory(`m${slot}`, `tea${slot % 100 === 0 ? " museum" : ""}`)))
    const { columns, fields } = table
    let reads = 0
    const counted = <T extends object>(numbers: T) =>
      new Proxy(numbers, {
        get: (all, name) => {
          reads += 1
          return Reflect.get(all, name, all)
        },
      })
    columns.speaker = counted(columns.speaker)
    const query = { text: "What did Ann say about tea in the museum?", nowMs, limit: 10, askedBy: "ann" }
    const plan = planQuery(query, new Map([["ann", new Set(["ann"])]]), 0)
    const asked = { query, plan, calendar: { dayOf: () => 0 }, weights: defaultRecallWeights }
    expect(rankDocuments(table, asked)).toHaveLength(10)
    expect(fields.words.foundIn("tea")).toBe(size)
    // Once to count the speakers; all signals of each memory would need four times as many.
    expect(reads).toBeLessThan(size * 1.2)
    reads = 0
    rankDocuments(table, asked)
    expect(reads).toBeLessThan(size / 20)
  })

  test("M30 are the same, whether others are weighed as well or not", () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.constantFrom(40, 120, 300),
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
      { numRuns: amount("RANKED_STORES") },
    )
  })
})
