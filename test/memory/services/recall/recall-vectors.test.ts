import { describe, expect, test } from "vitest"
import type { RecallVector } from "../../../../src/memory/services/recall/recall-query.ts"
import { found, indexOf, memory, nowMs } from "./documents.ts"

const vector = (model: string, ...values: number[]): RecallVector => ({ model, values: Float32Array.from(values) })
const near = vector("m", 1, 0.1, 0)
const far = vector("m", 0, 1, 0.2)
const middle = vector("m", 0.5, 0.5, 0.5)

const documents = [
  memory("near", "A hot drink in the afternoon.", { vector: near }),
  memory("middle", "Nothing of note.", { vector: middle }),
  memory("far", "A race in the rain.", { vector: far }),
  memory("lexical", "We had tea."),
]
const asked = { vector: vector("m", 1, 0, 0) }

describe("recall with embeddings", () => {
  test("finds what is near, though no word is shared", () => {
    expect(found(documents, "zzz", asked)[0]).toBe("near")
    expect(found(documents, "zzz", { ...asked, weights: { vector: 0 } })).not.toEqual(found(documents, "zzz", asked))
  })

  test("hides nothing that has no embedding yet: it keeps the score of its words", () => {
    expect(found(documents, "tea", asked)[0]).toBe("lexical")
    const [first] = indexOf(documents).rank({ text: "tea", nowMs, limit: 1, ...asked })
    expect(first?.why.map(({ signal }) => signal)).not.toContain("vector")
    expect(found(documents, "tea rain", asked).slice(0, 2)).toEqual(["lexical", "far"])
  })

  test("says how much of a score the words and the embedding made", () => {
    const texts = [memory("both", "Tea with milk.", { vector: middle }), memory("far", "A race.", { vector: far })]
    const hits = indexOf(texts).rank({
      text: "tea milk zebra",
      nowMs,
      limit: 2,
      weights: { recency: 0, importance: 0, neighbours: 0, session: 0 },
      ...asked,
    })
    const [both, other] = ["both", "far"].map((id) => hits.find((hit) => hit.id === id))
    expect(other?.why.map(({ signal, share }) => [signal, share])).toEqual([["vector", 1]])
    // By its words and by its embedding the first text is the best, so both have the value 1. The second has its embedding alone.
    const part = (other?.score ?? 0) / (other?.why[0]?.value ?? 0) / (both?.score ?? 0)
    expect(both?.why.map(({ signal }) => signal)).toEqual(["words", "vector"])
    expect(both?.why.map(({ share }) => share)).toEqual([expect.closeTo(1 - part), expect.closeTo(part)])
  })

  test.each([
    ["another model", vector("other", 0, 1, 0)],
    ["another length", vector("m", 0, 1)],
    ["no direction", vector("m", 0, 0, 0)],
    ["no number", vector("m", Number.NaN, 1, 0)],
    ["no end", vector("m", Number.POSITIVE_INFINITY, 1, 0)],
    ["no values", vector("m")],
  ])("compares nothing with a vector of %s", (_, odd) => {
    const plain = found(documents, "tea race")
    expect(found(documents, "tea race", { vector: odd })).toEqual(plain)
    const withOdd = [
      ...documents.slice(0, 2),
      memory("far", "A race in the rain.", { vector: odd }),
      memory("lexical", "We had tea."),
    ]
    const [first] = indexOf(withOdd).rank({ text: "race", nowMs, limit: 1, ...asked })
    expect([first?.id, first?.why.some(({ signal }) => signal === "vector")]).toEqual(["far", false])
  })

  test("takes a ranking made elsewhere, and passes over ids it does not know", () => {
    expect(found(documents, "zzz", { vectorRanking: ["gone", "far", "middle", "far"] }).slice(0, 2)).toEqual(["far", "middle"])
    expect(found(documents, "tea", { vectorRanking: [] })[0]).toBe("lexical")
    expect(found(documents, "tea", { vectorRanking: ["gone"] })[0]).toBe("lexical")
  })

  test("M5 counts less where words find the answer, where many texts are as near, and where it disagrees with them", () => {
    const talkAt = (y: (i: number) => number) =>
      Array.from({ length: 40 }, (_, i) =>
        memory(`t${i}`, `Plain talk number ${i}.`, { vector: vector("m", Math.cos(i), y(i), i / 40) }),
      )
    const [apart, around] = [talkAt((i) => -Math.abs(Math.sin(i))), talkAt(Math.sin)]
    const shareOf = (text: string, vector: RecallVector, talk = apart) => {
      const told = memory("told", "The violin teacher lives in Lisbon.", { vector: far })
      const [first] = indexOf([told, ...talk]).rank({ text, nowMs, limit: 1, vector })
      return [first?.id, first?.why.find(({ signal }) => signal === "vector")?.share ?? 0] as const
    }
    const against = vector("m", -1, -1, 0)
    const [whole, part] = [shareOf("the violin teacher", far), shareOf("violin strings, rosin and a new bow", far)]
    expect([whole[0], part[0]]).toEqual(["told", "told"])
    expect(whole[1]).toBeLessThan(0.02)
    expect(part[1]).toBeGreaterThan(0.2)
    const amongMany = shareOf("violin strings, rosin and a new bow", far, around)
    expect([amongMany[0], amongMany[1] > whole[1], amongMany[1] < 0.8 * part[1]]).toEqual(["told", true, true])
    expect(shareOf("violin strings, rosin and a new bow", against)).toEqual(["told", 0])
  })

  test("M31 counts at least by what its weight has above 1, also where words find the answer", () => {
    const told = [
      memory("told", "The violin teacher lives in Lisbon.", { vector: far }),
      memory("near", "A race.", { vector: near }),
    ]
    const first = (weight: number) => found(told, "the violin teacher", { vector: near, weights: { vector: weight } })[0]
    expect([0.8, 1, 1.3, 1.7, 5].map(first)).toEqual(["told", "told", "told", "near", "near"])
    const scores = indexOf(told).rank({ text: "the violin teacher", nowMs, limit: 2, vector: near, weights: { vector: 5 } })
    for (const { score } of scores) expect(score).toBeLessThanOrEqual(1.1)
  })

  test("is the same whether all vectors are equal or one is alone", () => {
    const equal = documents.map((document) => ({ ...document, vector: near }))
    expect(found(equal, "tea", { vector: near })[0]).toBe("lexical")
    expect(found([memory("a", "x", { vector: near })], "y", asked)).toEqual(["a"])
  })
})
