import { lazyPattern } from "../../core/lazy-pattern.ts"
import type { Text } from "../../core/value.ts"
import { fold } from "../../encode/fold.ts"

/** Something about the character's world that enters a prompt when it is spoken of. */
export interface WorldBookEntry {
  readonly title?: string
  /** It is spoken of where one of these occurs. */
  readonly keys: readonly string[]
  /** True for what enters every prompt that has room. */
  readonly always: boolean
  /** Lower stands first and is left out last. */
  readonly priority: number
  readonly text: Text
}

/** What a turn is about, and how much of the book it may have. */
interface WorldBookSearch {
  /** The question and the last messages before it. */
  readonly texts: readonly string[]
  readonly maxEntries: number
  /** Characters (UTF-16 units) of all entries together, titles included. */
  readonly maxCharacters: number
}

/** What a turn has of the book, in the order of print, and what there was no room for. */
interface FoundEntries {
  readonly entries: readonly WorldBookEntry[]
  readonly leftOut: readonly WorldBookEntry[]
}

/** A book that can be looked into. */
export type WorldBook = (search: WorldBookSearch) => FoundEntries

interface Prepared {
  readonly entry: WorldBookEntry
  readonly keys: readonly FoldedKey[]
}

/**
 * Makes entries into a book. Of those that are spoken of, the ones that enter always go first, then the others, both by priority
 * and equal ones in the order given; one that there is no room for is passed over. They are printed by priority.
 */
export function createWorldBook(entries: readonly WorldBookEntry[]): WorldBook {
  const book = entries
    .map((entry): Prepared => ({ entry, keys: entry.keys.map(foldKey) }))
    .sort((a, b) => a.entry.priority - b.entry.priority)
  return ({ texts, maxEntries, maxCharacters }) => {
    const folded = texts.map(fold)
    const spokenOf = book.filter(
      ({ entry, keys }) => entry.always || keys.some((key) => folded.some((text) => hasKey(text, key))),
    )
    const chosen = new Set<Prepared>()
    let characters = 0
    for (const prepared of [...spokenOf.filter(({ entry }) => entry.always), ...spokenOf.filter(({ entry }) => !entry.always)]) {
      const size = sizeOf(prepared.entry)
      if (chosen.size >= maxEntries || characters + size > maxCharacters) continue
      chosen.add(prepared)
      characters += size
    }
    const sorted = Map.groupBy(spokenOf, (prepared) => chosen.has(prepared))
    return { entries: entriesOf(sorted.get(true)), leftOut: entriesOf(sorted.get(false)) }
  }
}

function sizeOf({ title = "", text }: WorldBookEntry): number {
  return title.length + text.text.length
}

function entriesOf(prepared: readonly Prepared[] = []): readonly WorldBookEntry[] {
  return prepared.map(({ entry }) => entry)
}

/** Letters and digits of scripts that part words by spaces; in the others a word may begin and end anywhere. */
const spaced = lazyPattern(
  String.raw`[[\p{L}\p{N}]--[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]]`,
  "v",
)

/** A key made ready to be looked for: folded, and whether its ends are those of a word. */
interface FoldedKey {
  readonly text: string
  readonly opensWord: boolean
  readonly closesWord: boolean
}

/** Makes a key ready; its text is empty where the key has nothing that shows. */
export function foldKey(key: string): FoldedKey {
  const text = fold(key)
  return { text, opensWord: isSpaced(firstOf(text)), closesWord: isSpaced(lastOf(text)) }
}

/**
 * True where a folded text has the key: case, width and accents make no difference, and a key of letters is a whole word:
 * `fay` is in "FAY!" and 我叫Fay吗, not in "fayette"; 旧书 is in 旧书店.
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
