import type { Reader } from "../../core/reader.ts"
import type { OutputPart } from "./output-part.ts"

/** Collects parts into whole bubbles and yields each when it ends. Blank bubbles are dropped (R9). */
export function createBubbleCollector(): Reader<OutputPart, string> {
  let pieces: string[] = []
  const take = (): string[] => {
    const bubble = pieces.join("")
    pieces = []
    return bubble.trim() === "" ? [] : [bubble]
  }
  return {
    push(part) {
      if (part.type === "text") pieces.push(part.delta)
      return part.type === "bubble-end" ? take() : []
    },
    end: take,
  }
}

/**
 * Collects parts into one text as they come: the bubbles that {@link createBubbleCollector} yields, with a blank line between
 * them. Only the white space at the beginning of a bubble waits, for its first word.
 */
export function createTextCollector(): Reader<OutputPart, string> {
  let blanks: string[] = []
  let isInWords = false
  let separator = ""
  return {
    push(part) {
      if (part.type === "bubble-end") {
        blanks = []
        isInWords = false
      }
      if (part.type !== "text" || part.delta === "") return []
      if (isInWords) return [part.delta]
      blanks.push(part.delta)
      if (part.delta.trim() === "") return []
      const delta = separator + blanks.join("")
      blanks = []
      isInWords = true
      separator = "\n\n"
      return [delta]
    },
    end: () => [],
  }
}
