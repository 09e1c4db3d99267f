import fc from "fast-check"
import { expect, test } from "vitest"
import { dayMatch, toldMatch } from "../../../../../src/memory/services/recall/time/time-match.ts"
import type { TimeReference } from "../../../../../src/memory/services/recall/time/time-reference.ts"

const span = (fromDay: number, toDay: number): TimeReference => ({ kind: "span", fromDay, toDay })

/** The match of a time outside of a span: it halves with each quarter of the span's length, half as fast on the side after it. */
function naive([fromDay, toDay]: readonly [number, number], [first, last]: readonly [number, number]): number {
  if (last >= fromDay && first <= toDay) return 1
  const quarter = Math.min(30, Math.max(1, (toDay - fromDay + 1) / 4))
  const away = last < fromDay ? (fromDay - last) / quarter : (first - toDay) / quarter / 2
  const match = 2 ** -away
  return match < 0.05 ? 0 : match
}

const range = fc.tuple(fc.integer({ min: -400, max: 400 }), fc.nat(300)).map(([from, length]) => [from, from + length] as const)

test("the match of a day, or of several, with a span is that of a naive reading", () => {
  fc.assert(
    fc.property(range, range, (asked, told) => {
      expect(toldMatch([span(...asked)], { fromDay: told[0], toDay: told[1] })).toBeCloseTo(naive(asked, told), 12)
      expect(dayMatch([span(...asked)], told[0])).toBeCloseTo(naive(asked, [told[0], told[0]]), 12)
    }),
  )
})

test.each([
  ["a day before a day", span(10, 10), 9, 0.5],
  ["two days before a day", span(10, 10), 8, 0.25],
  ["two days after a day", span(10, 10), 12, 0.5],
  ["two days before eight days", span(10, 17), 8, 0.5],
  ["30 days before a year", span(365, 729), 335, 0.5],
  ["eight days after a day", span(10, 10), 18, 0.0625],
  ["nine days after a day, too faint", span(10, 10), 19, 0],
])("%s", (_, reference, day, match) => {
  expect(dayMatch([reference], day)).toBeCloseTo(match, 12)
})

test("of several references the best counts, of none there is no match", () => {
  const references: readonly TimeReference[] = [span(10, 10), { kind: "weekdays", weekdays: [0] }, span(20, 20)]
  expect([10, 19, 3].map((day) => dayMatch(references, day))).toEqual([1, 0.5, 0.5])
  expect([dayMatch([], 1), toldMatch([], { fromDay: 1, toDay: 1 })]).toEqual([0, 0])
})
