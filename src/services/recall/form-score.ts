import type { DocumentTable } from "./document-table.ts"
import { rarity } from "./field-index.ts"
import { saturated } from "./field-score.ts"
import type { WordForm } from "./query-plan.ts"

/** A text has a word in another form where it has this share of its pieces; it then counts as half an occurrence. */
const minShare = 0.4
const formFrequency = 0.5
/** A word that more texts have as it is needs no other forms. */
const maxFoundShare = 0.01
const maxFound = 20
/** So many postings are read for all words together. */
const maxPostings = 100_000

/** What the words of a question are worth to texts that have them in another form only (`marriage`, `marrying`, a slip of the pen). */
export function formScores(table: DocumentTable, forms: readonly WordForm[]): Float64Array {
  const { slots: total, fields, size } = table
  const scores = table.scoreArrays.take()
  const penalty = fields.words.lengthPenalties(size)
  const pieces = new Uint8Array(total)
  let postings = 0
  const plenty = Math.max(maxFound, size * maxFoundShare)
  for (const form of forms.filter(({ term }) => fields.words.foundIn(term) <= plenty)) {
    postings += form.grams.reduce((sum, gram) => sum + fields.grams.foundIn(gram), 0)
    if (postings > maxPostings) break
    const slots = slotsWithForm(table, form, pieces)
    const worth = form.weight * rarity(size, slots.length + fields.words.foundIn(form.term))
    for (const slot of slots) scores[slot] = (scores[slot] ?? 0) + worth * saturated(formFrequency, penalty[slot] ?? 1)
  }
  return scores
}

/**
 * The slots that have enough of a word's pieces and not its term. Who has enough has one of the rarest, so the commonest begin
 * nothing. `pieces` is all zero, before and after.
 */
function slotsWithForm({ columns: { live }, fields }: DocumentTable, { term, grams }: WordForm, pieces: Uint8Array): number[] {
  const enough = Math.ceil(grams.length * minShare)
  const rarestFirst = grams.toSorted((a, b) => fields.grams.foundIn(a) - fields.grams.foundIn(b))
  const touched: number[] = []
  rarestFirst.forEach((gram, i) => {
    const mayBegin = i <= grams.length - enough
    fields.grams.forEach(gram, (slot) => {
      const count = pieces[slot] ?? 0
      if (count > 0) pieces[slot] = count + 1
      else if (mayBegin) {
        pieces[slot] = 1
        touched.push(slot)
      }
    })
  })
  fields.words.forEach(term, (slot) => {
    pieces[slot] = 0
  })
  const found = touched.filter((slot) => live[slot] === 1 && (pieces[slot] ?? 0) >= enough)
  for (const slot of touched) pieces[slot] = 0
  return found
}
