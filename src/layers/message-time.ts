const formats = new Map<string, Intl.DateTimeFormat>()
const maxKeptFormats = 100

/**
 * The minute in which something was said, as events are stamped: `20260216 3:16` (R11, R20), by the clocks of an IANA time zone;
 * without one, of the host's. An unknown zone throws the platform's RangeError.
 */
export function messageTime(atMs: number, timeZone?: string): string {
  const parts = new Map(
    formatOf(timeZone ?? "")
      .formatToParts(atMs)
      .map(({ type, value }) => [type, value]),
  )
  const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? ""
  const date = `${part("year").padStart(4, "0")}${part("month")}${part("day")}`
  return `${date} ${Number(part("hour"))}:${part("minute")}`
}

/** Making one takes a hundred times as long as using it. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const format = new Intl.DateTimeFormat("en-US-u-ca-gregory-nu-latn", {
    ...(timeZone === "" ? {} : { timeZone }),
    hourCycle: "h23",
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
  })
  if (formats.size >= maxKeptFormats) formats.clear()
  formats.set(timeZone, format)
  return format
}
