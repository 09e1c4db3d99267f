import { describe, expect, test } from "vitest"
import { messageTime, shownSize } from "../../../src/prompt/layers/history-entries.ts"

describe("R11 R20: the time of a message", () => {
  test.each<[string, string, string]>([
    ["2026-02-15T19:16:59Z", "Asia/Shanghai", "20260216 3:16"],
    ["2026-02-15T19:16:00Z", "UTC", "20260215 19:16"],
    ["2026-01-02T00:04:00Z", "UTC", "20260102 0:04"],
    ["2026-03-08T09:59:00Z", "America/Los_Angeles", "20260308 1:59"],
    ["2026-03-08T10:00:00Z", "America/Los_Angeles", "20260308 3:00"],
    ["2026-10-25T00:30:00Z", "Europe/Berlin", "20261025 2:30"],
    ["2026-10-25T01:30:00Z", "Europe/Berlin", "20261025 2:30"],
    ["2026-02-15T19:16:00Z", "+05:45", "20260216 1:01"],
    ["1970-01-01T00:00:00Z", "UTC", "19700101 0:00"],
  ])("%s in %s is %s", (moment, timeZone, expected) => {
    expect(messageTime(Date.parse(moment), timeZone)).toBe(expected)
  })

  test("without a zone it is the host's", () => {
    const host = new Intl.DateTimeFormat().resolvedOptions().timeZone
    // Half an hour at a time over the days on which Berlin, New York and Sydney change their clocks.
    for (const day of ["1970-01-01", "2026-03-08", "2026-03-29", "2026-04-05", "2026-10-04", "2026-10-25", "2026-11-01"])
      for (let half = 0; half < 48; half++) {
        const atMs = Date.parse(day) + half * 1_800_000
        expect(messageTime(atMs)).toBe(messageTime(atMs, host))
      }
  })
})

test.each([
  [0, "0 KB"],
  [1, "1 KB"],
  [1_000, "1 KB"],
  [1_001, "2 KB"],
  [999_000, "999 KB"],
  [999_999, "1000 KB"],
  [1_000_000, "1.0 MB"],
  [1_049_999, "1.0 MB"],
  [1_050_000, "1.1 MB"],
  [25_000_000, "25.0 MB"],
])("R8 a file of %i bytes is shown with %s", (bytes, expected) => {
  expect(shownSize(bytes)).toBe(expected)
})
