import type { TextHash } from "../../core/fingerprint.ts"
import type { Message, MessageRole } from "../../core/message.ts"
import type { Span } from "../../core/span.ts"
import type { Stability } from "../../core/value.ts"
import type { Countable, Growth, MessageCounter } from "../tokens/counted-message.ts"

/** A span before it has its tokens and its place in a message. */
export type Piece = Omit<Span, "tokens" | "message"> & Countable & { hash?: TextHash | undefined }

/** What a message carries beside its text. */
export type MessageCalls = Pick<Message, "toolCalls" | "toolCallId">

/** A message that is composed: the pieces tile its content. */
export interface DraftMessage {
  readonly role: MessageRole
  /** The native calls it makes, or the call it answers. */
  readonly calls?: MessageCalls
  readonly pieces: readonly Piece[]
  /** What was made of it the last time: an entry of history is one message over all turns. */
  written?: WrittenMessage | undefined
}

/** A message of a draft, written out and counted. */
export interface WrittenMessage {
  readonly counter: MessageCounter
  readonly message: Message
  readonly growth: Growth
  /** The number of the message that the spans belong to. */
  readonly index: number
  readonly spans: readonly Span[]
  /** Of a message whose spans all change equally often. */
  readonly even?: EvenMessage | undefined
}

/** A message of one stability. */
export interface EvenMessage {
  readonly stability: Stability
  /** Of what opens the message and of its content. */
  readonly hash: TextHash
  readonly spans: number
  /** UTF-16 units of its content. */
  readonly units: number
}

/** A composed prompt, not yet counted or fitted. */
export interface Draft {
  readonly messages: readonly DraftMessage[]
  /** Keys of injections that printed something. */
  readonly printed: Pick<ReadonlySet<string>, "has">
}

/**
 * The tokens of a draft's pieces, each by itself, by runs: pieces of one key that stand together in a message. The lists go
 * by run, over all messages.
 */
export class DraftSummary {
  readonly keys: string[] = []
  /** In its message, the number behind its last piece. */
  readonly ends: number[] = []
  readonly ownTokens: number[] = []
  /** Those that no neighbour takes away. */
  readonly leastTokens: number[] = []
  /** By message, the number behind its last run. */
  readonly messageEnds: number[] = []
  /** Of the whole draft. */
  readonly totalOwnTokens: number
  readonly totalLeastTokens: number
  #ownByKey: ReadonlyMap<string, number> | undefined

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

  /** The tokens of everything that a key prints, each piece by itself. */
  ownOf(key: string): number {
    this.#ownByKey ??= this.#sumByKey()
    return this.#ownByKey.get(key) ?? 0
  }

  #sumByKey(): ReadonlyMap<string, number> {
    const sums = new Map<string, number>()
    for (const [run, key] of this.keys.entries()) sums.set(key, (sums.get(key) ?? 0) + (this.ownTokens[run] ?? 0))
    return sums
  }
}

const summaries = new WeakMap<Draft, { readonly counter: MessageCounter; readonly summary: DraftSummary }>()

/** Adds up a draft's pieces, once. */
export function summaryOf(draft: Draft, counter: MessageCounter): DraftSummary {
  const known = summaries.get(draft)
  if (known?.counter === counter) return known.summary
  const summary = new DraftSummary(draft, counter)
  summaries.set(draft, { counter, summary })
  return summary
}
