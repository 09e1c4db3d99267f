/** What speaks for a document being the one that is looked for. */
export const recallSignals = [
  "words",
  "grams",
  "characters",
  "phrase",
  "neighbours",
  "session",
  "speaker",
  "time",
  "answer",
  "vector",
  "recency",
  "importance",
] as const
export type RecallSignal = (typeof recallSignals)[number]

/** One number for each signal. The first nine weigh evidence in units of BM25; the rest are parts of a score whose best match has 1. */
export type RecallWeights = Readonly<Record<RecallSignal, number>>

/** The signals that speak about what was asked; they are added up, and the best sum counts as 1. */
export const evidenceSignals = recallSignals.slice(0, 9)

/**
 * Set by reasoning, once for every language and store:
 * - `words`, `characters`: 1, the unit. A word found is worth its rarity.
 * - `grams`: 0.75. A word in another form counts as half an occurrence already; that it is the same word is a guess.
 * - `phrase`: 1 more for quoted words in their order.
 * - `neighbours`: 1; the window's own factors already halve and quarter what stands beside.
 * - `session`: 0.25. A session is about many things, so it decides between equals and no more.
 * - `speaker`: 2.5, so that one of two speakers, worth ln 2 as a term, counts as odds of about six to one: people tell of themselves.
 * - `time`, `answer`: 1 and 0.75 of what a term that is as rare would count; a kind of answer is a weaker sign than a date.
 * - `vector`: 0.65. An embedding that is fit for the language finds more than words do, and words still correct it.
 * - `recency`, `importance`: 0.03 each. They part equals and never outrank a match of a word.
 */
export const defaultRecallWeights: RecallWeights = {
  words: 1,
  grams: 0.75,
  characters: 1,
  phrase: 1,
  neighbours: 1,
  session: 0.25,
  speaker: 2.5,
  time: 1,
  answer: 0.75,
  vector: 0.65,
  recency: 0.03,
  importance: 0.03,
}
