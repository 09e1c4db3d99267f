import { maxIndexedCharacters, normaliseText } from "./normalise-text.ts"
import { stopWords } from "./stop-words.ts"
import { textRuns } from "./text-runs.ts"
import { fourGrams, wordTerm } from "./word-term.ts"

/** The ways in which a text is cut into terms; each has an index of its own. */
export const termFields = ["words", "grams", "characters"] as const
export type TermField = (typeof termFields)[number]

/** How often each term of a text occurs, by field. */
export type TermCounts = Readonly<Record<TermField, ReadonlyMap<string, number>>>

const count = (counts: Map<string, number>, term: string) => counts.set(term, (counts.get(term) ?? 0) + 1)

/** The terms of a text: stems, four-letter pieces of its words, and single characters and pairs of what has no spaces. */
export function documentTerms(text: string): TermCounts {
  const terms = { words: new Map<string, number>(), grams: new Map<string, number>(), characters: new Map<string, number>() }
  for (const run of textRuns(normaliseText(text.slice(0, maxIndexedCharacters)))) {
    if (run.spaceless) {
      for (const term of characterTerms(run.text)) count(terms.characters, term)
      continue
    }
    count(terms.words, wordTerm(run.text))
    if (!stopWords.has(run.text)) for (const gram of fourGrams(run.text)) count(terms.grams, gram)
  }
  return terms
}

/** Each character, and each with the next. */
export function characterTerms(run: string): string[] {
  const characters = Array.from(run)
  return characters.flatMap((character, i) => {
    const next = characters[i + 1]
    return next === undefined ? [character] : [character, character + next]
  })
}
