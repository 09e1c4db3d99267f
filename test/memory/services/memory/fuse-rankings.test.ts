import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { mulberry32 } from "../../../../src/core/mulberry.ts"
import { fuseRankings } from "../../../../src/memory/services/memory/create-memory-service.ts"
import { noOption } from "../../../support/error-formulas.ts"
import { runs } from "../../../support/size.ts"

const ids = fc.uniqueArray(fc.integer({ min: 0, max: 40 }).map(String), { maxLength: 30 })
const ranking = ids.chain((names) =>
  fc
    .array(fc.integer({ min: 1, max: 1_000 }), { minLength: names.length, maxLength: names.length })
    .map((scores) => names.map((id, at) => ({ id, score: scores[at] ?? 0 })).sort((a, b) => b.score - a.score)),
)
const share = fc.double({ min: 0, max: 1, noNaN: true })
const idsOf = (texts: readonly { readonly id: string }[]) => texts.map(({ id }) => id)

interface Asked {
  readonly words: readonly { readonly id: string; readonly score: number }[]
  readonly near: readonly string[]
  readonly covered: number
  readonly weight?: number
  readonly texts?: number
}

/** The scores as the formula says them, without the arrays and places of the sources. */
function plainScores({ words, near, covered, weight = 0.8, texts = 0 }: Asked): Map<string, number> {
  const ids = [...new Set([...idsOf(words), ...near])]
  const best = Math.max(0, ...words.map(({ score }) => score))
  const told = new Map(ids.map((id) => [id, best === 0 ? 0 : (words.find((text) => text.id === id)?.score ?? 0) / best]))
  if (near.length === 0) return told
  const nearness = new Map(ids.map((id) => [id, near.includes(id) ? 1 - near.indexOf(id) / near.length : 0]))
  const above = (values: Map<string, number>, weights: Map<string, number>, first: readonly string[]) => {
    const mean = [...values.values()].reduce((sum, value) => sum + value, 0) / Math.max(ids.length, texts)
    const worth = first.reduce((sum, id) => sum + (weights.get(id) ?? 0) ** 2, 0)
    const whole = first.reduce((sum, id) => sum + (weights.get(id) ?? 0) ** 2 * (values.get(id) ?? 0), 0)
    return worth === 0 || mean >= 1 ? undefined : (whole / worth - mean) / (1 - mean)
  }
  const byWords = ids.filter((id) => (told.get(id) ?? 0) > 0).sort((a, b) => (told.get(b) ?? 0) - (told.get(a) ?? 0))
  const [found, shared] = [above(nearness, told, byWords.slice(0, 20)), above(told, nearness, near.slice(0, 20))]
  const agreement =
    found === undefined || shared === undefined ? 1 : Math.sqrt(Math.max(0, found) * Math.max(0, shared)) / 0.31 - 0.17 / 0.31
  const part = weight * (1 - covered) ** 3 * Math.min(1, Math.max(0, agreement))
  return new Map(ids.map((id) => [id, (told.get(id) ?? 0) * (1 - part) + (nearness.get(id) ?? 0) * part]))
}

/** Two rankings of up to so many texts that agree more or less, drawn from a seed. */
function drawnRankings(seed: number, most: number): Asked {
  const random = mulberry32(seed)
  const texts = Array.from({ length: Math.ceil(random() * most) }, (_, at) => `text ${at}`)
  const noise = random() * 2
  const placed = (share: number) =>
    texts
      .flatMap((id, at) => (random() < share ? [{ id, at: at / texts.length + noise * random() }] : []))
      .sort((a, b) => a.at - b.at)
  const told = placed(random()).map(({ id }, at, { length }) => ({ id, score: (length - at - 1) ** 2 / 7 }))
  const words = seed % 7 < 4 ? told : told.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const near = placed(random()).map(({ id }) => id)
  const more = [{}, { texts: most * 3 }, { texts: 1 }, { weight: random() }, { weight: 1, texts: most }][seed % 5]
  return { words, near, covered: seed % 3 === 0 ? 0 : random() / 2, ...more }
}

describe("fuseRankings", () => {
  test("gives each text the score of the plain formula, and orders by it", async () => {
    let moved = 0
    for (let seed = 1; seed <= 300; seed++) {
      const asked = drawnRankings(seed, seed % 2 === 0 ? 8 : 90)
      const { words, near, ...options } = asked
      const plain = plainScores(asked)
      const fused = await fuseRankings(words, near, options)
      expect(fused).toHaveLength(plain.size)
      for (const { id, score } of fused) expect(score, `${id} of seed ${seed}`).toBeCloseTo(plain.get(id) ?? Number.NaN, 7)
      for (const [at, { score }] of fused.entries()) expect(score).toBeLessThanOrEqual(fused[at - 1]?.score ?? 1)
      if (fused.some(({ id, score }) => Math.abs(score - (plainScores({ ...asked, near: [] }).get(id) ?? 0)) > 0.01)) moved += 1
    }
    // The embedding counts in some rankings, and not in others.
    expect(moved).toBeGreaterThan(100)
    expect(moved).toBeLessThan(290)
  })

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
        const again = [...words, ...words.map(({ id }, at) => ({ id, score: at + 1 }))]
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
    [[{ id: "a", score: Number.POSITIVE_INFINITY }], { covered: 0 }, "finite scores of at least 0, found Infinity"],
    [[], { covered: 0, texts: Number.POSITIVE_INFINITY }, "texts as a number of at least 0, found Infinity"],
    [[], { covered: 0, texts: -1 }, "texts as a number of at least 0, found -1"],
    [[], { covered: 0, wieght: 1 }, noOption("fuseRankings", "wieght")],
  ])("refuses %j with %j", async (words, options, message) => {
    await expect(fuseRankings(words, [], options as never)).rejects.toMatchObject({
      code: "usage",
      message: expect.stringContaining(message),
    })
  })
})
