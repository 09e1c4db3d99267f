import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { fuseRankings } from "../../../src/services/memory/create-memory-service.ts"
import { runs } from "../../support/size.ts"

const ids = fc.uniqueArray(fc.integer({ min: 0, max: 40 }).map(String), { maxLength: 30 })
const ranking = ids.chain((names) =>
  fc
    .array(fc.integer({ min: 1, max: 1_000 }), { minLength: names.length, maxLength: names.length })
    .map((scores) => names.map((id, at) => ({ id, score: scores[at] ?? 0 })).sort((a, b) => b.score - a.score)),
)
const share = fc.double({ min: 0, max: 1, noNaN: true })
const idsOf = (texts: readonly { readonly id: string }[]) => texts.map(({ id }) => id)

describe("fuseRankings", () => {
  test("returns every id once, best first", () =>
    fc.assert(
      fc.asyncProperty(ranking, ids, share, share, async (words, near, covered, weight) => {
        const fused = await fuseRankings(words, near, { covered, weight })
        expect(idsOf(fused).sort()).toEqual([...new Set([...idsOf(words), ...near])].sort())
        for (const [at, { score }] of fused.entries()) expect(score).toBeLessThanOrEqual(fused[at - 1]?.score ?? 1)
      }),
      { numRuns: runs(100) },
    ))

  test("takes the first place and score of an id that stands twice", () =>
    fc.assert(
      fc.asyncProperty(ranking, ids, async (words, near) => {
        const again = [...words, ...words.map(({ id, score }) => ({ id, score: score / 2 }))]
        const options = { covered: 0.3 }
        expect(await fuseRankings(again, [...near, ...near.toReversed()], options)).toEqual(
          await fuseRankings(words, near, options),
        )
      }),
      { numRuns: runs(100) },
    ))

  test("keeps the order by words if they cover the question, if the embedding may not count, or if there is none", () =>
    fc.assert(
      fc.asyncProperty(ranking, ids, share, async (words, near, any) => {
        const alone = idsOf(words)
        const first = (texts: readonly { readonly id: string }[]) => idsOf(texts).slice(0, alone.length)
        expect(first(await fuseRankings(words, near, { covered: 1, weight: any }))).toEqual(alone)
        expect(first(await fuseRankings(words, near, { covered: any, weight: 0 }))).toEqual(alone)
        expect(idsOf(await fuseRankings(words, [], { covered: any }))).toEqual(alone)
      }),
      { numRuns: runs(100) },
    ))

  test("keeps the order of the embedding where words find nothing, and an order that both have", () =>
    fc.assert(
      fc.asyncProperty(ranking, ids, async (words, near) => {
        expect(idsOf(await fuseRankings([], near, { covered: 0 }))).toEqual(near)
        const both = idsOf(words)
        const steep = both.map((id, at) => ({ id, score: 1_000 - at }))
        expect(idsOf(await fuseRankings(steep, both, { covered: 0 }))).toEqual(both)
      }),
      { numRuns: runs(100) },
    ))

  test("lets an embedding that agrees with the words bring up what words do not find, and ignores one that does not", async () => {
    const words = Array.from({ length: 30 }, (_, at) => ({ id: `w${at}`, score: 30 - at }))
    const agreeing = await fuseRankings(words, ["w0", "found", ...words.slice(1, 12).map(({ id }) => id)], { covered: 0.1 })
    expect(idsOf(agreeing).indexOf("found")).toBeLessThan(30)
    const foreign = await fuseRankings(words, ["a", "b", "c", "d", "e"], { covered: 0.1 })
    expect(idsOf(foreign).slice(0, 30)).toEqual(idsOf(words))
  })

  test.each([
    [[{ id: "a", score: Number.NaN }], { covered: 0 }, "finite scores of at least 0, found NaN"],
    [[{ id: "a", score: -1 }], { covered: 0 }, "finite scores of at least 0, found -1"],
    [[], { covered: 1.5 }, "covered from 0 to 1, found 1.5"],
    [[], { covered: Number.NaN }, "covered from 0 to 1, found NaN"],
    [[], { covered: 0, weight: 2 }, "weight from 0 to 1, found 2"],
    [[], { covered: 0, texts: -1 }, "texts as a number of at least 0, found -1"],
    [[], { covered: 0, wieght: 1 }, '"weight"'],
  ])("refuses %j with %j", async (words, options, message) => {
    await expect(fuseRankings(words, [], options as never)).rejects.toMatchObject({
      code: "usage",
      message: expect.stringContaining(message),
    })
  })
})
