import { checkShape, checkType } from "../core/check-options.ts"
import { lazyPattern } from "../core/lazy-pattern.ts"

/** A mark in a text that stands for the last messages of a speaker (R7). */
export interface Mention {
  /** UTF-16 offsets of the whole mark. */
  readonly start: number
  readonly end: number
  readonly name: string
  /** How many of the speaker's messages, counted back from the last one. */
  readonly count: number
}

/** The marks of a text. Marks with an unknown speaker stay as they are. */
export interface FoundMentions {
  readonly mentions: readonly Mention[]
  readonly unknown: readonly { readonly start: number; readonly end: number; readonly text: string }[]
}

/** The greatest count. A larger number is no count. */
const maxCount = 9_999

/**
 * Finds `@last_NAME` and `@last_N_NAME` (R7). A known name wins over a count, the longest known name over a shorter one;
 * names may hold blanks, digits and underscores. Inside a word there is no mark, as in `mail@last_kemo.com`, and a name that
 * goes on as a longer word is another name. Linear in the text for a given set of names.
 */
export function findMentions(text: string, names: Iterable<string>): FoundMentions {
  checkType("the text of findMentions", text, "string")
  checkType("the names of findMentions", names, "iterable")
  const given = [...new Set(names)]
  checkShape("the names of findMentions", given, ["string"])
  const known = given.filter((name) => name !== "").sort((a, b) => b.length - a.length)
  const mentions: Mention[] = []
  const unknown: { start: number; end: number; text: string }[] = []
  let end = 0
  for (let start = text.indexOf("@last_"); start >= 0; start = text.indexOf("@last_", Math.max(end, start + 1))) {
    if (start > end && isInWord(text, start)) continue
    const found = mentionAt(text, start, known)
    if (found) mentions.push(found)
    else unknown.push(unknownAt(text, start))
    end = found?.end ?? end
  }
  return { mentions, unknown }
}

/**
 * Finds `@NAME` for each of the names, the longest of which counts. Inside a word there is no mark, as in `mail@fay.com`, and a name that
 * goes on as a longer word is another name.
 */
export function* findNames(text: string, names: Iterable<string>): Generator<Omit<Mention, "count">> {
  const known = [...new Set(names)].filter((name) => name !== "").sort((a, b) => b.length - a.length)
  let end = 0
  for (let start = text.indexOf("@"); start >= 0; start = text.indexOf("@", Math.max(end, start + 1))) {
    if (start > end && isInWord(text, start)) continue
    const name = known.find((each) => text.startsWith(each, start + 1) && !goesOn(text, start + 1 + each.length))
    if (name === undefined) continue
    end = start + 1 + name.length
    yield { start, end, name }
  }
}

/** A character of a word in a script that puts blanks between words. Others, such as Chinese, join a mark without a blank. */
const spaced = String.raw`(?:(?!\p{scx=Han}|\p{scx=Hira}|\p{scx=Kana}|\p{scx=Hang}|\p{scx=Thai}|\p{scx=Laoo}|\p{scx=Khmr}|\p{scx=Mymr})[\p{L}\p{M}\p{N}_])`
const wordBefore = lazyPattern(`${spaced}$`, "u")
const wordAfter = lazyPattern(String.raw`${spaced}\.?${spaced}`, "uy")

/** True when a word goes on over the mark at `start`, as in `mail@example.com`. */
function isInWord(text: string, start: number): boolean {
  return wordBefore().test(text.slice(Math.max(0, start - 2), start))
}

/** True when the name that ends here goes on as a longer word or as a domain. */
function goesOn(text: string, end: number): boolean {
  const pattern = wordAfter()
  pattern.lastIndex = end - 1
  return pattern.test(text)
}

/** The last messages of the speaker, oldest first, at most `count`. */
export function lastMessagesOf<T extends { readonly name: string }>(
  messages: readonly T[],
  { name, count }: Pick<Mention, "name" | "count">,
): readonly T[] {
  return count <= 0 ? [] : messages.filter((message) => message.name === name).slice(-count)
}

function mentionAt(text: string, start: number, known: readonly string[]): Mention | undefined {
  const begin = start + "@last_".length
  const isNamed = (name: string, at: number) => text.startsWith(name, at) && !goesOn(text, at + name.length)
  const plain = known.find((name) => isNamed(name, begin))
  if (plain !== undefined) return { start, end: begin + plain.length, name: plain, count: 1 }
  const digits = digitsAt(text, begin)
  const count = Number(digits)
  if (digits === "" || count < 1 || count > maxCount || text[begin + digits.length] !== "_") return undefined
  const nameBegin = begin + digits.length + 1
  const name = known.find((each) => isNamed(each, nameBegin))
  return name === undefined ? undefined : { start, end: nameBegin + name.length, name, count }
}

function digitsAt(text: string, begin: number): string {
  let end = begin
  while (end < text.length && end - begin < 5 && text.charCodeAt(end) >= 0x30 && text.charCodeAt(end) <= 0x39) end++
  return text.slice(begin, end)
}

/** An unknown mark ends at the next white space, as a person would read it. */
function unknownAt(text: string, start: number): { start: number; end: number; text: string } {
  const rest = text.slice(start, start + 80)
  const blank = rest.search(/\s/u)
  const end = start + (blank < 0 ? rest.length : blank)
  return { start, end, text: text.slice(start, end) }
}
