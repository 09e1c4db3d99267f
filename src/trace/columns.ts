import { displayWidth } from "../core/display-width.ts"
import { graphemesOf } from "../core/graphemes.ts"

/** As many whole characters from a text's beginning as fit into so many columns of a terminal; `…` stands for the rest. */
export function fitColumns(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  return `${takeColumns(segmentsOf(text), columns - 1).join("")}…`
}

/** The same from a text's end. */
export function fitColumnsAtEnd(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  return `…${takeColumns(segmentsOf(text).reverse(), columns - 1)
    .reverse()
    .join("")}`
}

function segmentsOf(text: string): string[] {
  return Array.from(graphemesOf(text), ({ segment }) => segment)
}

function takeColumns(segments: readonly string[], columns: number): string[] {
  let width = 0
  const first = segments.findIndex((segment) => {
    width += displayWidth(segment)
    return width > columns
  })
  return segments.slice(0, first === -1 ? segments.length : first)
}
