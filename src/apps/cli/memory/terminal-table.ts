import { displayWidth } from "../../../core/display-width.ts"
import { hostTimeZone } from "../../../memory/forgetting/events/zoned-calendar.ts"
import { localText } from "../../../memory/services/recall/time/local-time.ts"
import type { Profile } from "../../../profile/profile.ts"
import { terminalLine } from "../../../prompt/encode/terminal-text.ts"
import { fitColumns } from "../../../trace/table.ts"

const gap = "  "
/** The first column leaves the last one this much. */
const minLast = 16
/** With less room for a last column that would fill it, columns before it are left out. */
const enoughForLast = 24

/**
 * Prints rows under a headline, in columns as wide as their widest cell. On a terminal of `maxWidth` columns (30 or more) no line is wider:
 * long cells are cut between characters, and columns that leave the last one no room are one column `…`. Line breaks in cells are shown as `⏎`.
 * A number is a moment, shown in the time zone, whose name stands for `UTC` in the headline.
 */
export function printColumns(
  headline: readonly string[],
  rows: readonly (readonly (string | number)[])[],
  maxWidth = Number.POSITIVE_INFINITY,
  timeZone = "UTC",
): string {
  const last = headline.length - 1
  // The first column often is an id, which is of use only whole.
  const widest = (at: number): number => Math.max(10, at === 0 ? maxWidth - minLast - 5 : Math.floor(maxWidth / 2))
  const cut = (cell: string, at: number): string => (at === last ? cell : fitColumns(cell, widest(at)))
  const heads = headline.map((head) => head.replace(/\bUTC\b/, () => timeZone))
  const text = (cell: string | number): string => (typeof cell === "number" ? momentText(cell, timeZone) : cell)
  const lines = [heads, ...rows].map((cells) => cells.map((cell, at) => cut(terminalLine(text(cell), 1_000), at)))
  const widths = headline.map((_, at) => Math.max(...lines.map((cells) => displayWidth(cells[at] ?? ""))))
  const before = (count: number): number =>
    [...widths.slice(0, count), ...(count < last ? [1] : [])].reduce((sum, width) => sum + width + gap.length, 0)
  const wanted = Math.min(enoughForLast, widths[last] ?? 0)
  let shown = last
  while (shown > 1 && before(shown) + wanted > maxWidth) shown--
  return lines
    .map((cells) => {
      const padded = cells.slice(0, shown).map((cell, at) => cell + " ".repeat((widths[at] ?? 0) - displayWidth(cell)))
      const end = fitColumns(cells[last] ?? "", Math.max(10, maxWidth - before(shown)))
      return [...padded, ...(shown < last ? ["…"] : []), end].join(gap).trimEnd()
    })
    .join("\n")
}

/** The time zone in which a profile's reader is told of moments. */
export const zoneOf = ({ timeZone }: Pick<Profile, "timeZone">): string => timeZone ?? hostTimeZone()

/** A time in a time zone, to the minute: `2026-03-01 08:05`. `-` for what is none. */
export function momentText(atMs: number, timeZone = "UTC"): string {
  return Number.isNaN(new Date(atMs).getTime()) ? "-" : localText(atMs, timeZone)
}
