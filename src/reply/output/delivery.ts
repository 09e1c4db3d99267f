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

/** Parts in, the answer's words out as one text: bubbles become paragraphs, each parted from the last by a blank line. */
export function createTextCollector(): Reader<OutputPart, string> {
  let isParted = false
  let isSpoken = false
  return {
    push(part) {
      if (part.type === "bubble-end") isParted = isSpoken
      if (part.type !== "text" || part.delta === "") return []
      const delta = isParted ? `\n\n${part.delta}` : part.delta
      isParted = false
      isSpoken = true
      return [delta]
    },
    end: () => [],
  }
}
