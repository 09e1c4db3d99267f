import { Fingerprint, hashText, type TextHash } from "../core/fingerprint.ts"
import type { Message } from "../core/message.ts"
import { type Stability, stabilities } from "../core/scope.ts"
import type { Prefix, Span } from "../core/span.ts"
import { Generations } from "./tokens/generations.ts"

/** Tokens of the first `count` spans of a message, joined. */
export type TokensUpTo = (message: number, count: number) => number

/** Where each stability's prefix ends: before the first span that changes more often (S15). */
export function findPrefixes(messages: readonly Message[], spans: readonly Span[], upTo = sumsOf(spans)): Prefix[] {
  const fingerprint = new Fingerprint()
  let next = 0
  let message = -1
  let end = 0
  let count = 0
  let tokensBefore = 0
  const open = (): void => {
    if (message >= 0) tokensBefore += upTo(message, count)
    message++
    fingerprint.add(opening(messages[message]))
    end = 0
    count = 0
  }
  // A prefix begins with the one of the stability before it, so one walk finds them all.
  return stabilities.map((stability, rank) => {
    for (; next < spans.length; next++) {
      const span = spans[next]
      if (!span || rankOf[span.stability] > rank) break
      while (message < span.message) open()
      fingerprint.add(span.text, knownHash(span.text))
      end += span.text.length
      count++
    }
    const tokens = tokensBefore + (message < 0 ? 0 : upTo(message, count))
    return { stability, message: Math.max(0, message), end, tokens, fingerprint: fingerprint.digest() }
  })
}

/** Hashes of long texts: most of a request stood in the one before it. */
const hashes = new Generations<string, TextHash>({ entries: 16_384, weight: 4_194_304 })

function knownHash(text: string): TextHash {
  if (text.length < 32) return hashText(text)
  const known = hashes.get(text, text.length)
  if (known) return known
  const hash = hashText(text)
  hashes.set(text, hash, text.length)
  return hash
}

const rankOf = Object.fromEntries(stabilities.map((stability, rank) => [stability, rank])) as Record<Stability, number>

/** By the spans' own tokens. */
function sumsOf(spans: readonly Span[]): TokensUpTo {
  return (message, count) =>
    spans
      .filter((span) => span.message === message)
      .slice(0, count)
      .reduce((sum, { tokens }) => sum + tokens, 0)
}

/** What a message is apart from its text; one that only makes a native call has no spans of its own. */
function opening(message: Message | undefined): string {
  const { role = "", toolCalls, toolCallId } = message ?? {}
  const calls = toolCalls !== undefined || toolCallId !== undefined ? JSON.stringify([toolCalls, toolCallId]) : ""
  return `\u0000${role}${calls}\u0000`
}
