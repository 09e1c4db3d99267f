import { PromptStrataError } from "../../../core/errors.ts"

/** The signals from which the score of a document is made. */
export type RecallSignal = keyof typeof weights

/** The scores of one signal. */
export interface SignalScore {
  /** The score of a slot that holds a document. */
  readonly at: (slot: number) => number
  /** No slot has more, or if the scores stand in an array, none that is not touched. */
  readonly most: number
  /** The most that each slot may have, if that stands in an array. */
  readonly array?: Float64Array
}

/** A weight for each signal. The first thirteen weigh evidence in units of BM25; the others are parts of a score in which the best match has 1. */
export type RecallWeights = Readonly<Record<RecallSignal, number>>

const weights = {
  words: 1,
  grams: 0.75,
  characters: 1,
  self: 0.75,
  keys: 0.75,
  phrase: 1,
  neighbours: 1,
  session: 0.25,
  talk: 0.5,
  speaker: 2.5,
  time: 1,
  answer: 0.75,
  order: 1,
  vector: 0.8,
  recency: 0.03,
  importance: 0.03,
}

/**
 * The default weights, the same for every language and store. They were chosen by reasoning:
 * - `words`, `characters`: 1, the unit. A found word is worth its rarity.
 * - `grams`: 0.75. A word in another form already counts as half an occurrence; that it is the same word is a guess.
 * - `self`: 0.75. A line that says `I` or `my` is more likely about its speaker's own life, which is what a question with such a word is about;
 *   it may still be about another matter. Chosen on the development topics and chats.
 * - `keys`: 0.75. A model thought of the word, but nobody said it. Chosen on the development topics.
 * - `phrase`: 1 in addition, for quoted words in their order.
 * - `neighbours`: 1. The factors of the window already halve and quarter the lines beside.
 * - `session`: 0.25. A session is about many things, so it only decides between equals.
 * - `talk`: 0.5. Lines around the best one have at most half of its score, so that they come before lines that share a word by chance, and
 *   behind those that answer. Chosen on the development topics and chats.
 * - `speaker`: 2.5, so that one of two speakers, worth ln 2 as a term, counts as odds of about six to one: people talk about themselves.
 * - `time`, `answer`: 1 and 0.75 of a term that is as rare; a kind of answer is a weaker sign than a date.
 * - `order`: 1, so that the newest of those that match doubles what its words are worth, and the next ones get half as much again each.
 * - `vector`: 0.8, the most that an embedding may count. It counts less the more of the question the words cover, and the less it agrees
 *   with the words, so that an embedding that does not suit the texts ruins nothing. Chosen on the development topics and MADial-Bench.
 *   Above 1 it is trusted: it counts at least by so much as is above 1.
 * - `recency`, `importance`: 0.03 each. They decide between equals and never outrank a matching word.
 */
export const defaultRecallWeights: RecallWeights = weights

/** Throws `usage` unless every given weight is a finite number of at least 0. */
export function checkWeights(weights: Partial<RecallWeights>, where: string): void {
  for (const [signal, weight] of Object.entries(weights)) {
    if (weight === undefined || (typeof weight === "number" && Number.isFinite(weight) && weight >= 0)) continue
    const message = `expected a finite number of at least 0 as the weight ${signal} of ${where}, found ${String(weight)}`
    throw new PromptStrataError("usage", message, { hint: "0 leaves a signal out." })
  }
}

export const recallSignals = Object.keys(weights) as readonly RecallSignal[]

/** The signals that compare a document with the question. They are added up, and the best sum counts as 1. */
export const evidenceSignals = recallSignals.slice(0, 13)
