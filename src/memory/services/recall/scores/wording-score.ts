import type { DocumentTable } from "../documents/document-table.ts"
import { rarity } from "../documents/field-index.ts"
import type { QueryPlan, WordForm } from "../query-plan.ts"
import { characterTerms, documentTerms, normaliseText, type TermField, textRuns } from "../text/document-terms.ts"
import { wordTerm } from "../text/word-term.ts"
import { saturated, wholeWorth } from "./field-score.ts"

/** A text with at least this share of a word's pieces has the word in another form. That counts as half an occurrence. */
const minShare = 0.4
const formFrequency = 0.5
/** A word that more texts contain needs no search for other forms. */
const maxFoundShare = 0.01
const maxFound = 20
/** At most this many postings are read for all words together. */
const maxPostings = 100_000

/** Scores texts that have words of the query only in another form (`marriage` and `marrying`, or a misspelling). */
export function formScores(table: DocumentTable, forms: readonly WordForm[]): Float64Array {
  const { slots: total, fields, size } = table
  const scores = table.scoreArrays.take()
  const penaltyOf = fields.words.lengthPenalty(size)
  const pieces = new Uint8Array(total)
  let [postings, spelt] = [0, 0]
  const plenty = Math.max(maxFound, size * maxFoundShare)
  for (const form of forms.filter(({ term }) => fields.words.foundIn(term) <= plenty)) {
    postings += form.grams.reduce((sum, gram) => sum + fields.grams.foundIn(gram), 0)
    if (postings > maxPostings) break
    const slots = [...slotsWithForm(table, form, pieces)]
    if (fields.words.foundIn(form.term) === 0 && spelt++ < maxSpelt) addMisspelt(table, form.term, slots)
    const worth = form.weight * rarity(size, slots.length + fields.words.foundIn(form.term))
    for (const slot of slots) table.scoreArrays.add(scores, slot, worth * saturated(formFrequency, penaltyOf(slot)))
  }
  return scores
}

/**
 * The slots that have enough of a word's pieces and not its term. A slot with enough pieces has one of the rarest, so the commonest
 * pieces start no new slot. `pieces` must be all zero, and is all zero afterwards.
 */
function slotsWithForm({ columns: { live }, fields }: DocumentTable, { term, grams }: WordForm, pieces: Uint8Array): number[] {
  const enough = Math.ceil(grams.length * minShare)
  const rarestFirst = grams.toSorted((a, b) => fields.grams.foundIn(a) - fields.grams.foundIn(b))
  const touched: number[] = []
  rarestFirst.forEach((gram, i) => {
    const mayStart = i <= grams.length - enough
    fields.grams.forEach(gram, (slot) => {
      const count = pieces[slot] ?? 0
      if (count > 0) pieces[slot] = count + 1
      else if (mayStart) {
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

/** At most this many words of a query are compared with all words of the index, and this many of those are taken. */
const maxSpelt = 8
const maxNear = 8

/** Adds the slots whose texts have a word that is spelt nearly as a term. */
function addMisspelt({ columns: { live }, fields }: DocumentTable, term: string, slots: number[]): void {
  const known = new Set(slots)
  for (const near of fields.words.near(term, maxNear)) {
    fields.words.forEach(near, (slot) => {
      if (live[slot] !== 1 || known.has(slot)) return
      known.add(slot)
      slots.push(slot)
    })
  }
}

/** At most this many texts are read for a phrase: the newest that have its rarest term. */
const maxTextsRead = 1_000

/** Scores texts that contain a phrase: by the sum of the rarities of its terms. */
export function phraseScores(table: DocumentTable, phrases: readonly string[]): Float64Array {
  const scores = table.scoreArrays.take()
  for (const phrase of phrases) scorePhrase(table, phrase, scores)
  return scores
}

function scorePhrase(table: DocumentTable, phrase: string, scores: Float64Array): void {
  const terms = phraseTerms(phrase)
    .map(({ field, term }) => ({ field, term, found: table.fields[field].foundIn(term) }))
    .sort((a, b) => a.found - b.found)
  const rarest = terms[0]
  if (rarest === undefined || rarest.found === 0) return
  const worth = terms.reduce((sum, { found }) => sum + rarity(table.size, found), 0)
  const sought = joined(phrase)
  for (const slot of newestWith(table, rarest.field, rarest.term)) {
    if (joined(normaliseText(table.passageAt(slot).text)).includes(sought)) table.scoreArrays.add(scores, slot, worth)
  }
}

function phraseTerms(phrase: string): { readonly field: TermField; readonly term: string }[] {
  return textRuns(phrase).flatMap(({ text, spaceless }) => {
    const field: TermField = spaceless ? "characters" : "words"
    return (spaceless ? [...characterTerms(text)] : [wordTerm(text)]).map((term) => ({ field, term }))
  })
}

/** The runs of a text with one space around each word, so that a phrase matches whole words only. */
function joined(normalText: string): string {
  const runs = textRuns(normalText).map(({ text, spaceless }) => (spaceless ? text : ` ${text.replace(/'s?$/, "")} `))
  return runs.join("").replaceAll("  ", " ")
}

function newestWith(table: DocumentTable, field: TermField, term: string): number[] {
  const { live } = table.columns
  const slots: number[] = []
  table.fields[field].forEach(term, (slot) => {
    if (live[slot] === 1) slots.push(slot)
  })
  if (slots.length <= maxTextsRead) return slots
  return slots.sort((a, b) => table.newestFirst(a, b)).slice(0, maxTextsRead)
}

const sentences = /[^\n.!?。！？]+[\n.!?。！？]*/g

/** The place in the text of a slot's document where the sentence of its passage begins that has most of a query's words, the rare ones most. */
export function bestPlace(table: DocumentTable, { words, characters }: QueryPlan, slot: number): number {
  const { fields, size } = table
  const { before, text } = table.passageAt(slot)
  const all = [...text.matchAll(sentences)]
  let [place, most] = [before, 0]
  // Of a single sentence there is nothing to compare: most memories have one, and each turn asks for some.
  if (all.length > 1)
    for (const { index, 0: sentence } of all) {
      const told = documentTerms(sentence)
      const worth =
        wholeWorth(fields.words, new Map([...words].filter(([term]) => told.words.has(term))), size) +
        wholeWorth(fields.characters, new Map([...characters].filter(([term]) => told.characters.has(term))), size)
      if (worth > most) [place, most] = [before + index + sentence.search(/\S/), worth]
    }
  return place
}
