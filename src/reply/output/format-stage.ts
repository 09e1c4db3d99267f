import { messageOf } from "../../core/errors.ts"
import type { Reader } from "../../core/reader.ts"
import { checkedParts } from "./checked-parts.ts"
import type { OutputFormat, OutputPart, OutputReader } from "./output-part.ts"
import { createTextStage } from "./text-stage.ts"

/**
 * A format as a stage. A reader that throws, or hands over what are no parts, breaks no turn: after one warning the text passes as
 * it is, from the first piece of which nothing had come yet.
 */
export function createFormatStage(format: OutputFormat): OutputReader {
  return createTextStage(() => guarded(format))
}

function guarded(format: OutputFormat): Reader<string, OutputPart> {
  let reader: Reader<string, OutputPart> | undefined
  let isBroken = false
  // What the reader took in since it last gave something: it may hold all of it.
  let held = ""
  const attempt = (read: (reader: Reader<string, OutputPart>) => unknown, delta: string): OutputPart[] => {
    if (isBroken) return textOf(delta)
    try {
      reader ??= format.createReader({})
      const parts = checkedParts(read(reader))
      held = parts.length > 0 ? "" : held + delta
      return parts
    } catch (error) {
      isBroken = true
      const message = `the reader of the format ${format.name} threw; the text passes as it is: ${messageOf(error)}`
      return [{ type: "warning", message }, ...textOf(held + delta)]
    }
  }
  return {
    push: (delta) => attempt((reader) => reader.push(delta), delta),
    end: () => attempt((reader) => reader.end(), ""),
  }
}

function textOf(delta: string): OutputPart[] {
  return delta === "" ? [] : [{ type: "text", delta }]
}
