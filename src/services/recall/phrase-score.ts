import type { DocumentTable } from "./document-table.ts"
import { rarity } from "./field-index.ts"
import { characterTerms, type TermField } from "./text/document-terms.ts"
import { maxIndexedCharacters, normaliseText } from "./text/normalise-text.ts"
import { textRuns } from "./text/text-runs.ts"
import { wordTerm } from "./text/word-term.ts"

/** So many texts are read for a phrase at most: those that have its rarest term. */
const maxTextsRead = 1_000

/** For each slot whose text has a phrase in its order: the rarities of the phrase's terms together. */
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
    const text = table.documentAt(slot)?.text.slice(0, maxIndexedCharacters) ?? ""
    if (joined(normaliseText(text)).includes(sought)) scores[slot] = (scores[slot] ?? 0) + worth
  }
}

function phraseTerms(phrase: string): { readonly field: TermField; readonly term: string }[] {
  return textRuns(phrase).flatMap(({ text, spaceless }): { readonly field: TermField; readonly term: string }[] =>
    spaceless ? characterTerms(text).map((term) => ({ field: "characters", term })) : [{ field: "words", term: wordTerm(text) }],
  )
}

/** The runs of a text with one space around each, so that a phrase begins and ends with a word. */
function joined(normalText: string): string {
  const runs = textRuns(normalText).map(({ text, spaceless }) => (spaceless ? text : ` ${text.replace(/'s?$/, "")} `))
  return runs.join("").replaceAll("  ", " ")
}

function newestWith(table: DocumentTable, field: TermField, term: string): number[] {
  const { live, atMs } = table.columns
  const slots: number[] = []
  table.fields[field].forEach(term, (slot) => {
    if (live[slot] === 1) slots.push(slot)
  })
  if (slots.length <= maxTextsRead) return slots
  const id = (slot: number) => table.documentAt(slot)?.id ?? ""
  return slots.sort((a, b) => (atMs[b] ?? 0) - (atMs[a] ?? 0) || (id(a) < id(b) ? -1 : 1)).slice(0, maxTextsRead)
}
