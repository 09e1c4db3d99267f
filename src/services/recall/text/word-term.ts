import { englishStem } from "./english-stem.ts"
import { everydayEquivalents } from "./everyday-equivalents.ts"
import { irregularForms } from "./irregular-forms.ts"
import { stopWords } from "./stop-words.ts"

/** A longer word is read to here. */
const maxWordCharacters = 40

/** A word as it is indexed: its plain form, the name for its group, its stem. A stop word stays as it is. */
export function wordTerm(word: string): string {
  const bounded = word.length > maxWordCharacters ? word.slice(0, maxWordCharacters) : word
  if (stopWords.has(bounded)) return bounded
  const apostrophe = bounded.indexOf("'")
  const bare = apostrophe > 0 ? bounded.slice(0, apostrophe) : bounded
  const stem = englishStem(irregularForms.get(bare) ?? bare)
  return everydayEquivalents.get(stem) ?? stem
}

/** The four-letter pieces of a word with its beginning and its end marked; none for a short word. */
export function fourGrams(word: string): string[] {
  if (word.length < 4) return []
  const marked = `_${word.slice(0, maxWordCharacters)}_`
  return Array.from({ length: marked.length - 3 }, (_, i) => marked.slice(i, i + 4))
}
