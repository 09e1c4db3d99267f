import { characterTerms, documentTerms, normaliseText, termFields, textRuns } from "../services/recall/text/document-terms.ts"
import { stopCharacters, stopWords, wordTerm } from "../services/recall/text/word-term.ts"

/** The `count` items with the highest scores, best first, equal ones in the order of the list. Items without a score are left out. */
export function topOf<T>(items: readonly T[], count: number, scoreOf: (item: T) => number | undefined): T[] {
  if (count <= 0) return []
  const best: T[] = []
  const scores: number[] = []
  for (const item of items) {
    const score = scoreOf(item)
    if (score === undefined) continue
    if (best.length === count && score <= (scores[count - 1] ?? 0)) continue
    const at = placeOf(scores, score)
    best.splice(at, 0, item)
    scores.splice(at, 0, score)
    if (best.length > count) {
      best.pop()
      scores.pop()
    }
  }
  return best
}

/** The place behind all scores that are as high or higher. */
function placeOf(scores: readonly number[], score: number): number {
  let [low, high] = [0, scores.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((scores[middle] ?? 0) >= score) low = middle + 1
    else high = middle
  }
  return low
}

const maxKeptTexts = 20_000
const termsByText = new Map<string, ReadonlySet<string>>()

/**
 * Returns a function that says how well a text fits a question: the share of the question's terms that the text has, from 0 to 1. All
 * terms count the same. It is 0 for every text when the question has no words.
 */
export function relevanceTo(question: string): (text: string) => number {
  const asked = [...termsOf(question)]
  return (text) => {
    if (asked.length === 0) return 0
    const terms = termsOf(text)
    return asked.filter((term) => terms.has(term)).length / asked.length
  }
}

const maxQuestionCharacters = 1_000
/**
 * Returns a function that says how well one of the texts fits a question, from 0 to 1. Rare terms count more than
 * those of many texts, and words of grammar count nothing. Both must be high: the share of the question's terms, so that a long
 * question does not fit everything, and the sum of what fits, so that a short one does not fit by a common word.
 */
export function relevanceAmong(question: string, texts: readonly string[]): (text: string) => number {
  const asked = questionTerms(question)
  if (asked.size === 0 || texts.length === 0) return () => 0
  const all = texts.map(termsOf)
  const rarest = Math.log(1 + texts.length)
  const weighed = [...asked].map(([term, weight]) => {
    let found = 0
    for (const terms of all) if (terms.has(term)) found++
    return { term, weight: weight * Math.log(1 + texts.length / Math.max(1, found)) }
  })
  const whole = weighed.reduce((sum, { weight }) => sum + weight, 0)
  return (text) => {
    const terms = termsOf(text)
    let fit = 0
    for (const { term, weight } of weighed) if (terms.has(term)) fit += weight
    return Math.sqrt((fit / whole) * (fit / (fit + rarest)))
  }
}

/** The terms of a question with their weights. A pair of characters says more than one character. */
function questionTerms(question: string): ReadonlyMap<string, number> {
  const terms = new Map<string, number>()
  for (const { text, spaceless } of textRuns(normaliseText(question.slice(-maxQuestionCharacters)))) {
    if (!spaceless) {
      const term = wordTerm(text)
      if (!stopWords.has(text) && !stopWords.has(term)) terms.set(`words ${term}`, 1)
      continue
    }
    for (const term of characterTerms(text)) {
      const characters = Array.from(term)
      if (characters.some((character) => stopCharacters.has(character))) continue
      terms.set(`characters ${term}`, characters.length > 1 ? 1 : 0.25)
    }
  }
  return terms
}

function termsOf(text: string): ReadonlySet<string> {
  const known = termsByText.get(text)
  if (known !== undefined) return known
  const counts = documentTerms(text)
  const terms = new Set(termFields.flatMap((field) => [...counts[field].keys()].map((term) => `${field} ${term}`)))
  if (termsByText.size >= maxKeptTexts) termsByText.clear()
  termsByText.set(text, terms)
  return terms
}
