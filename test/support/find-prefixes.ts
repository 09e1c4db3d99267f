import type { Message, Prefix, Span } from "../../src/core/span.ts"
import { prefixesOf } from "../../src/prompt/assemble/draft/count.ts"

/** Finds the prefix of each stability from the spans of messages. */
export function findPrefixes(messages: readonly Message[], spans: readonly Span[]): Prefix[] {
  return prefixesOf(
    messages.map((message, index) => {
      const own = spans.filter((span) => span.message === index)
      return {
        message,
        pieces: own.map((span) => ({ ...span, known: undefined, hash: undefined, span: undefined })),
        runs: undefined,
        growth: { upTo: (count: number) => own.slice(0, count).reduce((sum, { tokens }) => sum + tokens, 0) },
      }
    }),
  )
}
