import { formatSource } from "../core/source.ts"
import type { Assembly, Span } from "../core/span.ts"

/** All spans of one layer of a request together. */
export interface Section {
  /** The injection's key; `(frame)` for the prompt file's own text. */
  readonly key: string
  readonly tokens: number
  /** Of the request's tokens, 0 to 1. */
  readonly share: number
  /** `kept`, `shortened`, `dropped` or `unplaced`, with the reason where there is one. */
  readonly fate: string
  /** Who wrote it, one word each. */
  readonly trust: string
  readonly stability: string
  /** The first place it comes from. */
  readonly source: string
}

/** A request by layer, in the order in which the layers first stand in it; then what is not in it. */
export function sectionsOf(assembly: Assembly): Section[] {
  const byKey = new Map<string, Span[]>()
  for (const span of assembly.spans) {
    const spans = byKey.get(span.key)
    if (spans) spans.push(span)
    else byKey.set(span.key, [span])
  }
  const printed = [...byKey].map(([key, spans]) => section(key, spans, assembly))
  const absent = assembly.decisions.filter(({ key }) => !byKey.has(key))
  return [...printed, ...absent.map(({ key }) => section(key, [], assembly))]
}

function section(key: string, spans: readonly Span[], assembly: Assembly): Section {
  const tokens = spans.reduce((sum, span) => sum + span.tokens, 0)
  const content = spans.filter(({ part }) => part === "content")
  const decision = assembly.decisions.find((candidate) => candidate.key === key)
  const first = spans.find(({ source }) => source !== undefined)?.source
  return {
    key: key === "" ? "(frame)" : key,
    tokens,
    share: assembly.tokens === 0 ? 0 : tokens / assembly.tokens,
    fate: decision ? [decision.fate, decision.reason].filter((part) => part !== "").join(": ") : "kept",
    trust: [...new Set((content.length > 0 ? content : spans).map(({ trust }) => trust))].join(" "),
    stability: spans[0]?.stability ?? "",
    source: first ? formatSource(first) : "",
  }
}
