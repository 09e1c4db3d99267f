import { dayMs, zoneOffsets } from "./local-calendar.ts"

/** A moment, in milliseconds since 1970, that was found for a local time. */
export interface LocalMoment {
  readonly atMs: number
  /**
   * Set where a clock change makes the local time unclear: one that it skips comes later by what is skipped, and of one that it repeats
   * the first is taken.
   */
  readonly clockChange?: "skipped" | "repeated"
}

/** The numbers of a local date and time: year, month from 1, day, hours, minutes, seconds. */
export type LocalFields = readonly [year: number, month: number, day: number, hours: number, minutes: number, seconds: number]

/** The local date and time at a moment. */
export function localFields(atMs: number, timeZone: string): LocalFields {
  const at = new Date(atMs + zoneOffsets(timeZone)(atMs))
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth() + 1, at.getUTCDate()]
  return [year, month, day, at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()]
}

/** The local date and time at a moment, such as `2026-11-21 09:00`. */
export function localText(atMs: number, timeZone: string): string {
  const [year, ...rest] = localFields(atMs, timeZone)
  const [month, day, hours, minutes] = rest.map((field) => String(field).padStart(2, "0"))
  return `${year}-${month}-${day} ${hours}:${minutes}`
}

/** The moment of a local date and time. Fields may be out of their bounds: the 32nd of May is the 1st of June. */
export function momentOf([year, month, ...rest]: LocalFields, timeZone: string): LocalMoment {
  const offsetAt = zoneOffsets(timeZone)
  const wantedMs = Date.UTC(year, month - 1, ...rest)
  // No zone changes its offset twice within two days.
  const offsets = [offsetAt(wantedMs - dayMs), offsetAt(wantedMs + dayMs)]
  const [before = 0, after = 0] = offsets
  const found = [...new Set(offsets)].map((offset) => wantedMs - offset).filter((atMs) => atMs + offsetAt(atMs) === wantedMs)
  const [first, second] = found.sort((a, b) => a - b)
  if (first === undefined) return { atMs: wantedMs - Math.min(before, after), clockChange: "skipped" }
  return second === undefined ? { atMs: first } : { atMs: first, clockChange: "repeated" }
}

const written = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?\s?(Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?$/i
const relative =
  /^(?:\+|in )?\s?(\d{1,6}|an?|one|[一1])\s?(?:个|個)?\s?(s|sec|seconds?|秒钟?|m|min|minutes?|分钟?|h|hours?|小时|d|days?|天)\s?(?:后|以后|之后|from now|later)?$/i
const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  秒: 1_000,
  m: 60_000,
  分: 60_000,
  h: 3_600_000,
  小: 3_600_000,
  d: dayMs,
  天: dayMs,
}

/**
 * Reads a date with a time, such as `2026-11-21 09:00`, which may have an offset, or a time from now, such as `+10m` or `in 10 minutes`. Undefined for other words and for dates that do not
 * exist; `no-zone` for a local time without a time zone.
 */
export function readMoment(
  text: string,
  { timeZone, nowMs }: { readonly timeZone?: string | undefined; readonly nowMs: number },
): LocalMoment | "no-zone" | undefined {
  const [, amount, unit = ""] = relative.exec(text.trim()) ?? []
  if (amount !== undefined) return { atMs: nowMs + (Number(amount) || 1) * (unitMs[unit.charAt(0).toLowerCase()] ?? 0) }
  const match = written.exec(text.trim())
  if (match === null) return undefined
  const fields = match.slice(1, 7).map((part) => Number(part ?? 0)) as unknown as LocalFields
  const [year, month, ...rest] = fields
  const utcMs = Date.UTC(year, month - 1, ...rest)
  // Dates roll over: the 31st of February would become the 3rd of March.
  const real = new Date(utcMs).toISOString().match(/\d+/g) ?? []
  if (fields.some((field, at) => field !== Number(real[at]))) return undefined
  const offsetMs = offsetOf(match[7])
  if (offsetMs !== undefined) return { atMs: utcMs - offsetMs }
  return timeZone === undefined ? "no-zone" : momentOf(fields, timeZone)
}

function offsetOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^z$/i.test(text)) return 0
  const sign = text.startsWith("-") ? -1 : 1
  return sign * (Number(text.slice(1, 3)) * 60 + Number(text.slice(-2))) * 60_000
}
