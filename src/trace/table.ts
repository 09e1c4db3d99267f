import { displayWidth } from "../core/display-width.ts"
import { graphemesOf } from "../core/graphemes.ts"
import { terminalLine } from "../prompt/encode/terminal-text.ts"

/** The words of a table as they stand in the code, in English. */
export const asWritten = (text: string): string => text

/** The heads of a table in the language of `say`, which gets them as one text: alone, a word such as "place" says too little. */
export const headsIn = (heads: readonly string[], say: typeof asWritten): readonly string[] => say(heads.join(" · ")).split(" · ")

/** A line across a table, with a label. */
export type Rule = { readonly rule: string }

/**
 * Prints a table in plain text. Columns are as wide as their widest cell, numbers stand on the right, and rules are as wide as the
 * table. Wide characters take two columns. Columns that have no room in `maxWidth` go to further tables below, each with the first one.
 */
export function printTable(
  header: readonly string[],
  rows: readonly (readonly string[] | Rule)[],
  maxWidth = Number.POSITIVE_INFINITY,
): string {
  const plain = (row: readonly string[]) => header.map((_, column) => terminalLine(row[column] ?? ""))
  const cells = rows.filter((row): row is readonly string[] => !("rule" in row)).map(plain)
  const widths = header.map((title, column) => Math.max(...[title, ...cells.map((row) => row[column] ?? "")].map(displayWidth)))
  const numeric = header.map((_, column) => cells.length > 0 && cells.every((row) => /^[\d.]+( %)?$/.test(row[column] ?? "")))
  const widthOf = (columns: readonly number[]): number => columns.reduce((sum, own) => sum + own + 2, 0) - 2
  let fit = header.length
  while (fit > 2 && widthOf(widths.slice(0, fit)) + 2 > maxWidth) fit--
  if (fit < header.length) {
    const first = (row: readonly string[]) => row.slice(0, fit)
    const rest = (row: readonly string[]) => [row[0] ?? "", ...row.slice(fit)]
    const parts = [first, rest].map((pick) => ({ head: pick(header), own: rows.map((row) => ("rule" in row ? row : pick(row))) }))
    return parts.map(({ head, own }) => printTable(head, own, maxWidth)).join("\n\n")
  }
  const width = widthOf(widths)
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

function pad(cell: string, width: number, right: boolean): string {
  const space = " ".repeat(Math.max(0, width - displayWidth(cell)))
  return right ? space + cell : cell + space
}

/** Shortens a text to a number of terminal columns, with `…` at its end in place of the rest. */
export function fitColumns(text: string, columns = Number.POSITIVE_INFINITY): string {
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

/** Places where a line may break: at blanks, and behind a wide character that no closing mark follows. */
const chunks =
  /\s*(?:[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}（“「]|[^\s\p{sc=Han}\p{sc=Hira}\p{sc=Kana}（“「]+)[，。；：、！？）”」]*/gu

/**
 * Breaks the lines of a text that are wider than a number of terminal columns, so that a line goes on `hang` columns further in than it
 * began. Words, and so addresses and paths, stay whole.
 */
export function wrapColumns(text: string, columns = Number.POSITIVE_INFINITY, hang = 0): string {
  return text
    .split("\n")
    .map((line) => {
      if (displayWidth(line) <= columns) return line
      const indent = " ".repeat((/^ */.exec(line)?.[0].length ?? 0) + hang)
      const lines: string[] = []
      let open = ""
      for (const [chunk] of line.matchAll(chunks)) {
        if (open.trim() !== "" && displayWidth(open + chunk) > columns) {
          lines.push(open)
          open = indent + chunk.trimStart()
        } else open += chunk
      }
      return [...lines, open].join("\n")
    })
    .join("\n")
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
