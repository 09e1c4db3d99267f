const months = [
  "january",
  "february",
  "march",
  "april",
  "may",
  "june",
  "july",
  "august",
  "september",
  "october",
  "november",
  "december",
]

/**
 * Reads a date as SillyTavern has written it over the years: milliseconds, ISO 8601, `2023-7-20 @02h 00m 51s 34ms` and
 * `July 20, 2023 2:00am`, the last two in local time. Undefined for anything else.
 */
export function tavernDate(date: unknown): number | undefined {
  if (typeof date === "number") return dateIn(date)
  if (typeof date !== "string" || date.length > 100) return undefined
  if (/^\d{9,16}$/.test(date)) return dateIn(Number(date))
  const [, year, month, day, hour, minute, second = "0", ms = "0"] =
    /^(\d{4})-(\d{1,2})-(\d{1,2}) ?@ ?(\d{1,2})h ?(\d{1,2})m ?(?:(\d{1,2})s ?)?(?:(\d{1,3})ms)?$/.exec(date.trim()) ?? []
  if (year !== undefined)
    return dateIn(
      new Date(Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second), Number(ms)).getTime(),
    )
  const [, name = "", inMonth, ofYear, at, past, half] =
    /^([A-Za-z]+) (\d{1,2}), (\d{4}) (\d{1,2}):(\d{2}) ?([ap]m)$/i.exec(date.trim()) ?? []
  const index = months.indexOf(name.toLowerCase())
  if (index >= 0) {
    const hours = (Number(at) % 12) + (half?.toLowerCase() === "pm" ? 12 : 0)
    return dateIn(new Date(Number(ofYear), index, Number(inMonth), hours, Number(past)).getTime())
  }
  return /^\d{4}-\d{2}-\d{2}T/.test(date.trim()) ? dateIn(Date.parse(date.trim())) : undefined
}

/** A time that can be written as a date again. */
function dateIn(ms: number): number | undefined {
  return Number.isFinite(ms) && Math.abs(ms) <= 8_640_000_000_000_000 ? Math.trunc(ms) : undefined
}
