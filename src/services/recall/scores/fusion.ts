/** The rankings of one question. Scores stand at the same places in both lists. */
export interface Fusion {
  /** The nearness of each text by embedding, 1 for the nearest; NaN for a text without one. */
  readonly near: Float64Array
  /** The score of each text by words, 1 for the best. */
  readonly evidence: Float64Array
  /** The places of the best texts by words, which an embedding should find as well. */
  readonly best: readonly number[]
  /** The share of the question that the best text by words covers, from 0 to 1. */
  readonly covered: number
  /** The most that the embedding may count. */
  readonly weight: number
  /** The number of texts that were ranked, if the lists leave out some that are near to nothing. */
  readonly texts?: number
}

/** The number of texts that are compared. */
export const comparedTexts = 20

const grain = 2 ** 30

/**
 * An agreement up to the first says nothing, because embeddings that know nothing reach it by chance; from the second on it is whole.
 * Chosen on the development topics, the development chats and MADial-Bench.
 */
const [chanceAgreement, wholeAgreement] = [0.1, 0.85]

/**
 * The part that an embedding has in a ranking. It counts less the more of the question the words cover, because words are then the
 * better sign; and it counts by its agreement with the words: by how much nearer than the mean the best texts by words are.
 */
export function embeddingPart({ near, evidence, best, covered, weight, texts = 0 }: Fusion): number {
  const free = Math.min(1, weight) * (1 - covered) ** 3
  let [sum, count] = [0, 0]
  // Whole numbers are added, so that the order of documents does not matter.
  for (const value of near) if (!Number.isNaN(value)) [sum, count] = [sum + Math.round(value * grain), count + 1]
  const mean = sum / Math.max(count, texts) / grain
  let [agreed, worth] = [0, 0]
  for (const at of best) {
    const value = near[at] ?? Number.NaN
    const own = (evidence[at] ?? 0) ** 2
    if (!Number.isNaN(value)) [agreed, worth] = [agreed + own * value, worth + own]
  }
  // Without words that find anything, or with all texts equally near, nothing can be compared.
  if (worth === 0 || mean >= 1) return free
  const agreement = (agreed / worth - mean) / (1 - mean)
  return free * Math.min(1, Math.max(0, (agreement - chanceAgreement) / (wholeAgreement - chanceAgreement)))
}

/** The score of a text by words and by embedding. A text without an embedding is scored by its words alone. */
export function fusedScore(own: number, near: number, part: number): number {
  return Number.isNaN(near) ? own : own + part * (near - own)
}
