/** The rankings of one question. Scores stand at the same places in both lists. */
export interface Fusion {
  /** The nearness of each text by embedding, 1 for the nearest; NaN for a text without one. */
  readonly near: Float64Array
  /** The score of each text by words, 1 for the best. */
  readonly evidence: Float64Array
  /** The places of the best texts by words, which an embedding should find as well. */
  readonly best: readonly number[]
  /** The places of the nearest texts by embedding, of which the words should have found some. */
  readonly nearest: readonly number[]
  /** The share of the question that the best text by words covers, from 0 to 1. */
  readonly covered: number
  /** The most that the embedding may count. Above 1, it counts at least by so much as is above 1, whatever the words find. */
  readonly weight: number
  /** The number of texts that were ranked, if the lists leave out some that are near to nothing. */
  readonly texts?: number
}

/** The number of texts that are compared. */
export const comparedTexts = 20

const grain = 2 ** 30

/**
 * An agreement up to the first says nothing, because embeddings that know little reach it; from the second on it is whole. Chosen on
 * the development topics, the development chats and MADial-Bench.
 */
const [chanceAgreement, wholeAgreement] = [0.17, 0.48]

/**
 * The part that an embedding has in a ranking. It counts less the more of the question the words cover, because words are then the
 * better sign; and it counts by its agreement with the words: by how much nearer than the mean the best texts by words are, and by how
 * much more than the mean the nearest texts have of the words. A poor embedding often has the first, but many texts near by chance. A
 * good one cannot be told by its rankings where it finds much that words do not, so only a weight above 1 lets it count there.
 */
export function embeddingPart({ near, evidence, best, nearest, covered, weight, texts = 0 }: Fusion): number {
  const compared = near.map((value, at) => (Number.isNaN(value) ? value : (evidence[at] ?? 0)))
  const found = excess(near, best, { weights: compared, texts })
  const told = excess(compared, nearest, { weights: near, texts })
  // Without words that find anything, or with all texts equally near, nothing can be compared.
  const isUnknown = found === undefined || told === undefined
  const agreement = isUnknown ? wholeAgreement : Math.sqrt(Math.max(0, found) * Math.max(0, told))
  const agrees = Math.min(1, Math.max(0, (agreement - chanceAgreement) / (wholeAgreement - chanceAgreement)))
  return Math.min(1, Math.max(weight - 1, Math.min(1, weight) * (1 - covered) ** 3 * agrees))
}

/** By how much the values at some places are above the mean of all, as a share of what they can be at most. NaN stands for no value. */
function excess(
  values: Float64Array,
  places: readonly number[],
  { weights, texts }: { readonly weights: Float64Array; readonly texts: number },
): number | undefined {
  let [sum, count] = [0, 0]
  // Whole numbers are added, so that the order of documents does not matter.
  for (const value of values) if (!Number.isNaN(value)) [sum, count] = [sum + Math.round(value * grain), count + 1]
  const mean = sum / Math.max(count, texts) / grain
  let [total, worth] = [0, 0]
  for (const at of places) {
    const value = values[at] ?? Number.NaN
    const weight = (weights[at] ?? 0) ** 2
    if (!Number.isNaN(value)) [total, worth] = [total + weight * value, worth + weight]
  }
  return worth === 0 || mean >= 1 ? undefined : (total / worth - mean) / (1 - mean)
}

/** The score of a text by words and by embedding. A text without an embedding is scored by its words alone. */
export function fusedScore(own: number, near: number, part: number): number {
  return Number.isNaN(near) ? own : own + part * (near - own)
}
