import { isRecord } from "../../../core/json-access.ts"
import { lazyPattern } from "../../../core/lazy-pattern.ts"
import { englishStem } from "../recall/text/english-stem.ts"
import type { LineMerge } from "./document-memory.ts"
import { readJson } from "./read-json.ts"

/** The merges that keep every fact, and the number of those that were refused. */
export interface CheckedMerges {
  readonly merges: readonly LineMerge[]
  readonly refused: number
}

/**
 * Reads a model's proposal to put lines in fewer words; undefined if it is no list. A merge is refused unless it keeps every fact and
 * adds none, by these rules:
 *
 * - It names at least two lines that exist, and none that another merge has. They begin with the same word, such as a name.
 * - It is one line, and shorter than those lines together.
 * - It has every word of each line in that line's order (other endings are the same word) but for words such as "the" and "is", and no
 *   other words.
 * - A word such as "not" denies what it denied before: it stands at the beginning of all those lines, with the same words before it, or
 *   one of them has it, and what that one says from there on ends the line.
 */
export function readMerges(output: string, lines: readonly string[]): CheckedMerges | undefined {
  const value = readJson(output)
  const given = Array.isArray(value) ? value : isRecord(value) ? Object.values(value).find(Array.isArray) : undefined
  if (given === undefined) return isRecord(value) && Object.keys(value).length === 0 ? { merges: [], refused: 0 } : undefined
  const taken = new Set<number>()
  const merges: LineMerge[] = []
  for (const item of given as readonly unknown[]) {
    const merge = mergeOf(item)
    const isFree = merge?.lines.every((number) => !taken.has(number)) ?? false
    if (merge === undefined || !isFree || !keepsEveryFact(merge, lines)) continue
    for (const number of merge.lines) taken.add(number)
    merges.push(merge)
  }
  return { merges, refused: given.length - merges.length }
}

function mergeOf(item: unknown): LineMerge | undefined {
  if (!isRecord(item) || !Array.isArray(item.lines) || typeof item.text !== "string") return undefined
  const numbers = item.lines.map((number: unknown) => Number(/\d{1,6}/.exec(String(number))?.[0] ?? 0))
  return { lines: [...new Set(numbers)], text: item.text.trim() }
}

function keepsEveryFact({ lines: numbers, text }: LineMerge, lines: readonly string[]): boolean {
  const from = numbers.flatMap((number) => lines[number - 1] ?? [])
  if (from.length < 2 || from.length !== numbers.length || /[\r\n]/.test(text)) return false
  if (text.length >= from.reduce((sum, line) => sum + line.length + 1, -1)) return false
  const kept = wordsOf(text)
  const before = from.map(wordsOf)
  const [first] = before[0] ?? []
  if (before.some((words) => words[0] !== first || !isInOrder(words, kept))) return false
  const known = new Set(before.flat())
  return kept.every((word) => known.has(word)) && deniesTheSame(kept, before)
}

function deniesTheSame(kept: readonly string[], before: readonly (readonly string[])[]): boolean {
  const at = kept.findIndex(denies)
  if (at < 0 || before.every((words) => isSameList(words.slice(0, at + 1), kept.slice(0, at + 1)))) return true
  const denied = before.filter((words) => words.some(denies)).map((words) => words.slice(words.findIndex(denies)))
  const rests = before.map((words) => (words.some(denies) ? words.slice(0, words.findIndex(denies)) : words))
  const isAtEnd = denied.length === 1 && isSameList(denied[0] ?? [], kept.slice(at))
  return isAtEnd && rests.every((words) => isInOrder(words, kept.slice(0, at)))
}

function isSameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((word, at) => word === b[at])
}

/** True if the words stand in a text in this order. */
function isInOrder(words: readonly string[], text: readonly string[]): boolean {
  let at = 0
  for (const word of words) {
    const found = text.indexOf(word, at)
    if (found < 0) return false
    at = found + 1
  }
  return true
}

const token = lazyPattern(String.raw`\p{N}+(?:[.,:/-]\p{N}+)*|\p{Script=Han}|[\p{L}\p{M}]+|\p{Extended_Pictographic}`, "gu")

/** The words of a text that carry a fact, in their order. Chinese is read by characters. */
function wordsOf(text: string): readonly string[] {
  const plain = text.normalize("NFKC").toLowerCase().replaceAll("’", "'").replace(/n't\b/g, " not").replace(/'s\b/g, "")
  return [...plain.matchAll(token())].flatMap(([word]) => (empty.has(word) ? [] : englishStem(word)))
}

const denials = new Set([
  ..."not no never none nor neither nobody nothing nowhere without cannot hardly".split(" ").map(englishStem),
  ..."不没沒无無非未别別勿莫否",
])

function denies(word: string): boolean {
  return denials.has(word)
}

/** Words that carry no fact of their own. Words that deny, compare or tell a time are none of them. */
const empty = new Set([
  ..."a an the and of to in on at is are was were be been has have had that this it its with for as so also which who i he she they his her their him them".split(
    " ",
  ),
  ..."的了是在也和与且而着她他它其并及都就",
])
