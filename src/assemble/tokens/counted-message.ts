import type { Part, Tail } from "./part.ts"
import type { PartStore } from "./part-store.ts"
import type { Seam } from "./seam.ts"

/** A text that is counted. What is known of it is kept with it, so that it is not looked up again. */
export interface Countable {
  readonly text: string
  known?: KnownText | undefined
}

/** What a store knows of a text, and what appending it did the last time. */
export interface KnownText {
  readonly store: PartStore
  readonly part: Part
  /** Behind what it was appended. */
  after?: Tail | undefined
  seam?: Seam | undefined
}

/** What a part of a message has by itself. */
export interface PartTokens {
  readonly tokens: number
  /** Those that nothing before or after it takes away. */
  readonly innerTokens: number
}

/** Counts messages that are made of texts, with whatever a counter can do. */
export interface MessageCounter {
  /** A text by itself. */
  text(text: string): number
  /** A part of a message by itself. */
  part(part: Countable): PartTokens
  /** The parts joined. */
  message(parts: readonly Countable[]): number
  /** The parts joined, after each of them. */
  growth(parts: readonly Countable[]): Growth
  /** What is known of texts, where they are counted by their pieces. */
  readonly store?: PartStore
}

/** How a message's count grows from part to part. */
export interface Growth {
  readonly tokens: number
  /** Each part's share: none is negative, and they sum to the message's tokens. */
  readonly shares: readonly number[]
  /** The tokens of the first `count` parts joined. */
  upTo(count: number): number
}
