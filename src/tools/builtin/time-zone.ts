import leven from "leven"

const maxSuggestions = 3

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
    return new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** Returns at most three zones with a similar name: those of the same city, else those of similar spelling, the nearest first. */
export function nearTimeZones(name: string): string[] {
  const wanted = fold(name)
  if (wanted === "" || wanted.length > maxNameLength) return []
  const zones = Intl.supportedValuesOf("timeZone")
  const sameCity = zones.filter((zone) => cityOf(fold(zone)) === cityOf(wanted))
  if (sameCity.length > 0) return sameCity.slice(0, maxSuggestions)
  const maxDistance = Math.max(1, Math.floor(wanted.length / 3))
  return zones
    .map((zone) => ({ zone, distance: Math.min(leven(wanted, fold(zone)), leven(wanted, cityOf(fold(zone)))) }))
    .filter(({ distance }) => distance <= maxDistance)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, maxSuggestions)
    .map(({ zone }) => zone)
}

function fold(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_")
}

function cityOf(zone: string): string {
  return zone.slice(zone.lastIndexOf("/") + 1)
}
