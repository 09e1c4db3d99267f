import type { ProviderHappening, ProviderScript } from "./provider-scene.ts"
import type { Stage } from "./stage.ts"

/**
 * What a wire format must be able to say for a check to make sense: a kind of happening, half a character in a piece of
 * text, a count of tokens that is not there, or anything at all after the finish.
 */
export type ConformanceNeed = ProviderHappening["type"] | "split-characters" | "absent-counts" | "after-finish"

/** A check as the suite keeps it. */
export interface Check {
  readonly name: string
  /** What it needs beside text and a finish. */
  readonly needs?: readonly ConformanceNeed[]
  /** Default false. */
  readonly tools?: boolean
  readonly scripts: readonly ProviderScript[]
  verify(stage: Stage): Promise<void>
}
