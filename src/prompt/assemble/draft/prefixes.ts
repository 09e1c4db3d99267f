import { Fingerprint, hashText, joinHashes, type TextHash } from "../../../core/fingerprint.ts"
import type { Message, Prefix, Span } from "../../../core/span.ts"
import { type Stability, stabilities } from "../../../core/value.ts"
import type { Growth } from "../tokens/message-counter.ts"
import type { EvenRun, Piece } from "./draft.ts"

/** A counted message. Its runs are found once. */
interface CountedMessage {
  readonly message: Message
  readonly growth: Pick<Growth, "upTo">
  readonly pieces: readonly Piece[]
  runs: readonly EvenRun[] | undefined
}

/** Finds the prefix of each stability: it ends before the first piece that changes more often (S15). */
export function prefixesOf(messages: readonly CountedMessage[]): Prefix[] {
  const fingerprint = new Fingerprint()
  const prefixes: Prefix[] = []
  // The message at hand, its UTF-16 units and pieces so far, the tokens of the messages before it, and the place of the next run.
  let [message, end, count, tokensBefore, next, place] = [-1, 0, 0, 0, 0, 0]
  // Each prefix begins with the whole prefix of the stability before it, so that one walk finds them all.
  for (const stability of stabilities) {
    for (let one = messages[next]; one; one = messages[next]) {
      one.runs ??= evenRuns(one.message, one.pieces)
      const run = one.runs[place]
      if (!run) {
        next++
        place = 0
        continue
      }
      if (rankOf[run.stability] > rankOf[stability]) break
      while (message < next) {
        tokensBefore += messages[message]?.growth.upTo(count) ?? 0
        message++
        ;[end, count] = [0, 0]
        const begun = messages[message]
        if (begun?.runs?.length === 0) fingerprint.addHash(openingHash(begun.message))
      }
      fingerprint.addHash(run.hash)
      end += run.units
      count += run.pieces
      place++
    }
    const tokens = tokensBefore + (messages[message]?.growth.upTo(count) ?? 0)
    prefixes.push({ stability, message: Math.max(0, message), end, tokens, fingerprint: fingerprint.digest() })
  }
  return prefixes
}

const rankOf = Object.fromEntries(stabilities.map((stability, rank) => [stability, rank])) as Record<Stability, number>

/** The hash of a span's text, and of what stands behind it. */
function spanHash({ text, parts }: Pick<Span, "text" | "parts">): TextHash {
  if (parts === undefined) return hashText(text)
  return hashText(`${text}\u0000${JSON.stringify(parts.map(({ attachment }) => attachment))}\u0000`)
}

/** The hash of a message's role and calls. It separates messages, and stands for calls, which have no spans. */
function openingHash({ role, toolCalls, toolCallId }: Pick<Message, "role" | "toolCalls" | "toolCallId">): TextHash {
  if (toolCalls !== undefined || toolCallId !== undefined)
    return hashText(`\u0000${role}${JSON.stringify([toolCalls, toolCallId])}\u0000`)
  return hashText(`\u0000${role}\u0000`)
}

/** The runs of a message's pieces. Each piece keeps its own hash for the next time. */
function evenRuns(message: Message, pieces: readonly Piece[]): EvenRun[] {
  const runs: EvenRun[] = []
  for (let at = 0; at < pieces.length; ) {
    const [first, stability] = [at, pieces[at]?.stability ?? "turn"]
    let [hash, units] = [at === 0 ? openingHash(message) : emptyHash, 0]
    for (let piece = pieces[at]; piece?.stability === stability; piece = pieces[++at]) {
      piece.hash ??= spanHash(piece)
      hash = joinHashes(hash, piece.hash)
      units += piece.text.length
    }
    runs.push({ stability, hash, pieces: at - first, units })
  }
  return runs
}

const emptyHash = hashText("")
