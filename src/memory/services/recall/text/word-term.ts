import { englishStem } from "./english-stem.ts"
import words from "./words.json" with { type: "json" }

/** A longer word is read up to here. */
const maxWordCharacters = 40

/**
 * The term under which a word is indexed: the stem of its plain form, or of the first word that means the same. A stop word
 * stays as it is, but for the forms of `i`.
 */
export function wordTerm(word: string): string {
  const bounded = word.length > maxWordCharacters ? word.slice(0, maxWordCharacters) : word
  if (selfWords.has(bounded)) return "i"
  if (stopWords.has(bounded)) return bounded
  const apostrophe = bounded.indexOf("'")
  const bare = apostrophe > 0 ? bounded.slice(0, apostrophe) : bounded
  const stem = englishStem(irregularForms.get(bare) ?? bare)
  return everydayEquivalents.get(stem) ?? stem
}

/** The four-letter pieces of a word, with its beginning and end marked by `_`; none for a word of less than four letters. */
export function fourGrams(word: string): string[] {
  if (word.length < 4) return []
  const marked = `_${word.slice(0, maxWordCharacters)}_`
  return Array.from({ length: marked.length - 3 }, (_, i) => marked.slice(i, i + 4))
}

/** Plain forms by a form that no rule finds. Forms that are also common words of their own (`left`, `saw`) are included. */
const irregularForms: ReadonlyMap<string, string> = new Map(
  words.forms.flatMap((group) => {
    const [plain = "", ...others] = group.split(" ")
    return others.map((other) => [other, plain] as const)
  }),
)

/** The stem that stands for a group of words that people use for the same thing, by the stem of each other word in it. Words that are only similar do not belong there. */
const everydayEquivalents: ReadonlyMap<string, string> = new Map(
  words.groups.flatMap((group) => {
    const [first = "", ...others] = group.split(" ").map(englishStem)
    return others.map((other) => [other, first] as const)
  }),
)

const selfWords: ReadonlySet<string> = new Set("i'd i'll i'm i've im ive me my mine myself".split(" "))

/** The terms of stop words by which a text is about its speaker. */
export const ownTerms: ReadonlySet<string> = new Set(["i", "we", "our", "us"])

/** Words that occur in every text, so they find none. They are indexed for phrases in quotation marks. */
export const stopWords: ReadonlySet<string> = new Set(words.stopWords.split(" "))

/** Characters of grammar. Alone they find nothing; in a pair with another character they may. */
export const stopCharacters: ReadonlySet<string> = new Set(words.stopCharacters.split(" "))
