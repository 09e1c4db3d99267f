import type { BrokenDecision } from "./broken-decisions.ts"
import type { Outcome } from "./broken-outcome.ts"

interface Judged {
  readonly broken: BrokenDecision
  readonly outcome: Outcome
}

const columns: readonly Outcome[] = ["as meant", "all, cut", "cut", "refused", "another call", "another answer", "shown"]

/** A table of breakages and outcomes; a case of two breakages counts for both. */
export function printOutcomes(judged: readonly Judged[]): string {
  const names = [...new Set(judged.flatMap(({ broken }) => broken.names))]
  const rows = names.map((name) =>
    row(
      name,
      judged.filter(({ broken }) => broken.names.includes(name)),
    ),
  )
  return [["breakage, alone and in pairs", "cases", ...columns], row("all", judged), ...rows]
    .map(([name = "", ...cells]) => name.padEnd(38) + cells.map((cell) => cell.padStart(15)).join(""))
    .join("\n")
}

function row(name: string, judged: readonly Judged[]): string[] {
  const counts = columns.map((column) => judged.filter(({ outcome }) => outcome === column).length)
  return [name, String(judged.length), ...counts.map(String)]
}
