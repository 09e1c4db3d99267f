import type { BenchResult, Gate, Row } from "./bench.ts"

/** A result as Markdown: its title, its table, its gates. */
export function formatResult({ title, rows, gates, notes = [] }: BenchResult): string {
  return [`## ${title}`, formatTable(rows), notes.join("\n"), gates.map(formatGate).join("\n")]
    .filter((part) => part !== "")
    .join("\n\n")
}

/** A Markdown table with a column for every name that any row has. */
export function formatTable(rows: readonly Row[]): string {
  if (rows.length === 0) return ""
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`
  return [
    line(columns),
    line(columns.map(() => "---")),
    ...rows.map((row) => line(columns.map((name) => String(row[name] ?? "")))),
  ].join("\n")
}

function formatGate({ name, ok, detail }: Gate): string {
  return `- ${ok ? "ok" : "FAILED"}: ${name} (${detail})`
}
