import type { Span } from "../../core/span.ts"
import type { CountedRequest } from "./request-tokens.ts"

/** A request's spans in the best order: spans that change rarely come first. */
interface Ordered {
  /** The most stable first; spans of one stability keep their order. */
  readonly lasting: readonly Span[]
  readonly ofTurn: readonly Span[]
}

/**
 * Tokens of `next` that a cache could serve after `previous` if the layers stood in the best order: stable layers, then the
 * part of history that continues the earlier one, then what both turns have in common. A span counts whole, with the overhead
 * of its message, so no real order serves more.
 */
export function bestOrderTokens(previous: CountedRequest, next: CountedRequest): number {
  const [before, after] = [ordered(previous), ordered(next)]
  const asked = new Set(before.ofTurn.map(({ text }) => text))
  const shared: Span[] = []
  let inOrder = true
  for (const [index, span] of after.lasting.entries()) {
    inOrder &&= index < before.lasting.length && before.lasting[index]?.text === span.text
    // The last turn's question is history now. The best order would have put it right after the rest of history.
    if (!inOrder && !(index >= before.lasting.length && asked.has(span.text))) break
    shared.push(span)
  }
  if (shared.length === after.lasting.length) shared.push(...after.ofTurn.filter(({ text }) => asked.has(text)))
  return tokensOf(shared, next)
}

const lasting = ["global", "session", "conversation"] as const

function ordered({ assembly: { spans } }: CountedRequest): Ordered {
  return {
    lasting: lasting.flatMap((stability) => spans.filter((span) => span.stability === stability)),
    ofTurn: spans.filter(({ stability }) => stability === "turn"),
  }
}

/** Scales the spans' own counts to those of this simulation's counter, which may be another one. */
function tokensOf(spans: readonly Span[], { assembly, tokensBefore, contentTokens, leadTokens }: CountedRequest): number {
  const whole = new Map<number, number>()
  for (const { message, tokens } of assembly.spans) whole.set(message, (whole.get(message) ?? 0) + tokens)
  let tokens = leadTokens
  const opened = new Set<number>()
  for (const span of spans) {
    const content = contentTokens[span.message] ?? 0
    tokens += (content * span.tokens) / Math.max(1, whole.get(span.message) ?? 1)
    if (!opened.has(span.message)) tokens += (tokensBefore[span.message + 1] ?? 0) - (tokensBefore[span.message] ?? 0) - content
    opened.add(span.message)
  }
  return tokens
}
