import { type FieldIndex, rarity } from "./field-index.ts"

/** A term of the question with what it counts, its rarity included. */
export interface WeighedTerm {
  readonly term: string
  readonly weight: number
  readonly rarity: number
}

/** A question reads no more terms and postings than these of a field, those of the rarest terms first: its time is bounded. */
const maxTerms = 96
const maxPostings = 100_000

/** The terms that count most, in an order that depends on nothing but them. */
export function weighedTerms(index: FieldIndex, counts: ReadonlyMap<string, number>, total: number): WeighedTerm[] {
  const terms: WeighedTerm[] = []
  for (const [term, weight] of counts) {
    const found = index.foundIn(term)
    if (found > 0 && weight > 0) terms.push({ term, weight, rarity: rarity(total, found) })
  }
  const count = ({ weight, rarity }: WeighedTerm) => weight * rarity
  terms.sort((a, b) => count(b) - count(a) || (a.term < b.term ? -1 : 1))
  let postings = 0
  return terms.filter(({ term }, i) => {
    postings += index.foundIn(term)
    return i === 0 || (i < maxTerms && postings <= maxPostings)
  })
}
