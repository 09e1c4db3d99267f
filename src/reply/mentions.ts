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
 * names may hold blanks, digits and underscores. Linear in the text for a given set of names.
 */
export function findMentions(text: string, names: Iterable<string>): FoundMentions {
  const known = [...new Set(names)].filter((name) => name !== "").sort((a, b) => b.length - a.length)
  const mentions: Mention[] = []
  const unknown: { start: number; end: number; text: string }[] = []
  for (let start = text.indexOf("@last_"); start >= 0; ) {
    const found = mentionAt(text, start, known)
    if (found) mentions.push(found)
    else unknown.push(unknownAt(text, start))
    start = text.indexOf("@last_", found?.end ?? start + 1)
  }
  return { mentions, unknown }
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
  const plain = known.find((name) => text.startsWith(name, begin))
  if (plain !== undefined) return { start, end: begin + plain.length, name: plain, count: 1 }
  const digits = digitsAt(text, begin)
  const count = Number(digits)
  if (digits === "" || count < 1 || count > maxCount || text[begin + digits.length] !== "_") return undefined
  const nameBegin = begin + digits.length + 1
  const name = known.find((each) => text.startsWith(each, nameBegin))
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
