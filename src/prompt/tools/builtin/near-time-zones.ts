import leven from "leven"

const maxSuggestions = 3

/** A longer name is no mistyped one, and to compare it would take long. */
const maxNameLength = 64

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
