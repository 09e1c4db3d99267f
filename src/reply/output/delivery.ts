import type { OutputPart } from "./output-part.ts"

/** The effect of one part. Both are `""` for none. */
interface Delivered {
  /** An addition to the answer as one text, in which bubbles are paragraphs. */
  readonly text: string
  /** The whole bubble that ended. */
  readonly bubble: string
}

const nothing: Delivered = { text: "", bubble: "" }

/**
 * Collects the parts of an answer, both into one text as they come and into whole bubbles. Blank bubbles are dropped (R9), so the
 * white space at the beginning of a bubble waits for its first word.
 */
export function createDelivery(): { push(part: OutputPart): Delivered } {
  let pieces: string[] = []
  let isInWords = false
  let separator = ""
  return {
    push(part) {
      if (part.type === "bubble-end") {
        const bubble = isInWords ? pieces.join("") : ""
        pieces = []
        isInWords = false
        return { text: "", bubble }
      }
      if (part.type !== "text" || part.delta === "") return nothing
      pieces.push(part.delta)
      if (isInWords) return { text: part.delta, bubble: "" }
      if (part.delta.trim() === "") return nothing
      const text = separator + pieces.join("")
      isInWords = true
      separator = "\n\n"
      return { text, bubble: "" }
    },
  }
}
