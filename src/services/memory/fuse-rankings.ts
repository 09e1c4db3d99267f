import { checkOptions } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"
import { comparedTexts, embeddingPart, fusedScore } from "../recall/scores/fusion.ts"

/** A text that a search found. */
export interface RankedText {
  readonly id: string
  /** At least 0; only the proportions within one ranking count. */
  readonly score: number
}

/** Options of {@link fuseRankings}. */
export interface FuseOptions {
  /** The share of the question that the best text by words covers, from 0 to 1: the score of the first memory that recall found. */
  readonly covered: number
  /** The most that the embedding may count, from 0 to 1. Default 0.8. */
  readonly weight?: number
  /** The number of texts that were searched. Default: those in the rankings. */
  readonly texts?: number
}

/** The work of `fuseRankings`, which loads this file when it is called. */
export function fused(words: readonly RankedText[], near: readonly string[], options: FuseOptions): readonly RankedText[] {
  checkOptions("fuseRankings", options, { covered: true, weight: true, texts: true })
  const { covered, weight = 0.8, texts = 0 } = options
  for (const [name, value] of Object.entries({ covered, weight }))
    if (!(value >= 0 && value <= 1)) throw outOfRange(`${name} from 0 to 1`, value)
  if (!(texts >= 0 && texts < Infinity)) throw outOfRange("texts as a number of at least 0", texts)
  for (const { score } of words) if (!(score >= 0 && score < Infinity)) throw outOfRange("finite scores of at least 0", score)
  const byWords = new Map<string, number>()
  for (const { id, score } of words) if (!byWords.has(id)) byWords.set(id, score)
  const nearest = [...new Set(near)]
  const ids = [...new Set([...byWords.keys(), ...nearest])]
  const best = Math.max(0, ...byWords.values())
  const ranks = new Map(nearest.map((id, rank) => [id, 1 - rank / nearest.length]))
  const evidence = Float64Array.from(ids, (id) => (best > 0 ? (byWords.get(id) ?? 0) / best : 0))
  const nearness = Float64Array.from(ids, (id) => (nearest.length === 0 ? Number.NaN : (ranks.get(id) ?? 0)))
  const order = [...ids.keys()].sort((a, b) => (evidence[b] ?? 0) - (evidence[a] ?? 0))
  const compared = order.filter((at) => (evidence[at] ?? 0) > 0).slice(0, comparedTexts)
  const first = nearest.slice(0, comparedTexts).map((id) => ids.indexOf(id))
  const given = { near: nearness, evidence, best: compared, nearest: first, covered, weight, texts }
  const part = nearest.length === 0 ? 0 : embeddingPart(given)
  const fused = ids.map((id, at) => ({ id, score: fusedScore(evidence[at] ?? 0, nearness[at] ?? Number.NaN, part) }))
  return fused.sort((a, b) => b.score - a.score)
}

function outOfRange(expected: string, found: number): PromptStrataError {
  return new PromptStrataError("usage", `fuseRankings expected ${expected}, found ${String(found)}.`)
}
