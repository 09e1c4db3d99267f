import { Fingerprint, hashText, joinHashes, type TextHash } from "../../core/fingerprint.ts"
import type { Message } from "../../core/message.ts"
import type { Prefix, Span } from "../../core/span.ts"
import { type Stability, stabilities } from "../../core/value.ts"
import { Generations } from "../tokens/generations.ts"
import type { EvenMessage, Piece } from "./draft.ts"

/** Facts about messages that are known without reading their spans. */
interface KnownMessages {
  /** Tokens of the first `count` spans of a message, joined. */
  tokensUpTo(message: number, count: number): number
  /** Set for a message whose spans all have the same stability. */
  even(message: number): EvenMessage | undefined
}

/** Finds the prefix of each stability: it ends before the first span that changes more often (S15). */
export function findPrefixes(
  messages: readonly Message[],
  spans: readonly Span[],
  known: KnownMessages = sumsOf(spans),
): Prefix[] {
  const walk = new PrefixWalk(messages, spans, known)
  // Each prefix begins with the whole prefix of the stability before it, so that one walk finds them all.
  return stabilities.map((stability, rank) => walk.upTo(stability, rank))
}

/** Walks over messages, from the end of one prefix to the end of the next. */
class PrefixWalk {
  readonly #messages: readonly Message[]
  readonly #spans: readonly Span[]
  readonly #known: KnownMessages
  readonly #fingerprint = new Fingerprint()
  /** The index of the next span. */
  #next = 0
  #message = -1
  /** UTF-16 units and spans of the message up to here, and the tokens of the messages before it. */
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

/** Facts about messages from the tokens of their spans alone. */
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

/** Hashes of long texts are remembered, because most of a request stood in the one before it. */
const hashes = new Generations<string, TextHash>({ entries: 16_384, weight: 4_194_304 })

function knownHash(text: string): TextHash {
  if (text.length < 32) return hashText(text)
  const known = hashes.get(text, text.length)
  if (known) return known
  const hash = hashText(text)
  hashes.set(text, hash, text.length)
  return hash
}

const openings = new Map<string, TextHash>()

/** The hash of a message's role and calls. It separates messages, and stands for calls, which have no spans. */
function openingHash({ role, toolCalls, toolCallId }: Pick<Message, "role" | "toolCalls" | "toolCallId">): TextHash {
  if (toolCalls !== undefined || toolCallId !== undefined)
    return hashText(`\u0000${role}${JSON.stringify([toolCalls, toolCallId])}\u0000`)
  const known = openings.get(role)
  if (known) return known
  const hash = hashText(`\u0000${role}\u0000`)
  openings.set(role, hash)
  return hash
}

/** The hash of a whole message. Each piece keeps its own hash for the next time. */
export function messageHash(message: Message, pieces: readonly Piece[]): TextHash {
  let hash = openingHash(message)
  for (const piece of pieces) {
    piece.hash ??= knownHash(piece.text)
    hash = joinHashes(hash, piece.hash)
  }
  return hash
}
