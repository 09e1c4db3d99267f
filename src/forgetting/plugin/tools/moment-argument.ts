import { encodeInline } from "../../../encode/inline.ts"
import { parseStamp } from "../../../forgetting/events/stamp.ts"
import { stampRange } from "../../../forgetting/events/stamp-range.ts"
import type { ZonedCalendar } from "../../../forgetting/events/zoned-calendar.ts"
import { refusal } from "./define-context-tool.ts"

const minuteMs = 60_000

/**
 * The stretch of time that an argument names: a stamp as events have, or a date and time as `2026-02-08 3:16`. A failed call for
 * any other text.
 */
export function momentArgument(text: string, calendar: ZonedCalendar): { readonly startMs: number; readonly endMs: number } {
  const stamp = parseStamp(text.trim()) ?? parseStamp(compact(text.trim()))
  if (stamp === undefined) throw refusal({ bad_time: encodeInline(text.slice(0, 80)) })
  const range = stampRange(stamp, calendar)
  return stamp.grain === "moment" ? { startMs: range.startMs, endMs: range.startMs + minuteMs } : range
}

/** `2026-02-08T03:16:00` as a stamp. */
function compact(text: string): string {
  const [date = "", time] = text.replace("T", " ").split(" ")
  const day = date.replaceAll(/[-/.]/g, "")
  return time === undefined ? day : `${day} ${time.split(":").slice(0, 2).join(":")}`
}
