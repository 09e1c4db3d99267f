import type { Reader } from "../../core/reader.ts"
import type { OutputPart } from "./output-part.ts"

/** Parts in, whole bubbles out as each ends; blank ones are dropped, as there is nothing to send (R9). */
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
 * Parts in, the answer's words out as one text: what {@link createBubbleCollector} yields, each parted from the last by a blank
 * line, as it comes. Only the blanks that a bubble begins with wait, for the first word.
 */
export function createTextCollector(): Reader<OutputPart, string> {
  let blanks: string[] = []
  let isInWords = false
  let parting = ""
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
      const delta = parting + blanks.join("")
      blanks = []
      isInWords = true
      parting = "\n\n"
      return [delta]
    },
    end: () => [],
  }
}
