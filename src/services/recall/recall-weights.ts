/** The signals from which the score of a document is made. */
export type RecallSignal = keyof typeof weights

/** A weight for each signal. The first nine weigh evidence in units of BM25; the others are parts of a score in which the best match has 1. */
export type RecallWeights = Readonly<Record<RecallSignal, number>>

const weights = {
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

/**
 * The default weights, the same for every language and store. They were chosen by reasoning:
 * - `words`, `characters`: 1, the unit. A found word is worth its rarity.
 * - `grams`: 0.75. A word in another form already counts as half an occurrence; that it is the same word is a guess.
 * - `phrase`: 1 in addition, for quoted words in their order.
 * - `neighbours`: 1. The factors of the window already halve and quarter the lines beside.
 * - `session`: 0.25. A session is about many things, so it only decides between equals.
 * - `speaker`: 2.5, so that one of two speakers, worth ln 2 as a term, counts as odds of about six to one: people talk about themselves.
 * - `time`, `answer`: 1 and 0.75 of a term that is as rare; a kind of answer is a weaker sign than a date.
 * - `vector`: 0.65. An embedding that suits the language finds more than words do, and words still correct it.
 * - `recency`, `importance`: 0.03 each. They decide between equals and never outrank a matching word.
 */
export const defaultRecallWeights: RecallWeights = weights

export const recallSignals = Object.keys(weights) as readonly RecallSignal[]

/** The signals that compare a document with the question. They are added up, and the best sum counts as 1. */
export const evidenceSignals = recallSignals.slice(0, 9)
