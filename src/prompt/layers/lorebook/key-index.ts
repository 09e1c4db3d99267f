import { lazyPattern } from "../../../core/lazy-pattern.ts"
import { Generations } from "../../../core/memo.ts"
import { composed, foldLetters, withoutAccents } from "../../encode/fold.ts"
import type { PatternWork, SetRuns, TextTest } from "./host-search.ts"
import { createKeyMatcher, type KeyMatcher } from "./key-matcher.ts"
import type { LoreEntry, LoreKey } from "./lorebook.ts"
import { compilePattern } from "./pattern.ts"

/** A key of an entry: the number of its text among all keys of the book, and how it must stand in a text. */
export interface IndexedKey {
  readonly id: number
  readonly wholeWord: boolean
}

/** The keys of one entry, ready to be looked up. */
export interface IndexedEntry {
  readonly primary: readonly IndexedKey[]
  readonly secondary: readonly IndexedKey[]
  readonly required: readonly (readonly IndexedKey[])[]
  readonly excluded: readonly IndexedKey[]
}

/** A pattern that was refused, because of which its entry cannot be let in by it. */
export interface RefusedKey {
  readonly entry: string
  readonly key: string
  readonly reason: string
}

/** All keys of a book. */
export interface KeyIndex {
  readonly entries: readonly IndexedEntry[]
  /** The entries, by their place in the book, that have a key as a primary one. */
  readonly users: readonly (readonly number[])[]
  /** The keys as they were written. */
  readonly labels: readonly string[]
  readonly refused: readonly RefusedKey[]
  /**
   * Calls `found` for each key that occurs in a text, and says if it stands there as a whole word; often more than once for a key.
   * Returns the first pattern for which no work was left. With it as `next`, a later call does the rest.
   */
  search(text: string, work: PatternWork, found: (key: number, wholeWord: boolean) => void, next?: number): number
}

/** The keys that occur in a text, true for those that stand there as a whole word, and the first pattern that is still to be searched for. */
export interface FoundKeys {
  readonly keys: Map<number, boolean>
  next: number | undefined
}

/** The keys of one book in texts that were searched, by the length and a hash of each text: it holds none of their words. */
export type KnownTexts = Generations<string, FoundKeys>

/** Remembers nothing yet. Of each text it needs a few bytes for each key that occurs there. */
export function knownTexts(): KnownTexts {
  return new Generations({ entries: 200, weight: 2 ** 18 })
}

type Kind = "folded" | "exact" | "pattern"

/**
 * Prepares the keys of a book. Case and the normal form of Unicode make no difference to a plain key; case does if its entry is
 * case-sensitive, and accents make none with `ignoreAccents`. Equal keys of many entries are one. All plain keys are found in one pass over a text; each pattern makes a pass of its own, in linear time.
 */
export function indexKeys(entries: readonly LoreEntry[], ignoreAccents = false): KeyIndex {
  const lettersOf = (text: string): string => (ignoreAccents ? withoutAccents(text) : text)
  const folded = (text: string): string => lettersOf(foldLetters(text))
  const exact = (text: string): string => lettersOf(composed(text))
  const ids = new Map<string, number>()
  const labels: string[] = []
  const kinds: Record<Kind, { readonly text: string; readonly id: number }[]> = { folded: [], exact: [], pattern: [] }
  const tests: { readonly id: number; readonly test: TextTest; readonly isMarked: boolean }[] = []
  const refused: RefusedKey[] = []
  const users: number[][] = []

  const idOf = (kind: Kind, text: string, label: string): number => {
    const known = ids.get(`${kind} ${text}`)
    if (known !== undefined) return known
    const id = labels.push(label) - 1
    ids.set(`${kind} ${text}`, id)
    kinds[kind].push({ text, id })
    users.push([])
    return id
  }
  const indexed = (keys: readonly LoreKey[] = [], { id: entry, caseSensitive = false, wholeWords = false }: LoreEntry) =>
    keys.flatMap((key): IndexedKey[] => {
      const label = typeof key === "string" ? key : `/${key.source}/${key.flags}`
      if (typeof key === "string") {
        const text = (caseSensitive ? exact : folded)(key.trim())
        return text === "" ? [] : [{ id: idOf(caseSensitive ? "exact" : "folded", text, label), wholeWord: wholeWords }]
      }
      if (!ids.has(`pattern ${label}`)) {
        const test = compilePattern(key.source, key.flags)
        if (typeof test === "function")
          tests.push({ id: idOf("pattern", label, label), test, isMarked: startMarks.some((mark) => key.source.includes(mark)) })
        else refused.push({ entry, key: label, reason: test.refused })
      }
      return ids.has(`pattern ${label}`) ? [{ id: idOf("pattern", label, label), wholeWord: false }] : []
    })

  const list = entries.map((entry, at): IndexedEntry => {
    const primary = indexed(entry.keys, entry)
    for (const { id } of primary) if (users[id]?.at(-1) !== at) users[id]?.push(at)
    return {
      primary,
      secondary: indexed(entry.secondary?.keys, entry),
      required: (entry.required ?? []).map((keys) => indexed(keys, entry)),
      excluded: indexed(entry.excluded, entry),
    }
  })
  const searchFolded = plainSearch(kinds.folded)
  const searchExact = plainSearch(kinds.exact)
  return {
    entries: list,
    users,
    labels,
    refused,
    search(text, work, found, next) {
      if (next === undefined) {
        searchFolded(() => folded(text), found)
        searchExact(() => exact(text), found)
      }
      let at = next ?? 0
      const [plain, marked]: [SetRuns, SetRuns] = [new Map(), new Map()]
      for (; at < tests.length && work.left > 0; at++) {
        const { id, test, isMarked } = tests[at] as (typeof tests)[number]
        if (isMarked ? test(`\x01${text}`, work, marked) : test(text, work, plain)) found(id, true)
      }
      for (const { id } of tests.slice(at)) work.leftOut.add(id)
      return at
    },
  }
}

/** The character before each message in a search of SillyTavern, by which patterns find who speaks and where words begin. */
const startMarks = ["\u0001", "\\x01", "\\u0001"]

function plainSearch(keys: readonly { readonly text: string; readonly id: number }[]) {
  const matcher: KeyMatcher | undefined = keys.length === 0 ? undefined : createKeyMatcher(keys.map(({ text }) => text))
  return (textOf: () => string, found: (key: number, wholeWord: boolean) => void): void => {
    if (matcher === undefined) return
    const text = textOf()
    matcher(text, (at, end) => {
      const key = keys[at] as { readonly text: string; readonly id: number }
      found(key.id, isWholeWord(text, end - key.text.length, end))
    })
  }
}

/** Letters with their marks, and digits, of scripts that separate words by spaces. In other scripts a word may begin and end anywhere. */
const spaced = lazyPattern(
  String.raw`[[\p{L}\p{N}\p{Mn}\p{Mc}]--[\p{Default_Ignorable_Code_Point}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}ー]]`,
  "v",
)

/**
 * True if a match neither begins nor ends inside a word: `fay` is a word in "fay!" and 我叫fay吗, not in "fayette"; 旧书 is one in 旧书店,
 * because Chinese, Japanese, Korean and Thai part no words.
 */
function isWholeWord(text: string, start: number, end: number): boolean {
  const opens = isSpaced(text.codePointAt(start)) && isSpaced(codePointBefore(text, start))
  return !opens && !(isSpaced(codePointBefore(text, end)) && isSpaced(text.codePointAt(end)))
}

function codePointBefore(text: string, end: number): number | undefined {
  const pair = text.codePointAt(end - 2)
  return pair !== undefined && pair > 0xffff ? pair : text.codePointAt(end - 1)
}

function isSpaced(code: number | undefined): boolean {
  if (code === undefined) return false
  if (code < 0x80) return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39)
  return spaced().test(String.fromCodePoint(code))
}
