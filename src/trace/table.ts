import { displayWidth } from "../core/display-width.ts"
import { oneLine } from "./one-line.ts"

/** A table in plain text: columns padded to their widest cell, numbers to the right. Wide characters take two columns. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows].map((row) => header.map((_, column) => oneLine(row[column] ?? "")))
  const widths = header.map((_, column) => all.reduce((widest, row) => Math.max(widest, displayWidth(row[column] ?? "")), 0))
  const numeric = header.map((_, column) => rows.length > 0 && rows.every((row) => isNumber(row[column] ?? "")))
  const print = (row: readonly string[]) => row.map((cell, column) => pad(cell, widths[column] ?? 0, numeric[column] === true))
  return all.map((row) => `  ${print(row).join("  ")}`.trimEnd()).join("\n")
}

function isNumber(cell: string): boolean {
  return /^[\d.]+( %)?$/.test(cell)
}

function pad(cell: string, width: number, right: boolean): string {
  const space = " ".repeat(Math.max(0, width - displayWidth(cell)))
  return right ? space + cell : cell + space
}
