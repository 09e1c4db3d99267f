import { documentTerms, termFields } from "../services/recall/text/document-terms.ts"

/** Says how well texts fit a question: the share of its terms that a text has, from 0 to 1, rare ones and common ones alike. */
export type Relevance = (text: string) => number

const maxKeptTexts = 20_000
const termsByText = new Map<string, ReadonlySet<string>>()

/** The relevance to a question; 0 for everything where it has no words. */
export function relevanceTo(question: string): Relevance {
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

/** The `count` best of a list, best first, equals in the list's order: one pass, a comparison for most of what is not among them. */
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

/** Behind all that score as well or better. */
function placeOf(scores: readonly number[], score: number): number {
  let [low, high] = [0, scores.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((scores[middle] ?? 0) >= score) low = middle + 1
    else high = middle
  }
  return low
}
