import { messageOf } from "../../core/errors.ts"
import type { Reader } from "../../core/reader.ts"
import type { OutputFormat, OutputPart, OutputReader } from "./output-part.ts"
import { createTextStage } from "./text-stage.ts"

/**
 * A format as a stage. A reader that throws breaks no turn: from the piece it threw at, the text passes as it is, after one
 * warning.
 */
export function createFormatStage(format: OutputFormat): OutputReader {
  return createTextStage(() => guarded(format))
}

function guarded(format: OutputFormat): Reader<string, OutputPart> {
  let reader: Reader<string, OutputPart> | undefined
  let isBroken = false
  const attempt = (read: (reader: Reader<string, OutputPart>) => OutputPart[], rest: readonly OutputPart[]): OutputPart[] => {
    if (isBroken) return [...rest]
    try {
      reader ??= format.createReader({})
      return read(reader)
    } catch (error) {
      isBroken = true
      const message = `the reader of the format ${format.name} threw; the text passes as it is: ${messageOf(error)}`
      return [{ type: "warning", message }, ...rest]
    }
  }
  return {
    push: (delta) => attempt((reader) => reader.push(delta), [{ type: "text", delta }]),
    end: () => attempt((reader) => reader.end(), []),
  }
}
