import type { TextHash } from "../../core/fingerprint.ts"
import type { Message, MessageRole, Span } from "../../core/span.ts"
import type { Stability } from "../../core/value.ts"
import type { Countable, Growth, MessageCounter } from "../tokens/counted-message.ts"

/** A span that has no tokens and no message yet. */
export type Piece = Omit<Span, "tokens" | "message"> & Countable & Remembered

/** Facts that a piece keeps for the next request, because most pieces stand there too. */
interface Remembered {
  hash?: TextHash | undefined
  /** The span that the piece was the last time. */
  span?: Span | undefined
}

/** The native calls of a message, beside its text. */
export type MessageCalls = Pick<Message, "toolCalls" | "toolCallId">

/** A composed message. Joined, its pieces are its content. */
export interface DraftMessage {
  readonly role: MessageRole
  /** The native calls it makes, or the call it answers. */
  readonly calls?: MessageCalls | undefined
  readonly pieces: readonly Piece[]
  /** The result of writing it out. It is kept, because an entry of history is the same message in all turns. */
  written?: WrittenMessage | undefined
}

/** A message of a draft, written out and counted. */
export interface WrittenMessage {
  readonly counter: MessageCounter
  readonly message: Message
  readonly growth: Growth
  /** The index of the message, which its spans name. */
  readonly index: number
  readonly spans: readonly Span[]
  readonly pieces: readonly Piece[]
  readonly runs: readonly EvenRun[]
}

/** Spans of a message that follow each other and have the same stability. */
export interface EvenRun {
  readonly stability: Stability
  /** The hash of their text. That of a message's first run begins with its role and its calls. */
  readonly hash: TextHash
  /** The number of spans. */
  readonly spans: number
  /** UTF-16 units of their text. */
  readonly units: number
}

/** A composed prompt that is not counted yet. */
export interface Draft {
  readonly messages: readonly DraftMessage[]
  /** Keys of injections that printed something. */
  readonly printed: Pick<ReadonlySet<string>, "has">
}

/**
 * The tokens of a draft's pieces, each counted by itself. A run is a row of pieces of one key in one message; the lists have an
 * item for each run, over all messages.
 */
export class DraftSummary {
  readonly keys: string[] = []
  /** The end of each run: in its message, the index after its last piece. */
  readonly ends: number[] = []
  readonly ownTokens: number[] = []
  /** The tokens that no seam can take away. */
  readonly leastTokens: number[] = []
  /** For each message, the index after its last run. */
  readonly messageEnds: number[] = []
  readonly totalOwnTokens: number
  readonly totalLeastTokens: number
  #ownByKey: Map<string, number> | undefined

  constructor({ messages }: Draft, counter: MessageCounter) {
    let [allOwn, allLeast] = [0, 0]
    for (const { pieces } of messages) {
      for (let at = 0; at < pieces.length; ) {
        const key = pieces[at]?.key ?? ""
        let [own, least] = [0, 0]
        for (let piece = pieces[at]; piece?.key === key; piece = pieces[++at]) {
          const { tokens, innerTokens } = counter.part(piece)
          own += tokens
          least += innerTokens
        }
        this.keys.push(key)
        this.ends.push(at)
        this.ownTokens.push(own)
        this.leastTokens.push(least)
        allOwn += own
        allLeast += least
      }
      this.messageEnds.push(this.keys.length)
    }
    this.totalOwnTokens = allOwn
    this.totalLeastTokens = allLeast
  }

  /** The tokens of everything that a key prints, each piece counted by itself. */
  ownOf(key: string): number {
    if (!this.#ownByKey) {
      this.#ownByKey = new Map()
      for (const [run, own] of this.keys.entries())
        this.#ownByKey.set(own, (this.#ownByKey.get(own) ?? 0) + (this.ownTokens[run] ?? 0))
    }
    return this.#ownByKey.get(key) ?? 0
  }
}

const summaries = new WeakMap<Draft, { readonly counter: MessageCounter; readonly summary: DraftSummary }>()

/** The summary of a draft. It is made once for each draft. */
export function summaryOf(draft: Draft, counter: MessageCounter): DraftSummary {
  const known = summaries.get(draft)
  if (known?.counter === counter) return known.summary
  const summary = new DraftSummary(draft, counter)
  summaries.set(draft, { counter, summary })
  return summary
}
