import { graphemeBoundaryBefore } from "../core/graphemes.ts"
import { splitLines } from "../encode/line-breaks.ts"
import { sanitise } from "../encode/sanitise.ts"

/**
 * A text on one line that cannot control a terminal. Line breaks are shown as `⏎`, tabs are spaces, invisible and control
 * characters are removed. A text longer than `maxUnits` (UTF-16) ends in `…`.
 */
export function oneLine(text: string, maxUnits = 200): string {
  const head = text.slice(0, graphemeBoundaryBefore(text, maxUnits))
  return plainLines(head).replaceAll("\n", " ⏎ ") + (head.length < text.length ? "…" : "")
}

/** A text that cannot control a terminal: every kind of line break becomes `\n`, tabs become spaces. */
export function plainLines(text: string): string {
  const lines = splitLines(sanitise(text).text)
  return lines.map((line) => line.text.replaceAll("\t", " ")).join("\n")
}
