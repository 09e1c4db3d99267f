import fc from "fast-check"
import { expect, test } from "vitest"
import { type EventRecord, newEvent } from "../../../../src/memory/forgetting/events/event-record.ts"
import { defaultEventWeights, selectEvents } from "../../../../src/memory/forgetting/events/select-events.ts"
import { type Grain, grains } from "../../../../src/memory/forgetting/events/stamp.ts"
import { runs, seedOf } from "../../../support/size.ts"
import { naiveBack, naiveChoice, naiveScore, turnsPerDay } from "./naive-records.ts"

const now = { atMs: 40, turn: 40 }
const lengths: Readonly<Record<Grain, number>> = { year: 24, month: 12, week: 6, day: 3, moment: 0 }
const words = ["bread", "tea", "milk"] as const

/** Records in a short time, so that begins and ends meet often; each names a few others, known or not, as its parts. */
const anyEvents = fc
  .array(
    fc.record({
      grain: fc.constantFrom<Grain>(...grains, "day", "moment", "moment", "moment"),
      startMs: fc.nat(36),
      more: fc.constantFrom(0, 0, 0, 1, -1, -99),
      importance: fc.nat(10),
      stability: fc.constantFrom(1, 1.49, 1.5, 7),
      text: fc.subarray([...words], { minLength: 1 }),
      children: fc.array(fc.nat(24), { maxLength: 3 }),
      isOwn: fc.boolean(),
      fit: fc.constantFrom(0, 0.19, 0.2, 0.39, 0.4, 0.8, 1),
    }),
    { maxLength: 24 },
  )
  .map((all) => {
    const made = all.map(({ grain, startMs, more, text, ...given }, at) => {
      const endMs = startMs + (grain === "moment" ? 0 : Math.max(0, lengths[grain] + more))
      const one = { id: `e${at}`, grain, stamp: "", startMs, endMs, text: text.join(" "), ...given, children: [] }
      return { ...newEvent(one, { atMs: startMs, turn: startMs }), stability: given.stability } as EventRecord
    })
    // Half of the records name what lies in their time, the others anything.
    const events = made.map((event, at): EventRecord => {
      const given = all[at]
      const within = made.filter(
        (one) => one !== event && one.grain !== event.grain && one.startMs >= event.startMs && one.endMs <= event.endMs,
      )
      const own = event.grain === "moment" ? [] : within.map(({ id }) => id)
      return { ...event, children: given?.isOwn ? own : (given?.children ?? []).filter((id) => id !== at).map((id) => `e${id}`) }
    })
    return { events, fits: new Map(events.map(({ id }, at) => [id, all[at]?.fit ?? 0])) }
  })

const anyKeep = fc.record({
  year: fc.nat(2),
  month: fc.nat(2),
  week: fc.nat(3),
  day: fc.nat(4),
  moment: fc.nat(8),
})
const ids = (events: readonly EventRecord[]) => events.map(({ id }) => id).sort()

test("R20: the records of a prompt are those of a naive choice that looks at every pair of them", () => {
  fc.assert(
    fc.property(anyEvents, anyKeep, fc.constantFrom(0, 5, 8, 10, 15, 20, 999), ({ events }, keep, shownCharacters) => {
      const shown = selectEvents(events, now, { keep, shownCharacters, broughtBack: 0 })
      expect(ids(shown)).toEqual(ids(naiveChoice(events, keep, shownCharacters)))
    }),
    { numRuns: runs(4_000), seed: seedOf(31) },
  )
})

test("R21: what comes back is what a naive choice brings back, one after the other", () => {
  const anyWeights = fc.constantFrom({}, { relevance: 0 }, { relevance: 0.1, importance: 1 }, { stability: 1, retrievability: 0 })
  const clock = { by: "turns", turnsPerDay } as const
  fc.assert(
    fc.property(anyEvents, anyKeep, anyWeights, fc.nat(4), fc.nat(23), ({ events, fits }, keep, given, broughtBack, at) => {
      const relevance = ({ id }: EventRecord) => fits.get(id) ?? 0
      const weights = { ...defaultEventWeights, ...given }
      // The least score is that of one of the events, which just comes back.
      const minScore = events[at] ? naiveScore(events[at], now, 0, weights) : 0
      const options = { broughtBack, minScore, relevance, clock }
      const choice = naiveChoice(events, keep, 30)
      const expected = [...choice, ...naiveBack(events, choice, now, { ...options, weights })]
      const shown = selectEvents(events, now, { keep, shownCharacters: 30, weights: given, ...options })
      expect(ids(shown)).toEqual(ids(expected))
    }),
    { numRuns: runs(4_000), seed: seedOf(32) },
  )
})
