import type { SessionKey } from "../../core/keys.ts"

/** One string for parts, written as JSON so that no part can be made to look like the border between two. */
export function rowId(...parts: readonly string[]): string {
  return JSON.stringify(parts)
}

/** One string for a session. */
export function sessionRowId({ agent, conversation, audience }: SessionKey): string {
  return rowId(agent, conversation, audience)
}

/** Orders sessions as an export has them. */
export function compareSessions(a: SessionKey, b: SessionKey): number {
  return compareTexts([a.agent, a.conversation, a.audience], [b.agent, b.conversation, b.audience])
}

/** Orders rows by several texts, one after the other, each by its UTF-16 code units. */
export function compareTexts(a: readonly string[], b: readonly string[]): number {
  for (const [at, text] of a.entries()) {
    const other = b[at] ?? ""
    if (text !== other) return text < other ? -1 : 1
  }
  return 0
}
