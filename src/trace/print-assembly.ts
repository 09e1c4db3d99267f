import { formatSource } from "../core/source.ts"
import type { Assembly, FitDecision, Prefix, Span } from "../core/span.ts"
import { oneLine } from "./one-line.ts"
import { fitColumns, fitColumnsAtEnd, printTable, type Rule } from "./table.ts"

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
function note({ key, fate, fromTokens, toTokens, reason }: FitDecision): string {
  const name = fitColumns(oneLine(key), 40)
  const why = reason === "" ? "" : `: ${oneLine(reason)}`
  if (fate === "unplaced") return `  · ${name} is not in it${why}`
  return `  ! ${name} was ${fate}, ${fate === "dropped" ? `all ${fromTokens}` : `${fromTokens} → ${toTokens}`} tokens${why}`
}

/** All spans of one layer in one region of a request together. */
interface Section {
  /** The injection's key; `(frame)` for the prompt file's own text. */
  readonly key: string
  readonly tokens: number
  /** Of the request's tokens, 0 to 1. */
  readonly share: number
  /** How often it changes, one word each. */
  readonly stability: string
  /** The first place it comes from, `file:line`. */
  readonly source: string
  /** `kept`, `shortened from …`, or `placeholder` where nothing was given. */
  readonly fate: string
}

/** A part of a request that ends where prefixes end, or where the request does. */
interface Region {
  /** In the order in which the layers first stand in it. */
  readonly sections: readonly Section[]
  /** Those that end with it; none where the request goes on to its end. */
  readonly ends: readonly Prefix[]
}

/** A request by layer, parted where its prefixes end (S15). */
function regionsOf(assembly: Assembly): Region[] {
  const regions: { spans: Span[]; ends: readonly Prefix[] }[] = []
  const places = prefixPlaces(assembly)
  let message = -1
  let end = 0
  let open: (typeof regions)[number] | undefined
  for (const span of assembly.spans) {
    end = span.message === message ? end + span.text.length : span.text.length
    message = span.message
    open ??= { spans: [], ends: [] }
    open.spans.push(span)
    const ends = places.filter((place) => place.message === message && place.end === end)
    if (ends.length === 0) continue
    regions.push({ ...open, ends })
    open = undefined
  }
  if (open) regions.push(open)
  return regions.map(({ spans, ends }) => ({ sections: sectionsIn(spans, assembly), ends }))
}

/** Those that hold something; the last one is the whole request. */
function prefixPlaces({ prefixes, tokens }: Assembly): readonly Prefix[] {
  return prefixes.filter((prefix) => prefix.stability !== "turn" && prefix.tokens > 0 && prefix.tokens <= tokens)
}

function sectionsIn(spans: readonly Span[], assembly: Assembly): Section[] {
  const byKey = new Map<string, Span[]>()
  for (const span of spans) {
    const own = byKey.get(span.key)
    if (own) own.push(span)
    else byKey.set(span.key, [span])
  }
  return [...byKey].map(([key, own]) => section(key, own, assembly))
}

function section(key: string, spans: readonly Span[], { tokens: ofTokens, decisions }: Assembly): Section {
  const tokens = spans.reduce((sum, span) => sum + span.tokens, 0)
  const content = spans.filter(({ part }) => part === "content")
  const source = (content.length > 0 ? content : spans).find((span) => span.source !== undefined)?.source
  return {
    key: key === "" ? "(frame)" : key,
    tokens,
    share: ofTokens === 0 ? 0 : tokens / ofTokens,
    stability: [...new Set(spans.map(({ stability }) => stability))].join(" "),
    source: source ? formatSource({ file: source.file, line: source.line }) : "",
    fate: fateOf(
      key,
      decisions.find((decision) => decision.key === key),
    ),
  }
}

function fateOf(key: string, decision: FitDecision | undefined): string {
  if (!decision || decision.fate === "dropped" || decision.fate === "unplaced") return key === "" ? "kept" : "placeholder"
  return decision.fate === "shortened" ? `shortened from ${decision.fromTokens}` : decision.fate
}
