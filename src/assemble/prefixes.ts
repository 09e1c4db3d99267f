import { Fingerprint } from "../core/fingerprint.ts"
import type { Message } from "../core/message.ts"
import { stabilities } from "../core/scope.ts"
import type { Prefix, Span } from "../core/span.ts"

/** Where each stability's prefix ends: before the first span that changes more often (S15). */
export function findPrefixes(messages: readonly Message[], spans: readonly Span[]): Prefix[] {
  const fingerprint = new Fingerprint()
  let next = 0
  let message = -1
  let end = 0
  let tokens = 0
  // A prefix begins with the one of the stability before it, so one walk finds them all.
  return stabilities.map((stability, rank) => {
    for (; next < spans.length; next++) {
      const span = spans[next]
      if (!span || stabilities.indexOf(span.stability) > rank) break
      for (; message < span.message; end = 0) fingerprint.add(opening(messages[++message]))
      fingerprint.add(span.text)
      end += span.text.length
      tokens += span.tokens
    }
    return { stability, message: Math.max(0, message), end, tokens, fingerprint: fingerprint.digest() }
  })
}

/** What a message is apart from its text; one that only makes a native call has no spans of its own. */
function opening(message: Message | undefined): string {
  const { role = "", toolCalls, toolCallId } = message ?? {}
  const calls = toolCalls !== undefined || toolCallId !== undefined ? JSON.stringify([toolCalls, toolCallId]) : ""
  return `\u0000${role}${calls}\u0000`
}
