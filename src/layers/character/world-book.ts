import { lazyPattern } from "../../core/lazy-pattern.ts"
import type { TrustedText } from "../../core/value.ts"
import { fold } from "../../encode/fold.ts"

/** A fact about the character's world that enters a prompt when one of its keys is mentioned. */
export interface WorldBookEntry {
  readonly title?: string
  /** The entry is mentioned if one of these occurs. */
  readonly keys: readonly string[]
  /** True for an entry that enters every prompt that has room. */
  readonly always: boolean
  /** Entries with a lower priority stand first and are left out last. */
  readonly priority: number
  readonly text: TrustedText
}

/** The texts of a turn, and limits for what it may show of the book. */
interface WorldBookSearch {
  /** The question and the last messages before it. */
  readonly texts: readonly string[]
  readonly maxEntries: number
  /** Characters (UTF-16 units) of all entries together, titles included. */
  readonly maxCharacters: number
}

/** The entries for a turn, in the order in which they are printed, and those for which there was no room. */
type FoundEntries = { readonly entries: readonly WorldBookEntry[]; readonly leftOut: readonly WorldBookEntry[] }

export type WorldBook = (search: WorldBookSearch) => FoundEntries

type Prepared = { readonly entry: WorldBookEntry; readonly keys: readonly FoldedKey[] }

/**
 * Creates a book of entries. A search takes the entries that are always shown, then those that are mentioned; each group by priority,
 * equal ones in the order given. An entry for which there is no room is skipped. The result is ordered by priority.
 */
export function createWorldBook(entries: readonly WorldBookEntry[]): WorldBook {
  const book = entries
    .map((entry): Prepared => ({ entry, keys: entry.keys.map(foldKey) }))
    .sort((a, b) => a.entry.priority - b.entry.priority)
  return ({ texts, maxEntries, maxCharacters }) => {
    const folded = texts.map(fold)
    const mentioned = book.filter(
      ({ entry, keys }) => entry.always || keys.some((key) => folded.some((text) => hasKey(text, key))),
    )
    const chosen = new Set<Prepared>()
    let characters = 0
    for (const prepared of [
      ...mentioned.filter(({ entry }) => entry.always),
      ...mentioned.filter(({ entry }) => !entry.always),
    ]) {
      const { title = "", text } = prepared.entry
      const size = title.length + text.text.length
      if (chosen.size >= maxEntries || characters + size > maxCharacters) continue
      chosen.add(prepared)
      characters += size
    }
    const sorted = Map.groupBy(mentioned, (prepared) => chosen.has(prepared))
    return { entries: entriesOf(sorted.get(true)), leftOut: entriesOf(sorted.get(false)) }
  }
}

function entriesOf(prepared: readonly Prepared[] = []): readonly WorldBookEntry[] {
  return prepared.map(({ entry }) => entry)
}

/** Letters and digits of scripts that separate words by spaces. In other scripts a word may begin and end anywhere. */
const spaced = lazyPattern(
  String.raw`[[\p{L}\p{N}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]]`,
  "v",
)

/** A folded key. The flags say if its ends must be ends of a word. */
type FoldedKey = { readonly text: string; readonly opensWord: boolean; readonly closesWord: boolean }

/** Prepares a key for {@link hasKey}. Its text is empty if the key has no visible characters. */
export function foldKey(key: string): FoldedKey {
  const text = fold(key)
  return { text, opensWord: isSpaced(firstOf(text)), closesWord: isSpaced(lastOf(text)) }
}

/**
 * True if a folded text contains the key. Case, width and accents do not matter, and a key of letters must be a whole word: `fay` is in
 * "FAY!" and 我叫Fay吗, not in "fayette"; 旧书 is in 旧书店.
 */
export function hasKey(folded: string, { text, opensWord, closesWord }: FoldedKey): boolean {
  if (text === "") return false
  for (let at = folded.indexOf(text); at >= 0; at = folded.indexOf(text, at + 1)) {
    const end = at + text.length
    const isInWord =
      (opensWord && isSpaced(lastOf(folded.slice(Math.max(0, at - 2), at)))) ||
      (closesWord && isSpaced(firstOf(folded.slice(end, end + 2))))
    if (!isInWord) return true
  }
  return false
}

function isSpaced(character: string): boolean {
  return spaced().test(character)
}

function firstOf(text: string): string {
  return [...text.slice(0, 2)].at(0) ?? ""
}

function lastOf(text: string): string {
  return [...text.slice(-2)].at(-1) ?? ""
}
