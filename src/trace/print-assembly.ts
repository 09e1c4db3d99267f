import type { Assembly, Decision, Prefix } from "../core/span.ts"
import { fitColumns, fitColumnsAtEnd } from "./columns.ts"
import { oneLine } from "./one-line.ts"
import { regionsOf, type Section } from "./sections.ts"
import { printTable, type Rule } from "./table.ts"

const columns = ["layer", "tokens", "share", "changes", "source", "fate"] as const

/**
 * One request as a table: each layer's tokens, share, how often it changes, where it comes from and what became of it; a
 * line where each stable prefix ends, which is as far as a provider's cache can serve a later request; then what was cut
 * or left out, with the reason. Made for 100 columns.
 */
export function printAssembly(assembly: Assembly): string {
  const rows = regionsOf(assembly).flatMap(({ sections, ends }): (readonly string[] | Rule)[] => [
    ...sections.map(cells),
    ...(ends.length > 0 ? [{ rule: endsHere(ends) }] : []),
  ])
  return [printTable(columns, [...rows, { rule: whole(assembly) }]), ...notes(assembly)].join("\n")
}

function whole({ tokens, overheadTokens, exact }: Assembly): string {
  return `${exact ? "" : "about "}${tokens} tokens${overheadTokens > 0 ? `, ${overheadTokens} more around the messages` : ""}`
}

function cells({ key, tokens, share, stability, source, fate }: Section): readonly string[] {
  return [
    fitColumns(oneLine(key), 20),
    String(tokens),
    `${Math.round(share * 100)} %`,
    stability,
    fitColumnsAtEnd(oneLine(source), 32),
    fate,
  ]
}

function endsHere(ends: readonly Prefix[]): string {
  const names = ends.map(({ stability }) => stability).join(", ")
  return `${names} prefix ends: ${ends[0]?.tokens ?? 0} tokens`
}

function notes(assembly: Assembly): string[] {
  const moved = assembly.prefixMoved
  return [
    ...(moved ? [`  ! prefix-moved: ${oneLine(moved.key)}: ${oneLine(moved.reason)}`] : []),
    ...assembly.decisions.filter(({ fate }) => fate !== "kept").map(note),
  ]
}

/** What was lost is marked; what the prompt has no place for by its own wish is not. */
function note({ key, fate, fromTokens, toTokens, reason }: Decision): string {
  const name = fitColumns(oneLine(key), 40)
  const why = reason === "" ? "" : `: ${oneLine(reason)}`
  if (fate === "unplaced") return `  · ${name} is not in it${why}`
  return `  ! ${name} was ${fate}, ${fate === "dropped" ? `all ${fromTokens}` : `${fromTokens} → ${toTokens}`} tokens${why}`
}
