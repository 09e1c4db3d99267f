import type { RecallQuery } from "./recall-query.ts"
import { namedSpeakers } from "./speaker-names.ts"
import { characterTerms } from "./text/document-terms.ts"
import { boundText, normaliseText } from "./text/normalise-text.ts"
import { stopCharacters, stopWords } from "./text/stop-words.ts"
import { textRuns } from "./text/text-runs.ts"
import { fourGrams, wordTerm } from "./text/word-term.ts"
import { askedMarks } from "./text-marks.ts"
import { type FoundTime, findTimes } from "./time/find-times.ts"
import type { TimeReference } from "./time/time-reference.ts"

/** A question, read. */
export interface QueryPlan {
  /** What each term counts, before its rarity. */
  readonly words: ReadonlyMap<string, number>
  readonly characters: ReadonlyMap<string, number>
  /** The pieces of each word, to find it in another form. */
  readonly forms: readonly WordForm[]
  /** What stood in quotation marks, normalised. */
  readonly phrases: readonly string[]
  readonly times: readonly TimeReference[]
  /** The ids of the speakers it is about; none where it names nobody. */
  readonly speakerIds: ReadonlySet<string>
  readonly asked: { readonly time: boolean; readonly number: boolean }
}

/** A word of a question as it was written. */
export interface WordForm {
  readonly term: string
  readonly weight: number
  readonly grams: readonly string[]
}

const maxQueryCharacters = 4_000
const maxPhrases = 4
/** What a name or a date is matched by is its own signal; its words say little beside it. */
const markedTermWeight = 0.25
const quoted = /"([^"\n]{2,120})"|“([^”\n]{2,120})”|「([^」\n]{2,120})」|『([^』\n]{2,120})』/g

/** Reads a question, where `today` is the day it is asked on. */
export function planQuery(query: RecallQuery, names: ReadonlyMap<string, ReadonlySet<string>>, today: number): QueryPlan {
  const written = boundText(query.text, maxQueryCharacters)
  const text = normaliseText(written)
  const times = findTimes(text, today)
  const named = namedSpeakers(written, text, names, times)
  const phrases = Array.from(text.matchAll(quoted), ([, a, b, c, d]) => (a ?? b ?? c ?? d ?? "").trim()).slice(0, maxPhrases)
  return {
    ...queryTerms(text, times, named.words),
    phrases: phrases.filter((phrase) => phrase !== ""),
    times: times.flatMap(({ references }) => references),
    speakerIds: new Set([...named.ids, ...pronounIds(text, query)]),
    asked: askedOf(text, times),
  }
}

/** What happened at some time is told with a time (`yesterday`), so a question that names one is answered by such a line. */
function askedOf(text: string, times: readonly FoundTime[]): QueryPlan["asked"] {
  const { time, number } = askedMarks(text)
  return { time: time || times.length > 0, number }
}

const first = /\b(?:i|i'm|i've|i'd|i'll|me|my|mine|myself)\b|我/
const second = /\b(?:you|you're|you've|you'd|you'll|your|yours|yourself)\b|你|您/

function pronounIds(text: string, { askedBy, askedOf }: RecallQuery): string[] {
  return [first.test(text) ? askedBy : undefined, second.test(text) ? askedOf : undefined].filter((id) => id !== undefined)
}

function queryTerms(text: string, times: readonly FoundTime[], names: ReadonlySet<string>) {
  const [words, stops, characters] = [new Map<string, number>(), new Map<string, number>(), new Map<string, number>()]
  const forms = new Map<string, WordForm>()
  const add = (counts: Map<string, number>, term: string, weight: number) => counts.set(term, (counts.get(term) ?? 0) + weight)
  for (const { start, end, weight } of stretches(text, times)) {
    for (const run of textRuns(text.slice(start, end))) {
      if (run.spaceless) {
        for (const term of characterTerms(run.text)) add(characters, term, weight * characterWeight(term))
        continue
      }
      const term = wordTerm(run.text)
      const own = names.has(run.text.replace(/'s?$/, "")) ? markedTermWeight : weight
      const stop = stopWords.has(run.text) || stopWords.has(term)
      add(stop ? stops : words, term, own)
      if (!stop && !forms.has(run.text)) forms.set(run.text, { term, weight: own, grams: fourGrams(run.text) })
    }
  }
  const only = words.size === 0 && characters.size === 0 ? stops : words
  return {
    words: damped(only),
    characters: damped(characters),
    forms: [...forms.values()].filter(({ grams }) => grams.length > 0),
  }
}

/** A pair says what its two characters say and more, so each of those counts half, and one of grammar nothing. */
function characterWeight(term: string): number {
  const [one = "", other] = Array.from(term)
  if (other === undefined) return stopCharacters.has(one) ? 0 : 0.5
  return stopCharacters.has(one) && stopCharacters.has(other) ? 0.25 : 1
}

/** What is said twice counts more, though not twice as much. */
function damped(counts: ReadonlyMap<string, number>): Map<string, number> {
  return new Map([...counts].map(([term, weight]) => [term, weight > 1 ? 1 + Math.log(weight) : weight]))
}

/** The text cut at its expressions of time, whose words count little. */
function stretches(text: string, times: readonly FoundTime[]) {
  let at = 0
  const cut = times.flatMap(({ start, end, references }) => {
    const fixed = references.every(({ kind }) => kind === "span")
    const before = { start: at, end: start, weight: 1 }
    at = end
    return [before, { start, end, weight: fixed ? markedTermWeight : 1 }]
  })
  return [...cut, { start: at, end: text.length, weight: 1 }]
}
