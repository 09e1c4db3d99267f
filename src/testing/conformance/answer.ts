import type { ModelPart } from "../../model/model-part.ts"

/** What came of one request. */
export interface Answer {
  readonly parts: readonly ModelPart[]
  /** What it failed with, if it failed. */
  readonly error?: unknown
}
