import type { Assembly, Span } from "../core/span.ts"

/** Neighbouring spans of one key in one message. */
export interface PromptSection {
  /** The injection's key; `(frame)` for the prompt file's own text. */
  readonly key: string
  readonly text: string
  readonly tokens: number
  /** Where it comes from, `file:first–last` line of each file; empty where nobody knows. */
  readonly source: string
  /** Who wrote the values in it, else who wrote the frame. */
  readonly trust: string
  /** `shortened` with the reason, or empty. */
  readonly fate: string
}

/** A message of a request as the sections it is made of, in order: their texts joined are its content. */
export function promptSections(assembly: Assembly, message: number): PromptSection[] {
  const runs: [Span, ...Span[]][] = []
  for (const span of assembly.spans) {
    if (span.message !== message) continue
    const run = runs.at(-1)
    if (run && run[0].key === span.key) run.push(span)
    else runs.push([span])
  }
  return runs.map((run) => section(run, assembly))
}

function section(spans: readonly [Span, ...Span[]], { decisions }: Assembly): PromptSection {
  const { key } = spans[0]
  const content = spans.filter(({ part }) => part === "content")
  const decision = decisions.find((candidate) => candidate.key === key && candidate.fate === "shortened")
  return {
    key: key === "" ? "(frame)" : key,
    text: spans.map(({ text }) => text).join(""),
    tokens: spans.reduce((sum, { tokens }) => sum + tokens, 0),
    source: placesOf(spans),
    trust: [...new Set((content.length > 0 ? content : spans).map(({ trust }) => trust))].join(", "),
    fate: decision ? `shortened from ${decision.fromTokens} (${decision.reason})` : "",
  }
}

/** A line break between two sections stands in neither's file. */
function placesOf(spans: readonly Span[]): string {
  const lines = new Map<string, { readonly first: number; readonly last: number }>()
  for (const { text, source } of spans) {
    if (source === undefined || text.trim() === "") continue
    const { first, last } = lines.get(source.file) ?? { first: source.line, last: source.line }
    lines.set(source.file, { first: Math.min(first, source.line), last: Math.max(last, source.line) })
  }
  return [...lines].map(([file, { first, last }]) => `${file}:${first}${first === last ? "" : `–${last}`}`).join(", ")
}
