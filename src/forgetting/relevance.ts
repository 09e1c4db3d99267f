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
