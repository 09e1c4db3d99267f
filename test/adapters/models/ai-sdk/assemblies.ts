import type { Assembly, Message, MessageRole, Span } from "../../../../src/core/span.ts"
import type { Stability } from "../../../../src/core/value.ts"
import { findPrefixes } from "../../../support/find-prefixes.ts"

/** A message as runs of text with their stability. Every character counts as a token. */
export type Runs = readonly [MessageRole, ...(readonly [Stability, string])[]]

/** An assembly of these messages, with its prefixes where they belong. */
export function assemblyOf(...runs: readonly Runs[]): Assembly {
  const messages = runs.map(([role, ...texts]): Message => ({ role, content: texts.map(([, text]) => text).join("") }))
  const spans = runs.flatMap(([, ...texts], message) =>
    texts.map(
      ([stability, text]): Span => ({ text, message, key: "", part: "content", trust: "author", stability, tokens: text.length }),
    ),
  )
  return {
    version: 1,
    messages,
    spans,
    tokens: spans.reduce((sum, span) => sum + span.tokens, 0),
    overheadTokens: 0,
    exact: true,
    prefixes: findPrefixes(messages, spans),
    decisions: [],
    cut: {},
    sanitised: [],
  }
}
