import { lazyPattern } from "../../../core/lazy-pattern.ts"
import type { RecallDocument, RecallQuery } from "./recall-query.ts"
import { boundText, characterTerms, normaliseText, signTerms, textRuns } from "./text/document-terms.ts"
import { fourGrams, ownTerms, stopCharacters, stopWords, wordTerm } from "./text/word-term.ts"
import { askedBefore, askedMarks, askedOrder, asksForPast, interrogatives, isQuestion } from "./text-marks.ts"
import { type FoundTime, findTimes } from "./time/find-times.ts"
import type { TimeReference } from "./time/time-reference.ts"

/** The terms, phrases, times and speakers of a query. */
export interface QueryPlan {
  /** The query, normalised. */
  readonly text: string
  /** Weights of the terms, before their rarity. */
  readonly words: ReadonlyMap<string, number>
  readonly characters: ReadonlyMap<string, number>
  /** Of its stop words, those that are about its speaker; none if all words are stop words. */
  readonly own: ReadonlyMap<string, number>
  /** True if most of it stands in questions. */
  readonly isQuestion: boolean
  /** The four-letter pieces of each word, to find it in another form. */
  readonly forms: readonly WordForm[]
  /** Texts in quotation marks, normalised. */
  readonly phrases: readonly string[]
  readonly times: readonly TimeReference[]
  /** The ids of the speakers that the query is about. */
  readonly speakerIds: ReadonlySet<string>
  /** The end of time that the query asks for: `now` wants the newest of what matches, `first` the oldest. */
  readonly order: "newest" | "oldest" | undefined
  /** True if it asks for what held before. */
  readonly past: boolean
  /** The words before whose time it asks for something, as in `before Madrid`. */
  readonly before: string | undefined
  /** True for the kinds of answer that the query asks for. */
  readonly asked: { readonly time: boolean; readonly number: boolean }
}

/** A word of a query in the form in which it was written. */
export interface WordForm {
  readonly term: string
  readonly weight: number
  readonly grams: readonly string[]
}

const maxQueryCharacters = 4_000
const maxPhrases = 4
/** Names and dates have signals of their own, and an answer does not repeat the words that ask, so all these count less. */
const markedTermWeight = 0.25
const quoted = /"([^"\n]{2,120})"|“([^”\n]{2,120})”|「([^」\n]{2,120})」|『([^』\n]{2,120})』/g

/** Reads a query. `names` are speakers' ids by the words that name them; `today` is the number of the day of the query. */
export function planQuery(query: RecallQuery, names: ReadonlyMap<string, ReadonlySet<string>>, today: number): QueryPlan {
  const written = boundText(query.text, maxQueryCharacters)
  const text = normaliseText(written)
  const times = findTimes(text, today)
  const named = namedSpeakers(written, text, names, times)
  const { time, number } = askedMarks(text)
  const phrases = Array.from(text.matchAll(quoted), ([, a, b, c, d]) => (a ?? b ?? c ?? d ?? "").trim()).slice(0, maxPhrases)
  return {
    text,
    ...queryTerms(text, times, named.words),
    phrases: phrases.filter((phrase) => phrase !== ""),
    times: times.flatMap(({ references }) => references),
    speakerIds: new Set([...named.ids, ...pronounIds(text, query)]),
    order: askedOrder(text),
    isQuestion: isQuestion(text),
    past: asksForPast(text),
    before: askedBefore(text),
    // A query that names a time is answered by a line with a time: people say `yesterday` when they tell what happened.
    asked: { time: time || times.length > 0, number },
  }
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
  const asking = interrogatives(text)
  for (const { start, end, weight } of inLines(text, weighedParts(text, times))) {
    for (const term of signTerms(text.slice(start, end))) add(words, term, weight)
    for (const run of textRuns(text.slice(start, end))) {
      if (run.spaceless) {
        const marked = new Set([...namesInside(run.text, names), ...asking].flatMap((run) => [...characterTerms(run)]))
        for (const term of characterTerms(run.text))
          add(characters, term, (marked.has(term) ? markedTermWeight : weight) * characterWeight(term))
        continue
      }
      const term = wordTerm(run.text)
      const own = names.has(run.text.replace(/'s?$/, "")) ? markedTermWeight : weight
      const stop = stopWords.has(run.text) || stopWords.has(term)
      add(stop ? stops : words, term, own)
      if (!stop && !forms.has(run.text))
        forms.set(run.text, { term, weight: own, grams: isNumber(run.text) ? [] : fourGrams(run.text) })
    }
  }
  const only = words.size === 0 && characters.size === 0 ? stops : words
  return {
    words: damped(only),
    own: damped(only === stops ? new Map() : new Map([...stops].filter(([term]) => ownTerms.has(term)))),
    characters: damped(characters),
    forms: [...forms.values()].filter(({ grams }) => grams.length > 0),
  }
}

/** Of several lines the last is what is talked about now. Each line before it counts this share of the next one, but no less than so much. */
const earlierLine = 0.8
const leastLine = 0.6

/** The parts of a text, each cut at the ends of lines, with the weights of their lines. */
function inLines(text: string, parts: readonly TextPart[]): TextPart[] {
  const lines = Array.from(text.matchAll(/[^\n\r\u2028\u2029]+/g)).filter(([line]) => line.trim() !== "")
  return parts.flatMap((part) =>
    lines.flatMap(({ index, 0: line }, at) => {
      const [start, end] = [Math.max(part.start, index), Math.min(part.end, index + line.length)]
      const share = Math.max(leastLine, earlierLine ** (lines.length - 1 - at))
      return start < end ? [{ start, end, weight: part.weight * share }] : []
    }),
  )
}

const digits = lazyPattern(String.raw`\p{N}`, "gu")
const capital = lazyPattern(String.raw`^\p{Lu}`, "u")

/** True for an id or a number: one that differs in a digit is another one, and no form of it. */
function isNumber(word: string): boolean {
  return 2 * (word.match(digits()) ?? []).length >= word.length
}

/** A pair of characters says more than each of them, so one alone counts half. A character of grammar alone counts nothing, and a pair with one little. */
function characterWeight(term: string): number {
  const [one = "", other] = Array.from(term)
  if (other === undefined) return stopCharacters.has(one) ? 0 : 0.5
  return stopCharacters.has(one) || stopCharacters.has(other) ? 0.25 : 1
}

/** A word that occurs twice counts more, but not twice as much. */
function damped(counts: ReadonlyMap<string, number>): Map<string, number> {
  return new Map([...counts].map(([term, weight]) => [term, weight > 1 ? 1 + Math.log(weight) : weight]))
}

/** A part of a text, and how much its words count. */
interface TextPart {
  readonly start: number
  readonly end: number
  readonly weight: number
}

/** The parts of a text between and inside its expressions of time, with the weight of their words. Words of an exact time count little. */
function weighedParts(text: string, times: readonly FoundTime[]): TextPart[] {
  let at = 0
  const cut = times.flatMap(({ start, end, references }) => {
    const fixed = references.every(({ kind }) => kind === "span")
    const isVague = references.some((time) => time.kind === "span" && time.isVague)
    const before = { start: at, end: start, weight: 1 }
    at = end
    return isVague ? [before] : [before, { start, end, weight: fixed ? markedTermWeight : 1 }]
  })
  return [...cut, { start: at, end: text.length, weight: 1 }]
}

/** The ids of speakers by name, each with the number of its documents. */
export class SpeakerNames {
  readonly #idsByName = new Map<string, Map<string, number>>()

  /** Adds (1) or removes (-1) one document of a speaker, with the other names that it gives them. */
  count({ speaker, aliases = [] }: Pick<RecallDocument, "speaker" | "aliases">, by: 1 | -1): void {
    for (const name of [speaker.name, ...aliases].map(folded)) {
      const ids = this.#idsByName.get(name) ?? new Map<string, number>()
      const left = (ids.get(speaker.id) ?? 0) + by
      if (left > 0) ids.set(speaker.id, left)
      else ids.delete(speaker.id)
      if (ids.size > 0) this.#idsByName.set(name, ids)
      else this.#idsByName.delete(name)
    }
  }

  /** The ids of those who have a name. */
  idsOf(name: string): readonly string[] {
    return [...(this.#idsByName.get(folded(name))?.keys() ?? [])]
  }

  /** The names as JSON, for {@link SpeakerNames.restored}. */
  get text(): string {
    return JSON.stringify([...this.#idsByName].map(([name, ids]) => [name, [...ids]]))
  }

  static restored(text: string): SpeakerNames {
    const names = new SpeakerNames()
    for (const [name, ids] of JSON.parse(text) as [string, [string, number][]][]) names.#idsByName.set(name, new Map(ids))
    return names
  }

  /** The ids by each word that may name them: a whole name of one word, or a part of a longer name. */
  named(): ReadonlyMap<string, ReadonlySet<string>> {
    const byWord = new Map<string, Set<string>>()
    for (const [name, ids] of this.#idsByName)
      for (const word of nameWords(name)) byWord.set(word, new Set([...(byWord.get(word) ?? []), ...ids.keys()]))
    return byWord
  }
}

const folded = (name: string): string => normaliseText(name).trim()

function nameWords(name: string): string[] {
  const words = textRuns(name).map(({ text }) => text)
  if (words.length === 1) return words
  return words.filter((word) => word.length > 1 && !stopWords.has(word))
}

/**
 * Finds the speakers that a text names, and the words that name them; it is given as `written` and normalised. A word inside an expression of time (`in May`) is
 * not a name. A stop word (`will`) is a name only with a capital letter.
 */
function namedSpeakers(
  written: string,
  text: string,
  names: ReadonlyMap<string, ReadonlySet<string>>,
  times: readonly FoundTime[],
): { readonly ids: ReadonlySet<string>; readonly words: ReadonlySet<string> } {
  const ids = new Set<string>()
  const words = new Set<string>()
  const capitals = new Set(textRuns(written).flatMap(({ text }) => (capital().test(text) ? [text.toLowerCase()] : [])))
  const outside = times.reduce((left, { start, end }) => left.slice(0, start) + " ".repeat(end - start) + left.slice(end), text)
  for (const run of textRuns(outside)) {
    for (const word of run.spaceless ? namesInside(run.text, names) : [run.text.replace(/'s?$/, "")]) {
      const found = names.get(word)
      if (found === undefined || (stopWords.has(word) && !capitals.has(word))) continue
      words.add(word)
      for (const id of found) ids.add(id)
    }
  }
  return { ids, words }
}

function namesInside(run: string, names: ReadonlyMap<string, unknown> | ReadonlySet<string>): string[] {
  return [...names.keys()].filter((name) => run.includes(name))
}
