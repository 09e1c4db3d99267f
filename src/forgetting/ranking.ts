import { documentTerms, termFields } from "../services/recall/text/document-terms.ts"

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

function termsOf(text: string): ReadonlySet<string> {
  const known = termsByText.get(text)
  if (known !== undefined) return known
  const counts = documentTerms(text)
  const terms = new Set(termFields.flatMap((field) => [...counts[field].keys()].map((term) => `${field} ${term}`)))
  if (termsByText.size >= maxKeptTexts) termsByText.clear()
  termsByText.set(text, terms)
  return terms
}
