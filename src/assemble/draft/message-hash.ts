import { hashText, joinHashes, type TextHash } from "../../core/fingerprint.ts"
import type { Message } from "../../core/message.ts"
import { Generations } from "../tokens/generations.ts"
import type { Piece } from "./draft.ts"

/** Hashes of long texts: most of a request stood in the one before it. */
const hashes = new Generations<string, TextHash>({ entries: 16_384, weight: 4_194_304 })

/** The hash of a text; of a long one it is remembered. */
export function knownHash(text: string): TextHash {
  if (text.length < 32) return hashText(text)
  const known = hashes.get(text, text.length)
  if (known) return known
  const hash = hashText(text)
  hashes.set(text, hash, text.length)
  return hash
}

const openings = new Map<string, TextHash>()

/** The hash of what a message is apart from its text; one that only makes a native call has no spans of its own. */
export function openingHash({ role, toolCalls, toolCallId }: Pick<Message, "role" | "toolCalls" | "toolCallId">): TextHash {
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
