import type { Assembly, Message, MessageRole, Span } from "../../src/core/span.ts"
import type { Stability } from "../../src/core/value.ts"

/** A span by its key, stability and text; a key `file:line` is the prompt file's own text. */
export type SpanSketch = readonly [key: string, stability: Stability, text: string]

/** A message by its role and spans, with what else it carries. */
export type MessageSketch = readonly [MessageRole, readonly SpanSketch[], Partial<Message>?]

/** An assembly of these messages, a token for each UTF-16 unit. */
export function sketch(...messages: readonly MessageSketch[]): Assembly {
  const spans = messages.flatMap(([, sketches], message) => sketches.map((given): Span => spanOf(given, message)))
  return {
    version: 1,
    messages: messages.map(([role, sketches, rest]) => ({ role, content: sketches.map(([, , text]) => text).join(""), ...rest })),
    spans,
    tokens: spans.reduce((sum, span) => sum + span.tokens, 0),
    overheadTokens: 0,
    exact: true,
    prefixes: [],
    decisions: [],
    cut: {},
    sanitised: [],
  }
}

function spanOf([key, stability, text]: SpanSketch, message: number): Span {
  const [, file, line] = /^(.*):(\d+)$/.exec(key) ?? []
  const base = { text, message, stability, tokens: text.length, trust: "author" as const }
  return file === undefined
    ? { ...base, key, part: "content" }
    : { ...base, key: "", part: "frame", source: { file, line: Number(line) } }
}
