import { formatSource } from "../core/source.ts"
import type { Assembly, Decision, Prefix, Span } from "../core/span.ts"

/** All spans of one layer in one region of a request together. */
export interface Section {
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
export interface Region {
  /** In the order in which the layers first stand in it. */
  readonly sections: readonly Section[]
  /** Those that end with it; none where the request goes on to its end. */
  readonly ends: readonly Prefix[]
}

/** A request by layer, parted where its prefixes end (S15). */
export function regionsOf(assembly: Assembly): Region[] {
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

function fateOf(key: string, decision: Decision | undefined): string {
  if (!decision || decision.fate === "dropped" || decision.fate === "unplaced") return key === "" ? "kept" : "placeholder"
  return decision.fate === "shortened" ? `shortened from ${decision.fromTokens}` : decision.fate
}
