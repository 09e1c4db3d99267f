import { countWhile } from "../../core/binary-search.ts"
import { Memo, memoKind } from "../../core/memo.ts"
import { characterTerms, documentTerms, normaliseText, termFields, textRuns } from "../services/recall/text/document-terms.ts"
import { stopCharacters, stopWords, wordTerm } from "../services/recall/text/word-term.ts"

/** The `count` items with the highest scores, best first, equal ones in the order of the list. Items without a score are left out. */
export function topOf<T>(items: Iterable<T>, count: number, scoreOf: (item: T) => number | undefined): T[] {
  if (count <= 0) return []
  const best: T[] = []
  const scores: number[] = []
  for (const item of items) {
    const score = scoreOf(item)
    if (score === undefined) continue
    if (best.length === count && score <= (scores[count - 1] ?? 0)) continue
    const at = countWhile(scores.length, (place) => (scores[place] ?? 0) >= score)
    best.splice(at, 0, item)
    scores.splice(at, 0, score)
    if (best.length > count) {
      best.pop()
      scores.pop()
    }
  }
  return best
}

/** A thing with a text, such as an event. A memo remembers the terms of the text as long as the thing lives. */
interface TextItem {
  readonly text: string
}

const termsKind = memoKind<TextItem, ReadonlySet<string>>()
const plainKind = memoKind<TextItem, string>()

/**
 * Returns a function that says how well a thing fits a question: the share of the question's terms that its text has, from 0 to 1. All
 * terms count the same. It is 0 for everything when the question has no words.
 */
export function relevanceTo(question: TextItem, memo = new Memo()): (thing: TextItem) => number {
  const asked = [...memo.made(termsKind, question, termsOf)]
  return (thing) => {
    if (asked.length === 0) return 0
    const terms = memo.made(termsKind, thing, termsOf)
    return asked.filter((term) => terms.has(term)).length / asked.length
  }
}

const maxQuestionCharacters = 400

/**
 * Returns a function that says how well one of the things fits a question, from 0 to 1. Rare terms count more than those of many texts, and
 * words of grammar count nothing. Both must be high: the share of the question's terms, so that a long question does not fit
 * everything, and the sum of what fits, so that a short one does not fit by a common word.
 */
export function relevanceAmong<T extends TextItem>(
  question: string,
  things: readonly T[],
  memo = new Memo(),
): (thing: T) => number {
  const asked = contentTerms(question)
  if (asked.size === 0 || things.length === 0) return () => 0
  // One scan of all texts for each term costs far less than the terms of all texts.
  const all = things.map((thing) => memo.made(plainKind, thing, plainText))
  const whole = all.join("\n")
  const fits = new Float64Array(things.length)
  let most = 0
  for (const [term, weight] of asked) {
    const found = linesWith(whole, all, term)
    const weighed = weight * Math.log(1 + things.length / Math.max(1, found.length))
    most += weighed
    for (const at of found) fits[at] = (fits[at] ?? 0) + weighed
  }
  const rarest = Math.log(1 + things.length)
  const fitOf = new Map(things.map((thing, at) => [thing, fits[at]]))
  return (thing) => {
    const fit = fitOf.get(thing) ?? 0
    return Math.sqrt((fit / most) * (fit / (fit + rarest)))
  }
}

function plainText({ text }: TextItem): string {
  return normaliseText(text).replaceAll("\n", " ")
}

/** The numbers of the lines that hold a term: a word from its beginning on, one of three letters or less to its end. */
function linesWith(whole: string, lines: readonly string[], term: string): readonly number[] {
  const found: number[] = []
  const isWord = isLetter(term.charCodeAt(0))
  let [line, start] = [0, 0]
  for (let at = whole.indexOf(term); at >= 0; at = whole.indexOf(term, at + 1)) {
    const end = at + term.length
    if (isWord && (isLetter(whole.charCodeAt(at - 1)) || (term.length <= 3 && isLetter(whole.charCodeAt(end))))) continue
    while (start + (lines[line]?.length ?? 0) < at) start += (lines[line++]?.length ?? 0) + 1
    found.push(line)
    at = start + (lines[line]?.length ?? 0)
  }
  return found
}

/** True for a letter or digit of a script with spaces. */
function isLetter(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x7a) || (code >= 0xaa && code < 0x1100)
}

/** The terms of a text, of a long one of its end, that are no words of grammar, with their weights. A pair of characters says more than one character. */
export function contentTerms(question: string): ReadonlyMap<string, number> {
  const terms = new Map<string, number>()
  for (const { text, spaceless } of textRuns(normaliseText(question.slice(-maxQuestionCharacters)))) {
    if (!spaceless) {
      const term = wordTerm(text)
      // A text is not stemmed: the stem is found where it begins a word.
      if (!stopWords.has(text) && !stopWords.has(term)) terms.set(text.startsWith(term) ? term : text, 1)
      continue
    }
    const pairs = [...characterTerms(text)].filter((term) => term.length > 1 || text.length === 1)
    for (const pair of pairs) if (!Array.from(pair).some((character) => stopCharacters.has(character))) terms.set(pair, 1)
  }
  return terms
}

function termsOf({ text }: TextItem): ReadonlySet<string> {
  const counts = documentTerms(text)
  return new Set(termFields.flatMap((field) => [...counts[field].keys()].map((term) => `${field} ${term}`)))
}
