import { partOfYear, type TimeReference, type Today } from "./time-reference.ts"

/** Seasons and feasts by name, from and to as `month * 100 + date`. Feasts that move with the moon cover all days on which they may fall. */
const parts: readonly (readonly [pattern: string, from: number, to: number])[] = [
  ["spring festival|lunar new year|chinese new year|春节|过年|除夕", 120, 222],
  ["springtime|spring|春天|春季", 301, 531],
  ["summertime|summer|夏天|夏季", 601, 831],
  ["autumn|秋天|秋季", 901, 1130],
  ["wintertime|winter|冬天|冬季", 1201, 228],
  ["christmas|xmas|圣诞节|圣诞", 1223, 1227],
  ["new year's eve|new year's day|new year's|元旦", 1231, 102],
  ["valentine's day|valentine's|情人节", 213, 215],
  ["halloween|万圣节", 1030, 1101],
  ["thanksgiving|感恩节", 1121, 1129],
  ["easter|复活节", 322, 425],
  ["国庆节|国庆", 930, 1008],
  ["五一|劳动节", 430, 505],
  ["六一|儿童节", 531, 602],
  ["妇女节", 307, 309],
  ["教师节", 909, 911],
  ["清明节|清明", 403, 406],
  ["端午节|端午", 528, 625],
  ["七夕", 731, 830],
  ["中秋节|中秋", 907, 1008],
  ["暑假", 701, 831],
  ["寒假", 110, 222],
  ["年初", 101, 228],
  ["年中", 601, 731],
  ["年底|年末", 1115, 1231],
]

const english = parts.flatMap(([pattern]) => pattern.split("|").filter((name) => /^[a-z]/.test(name)))
const chinese = parts.flatMap(([pattern]) => pattern.split("|").filter((name) => !/^[a-z]/.test(name)))

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
  const part = parts.find(([pattern]) => new RegExp(`^(?:${pattern})$`).test(name))
  if (part === undefined) return undefined
  const [, from, to] = part
  if (year !== undefined || typeof steps !== "number") return partOfYear(from, to, year)
  const now = today.month * 100 + today.date
  const begun = now >= from
  if (steps < 0) return partOfYear(from, to, begun && now > to && to >= from ? today.year : today.year - 1)
  return partOfYear(from, to, steps > 0 && begun ? today.year + 1 : today.year)
}
