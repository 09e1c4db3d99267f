import { describe, expect, test } from "vitest"
import { createEncoder } from "../../../../src/adapters/tokenizers/tiktoken/encoder.ts"
import { LongPieces } from "../../../../src/adapters/tokenizers/tiktoken/long-pieces.ts"
import { both } from "./encoders.ts"

const { table, split } = both("o200k_base")

/** The steps of merging that each of some texts takes after the ones before it. */
function stepsOf(count: (text: string) => unknown, work: { steps: number }, texts: readonly string[]): number[] {
  return texts.map((text) => {
    work.steps = 0
    count(text)
    return work.steps
  })
}

/** Letters in no order; another seed gives others. */
function scrambled(length: number, seed = 31): string {
  let state = seed
  const letter = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return String.fromCharCode(97 + ((state >>> 16) % 26))
  }
  return Array.from({ length }, letter).join("")
}

describe("the work of counting pieces that are no tokens", () => {
  const counted = (texts: readonly string[]) => {
    const work = { steps: 0 }
    return stepsOf(createEncoder({ table, split, work }).count, work, texts).map((steps) => steps > 0)
  }

  test("is done once for a piece of 512 characters, and again for each longer one that is not remembered whole", () => {
    for (const length of [4, 100, 511, 512, 513, 2_000])
      expect(counted([scrambled(length), scrambled(length)]), `${length}`).toEqual([true, false])
  })

  test("is not done for a token, also in the middle of a text", () => {
    expect(counted([" hello", "hello", "the", "hello the hello"])).toEqual([false, false, false, false])
  })

  test("is forgotten with the second generation of pieces: at most 8,192 of them, or 131,072 characters", () => {
    /** Asks for a piece, then for `count` others of some length, then for the first one again. */
    const isKnown = (count: number, length: number): boolean => {
      const work = { steps: 0 }
      const encoder = createEncoder({ table, split, work })
      const piece = (at: number) =>
        `${scrambled(length - 4)}${at
          .toString(26)
          .padStart(4, "0")
          .replaceAll(/\d/g, (digit) => "qrstuvwxyz"[Number(digit)] ?? "")}`
      for (let at = 0; at <= count; at++) encoder.count(piece(at))
      work.steps = 0
      encoder.count(piece(0))
      return work.steps === 0
    }
    // The piece and 16,383 others fill both generations.
    expect([isKnown(16_383, 8), isKnown(16_384, 8)]).toEqual([true, false])
    expect([isKnown(511, 512), isKnown(512, 512)]).toEqual([true, false])
  })
})

describe("the work of counting pieces of more than 512 characters", () => {
  const steps = (texts: readonly string[]) => {
    const work = { steps: 0 }
    const pieces = new LongPieces(table, work)
    return stepsOf((text) => pieces.count(text), work, texts)
  }

  test("is that of what differs from the ones before: fewer steps are better, and more need a reason", () => {
    const long = scrambled(4_000)
    const rows = {
      "the same": [long, long],
      "its beginning": [long, long.slice(0, 3_000)],
      "its end": [long, long.slice(1_000)],
      "a cut": [long, `${long.slice(0, 1_500)}...${long.slice(2_500)}`],
      "a beginning that is shared by 127, 128 and 129": [127, 128, 129].flatMap((shared) => [
        scrambled(2_000, 31 + shared),
        `${scrambled(2_000, 31 + shared).slice(0, shared)}${scrambled(2_000, 17).toUpperCase()}`,
      ]),
      "one after seven others, and after eight": [
        ...Array.from({ length: 8 }, (_, at) => scrambled(1_000, at + 40)),
        scrambled(1_000, 40),
        ...Array.from({ length: 8 }, (_, at) => scrambled(1_000, at + 60)),
        scrambled(1_000, 40),
      ],
      "line ends, with fewer before them": ["\n".repeat(5_000), `)${"\n".repeat(4_000)}`, `...]${"\n".repeat(3_000)}`],
      "line ends behind 2,048 characters, and behind more": [
        "\n".repeat(5_000),
        `${scrambled(2_040)}${"\n".repeat(4_000)}`,
        `${scrambled(2_100)}${"\n".repeat(4_000)}`,
      ],
      "a run of 511, 512 and 513 behind another character": [511, 512, 513].flatMap((run) => [
        "-".repeat(3_000),
        `)${"-".repeat(run)}`,
      ]),
      pairs: ["=-".repeat(2_000), `x${"=-".repeat(1_000)}`, `xy${"-=".repeat(1_000)}`],
      "three at a time": ["=-_".repeat(1_000), `x${"=-_".repeat(700)}`],
    }
    const ledger = Object.entries(rows).map(([name, texts]) => `${name}: ${steps(texts).join(" ")}`)
    expect(ledger.join("\n")).toMatchInlineSnapshot(`
      "the same: 69598 0
      its beginning: 69598 68
      its end: 69598 117
      a cut: 69598 223
      a beginning that is shared by 127, 128 and 129: 32602 30017 32033 98 32623 68
      one after seven others, and after eight: 15162 15095 14988 15125 15388 15265 15017 15099 0 15083 15285 15244 14968 14856 14626 15171 14750 15162
      line ends, with fewer before them: 232615 5995 5933
      line ends behind 2,048 characters, and behind more: 232615 40263 321395
      a run of 511, 512 and 513 behind another character: 167770 35332 0 15165 0 15197
      pairs: 148637 4760 4998
      three at a time: 41736 44"
    `)
  })
})
