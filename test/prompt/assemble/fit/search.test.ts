import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { Memo } from "../../../../src/core/memo.ts"
import type { SlotEntry } from "../../../../src/core/value.ts"
import { dropOrder } from "../../../../src/prompt/assemble/fit/drop-order.ts"
import { fewestGone, firstWith, gainsOf, largestSize } from "../../../../src/prompt/assemble/fit/search.ts"
import { truncateText } from "../../../../src/prompt/assemble/truncate-text.ts"
import { runs, seedOf } from "../../../support/size.ts"

/** The sizes that a search asks for, and what it finds. */
function tried(range: Parameters<typeof largestSize>[0], excess: (size: number) => number): string {
  const sizes: number[] = []
  const found = largestSize(range, (size) => {
    sizes.push(size)
    return excess(size)
  })
  return `${sizes.join(" ")} → ${found}`
}

describe("the largest size that fits", () => {
  test("is what a search of every size finds, in no more tries than a binary search needs four times", () => {
    const steps = fc.array(fc.nat(20), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(steps, fc.nat(2_000), fc.nat(220), (tokens, budget, guess) => {
        const sums = [0]
        for (const own of tokens) sums.push((sums.at(-1) ?? 0) + own)
        const excess = (size: number) => (sums[size] ?? 0) - budget
        const most = tokens.length
        let naive = 0
        for (let size = 0; size <= most; size++) if (excess(size) <= 0) naive = size
        let calls = 0
        const found = largestSize({ least: 0, most, guess }, (size) => {
          expect(size).toBeGreaterThanOrEqual(0)
          expect(size).toBeLessThanOrEqual(most)
          calls++
          return excess(size)
        })
        expect(found).toBe(naive)
        expect(calls).toBeLessThanOrEqual(4 * Math.ceil(Math.log2(most + 2)) + 4)
      }),
      { numRuns: runs(3_000), seed: seedOf(31) },
    )
  })

  test("is found by these tries", () => {
    const even = (budget: number) => (size: number) => size / 4 - budget
    const rows = [
      tried({ least: 0, most: 1_000, guess: 400 }, even(100.5)),
      tried({ least: 0, most: 1_000, guess: 10 }, even(100.5)),
      tried({ least: 0, most: 1_000, guess: 900 }, even(100.5)),
      tried({ least: 0, most: 1_000, guess: -5 }, even(0.5)),
      tried({ least: 0, most: 1_000, guess: 5_000 }, even(1_000)),
      tried({ least: 0, most: 1_000, guess: 500 }, even(-1)),
      tried({ least: 7, most: 7, guess: 0 }, even(0)),
      tried({ least: 3, most: 60, guess: 30 }, (size) => (size > 17 ? 500 : -1)),
      tried({ least: 3, most: 60, guess: 30 }, (size) => (size > 17 ? 1 : -500)),
    ]
    expect(rows.join("\n")).toMatchInlineSnapshot(`
      "400 409 402 403 → 402
      10 604 402 403 → 402
      900 147 402 403 → 402
      0 9 2 3 → 2
      1000 → 1000
      500 0 → 0
       → 7
      30 3 4 5 18 6 7 8 13 14 15 16 17 → 17
      30 18 3 17 → 17"
    `)
  })
})

describe("the fewest things that have to go", () => {
  test("are what a count one by one finds, whatever the estimates say", () => {
    const list = fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { minLength: 1, maxLength: 40 })
    fc.assert(
      fc.property(list, fc.nat(200), fc.nat(45), fc.boolean(), (things, over, first, isKnown) => {
        const real = things.map(([own]) => own)
        const gains = gainsOf(things.map(([own, guess]) => (isKnown ? own : guess)))
        const excess = (count: number) => over + 1 - real.slice(0, count).reduce((sum, own) => sum + own, 0)
        let naive: number | undefined
        for (let count = real.length; count > 0; count--) if (excess(count) <= 0) naive = count
        const atLeast = isKnown ? (index: number) => real[index] ?? 0 : () => 0
        const asked: number[] = []
        const found = fewestGone({ ...gains, atLeast }, first, (count) => {
          asked.push(count)
          return excess(count)
        })
        expect(found).toBe(naive)
        expect(new Set(asked).size, asked.join()).toBe(asked.length)
        expect(asked.length).toBeLessThanOrEqual(16)
      }),
      { numRuns: runs(3_000), seed: seedOf(32) },
    )
  })

  test("are known by sums", () => {
    const gains = gainsOf([3, 0, 4])
    expect([0, 1, 2, 3, 4].map(gains.upTo)).toEqual([0, 3, 3, 7, 0])
    expect([gains.next(0, 1), gains.next(0, 3), gains.next(1, 1), gains.next(1, 4), gains.next(1, 5)]).toEqual([1, 1, 3, 3, 3])
    expect([gains.length, gains.atLeast(0)]).toEqual([3, 0])
  })

  test("begin with the first number that passes", () => {
    for (let most = 0; most < 9; most++)
      for (let first = 0; first < 11; first++) expect(firstWith(most, (count) => count >= first)).toBe(Math.min(first, most))
  })
})

describe("the order in which entries are dropped", () => {
  type Entry = { readonly role: string; readonly answers: boolean }
  /** Each message of the user, with what answers it, behind the model's words that follow it up to the next message. */
  function naive(entries: readonly Entry[]): string[] {
    const units: { readonly at: number; size: number; readonly role: string }[] = []
    for (const [at, { role, answers }] of entries.entries()) {
      const last = units.at(-1)
      if (answers && last) last.size++
      else units.push({ at, size: 1, role })
    }
    const order: string[] = []
    let waiting: string | undefined
    for (const { at, size, role } of units) {
      const unit = `${at}+${size}`
      if (waiting !== undefined && role !== "assistant") order.push(waiting)
      if (role !== "assistant") waiting = undefined
      if (role === "user") waiting = unit
      else order.push(unit)
    }
    return waiting === undefined ? order : [...order, waiting]
  }

  test("is that of a list read at once, while the list grows and while its end changes", () => {
    const entry = fc.record({ role: fc.constantFrom("user", "assistant", "system"), answers: fc.boolean() })
    const cuts = fc.array(fc.tuple(fc.nat(12), fc.array(entry, { maxLength: 4 })), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 10 }), cuts, (given, edits) => {
        let entries: readonly Entry[] = given
        for (const [keep, more] of [[99, []] as [number, Entry[]], ...edits]) {
          // The first entry stays, so that what is known of the list is used.
          entries = [...entries.slice(0, Math.max(1, keep)), ...more]
          const order = dropOrder(entries as unknown as readonly SlotEntry[], undefined, new Memo())
          expect(order.map(({ at, size }) => `${at}+${size}`)).toEqual(naive(entries))
        }
      }),
      { numRuns: runs(3_000), seed: seedOf(33) },
    )
  })

  test("goes by scores where there are any, equal ones oldest first", () => {
    const entries = [{}, { answers: true }, {}, {}, {}] as unknown as readonly SlotEntry[]
    const fit = { rank: 1, shrink: "entries", scores: [2, 0, 1, 2] } as unknown as Parameters<typeof dropOrder>[1]
    expect(dropOrder(entries, fit, new Memo())).toEqual([
      { at: 4, size: 1 },
      { at: 2, size: 1 },
      { at: 0, size: 2 },
      { at: 3, size: 1 },
    ])
    expect(dropOrder([], undefined, new Memo())).toEqual([])
  })
})

describe("a text cut to each size", () => {
  const text = "ab 👨‍👩‍👧 é\n```js\nlet x\n~~~\n```\nmid `` c\n  ~~~~ t\nzz\n~~~~\nend"
  const notice = ({ kept, total }: { readonly kept: number; readonly total: number }) => `<${kept}/${total}>`

  test.each(["head", "tail", "headTail"] as const)("%s", async (shrink) => {
    const rows = Array.from({ length: [...text].length + 2 }, (_, maxCharacters) => {
      const cut = truncateText(text, { maxCharacters, shrink, notice })
      expect(cut.kept).toBeLessThanOrEqual(maxCharacters)
      return `- ${maxCharacters} ${JSON.stringify(cut.text)}${cut.isCut ? "" : " whole"}`
    })
    await expect(`# ${shrink}\n${rows.join("\n")}\n`).toMatchFileSnapshot(`__snapshots__/cut-${shrink}.md`)
  })
})
