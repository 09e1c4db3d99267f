import { pipe } from "../../core/reader.ts"
import type { OutputReader } from "./output-part.ts"

/**
 * Stages as one: what the first yields is the second's input. At the end each stage gives out what it held back, in order,
 * through those after it. No stages pass everything on.
 */
export function composeReaders(...stages: readonly OutputReader[]): OutputReader {
  return stages.reduce<OutputReader>(pipe, { push: (part) => [part], end: () => [] })
}
