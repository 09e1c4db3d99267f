import type { Message } from "../../core/message.ts"
import type { TokenCounter } from "../../core/ports.ts"
import type { Assembly } from "../../core/span.ts"
import { sharedUnits } from "../../trace/parting.ts"

/** A request with its tokens, message by message. */
export interface CountedRequest {
  readonly assembly: Assembly
  /** Everything the provider bills: contents and what stands around them. */
  readonly promptTokens: number
  /** What stands before the first message, such as native tools, as far as the overhead tells. */
  readonly leadTokens: number
  /** Tokens before each message, what stands around the earlier ones included; one more for the end. */
  readonly tokensBefore: readonly number[]
  /** Tokens of each message's content. */
  readonly contentTokens: readonly number[]
}

/** Counts a request. */
export function countRequest(assembly: Assembly, { counter, count }: TextTokens): CountedRequest {
  const { messages, overheadTokens } = assembly
  const around = (list: readonly Message[]) => counter.overhead?.(list) ?? 0
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

/** Tokens of texts and of what they begin with. What is asked twice is counted once. */
export interface TextTokens {
  readonly counter: TokenCounter
  count(text: string): number
  /**
   * Tokens that two texts begin with in common: those of the pieces that both are cut into, so never more than there are;
   * what stands right around the place where they part may begin with a few more. Without `pieces`: the count of the common text.
   */
  shared(a: string, b: string): number
  /** Tokens of the pieces that end at or before `end`, a UTF-16 offset. */
  upTo(text: string, end: number): number
}

/** A text's pieces: where each ends, and the tokens up to there. */
interface Pieces {
  readonly ends: readonly number[]
  readonly tokens: readonly number[]
}

/** Counts with a counter, and keeps what was counted for as long as it is itself kept. */
export function textTokens(counter: TokenCounter): TextTokens {
  const counts = new Map<string, number>()
  const splits = new Map<string, Pieces>()
  const count = (text: string): number => remembered(counts, text, counter.count)
  const split = (text: string): Pieces => remembered(splits, text, (whole) => piecesOf(whole, counter))
  const upTo = (text: string, end: number): number => {
    if (!counter.pieces) return counter.count(text.slice(0, end))
    const { ends, tokens } = split(text)
    return tokens[ends.findLastIndex((at) => at <= end)] ?? 0
  }
  return {
    counter,
    count,
    upTo,
    shared(a, b) {
      const units = sharedUnits(a, b)
      if (!counter.pieces || units === 0) return upTo(a, units)
      const [left, right] = [split(a), split(b)]
      let piece = 0
      while (piece < left.ends.length && left.ends[piece] === right.ends[piece] && (left.ends[piece] ?? 0) <= units) piece++
      return left.tokens[piece - 1] ?? 0
    },
  }
}

function piecesOf(text: string, counter: TokenCounter): Pieces {
  const starts = counter.pieces?.(text) ?? []
  const ends = Array.from(starts, (_, piece) => starts[piece + 1] ?? text.length)
  let sum = 0
  const tokens = ends.map((end, piece) => (sum += counter.count(text.slice(starts[piece], end))))
  return { ends, tokens }
}

function remembered<Value>(known: Map<string, Value>, text: string, make: (text: string) => Value): Value {
  const before = known.get(text)
  if (before !== undefined) return before
  const value = make(text)
  known.set(text, value)
  return value
}
