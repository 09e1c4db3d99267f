import { checkOptions } from "../../../core/check-options.ts"
import { PromptStrataError } from "../../../core/errors.ts"
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
  checkOptions("fuseRankings", options, "covered weight texts")
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
  const all = ids.map((id, at) => {
    return { id, at, told: best > 0 ? (byWords.get(id) ?? 0) / best : 0, near: ranks.get(id) ?? 0 }
  })
  const byEvidence = all.toSorted((a, b) => b.told - a.told).slice(0, comparedTexts)
  const given = {
    near: Float64Array.from(all, ({ near }) => near),
    evidence: Float64Array.from(all, ({ told }) => told),
    best: byEvidence.map(({ at }) => at),
    nearest: nearest.slice(0, comparedTexts).map((id) => ids.indexOf(id)),
  }
  const part = nearest.length === 0 ? 0 : embeddingPart({ ...given, covered, weight, texts })
  return all.map(({ id, told, near }) => ({ id, score: fusedScore(told, near, part) })).sort((a, b) => b.score - a.score)
}

function outOfRange(expected: string, found: number): PromptStrataError {
  return new PromptStrataError("usage", `fuseRankings expected ${expected}, found ${String(found)}.`)
}
