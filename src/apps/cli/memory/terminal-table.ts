import { displayWidth } from "../../../core/display-width.ts"
import { terminalLine } from "../../../prompt/encode/terminal-text.ts"
import { fitColumns } from "../../../trace/table.ts"

const gap = "  "

/**
 * Prints rows under a headline, in columns as wide as their widest cell. The last column is cut between characters, so that a
 * line has at most `maxWidth` columns of a terminal. Line breaks in cells are shown as `⏎`.
 */
export function printTable(
  headline: readonly string[],
  rows: readonly (readonly string[])[],
  maxWidth = Number.POSITIVE_INFINITY,
): string {
  const lines = [headline, ...rows].map((cells) => cells.map((cell) => terminalLine(cell, 1_000)))
  const widths = headline.map((_, at) => Math.max(...lines.map((cells) => displayWidth(cells[at] ?? ""))))
  const last = headline.length - 1
  const before = widths.slice(0, last).reduce((sum, width) => sum + width + gap.length, 0)
  return lines
    .map((cells) => {
      const padded = cells.slice(0, last).map((cell, at) => cell + " ".repeat((widths[at] ?? 0) - displayWidth(cell)))
      return [...padded, fitColumns(cells[last] ?? "", Math.max(10, maxWidth - before))].join(gap).trimEnd()
    })
    .join("\n")
}

/** A time in UTC, to the minute: `2026-03-01 08:05`. */
export function momentText(atMs: number): string {
  const date = new Date(atMs)
  return Number.isNaN(date.getTime()) ? "-" : date.toISOString().slice(0, 16).replace("T", " ")
}
