import { dateFormat } from "../../../core/memo.ts"

/** No time zone has a longer name. */
const maxNameLength = 64

/**
 * Returns the time zone of a name as the IANA database spells it. The name may be in any case, have spaces, or be an offset
 * such as `UTC+8` or `+05:30`. Returns `undefined` when no zone has it.
 */
export function findTimeZone(name: string): string | undefined {
  const wanted = name.trim().replaceAll(" ", "_")
  if (wanted.length > maxNameLength) return undefined
  try {
    const [, sign, hours, minutes = "00"] = /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?$/i.exec(wanted) ?? []
    const timeZone = hours === undefined ? wanted : `${sign}${hours.padStart(2, "0")}:${minutes}`
    return dateFormat("en", { timeZone }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}
