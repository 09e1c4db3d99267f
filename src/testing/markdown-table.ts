/** A Markdown table; cells may hold any text. Nothing at all where there are no rows. */
export function markdownTable(columns: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  if (rows.length === 0) return ""
  const line = (cells: readonly (string | number)[]) => `| ${cells.map(cell).join(" | ")} |`
  return [line(columns), line(columns.map(() => "---")), ...rows.map(line)].join("\n")
}

function cell(value: string | number): string {
  return String(value)
    .toWellFormed()
    .replace(/[\\|]/g, "\\$&")
    .replace(/[\p{Cc}\u2028\u2029]/gu, " ")
}
