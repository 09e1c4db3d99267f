import { pipe } from "../../core/reader.ts"
import { createBubbleReader } from "./bubble-reader.ts"
import { withEmptyReply } from "./empty-reply.ts"
import { createFormatStage } from "./format-stage.ts"
import { plainFormat } from "./formats.ts"
import type { OutputFormat, OutputReader } from "./output-part.ts"

/** How an answer is read. */
export interface OutputReaderOptions {
  /** Default: `plain`. */
  readonly format?: OutputFormat
  /** True where `@br` parts bubbles (R9) and `<empty_reply>` means silence (R10). Default: false. */
  readonly bubbles?: boolean
  /** Stages that come after the bubbles, such as one for file references (R8). Default: none. */
  readonly stages?: readonly OutputReader[]
}

/**
 * The pipeline for one answer, whose thinking is gone already: format, bubbles, then further stages. Push the answer's text as
 * it comes, and a `bubble-end` where a tool call parts it; `end` gives out the rest. Any cutting of the text yields the same
 * parts, once neighbouring texts are joined.
 */
export function createOutputReader({
  format = plainFormat,
  bubbles = false,
  stages = [],
}: OutputReaderOptions = {}): OutputReader {
  const pipeline = composeReaders(createFormatStage(format), createBubbleReader({ marks: bubbles }), ...stages)
  return bubbles ? withEmptyReply(pipeline) : pipeline
}

/**
 * Stages as one: what the first yields is the second's input. At the end each stage gives out what it held back, in order,
 * through those after it. No stages pass everything on.
 */
export function composeReaders(...stages: readonly OutputReader[]): OutputReader {
  return stages.reduce<OutputReader>(pipe, { push: (part) => [part], end: () => [] })
}
