import { type GrownList, growIn, type Memo, memoKind } from "../../../core/memo.ts"
import { isText, type SlotEntry, type SlotValue, type Trust } from "../../../core/value.ts"
import type { Part, Tail } from "./part.ts"
import type { PartStore } from "./part-store.ts"
import type { Seam } from "./seam.ts"

/** A text that is counted. The results are kept with it, so that they need no look-up the next time. */
export interface Countable {
  readonly text: string
  readonly trust?: Trust
  /** Tokens of what stands behind the text, such as a picture. */
  readonly extraTokens?: number | undefined
  /** The texts that it joins, if it was made from several. */
  readonly inner?: readonly Countable[] | undefined
  known?: KnownText | undefined
}

/** The parts, and in place of a joined one those that it was made from. */
export function apart<Part extends Countable>(
  parts: readonly (Part & { readonly inner?: readonly Part[] | undefined })[],
): readonly Part[] {
  return parts.some(({ inner }) => inner) ? parts.flatMap((part): readonly Part[] => part.inner ?? [part]) : parts
}

/** The text of the first `count` parts. */
export function joined(parts: readonly Countable[], count = parts.length): string {
  let text = ""
  for (let index = 0; index < count; index++) text += parts[index]?.text ?? ""
  return text
}

/** The part that a store has for a text, and the seam that it made the last time. */
export interface KnownText {
  readonly store: PartStore
  readonly part: Part
  /** The text before it, when the seam was made. */
  after?: Tail | undefined
  seam?: Seam | undefined
}

/** The tokens of a part of a message, counted by itself. */
export interface PartTokens {
  readonly tokens: number
  /** The tokens that no text before or after it can take away. */
  readonly innerTokens: number
}

/** Counts messages that are made of parts. There is one implementation for each kind of `TokenCounter`. */
export interface MessageCounter {
  /** Counts a text by itself. */
  text(text: string): number
  /** Counts a part of a message by itself. */
  part(part: Countable): PartTokens
  /** Counts the parts, joined. */
  message(parts: readonly Countable[]): number
  /** Counts the parts joined, after each of them. */
  growth(parts: readonly Countable[]): Growth
  /** The remembered parts and seams; absent if the counter has no pieces. */
  readonly store?: PartStore
  /** Results that depend on how is counted. */
  readonly memo: Memo
  /** About the UTF-16 units of the texts whose counts are remembered. */
  readonly size: () => number
}

/** The growth of a message's count from part to part. */
export interface Growth {
  readonly tokens: number
  /**
   * The share of each part, and in place of a joined part those of the texts in it. No share is negative, and their sum is the
   * message's tokens. They are found when they are asked for.
   */
  readonly shares: () => readonly number[]
  /** The tokens of the first `count` parts joined. */
  upTo(count: number): number
}

const countedEntries = memoKind<SlotEntry, number>()

/** Tokens of an entry's values, each counted by itself: about what the entry takes, wherever it is printed. */
function entryTokens(entry: SlotEntry, counter: MessageCounter): number {
  return counter.memo.made(countedEntries, entry, () => {
    let tokens = 0
    for (const value of Object.values(entry)) tokens += valueTokens(value, counter)
    return tokens
  })
}

const countedLists = memoKind<SlotEntry, GrownList<SlotEntry, number>>()

/** For each entry, the tokens of the list up to its end, by {@link entryTokens}. Read it at once: the next call may change it. */
export function tokensUpTo(entries: readonly SlotEntry[], counter: MessageCounter): readonly number[] {
  return growIn(counter.memo, countedLists, entries, (entry, before = 0) => before + entryTokens(entry, counter))
}

/** Tokens of a value's texts, each counted by itself. */
export function valueTokens(value: SlotValue, counter: MessageCounter): number {
  if (typeof value === "boolean") return 0
  if (typeof value === "string") return counter.text(value)
  if (!isText(value)) return value.reduce((sum, entry) => sum + entryTokens(entry, counter), 0)
  const tokens = counter.text(value.text)
  return value.parts ? value.parts.reduce((sum, part) => sum + part.tokens, tokens) : tokens
}
