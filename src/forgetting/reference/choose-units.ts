import { type Relevance, relevanceTo } from "../relevance.ts"
import { topOf } from "../top-of.ts"
import type { CompressionCriterion, CompressionLevel } from "./reference-source.ts"

/** One message, line or sentence of what is compressed. */
export interface ReferenceUnit {
  readonly text: string
  /** How often it came up. Default 0. */
  readonly uses?: number
}

/** By what units are chosen. */
export interface UnitChoice {
  readonly level: CompressionLevel
  readonly criterion: CompressionCriterion
  /** Default: the level's share of them. */
  readonly count?: number
  readonly topic: string
}

/** The share of the units that a level leaves. */
const shares: Readonly<Record<CompressionLevel, number>> = { weak: 0.6, medium: 0.3, extreme: 0.1 }

/** How many units a choice leaves; at least one where there is one. */
export function chosenCount(total: number, { level, count }: Pick<UnitChoice, "level" | "count">): number {
  return Math.min(total, Math.max(1, Math.floor(count ?? Math.ceil(total * shares[level]))))
}

/** The units that a compression leaves, in their order. */
export function chooseUnits(units: readonly ReferenceUnit[], choice: UnitChoice): readonly ReferenceUnit[] {
  const relevance = relevanceTo(choice.topic)
  const mostUsed = Math.max(1, ...units.map(({ uses = 0 }) => uses))
  const places = units.map((unit, at) => ({ unit, at, newness: units.length > 1 ? at / (units.length - 1) : 1 }))
  const best = topOf(places, chosenCount(units.length, choice), ({ unit, newness }) =>
    score(choice.criterion, { match: () => relevance(unit.text), newness, use: (unit.uses ?? 0) / mostUsed }),
  )
  return best.sort((a, b) => a.at - b.at).map(({ unit }) => unit)
}

interface Signals {
  readonly match: () => ReturnType<Relevance>
  readonly newness: number
  readonly use: number
}

function score(criterion: CompressionCriterion, { match, newness, use }: Signals): number {
  switch (criterion) {
    case "best-match":
      return match()
    case "worst-match":
      return -match()
    case "newest":
      return newness
    case "oldest":
      return -newness
    case "most-used":
      return use
    case "least-used":
      return -use
    default: {
      const [ofMatch, ofNewness, ofUse] = criterion.weights
      return ofMatch * match() + ofNewness * newness + ofUse * use
    }
  }
}
