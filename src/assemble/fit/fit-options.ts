import type { Cut, CutSize, PrefixMoved } from "../../core/span.ts"
import type { Injection } from "../../core/value.ts"
import type { PromptFile } from "../../dialect/dialect.ts"
import type { Counting } from "../draft/count.ts"
import type { Draft } from "../draft/draft.ts"
import type { Notices } from "./shrunk.ts"
import type { WaterMarks } from "./water-marks.ts"

/** Why an injection was cut, for the list of decisions. */
export interface FitStep {
  readonly key: string
  readonly cut: CutSize
  readonly reason: string
  /** What it had before, where that is known; else it is looked up. */
  readonly fromTokens?: number
}

/** By key, a number of its own below `count`: the place of its injection among those that were given. */
export interface KeyPlaces {
  readonly of: ReadonlyMap<string, number>
  readonly count: number
}

/** What fitting works with. */
export interface FitOptions {
  readonly places: KeyPlaces
  readonly compose: (injections: readonly Injection[]) => Draft
  /** The prompt's file. */
  readonly file: PromptFile
  readonly counting: Counting
  /** Tokens the whole request may have, with what the provider adds around messages. */
  readonly budgetTokens?: number
  readonly notices: Notices
  /** What an earlier step of this turn cut; absent in its first one. */
  readonly cut?: Cut
  readonly history: WaterMarks
}

/** A draft within its budget. */
export interface Fitted {
  readonly draft: Draft
  /** About what an injection that was cut would have had, each text counted by itself. */
  readonly fromTokens: (key: string) => number
  /** The last one of each key counts. */
  readonly steps: readonly FitStep[]
  readonly cut: Cut
  readonly prefixMoved?: PrefixMoved
}
