import { GrowingLists } from "../../core/growing-lists.ts"
import { type Entry, isText, type Value } from "../../core/value.ts"
import type { MessageCounter } from "./counted-message.ts"

const counted = new WeakMap<MessageCounter, WeakMap<Entry, number>>()

/** Tokens of an entry's values, each by itself: about what the entry takes, wherever it is printed. */
function entryTokens(entry: Entry, counter: MessageCounter): number {
  const known = counted.get(counter) ?? new WeakMap<Entry, number>()
  counted.set(counter, known)
  const before = known.get(entry)
  if (before !== undefined) return before
  const tokens = textsOf(entry).reduce((sum, text) => sum + counter.text(text), 0)
  known.set(entry, tokens)
  return tokens
}

const lists = new WeakMap<MessageCounter, GrowingLists<Entry, number>>()

/** The tokens of a list's entries up to each of them, as {@link entryTokens} has them; to be read at once. */
export function tokensUpTo(entries: readonly Entry[], counter: MessageCounter): readonly number[] {
  const known = lists.get(counter) ?? new GrowingLists<Entry, number>()
  lists.set(counter, known)
  return known.of(entries, (entry, before = 0) => before + entryTokens(entry, counter))
}

/** Tokens of a value's texts, each by itself. */
export function valueTokens(value: Value, counter: MessageCounter): number {
  if (typeof value === "boolean") return 0
  if (typeof value === "string") return counter.text(value)
  return isText(value) ? counter.text(value.text) : value.reduce((sum, entry) => sum + entryTokens(entry, counter), 0)
}

function textsOf(entry: Entry): string[] {
  return Object.values(entry).flatMap((value) => {
    if (typeof value === "boolean") return []
    if (typeof value === "string") return [value]
    return isText(value) ? [value.text] : value.flatMap(textsOf)
  })
}
