import { checkOptions } from "../../core/check-options.ts"
import { pipe } from "../../core/reader.ts"
import { createBubbleReader } from "./bubble-reader.ts"
import { withEmptyReply } from "./empty-reply.ts"
import { createGuardedReader, plainFormat } from "./formats.ts"
import { createTextStage, type OutputFormat, type OutputReader } from "./output-part.ts"

/** Options of {@link createOutputReader}. */
export interface OutputReaderOptions {
  /** The format of the answer. Default: `plain`. */
  readonly format?: OutputFormat
  /** True when `@br` ends a bubble (R9) and `<empty_reply>` means silence (R10). Default: false. */
  readonly bubbles?: boolean
  /** Stages that come after the bubbles, such as one for file references (R8). Default: none. */
  readonly stages?: readonly OutputReader[]
}

/**
 * Creates the pipeline for one answer without its thinking: format, bubbles, then further stages. Push the text of the answer
 * as it comes, and a `bubble-end` where a tool call interrupts it. `end` yields the rest. Any cutting of the text yields the
 * same parts, once neighbouring texts are joined.
 */
export function createOutputReader(options: OutputReaderOptions = {}): OutputReader {
  checkOptions("createOutputReader", options, "format bubbles stages")
  const { format = plainFormat, bubbles = false, stages = [] } = options
  let pipeline = createBubbleReader({ marks: bubbles })
  if (format !== plainFormat)
    pipeline = pipe(
      createTextStage(() => createGuardedReader(format)),
      pipeline,
    )
  for (const stage of stages) pipeline = pipe(pipeline, stage)
  return bubbles ? withEmptyReply(pipeline) : pipeline
}
