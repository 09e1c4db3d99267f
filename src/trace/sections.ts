import { formatSource } from "../core/source.ts"
import type { Assembly, Decision, Span } from "../core/span.ts"

/** All spans of one layer of a request together. */
export interface Section {
  /** The injection's key; `(frame)` for the prompt file's own text. */
  readonly key: string
  readonly tokens: number
  /** Of the request's tokens, 0 to 1. */
  readonly share: number
  /** `kept`, `shortened`, `dropped` or `unplaced`, with the reason where there is one; `placeholder` where nothing was given. */
  readonly fate: string
  /** Who wrote it, one word each. */
  readonly trust: string
  /** How often it changes, one word each. */
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
  const told = new Set<Decision>()
  const printed = [...byKey].map(([key, spans]) => {
    const decision = assembly.decisions.find((candidate) => candidate.key === key)
    if (decision) told.add(decision)
    return section(key, { spans, decision, ofTokens: assembly.tokens })
  })
  const absent = assembly.decisions.filter((decision) => !told.has(decision))
  return [...printed, ...absent.map((decision) => section(decision.key, { spans: [], decision, ofTokens: 0 }))]
}

function section(
  key: string,
  { spans, decision, ofTokens }: { spans: readonly Span[]; decision: Decision | undefined; ofTokens: number },
): Section {
  const tokens = spans.reduce((sum, span) => sum + span.tokens, 0)
  const content = spans.filter(({ part }) => part === "content")
  const first = (content.length > 0 ? content : spans).find(({ source }) => source !== undefined)?.source
  return {
    key: key === "" ? "(frame)" : key,
    tokens,
    share: ofTokens === 0 ? 0 : tokens / ofTokens,
    fate: fateOf(key, decision),
    trust: distinct((content.length > 0 ? content : spans).map(({ trust }) => trust)),
    stability: distinct(spans.map(({ stability }) => stability)),
    source: first ? formatSource(first) : "",
  }
}

function fateOf(key: string, decision: Decision | undefined): string {
  if (!decision) return key === "" ? "kept" : "placeholder"
  const { fate, fromTokens, reason } = decision
  const what = fate === "shortened" || fate === "dropped" ? `${fate} from ${fromTokens}` : fate
  return reason === "" ? what : `${what}: ${reason}`
}

function distinct(words: readonly string[]): string {
  return [...new Set(words)].join(" ")
}
