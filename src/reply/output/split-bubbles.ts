import { createBubbleReader } from "./bubble-reader.ts"

/** The bubbles of a whole answer, blank ones too (R9): what {@link createBubbleReader} parts of it in a stream. */
export function splitBubbles(text: string): string[] {
  const reader = createBubbleReader()
  const bubbles: string[] = []
  let bubble = ""
  for (const part of [...reader.push({ type: "text", delta: text }), ...reader.end()]) {
    if (part.type === "text") bubble += part.delta
    else if (part.type === "bubble-end") {
      bubbles.push(bubble)
      bubble = ""
    }
  }
  return bubbles
}
