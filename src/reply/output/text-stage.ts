import type { Reader } from "../../core/reader.ts"
import type { OutputPart, OutputReader } from "./output-part.ts"

/**
 * A stage out of readers of plain text: each stretch of text up to a part of another type has a reader of its own, which ends
 * before that part passes.
 */
export function createTextStage(createReader: () => Reader<string, OutputPart>): OutputReader {
  let reader = createReader()
  return {
    push(part) {
      if (part.type === "text") return reader.push(part.delta)
      const held = reader.end()
      reader = createReader()
      return [...held, part]
    },
    end: () => reader.end(),
  }
}
