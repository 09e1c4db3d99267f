import { checkOptions } from "../../core/check-options.ts"
import { pipe } from "../../core/reader.ts"
import { addPiece } from "../incoming-text.ts"
import { createBubbleReader } from "./bubble-reader.ts"
import { createGuardedReader, plainFormat } from "./guarded-reader.ts"
import { createTextStage, type OutputFormat, type OutputPart, type OutputReader, PartList } from "./output-part.ts"

/** Options of {@link createOutputReader}. */
export interface OutputReaderOptions {
  /** The format of the answer. Default: `plain`. */
  readonly format?: OutputFormat | undefined
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
  if (format !== plainFormat) {
    const parser = createTextStage(() => createGuardedReader(format))
    pipeline = pipe(parser, pipeline)
  }
  for (const stage of stages) pipeline = pipe(pipeline, stage)
  return bubbles ? withEmptyReply(pipeline) : pipeline
}

/** The model writes this to say nothing (R10). */
const emptyMark = "<empty_reply>"

/**
 * Reads `<empty_reply>` around other stages. The mark is removed wherever it stands, before the stages get the text. An
 * answer with the mark and without words ends in an `empty-reply`. Words beside the mark are delivered, with a warning.
 */
export function withEmptyReply(stages: OutputReader): OutputReader {
  const parts = new PartList()
  let held = ""
  let isMarked = false
  let isSpoken = false
  const take = (yielded: readonly OutputPart[]): void => {
    for (const part of yielded) {
      isSpoken ||= part.type === "file" || part.type === "made-file" || (part.type === "text" && part.delta.trim() !== "")
      parts.add(part)
    }
  }
  const say = (delta: string): void => {
    if (delta !== "") take(stages.push({ type: "text", delta }))
  }
  const read = (text: string, isWhole: boolean): void => {
    let from = 0
    for (let at = text.indexOf(emptyMark); at >= 0; at = text.indexOf(emptyMark, from)) {
      isMarked = true
      say(text.slice(from, at))
      from = at + emptyMark.length
    }
    const end = isWhole ? text.length : heldFrom(text)
    say(text.slice(from, end))
    held = text.slice(end)
  }
  return {
    push(part) {
      if (part.type === "text") read(held + part.delta, false)
      else {
        read(held, true)
        take(stages.push(part))
      }
      return parts.take()
    },
    end() {
      read(held, true)
      take(stages.end())
      if (isMarked) parts.add(isSpoken ? beside : { type: "empty-reply" })
      return parts.take()
    },
  }
}

const beside: OutputPart = { type: "warning", message: `expected ${emptyMark} alone; the words beside it are delivered.` }

/** The place of a mark that the end of the text may cut short. */
function heldFrom(text: string): number {
  const tail = text.slice(1 - emptyMark.length)
  const start = tail.lastIndexOf("<")
  return start >= 0 && emptyMark.startsWith(tail.slice(start)) ? text.length - tail.length + start : text.length
}

/** The effect of one part. Both are `""` for none. */
interface DeliveryEffect {
  /** An addition to the answer as one text, in which bubbles are paragraphs. */
  readonly text: string
  /** The whole bubble that ended. */
  readonly bubble: string
}

const nothing: DeliveryEffect = { text: "", bubble: "" }

/** The answer as one text is `before` and the pieces of the bubble at hand. */
interface Delivery {
  before: string
  pieces: string[]
  push(part: OutputPart): DeliveryEffect
}

/**
 * Collects the parts of an answer, both into one text as they come and into whole bubbles. Blank bubbles are dropped (R9), so the
 * white space at the beginning of a bubble waits for its first word.
 */
export function createDelivery(): Delivery {
  let blank = ""
  const delivery: Delivery = {
    before: "",
    pieces: [],
    push(part) {
      const { pieces } = delivery
      if (part.type === "bubble-end") {
        const bubble = pieces.join("")
        delivery.before += bubble
        delivery.pieces = []
        blank = ""
        return { text: "", bubble }
      }
      if (part.type !== "text" || part.delta === "") return nothing
      if (pieces.length > 0) {
        addPiece(pieces, part.delta)
        return { text: part.delta, bubble: "" }
      }
      blank += part.delta
      if (part.delta.trim() === "") return nothing
      const separator = delivery.before === "" ? "" : "\n\n"
      delivery.before += separator
      pieces.push(blank)
      return { text: separator + blank, bubble: "" }
    },
  }
  return delivery
}
