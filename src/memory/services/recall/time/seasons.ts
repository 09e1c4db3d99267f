import parts from "./seasons.json" with { type: "json" }
import { partOfYear, type TimeReference, type Today } from "./time-reference.ts"

// Seasons and feasts, from and to as `month * 100 + date`. Feasts that move with the moon cover all days on which they may fall.
const all = parts.flatMap(({ names }) => names.split("|"))
const english = all.filter((name) => /^[a-z]/.test(name))
const chinese = all.filter((name) => !/^[a-z]/.test(name))

/** Matches a season or a feast in English. */
export const seasonPattern = `(?:${english.join("|")})`
export const chineseSeasonPattern = `(?:${chinese.join("|")})`

/**
 * The days of a season: in `year`, or by `steps` the last one (negative), this year's (0) or the coming one (positive). Without both,
 * the season of any year.
 */
export function readSeason(
  name: string,
  year: number | undefined,
  steps: number | "" | undefined,
  today: Today,
): TimeReference | undefined {
  const part = parts.find(({ names }) => names.split("|").includes(name))
  if (part === undefined) return undefined
  const { from, to } = part
  if (year !== undefined || typeof steps !== "number") return partOfYear(from, to, year)
  const now = today.month * 100 + today.date
  const begun = now >= from
  if (steps < 0) return partOfYear(from, to, begun && now > to && to >= from ? today.year : today.year - 1)
  return partOfYear(from, to, steps > 0 && begun ? today.year + 1 : today.year)
}
