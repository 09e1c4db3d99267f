import { GrowingLists } from "../../core/growing-lists.ts"
import { isText, type SlotEntry, type SlotValue } from "../../core/value.ts"
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
interface PartTokens {
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

const counted = new WeakMap<MessageCounter, WeakMap<SlotEntry, number>>()

/** Tokens of an entry's values, each by itself: about what the entry takes, wherever it is printed. */
function entryTokens(entry: SlotEntry, counter: MessageCounter): number {
  const known = counted.get(counter) ?? new WeakMap<SlotEntry, number>()
  counted.set(counter, known)
  const before = known.get(entry)
  if (before !== undefined) return before
  const tokens = textsOf(entry).reduce((sum, text) => sum + counter.text(text), 0)
  known.set(entry, tokens)
  return tokens
}

const lists = new WeakMap<MessageCounter, GrowingLists<SlotEntry, number>>()

/** The tokens of a list's entries up to each of them, as {@link entryTokens} has them; to be read at once. */
export function tokensUpTo(entries: readonly SlotEntry[], counter: MessageCounter): readonly number[] {
  const known = lists.get(counter) ?? new GrowingLists<SlotEntry, number>()
  lists.set(counter, known)
  return known.of(entries, (entry, before = 0) => before + entryTokens(entry, counter))
}

/** Tokens of a value's texts, each by itself. */
export function valueTokens(value: SlotValue, counter: MessageCounter): number {
  if (typeof value === "boolean") return 0
  if (typeof value === "string") return counter.text(value)
  return isText(value) ? counter.text(value.text) : value.reduce((sum, entry) => sum + entryTokens(entry, counter), 0)
}

function textsOf(entry: SlotEntry): string[] {
  return Object.values(entry).flatMap((value) => {
    if (typeof value === "boolean") return []
    if (typeof value === "string") return [value]
    return isText(value) ? [value.text] : value.flatMap(textsOf)
  })
}
