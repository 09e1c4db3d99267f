const pattern =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?\s?(Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?)?$/i

/**
 * The moment of an ISO 8601 date or date and time, in milliseconds since 1970; without an offset in the host's time zone,
 * without a time at midnight. `undefined` for other words and for dates that no calendar has.
 */
export function parseMoment(text: string): number | undefined {
  const match = pattern.exec(text.trim())
  if (match === null) return undefined
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1, 7).map((part) => Number(part ?? 0))
  const fields = [year, month - 1, day, hours, minutes, seconds] as const
  const utcMs = Date.UTC(...fields)
  if (!sameFields(new Date(utcMs), fields)) return undefined
  const offsetMs = parseOffset(match[7])
  return offsetMs === undefined ? new Date(...fields).getTime() : utcMs - offsetMs
}

/** Dates roll over: the 31st of February would silently become the 3rd of March. */
function sameFields(date: Date, [year, month, day, hours, minutes, seconds]: readonly number[]): boolean {
  return (
    date.getUTCFullYear() === year &&
    date.getUTCMonth() === month &&
    date.getUTCDate() === day &&
    date.getUTCHours() === hours &&
    date.getUTCMinutes() === minutes &&
    date.getUTCSeconds() === seconds
  )
}

function parseOffset(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^z$/i.test(text)) return 0
  const sign = text.startsWith("-") ? -1 : 1
  return sign * (Number(text.slice(1, 3)) * 60 + Number(text.slice(-2))) * 60_000
}
