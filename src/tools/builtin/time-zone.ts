import leven from "leven"

const maxSuggestions = 3

/** Longer names than any zone's are not compared. */
const maxNameLength = 64

/**
 * The time zone a name means, spelled as in the IANA database: names in any case, also with spaces, and offsets such as
 * `UTC+8` or `+05:30`. `undefined` when there is none.
 */
export function findTimeZone(name: string): string | undefined {
  const wanted = name.trim().replaceAll(" ", "_")
  if (wanted.length > maxNameLength) return undefined
  try {
    return new Intl.DateTimeFormat("en", { timeZone: offsetZone(wanted) ?? wanted }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** Zones with a like name, the nearest first: those of the same city, else those that are spelled alike. At most three. */
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

function offsetZone(name: string): string | undefined {
  const [, sign, hours, minutes] = /^(?:UTC|GMT)?([+-])(\d{1,2})(?::?(\d{2}))?$/i.exec(name) ?? []
  return hours === undefined ? undefined : `${sign}${hours.padStart(2, "0")}:${minutes ?? "00"}`
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
