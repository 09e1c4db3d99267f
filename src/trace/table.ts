/** A table in plain text: columns padded to their widest cell, numbers to the right. Wide characters count as two columns. */
export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows]
  const widths = header.map((_, column) => Math.max(...all.map((row) => columns(row[column] ?? ""))))
  const numeric = header.map((_, column) => rows.length > 0 && rows.every((row) => /^[\d.]+( %)?$/.test(row[column] ?? "")))
  return all
    .map((row) => `  ${row.map((cell, column) => pad(cell, widths[column] ?? 0, numeric[column] === true)).join("  ")}`.trimEnd())
    .join("\n")
}

function pad(cell: string, width: number, right: boolean): string {
  const space = " ".repeat(Math.max(0, width - columns(cell)))
  return right ? space + cell : cell + space
}

function columns(text: string): number {
  let width = 0
  for (const character of text) width += (character.codePointAt(0) ?? 0) >= 0x1100 ? 2 : 1
  return width
}
