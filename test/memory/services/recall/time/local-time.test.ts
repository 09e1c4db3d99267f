import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { localFields, localText, momentOf, readMoment } from "../../../../../src/memory/services/recall/time/local-time.ts"

const zones = [...Intl.supportedValuesOf("timeZone"), "UTC", "+05:45"]
const zone = fc.constantFrom(...zones)
const second = fc.integer({ min: Date.UTC(1975, 0) / 1_000, max: Date.UTC(2060, 0) / 1_000 })
/** Moments of one change of each kind, so that the edges are hit. */
const nearChange = fc
  .tuple(
    fc.constantFrom("2026-03-29T01:00Z", "2026-10-25T01:00Z", "2026-03-08T07:00Z", "2026-11-01T06:00Z"),
    fc.integer({ min: -9_000, max: 9_000 }),
  )
  .map(([at, off]) => Date.parse(at) / 1_000 + off)

describe("the moment of a local time", () => {
  test("is the moment that has this local time, in every zone; of two it is the first, and it says so", () => {
    fc.assert(
      fc.property(zone, fc.oneof(second, nearChange), (timeZone, at) => {
        const atMs = at * 1_000
        const found = momentOf(localFields(atMs, timeZone), timeZone)
        expect(localFields(found.atMs, timeZone)).toEqual(localFields(atMs, timeZone))
        expect(found.clockChange).not.toBe("skipped")
        if (found.atMs !== atMs) expect([found.clockChange, found.atMs < atMs]).toEqual(["repeated", true])
      }),
      { numRuns: 400 },
    )
  })

  test("a time of no moment comes later by what the clock skips, and says so", () => {
    const fields = fc.tuple(
      fc.integer({ min: 1975, max: 2060 }),
      fc.constantFrom(3, 4, 9, 10, 11),
      fc.integer({ min: 1, max: 28 }),
      fc.integer({ min: 0, max: 23 }),
      fc.integer({ min: 0, max: 59 }),
    )
    fc.assert(
      fc.property(zone, fields, (timeZone, [year, month, day, hours, minutes]) => {
        const { atMs, clockChange } = momentOf([year, month, day, hours, minutes, 0], timeZone)
        const [foundYear, foundMonth, ...rest] = localFields(atMs, timeZone)
        const later = Date.UTC(foundYear, foundMonth - 1, ...rest) - Date.UTC(year, month - 1, day, hours, minutes)
        if (clockChange === "skipped") expect(later).toBeGreaterThan(0)
        else expect(later).toBe(0)
      }),
      { numRuns: 400 },
    )
  })

  test.each([
    ["Europe/Berlin", [2026, 3, 29, 2, 30, 0], "2026-03-29T01:30:00.000Z", "skipped"],
    ["Europe/Berlin", [2026, 10, 25, 2, 30, 0], "2026-10-25T00:30:00.000Z", "repeated"],
    ["America/New_York", [2026, 3, 8, 2, 15, 0], "2026-03-08T07:15:00.000Z", "skipped"],
    ["Australia/Lord_Howe", [2026, 10, 4, 2, 15, 0], "2026-10-03T15:45:00.000Z", "skipped"],
    ["Pacific/Apia", [2011, 12, 30, 12, 0, 0], "2011-12-30T22:00:00.000Z", "skipped"],
    ["Asia/Shanghai", [2026, 11, 32, 9, 0, 0], "2026-12-02T01:00:00.000Z", undefined],
  ] as const)("%s %j is %s (%s)", (timeZone, fields, at, clockChange) => {
    expect(momentOf(fields, timeZone)).toEqual({ atMs: Date.parse(at), ...(clockChange && { clockChange }) })
  })
})

describe("readMoment", () => {
  const nowMs = Date.UTC(2026, 10, 21, 6, 5, 9)
  test.each<[string, number | "no-zone" | undefined]>([
    ["2026-11-22T09:00:00+08:00", Date.UTC(2026, 10, 22, 1)],
    ["2026-11-22 09:00 -0330", Date.UTC(2026, 10, 22, 12, 30)],
    [" 2026-11-22T09:00:30.5Z ", Date.UTC(2026, 10, 22, 9, 0, 30)],
    ["2026-11-22 09:00", "no-zone"],
    ["+10m", nowMs + 600_000],
    ["+ 2 h", nowMs + 7_200_000],
    ["in 90 seconds", nowMs + 90_000],
    ["in a minute", nowMs + 60_000],
    ["1分钟后", nowMs + 60_000],
    ["一个小时后", nowMs + 3_600_000],
    ["3天之后", nowMs + 3 * 86_400_000],
    ["2026-11-22", undefined],
    ["2026-02-31 09:00", undefined],
    ["2026-11-22 24:00", undefined],
    ["2026-11-22 09:60", undefined],
    ["2026-11-22T09:00+99:00", undefined],
    ["tomorrow at nine", undefined],
    ["+9999999m", undefined],
    ["", undefined],
  ])("%j without a zone", (text, expected) => {
    const found = readMoment(text, { nowMs })
    expect(typeof found === "object" ? found.atMs : found).toBe(expected)
  })

  test("takes a local time in the person's zone, never in the host's", () => {
    expect(readMoment("2026-11-22 09:00", { nowMs, timeZone: "Asia/Tokyo" })).toEqual({ atMs: Date.UTC(2026, 10, 22) })
    expect(localText(Date.UTC(2026, 10, 22), "Asia/Tokyo")).toBe("2026-11-22 09:00")
  })
})
