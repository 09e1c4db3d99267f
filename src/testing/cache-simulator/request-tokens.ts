import type { TokenCounter } from "../../core/ports.ts"
import type { Assembly, Message } from "../../core/span.ts"
import { jsonTokens } from "../../prompt/assemble/draft/count.ts"
import { sharedUnits } from "../../trace/diff-assemblies.ts"

/** A request with its tokens, message by message. */
export interface CountedRequest {
  readonly assembly: Assembly
  /** All tokens that the provider bills: contents and overhead. */
  readonly promptTokens: number
  /** Tokens before the first message, such as those of native tools. Taken from the overhead. */
  readonly leadTokens: number
  /** Tokens before each message, with the overhead of earlier messages; one more entry for the end. */
  readonly tokensBefore: readonly number[]
  /** Tokens of each message's content. */
  readonly contentTokens: readonly number[]
}

export function countRequest(assembly: Assembly, { counter, count }: TextTokens): CountedRequest {
  const { messages, overheadTokens } = assembly
  const around = (list: readonly Message[]) => {
    let tokens = counter.overhead?.(list) ?? 0
    for (const { toolCalls } of list) if (toolCalls) tokens += jsonTokens(toolCalls, counter)
    return tokens
  }
  const contentTokens = messages.map(({ content }) => count(content))
  const leadTokens = Math.max(0, overheadTokens - around(messages))
  const tokensBefore = [leadTokens]
  let total = leadTokens
  for (const [index, message] of messages.entries()) {
    total += (contentTokens[index] ?? 0) + around([message]) - around([])
    tokensBefore.push(total)
  }
  return { assembly, promptTokens: total + around([]), leadTokens, tokensBefore, contentTokens }
}

/** Token counts of texts and of their beginnings. Each text is counted once. */
export type TextTokens = ReturnType<typeof textTokens>

/** Counts with a counter and caches the results. */
export function textTokens(counter: TokenCounter) {
  const counts = new Map<string, number>()
  const splits = new Map<string, ReturnType<typeof piecesOf>>()
  const count = (text: string): number => remembered(counts, text, counter.count)
  const split = (text: string) => remembered(splits, text, (whole) => piecesOf(whole, counter))
  const upTo = (text: string, end: number): number => {
    if (!counter.pieces) return counter.count(text.slice(0, end))
    const { ends, tokensOf } = split(text)
    return tokensOf(ends.findLastIndex((at) => at <= end) + 1)
  }
  return {
    counter,
    count,
    /** Tokens of the pieces that end at or before `end`, a UTF-16 offset. */
    upTo,
    /**
     * Tokens of the common beginning of two texts: those of the whole pieces that both begin with. This is never too many, and
     * may be a few too few at the place where the texts begin to differ. Without `pieces`: the count of the common text.
     */
    shared(a: string, b: string): number {
      const units = sharedUnits(a, b)
      if (!counter.pieces || units === 0) return upTo(a, units)
      const [left, right] = [split(a), split(b)]
      let piece = 0
      while (piece < left.ends.length && left.ends[piece] === right.ends[piece] && (left.ends[piece] ?? 0) <= units) piece++
      return left.tokensOf(piece)
    },
  }
}

/** The end of each piece of a text, and the tokens of its first pieces. Only pieces that are asked for are counted, each once. */
function piecesOf(text: string, counter: TokenCounter) {
  const starts = counter.pieces?.(text) ?? []
  const ends = starts.length === 0 ? [] : [...starts.slice(1), text.length]
  const sums = [0]
  const tokensOf = (pieces: number): number => {
    for (let at = sums.length - 1; at < pieces; at++) sums.push((sums[at] ?? 0) + counter.count(text.slice(starts[at], ends[at])))
    return sums[pieces] ?? 0
  }
  return { ends, tokensOf }
}

function remembered<Value>(known: Map<string, Value>, text: string, make: (text: string) => Value): Value {
  const before = known.get(text)
  if (before !== undefined) return before
  const value = make(text)
  known.set(text, value)
  return value
}
