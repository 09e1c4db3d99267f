import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { Memo } from "../../../../src/core/memo.ts"
import type { TokenCounter } from "../../../../src/core/ports.ts"
import { type Countable, messageCounter } from "../../../../src/prompt/assemble/tokens/message-counter.ts"
import { runs, seedOf } from "../../../support/size.ts"
import { perRun } from "../arbitrary-turn.ts"
import { tokensOf } from "../fresh-counter.ts"

const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)

/** A half of a token for each character: estimates of parts add up, and are rounded in the end. */
const halves: TokenCounter = { exact: false, count: (text) => Math.ceil(text.length / 2), estimate: (text) => text.length / 2 }
const byPieces = (): TokenCounter => ({
  exact: true,
  count: tokensOf,
  scan(text, visit) {
    let from = 0
    for (const { 0: piece } of text.matchAll(/\s+|\S+/gu)) {
      from += piece.length
      if (visit(from, 1) === false) return
    }
  },
})

/** Cuts a word into pairs from its end on: one letter more behind a word of any length changes all its pieces. A letter alone has 3 tokens. */
function pairsFromEnd(text: string): [end: number, tokens: number][] {
  const pieces: [number, number][] = []
  let from = 0
  for (const { 0: word } of text.matchAll(/\s|\S+/gu)) {
    const end = from + word.length
    if (word.length % 2 === 1) pieces.push([++from, 3])
    for (from += 2; from <= end; from += 2) pieces.push([from, 1])
    from = end
  }
  return pieces
}
const farBack = (): TokenCounter => ({
  exact: true,
  count: (text) => sum(pairsFromEnd(text).map(([, tokens]) => tokens)),
  scan: (text, visit) => void pairsFromEnd(text).every(([end, tokens]) => visit(end, tokens) !== false),
})

/** Every kind of counter, made anew, and the count of a joined text by it. */
const kinds: Readonly<Record<string, { readonly make: () => TokenCounter; readonly count: (text: string) => number }>> = {
  "has pieces": { make: byPieces, count: perRun.count },
  "is exact and has none": { make: () => ({ ...perRun }), count: perRun.count },
  "estimates halves": { make: () => ({ ...halves }), count: (text) => text.length / 2 },
  "only counts, not exactly": { make: () => ({ exact: false, count: (text) => text.length }), count: (text) => text.length },
}

type Texts = readonly (readonly [text: string, extra: number | undefined])[]
const text = fc.constantFrom("a", "bc", " ", "  d", "e f ", "word", "\n\n", "x y z", "long".repeat(9))
const single: fc.Arbitrary<Texts> = fc.tuple(text, fc.option(fc.constantFrom(0, 1, 7), { nil: undefined })).map((one) => [one])
const joint: fc.Arbitrary<Texts> = fc
  .array(text, { minLength: 2, maxLength: 3 })
  .map((texts) => texts.map((one) => [one, undefined]))
const message = fc.array(fc.oneof({ weight: 3, arbitrary: single }, joint), { maxLength: 6 })

/** A part for each group; several texts are joined to one part. */
function partsOf(groups: readonly Texts[]): Countable[] {
  return groups.map((texts) => {
    const inner = texts.map(
      ([own, extraTokens]): Countable => (extraTokens === undefined ? { text: own } : { text: own, extraTokens }),
    )
    const [first] = inner
    return inner.length === 1 && first ? first : { text: inner.map((one) => one.text).join(""), inner }
  })
}

const extra = (groups: readonly Texts[]) => sum(groups.flat().map(([, more = 0]) => more))
const whole = (groups: readonly Texts[]) =>
  groups
    .flat()
    .map(([own]) => own)
    .join("")

describe.each(Object.entries(kinds))("a message counted by a counter that %s", (name, { make, count }) => {
  const isSum = name.startsWith("estimates") || name.startsWith("only")
  /** Of an estimate, the parts are added up; otherwise the joined text is counted. */
  const naive = (groups: readonly Texts[]): number => {
    const own = isSum ? sum(groups.flat().map(([one]) => count(one))) : groups.length === 0 ? 0 : count(whole(groups))
    return Math.ceil(own + extra(groups))
  }

  test("has the tokens of its joined text, those behind it, and a share for each text", () => {
    const counter = messageCounter(make())
    fc.assert(
      fc.property(message, (groups) => {
        const parts = partsOf(groups)
        const { tokens, shares, upTo } = counter.growth(parts)
        expect([counter.message(parts), tokens]).toEqual([naive(groups), naive(groups)])
        expect(groups.map((_, at) => upTo(at))).toEqual(groups.map((_, at) => naive(groups.slice(0, at))))
        expect(upTo(groups.length)).toBe(tokens)
        expect(shares()).toHaveLength(groups.flat().length)
        expect(sum(shares())).toBe(tokens)
        expect(Math.min(0, ...shares())).toBe(0)
        for (const [at, group] of groups.entries()) {
          const part = parts[at] ?? { text: "" }
          expect(counter.part(part).tokens).toBe(naive([group]))
          expect(counter.text(part.text)).toBe(Math.ceil(count(part.text)))
        }
      }),
      { numRuns: runs(2_000), seed: seedOf(61) },
    )
  })

  test("gives each text the tokens by which the message grows, and those that a later one takes away to none", () => {
    const counter = messageCounter(make())
    fc.assert(
      fc.property(message, (groups) => {
        const texts = groups.flat()
        const shares = counter.growth(partsOf(groups)).shares()
        if (name.startsWith("is exact")) return
        const after = texts.map((_, at) => naive([texts.slice(0, at + 1)]))
        const least = after.map((_, at) => Math.min(...after.slice(at)))
        expect(shares).toEqual(least.map((own, at) => own - (least[at - 1] ?? 0)))
      }),
      { numRuns: runs(2_000), seed: seedOf(62) },
    )
  })

  test("never loses its inner tokens to what stands around it", () => {
    const counter = messageCounter(make())
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 20 }), text, text, (texts, before, after) => {
        const { innerTokens, tokens } = counter.part({ text: texts.join(""), extraTokens: 3 })
        const joined = counter.message([{ text: before }, { text: texts.join(""), extraTokens: 3 }, { text: after }])
        expect(innerTokens).toBeLessThanOrEqual(tokens)
        expect(innerTokens).toBeLessThanOrEqual(joined)
        if (name.startsWith("has") && tokens > 20) expect(innerTokens).toBe(tokens - 8)
      }),
      { numRuns: runs(1_000), seed: seedOf(63) },
    )
  })

  test("asks for no text twice", () => {
    const { asked, counter } = counted(make())
    const texts = ["one ", "two ", "three four "].map((own): Countable => ({ text: own }))
    const memo = new Memo()
    const ask = () => {
      const made = messageCounter(counter, memo)
      expect(messageCounter(counter, memo)).toBe(made)
      for (const part of texts) made.text(part.text)
      made.message(texts.map((part) => ({ ...part })))
      const { shares, upTo } = made.growth(texts.map((part) => ({ ...part })))
      return [shares(), upTo(1), upTo(3)]
    }
    const first = ask()
    const once = asked.length
    expect(ask()).toEqual(first)
    expect(asked.slice(once)).toEqual([])
    expect(new Set(asked).size).toBe(asked.length)
  })
})

/** The counter, and every text that it was asked for. */
function counted(given: TokenCounter): { readonly asked: readonly string[]; readonly counter: TokenCounter } {
  const asked: string[] = []
  const { scan, estimate } = given
  const counter: TokenCounter = {
    ...given,
    count: (own) => asked.push(own) && given.count(own),
    ...(estimate ? { estimate: (own: string) => asked.push(own) && estimate(own) } : {}),
    ...(scan
      ? {
          scan(own, visit) {
            asked.push(own)
            scan(own, visit)
          },
        }
      : {}),
  }
  return { asked, counter }
}

test("the shares of an exact counter without pieces are those of its texts alone, scaled to the message", () => {
  /** A token for a text, however long it is, beside one for each `x` in it. */
  const counter = messageCounter({ exact: true, count: (own) => (own === "" ? 0 : 1 + own.split("x").length - 1) })
  const shares = (...texts: readonly string[]) => counter.growth(texts.map((own) => ({ text: own }))).shares()
  expect(shares("xxx")).toEqual([4])
  expect(shares("a", "b", "c", "d")).toEqual([0, 1, 0, 0])
  expect(shares("xxx", "a", "x")).toEqual([3, 1, 1])
  expect(shares("", "")).toEqual([0, 0])
  expect(shares()).toEqual([])
})

test("S14 a message has its tokenizer's count also where a part changes all pieces of a long word before it", () => {
  const parts = fc.array(fc.constantFrom("a", "bc", " ", "\n", "word", "long".repeat(9), "odd".repeat(7)), { maxLength: 9 })
  const counter = messageCounter(farBack())
  const { count } = farBack()
  fc.assert(
    fc.property(parts, (texts) => {
      const { tokens, upTo } = counter.growth(texts.map((own) => ({ text: own })))
      const naive = texts.map((_, at) => count(texts.slice(0, at + 1).join("")))
      expect(texts.map((_, at) => upTo(at + 1))).toEqual(naive)
      expect(tokens).toBe(naive.at(-1) ?? 0)
    }),
    { numRuns: runs(10_000) },
  )
})

test("S14 estimates have the same sum in whatever order they are added", () => {
  const thirds: TokenCounter = {
    exact: false,
    count: (text) => Math.ceil(text.length / 3),
    estimate: (text) => text.length / 3,
  }
  const [some, counter] = [
    Array.from({ length: 16 }, (_, at): Countable => ({ text: "x".repeat(at + 1) })),
    messageCounter(thirds),
  ]
  for (const first of some)
    for (const second of some)
      for (const third of some) {
        const inner = [second, third]
        const joined: Countable = { text: `${second.text}${third.text}`, inner, isShared: true }
        expect(counter.message([first, joined])).toBe(counter.message([first, ...inner]))
        expect(counter.growth([first, joined]).shares()).toEqual(counter.growth([first, ...inner]).shares())
      }
})
