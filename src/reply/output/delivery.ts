import { addPiece } from "../incoming-text.ts"
import type { OutputPart } from "./output-part.ts"

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
