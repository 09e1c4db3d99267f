import { displayWidth } from "../core/display-width.ts"
import { graphemesOf } from "../core/graphemes.ts"
import { terminalLine } from "../prompt/encode/terminal-text.ts"

/** A line across a table, with a label. */
export type Rule = { readonly rule: string }

/**
 * Prints a table in plain text. Columns are as wide as their widest cell, numbers stand on the right, and rules are as wide as the
 * table. Wide characters take two columns.
 */
export function printTable(header: readonly string[], rows: readonly (readonly string[] | Rule)[]): string {
  const plain = (row: readonly string[]) => header.map((_, column) => terminalLine(row[column] ?? ""))
  const cells = rows.filter((row): row is readonly string[] => !("rule" in row)).map(plain)
  const widths = header.map((title, column) => Math.max(...[title, ...cells.map((row) => row[column] ?? "")].map(displayWidth)))
  const numeric = header.map((_, column) => cells.length > 0 && cells.every((row) => isNumber(row[column] ?? "")))
  const width = widths.reduce((sum, own) => sum + own + 2, 0) - 2
  const print = (row: readonly string[]) =>
    `  ${plain(row)
      .map((cell, column) => pad(cell, widths[column] ?? 0, numeric[column] === true))
      .join("  ")}`.trimEnd()
  return [print(header), ...rows.map((row) => ("rule" in row ? printRule(row, width) : print(row)))].join("\n")
}

function printRule({ rule }: Rule, width: number): string {
  const words = `── ${terminalLine(rule)} `
  return `  ${words}${"─".repeat(Math.max(2, width - displayWidth(words)))}`
}

function isNumber(cell: string): boolean {
  return /^[\d.]+( %)?$/.test(cell)
}

function pad(cell: string, width: number, right: boolean): string {
  const space = " ".repeat(Math.max(0, width - displayWidth(cell)))
  return right ? space + cell : cell + space
}

/** Shortens a text to a number of terminal columns, with `…` at its end in place of the rest. */
export function fitColumns(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  return `${takeColumns(segmentsOf(text), columns - 1).join("")}…`
}

/** Shortens a text to a number of terminal columns, with `…` at its beginning: the end of the text is kept. */
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
