import { Fingerprint } from "../../core/fingerprint.ts"
import type { Message } from "../../core/message.ts"
import { type Stability, stabilities } from "../../core/scope.ts"
import type { Prefix, Span } from "../../core/span.ts"
import type { EvenMessage } from "./draft.ts"
import { knownHash, openingHash } from "./message-hash.ts"

/** What is known of messages beside their spans. */
export interface KnownMessages {
  /** Tokens of the first `count` spans of a message, joined. */
  tokensUpTo(message: number, count: number): number
  /** Of a message of one stability. */
  even(message: number): EvenMessage | undefined
}

/** Where each stability's prefix ends: before the first span that changes more often (S15). */
export function findPrefixes(
  messages: readonly Message[],
  spans: readonly Span[],
  known: KnownMessages = sumsOf(spans),
): Prefix[] {
  const walk = new PrefixWalk(messages, spans, known)
  // A prefix begins with the one of the stability before it, so one walk finds them all.
  return stabilities.map((stability, rank) => walk.upTo(stability, rank))
}

/** A walk over messages, from one prefix's end to the next one's. */
class PrefixWalk {
  readonly #messages: readonly Message[]
  readonly #spans: readonly Span[]
  readonly #known: KnownMessages
  readonly #fingerprint = new Fingerprint()
  /** The number of the span that comes next. */
  #next = 0
  #message = -1
  /** Units and spans of the message up to here, and the tokens of those before it. */
  #end = 0
  #count = 0
  #tokensBefore = 0

  constructor(messages: readonly Message[], spans: readonly Span[], known: KnownMessages) {
    this.#messages = messages
    this.#spans = spans
    this.#known = known
  }

  upTo(stability: Stability, rank: number): Prefix {
    for (let span = this.#spans[this.#next]; span && rankOf[span.stability] <= rank; span = this.#spans[this.#next]) {
      while (this.#message < span.message - 1) this.#open(this.#message + 1)
      const even = this.#message < span.message ? this.#known.even(span.message) : undefined
      if (even) this.#takeMessage(span.message, even)
      else this.#takeSpan(span)
    }
    const tokens = this.#tokensBefore + this.#tokens()
    return { stability, message: Math.max(0, this.#message), end: this.#end, tokens, fingerprint: this.#fingerprint.digest() }
  }

  #takeMessage(number: number, { hash, units, spans }: EvenMessage): void {
    this.#begin(number)
    this.#fingerprint.addHash(hash)
    this.#end = units
    this.#count = spans
    this.#next += spans
  }

  #takeSpan(span: Span): void {
    if (this.#message < span.message) this.#open(span.message)
    this.#fingerprint.addHash(knownHash(span.text))
    this.#end += span.text.length
    this.#count++
    this.#next++
  }

  #open(number: number): void {
    this.#begin(number)
    const message = this.#messages[number]
    if (message) this.#fingerprint.addHash(openingHash(message))
  }

  #begin(number: number): void {
    this.#tokensBefore += this.#tokens()
    this.#message = number
    this.#end = 0
    this.#count = 0
  }

  #tokens(): number {
    return this.#message < 0 ? 0 : this.#known.tokensUpTo(this.#message, this.#count)
  }
}

const rankOf = Object.fromEntries(stabilities.map((stability, rank) => [stability, rank])) as Record<Stability, number>

/** By the spans' own tokens. */
function sumsOf(spans: readonly Span[]): KnownMessages {
  return {
    even: () => undefined,
    tokensUpTo: (message, count) =>
      spans
        .filter((span) => span.message === message)
        .slice(0, count)
        .reduce((sum, { tokens }) => sum + tokens, 0),
  }
}
