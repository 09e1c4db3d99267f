import { Fingerprint, hashText, joinHashes, type TextHash } from "../../core/fingerprint.ts"
import type { Message } from "../../core/message.ts"
import type { Prefix, Span } from "../../core/span.ts"
import { type Stability, stabilities } from "../../core/value.ts"
import { Generations } from "../tokens/generations.ts"
import type { EvenMessage, Piece } from "./draft.ts"

/** What is known of messages beside their spans. */
interface KnownMessages {
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

/** Hashes of long texts: most of a request stood in the one before it. */
const hashes = new Generations<string, TextHash>({ entries: 16_384, weight: 4_194_304 })

/** The hash of a text; of a long one it is remembered. */
function knownHash(text: string): TextHash {
  if (text.length < 32) return hashText(text)
  const known = hashes.get(text, text.length)
  if (known) return known
  const hash = hashText(text)
  hashes.set(text, hash, text.length)
  return hash
}

const openings = new Map<string, TextHash>()

/** The hash of what a message is apart from its text; one that only makes a native call has no spans of its own. */
function openingHash({ role, toolCalls, toolCallId }: Pick<Message, "role" | "toolCalls" | "toolCallId">): TextHash {
  if (toolCalls !== undefined || toolCallId !== undefined)
    return hashText(`\u0000${role}${JSON.stringify([toolCalls, toolCallId])}\u0000`)
  const known = openings.get(role)
  if (known) return known
  const hash = hashText(`\u0000${role}\u0000`)
  openings.set(role, hash)
  return hash
}

/** The hash of a whole message: its opening and its pieces, which keep theirs. */
export function messageHash(message: Message, pieces: readonly Piece[]): TextHash {
  let hash = openingHash(message)
  for (const piece of pieces) {
    piece.hash ??= knownHash(piece.text)
    hash = joinHashes(hash, piece.hash)
  }
  return hash
}
