import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { LongPieces } from "../../../../src/adapters/tokenizers/tiktoken/long-pieces.ts"
import { TextMerge } from "../../../../src/adapters/tokenizers/tiktoken/text-merge.ts"
import { runs } from "../../../support/size.ts"
import { both, encodings } from "./encoders.ts"

/** Few different characters, so that tokens depend on where the run begins, and many, so that they do not. */
const alphabets = [
  "a",
  "ab",
  "-_",
  " ",
  "\n",
  "\r\n",
  " \n",
  "=-",
  "ha",
  "你",
  "的一是不了",
  "😀🎉",
  "👨‍👩‍👧",
  "e\u0301",
  "0A",
  "abcdefghijklmnopqrstuvwxyz",
  "!?.,;:",
]

/** A run of random or of repeated characters, or first one and then the other. */
const longRun = fc
  .array(
    fc
      .tuple(fc.constantFrom(...alphabets), fc.boolean(), fc.integer({ min: 1, max: 900 }), fc.integer())
      .map(([characters, isRandom, length, seed]) => {
        const all = [...characters]
        let state = seed >>> 0
        const at = (index: number) => {
          state = (Math.imul(state, 1664525) + 1013904223) >>> 0
          return isRandom ? state % all.length : index % all.length
        }
        return Array.from({ length }, (_, index) => all[at(index)]).join("")
      }),
    { minLength: 1, maxLength: 4 },
  )
  .map((parts) => parts.join(""))

const place = fc.double({ min: 0, max: 1, noNaN: true })

describe.each(encodings)("pieces of %s", (encoding) => {
  const { table } = both(encoding)
  const alone = (piece: string): number => {
    const merge = new TextMerge(table, { steps: 0 })
    merge.load(piece, 0, piece.length)
    return merge.run()
  }

  test("S14 have the tokens they have when merged alone, whatever was cut from a run before and put in its place", () => {
    fc.assert(
      fc.property(
        longRun,
        fc.array(fc.tuple(place, place, fc.constantFrom("", "x", "…", "😀", "...]\n\n")), { minLength: 1, maxLength: 8 }),
        (run, cuts) => {
          const pieces = new LongPieces(table, { steps: 0 })
          expect(pieces.count(run)).toBe(alone(run))
          for (const [first, second, between] of cuts) {
            const [headEnd, tailStart] = [first, second].map((share) => Math.round(share * run.length)) as [number, number]
            const [head, tail] = [run.slice(0, headEnd).toWellFormed(), run.slice(tailStart).toWellFormed()]
            for (const piece of [head, tail, head + between + tail]) expect(pieces.count(piece)).toBe(alone(piece))
          }
        },
      ),
      { numRuns: runs(150) },
    )
  })
})

const hostile: readonly (readonly [string, string])[] = [
  [
    "letters",
    Array.from({ length: 3000 }, (_, index) => String.fromCharCode(97 + ((index * index * 31 + index * 7) % 26))).join(""),
  ],
  ...["a", "-_", " ", "ha", "你我", "😀🎉", "👨‍👩‍👧", "e\u0301"].map((unit) => [unit, unit.repeat(3000 / unit.length)] as const),
]

test.each(hostile)("S14 each beginning and each end of an unbroken run of %s is counted as if alone", (_, run) => {
  const { table } = both("o200k_base")
  const pieces = new LongPieces(table, { steps: 0 })
  const merge = new TextMerge(table, { steps: 0 })
  const step = Math.max(1, Math.round(97 / runs(1)))
  for (let at = 0; at < run.length; at += step) {
    for (const piece of [run.slice(0, at).toWellFormed(), run.slice(at).toWellFormed()]) {
      merge.load(piece, 0, piece.length)
      expect(pieces.count(piece), `${at}`).toBe(merge.run())
    }
  }
})

test.each(hostile)("ten cuts of a run of %s that was counted merge less than half of it again", (_, run) => {
  const { table } = both("o200k_base")
  const work = { steps: 0 }
  const pieces = new LongPieces(table, work)
  const long = run.repeat(10)
  pieces.count(long)
  const whole = work.steps
  // Tokens of ends can depend on where the end begins: the first two may be merged whole.
  for (const at of [10_006, 10_009]) pieces.count(long.slice(at).toWellFormed())
  work.steps = 0
  for (let at = 10_012; at < 10_072; at += 6) {
    pieces.count(long.slice(0, at).toWellFormed())
    pieces.count(long.slice(at).toWellFormed())
  }
  expect(work.steps).toBeLessThan(whole / 2)
})

test.each(["\n", "\r\n", " \n", "\t", "=", "-_", "😀"])(
  "a run of %j that was counted merges little behind other characters",
  (unit) => {
    const { table } = both("o200k_base")
    const work = { steps: 0 }
    const pieces = new LongPieces(table, work)
    const merge = new TextMerge(table, { steps: 0 })
    const run = unit.repeat(20_000 / unit.length)
    pieces.count(run)
    const whole = work.steps
    work.steps = 0
    for (const before of ["...]\n\n", ")", " ", ",\r\n", "好"]) {
      for (const gone of [0, 1, 2, 7, 16, 8_000, 8_001]) {
        const piece = before + run.slice(gone).toWellFormed()
        merge.load(piece, 0, piece.length)
        expect(pieces.count(piece), `${before} ${gone}`).toBe(merge.run())
      }
    }
    expect(work.steps).toBeLessThan(whole / 2)
  },
)

test("a piece longer than what is remembered is counted too, and only so many are remembered", () => {
  const { table } = both("o200k_base")
  const pieces = new LongPieces(table, { steps: 0 })
  const all = Array.from({ length: 12 }, (_, index) => String.fromCharCode(97 + index).repeat(2000 + index))
  const alone = all.map((piece) => {
    const merge = new TextMerge(table, { steps: 0 })
    merge.load(piece, 0, piece.length)
    return merge.run()
  })
  for (let round = 0; round < 2; round++) expect(all.map((piece) => pieces.count(piece))).toEqual(alone)
})
