import { messageOf } from "../../core/errors.ts"
import type { Reader } from "../../core/reader.ts"
import type { OutputFormat, OutputPart } from "./output-part.ts"

/** Words alone: the text passes as it comes (L4). */
export const plainFormat: OutputFormat = {
  name: "plain",
  createReader: () => ({ push: partsOf, end: () => [] }),
}

/**
 * Creates a reader of a format that never throws. A format's own reader that throws, or returns anything but parts, does not
 * break the turn: after one warning the text passes as it is, beginning with the text of which it had returned nothing yet.
 */
export function createGuardedReader(format: OutputFormat): Reader<string, OutputPart> {
  let reader: Reader<string, OutputPart> | undefined
  let isBroken = false
  // The text since the reader last returned parts. It may hold back all of it.
  let held = ""
  const attempt = (read: (reader: Reader<string, OutputPart>) => unknown, delta: string): OutputPart[] => {
    if (isBroken) return partsOf(delta)
    try {
      reader ??= format.createReader({})
      const parts = checkedParts(read(reader))
      held = parts.length > 0 ? "" : held + delta
      return parts
    } catch (error) {
      isBroken = true
      const message = `the reader of the format ${format.name} threw; the text passes as it is: ${messageOf(error)}`
      return [{ type: "warning", message }, ...partsOf(held + delta)]
    }
  }
  return { push: (delta) => attempt((reader) => reader.push(delta), delta), end: () => attempt((reader) => reader.end(), "") }
}

function partsOf(delta: string): OutputPart[] {
  return delta === "" ? [] : [{ type: "text", delta }]
}

/** Checks what a user's own reader returned; throws an error that says what was found in place of parts. */
function checkedParts(given: unknown): OutputPart[] {
  // Nothing awaits this promise. An unhandled rejection would end the process.
  if (given instanceof Promise) given.catch(() => undefined)
  if (!Array.isArray(given)) throw new Error(`expected an array of parts, found ${kindOf(given)}.`)
  const wrong = given.findIndex((part) => !isPart(part))
  if (wrong >= 0) throw new Error(`expected parts such as { type: "text", delta }, found ${foundJson(given[wrong])}.`)
  return given as OutputPart[]
}

function isPart(part: unknown): boolean {
  if (typeof part !== "object" || part === null) return false
  const { type, delta, emotion, name, data, message } = part as Readonly<Record<string, unknown>>
  switch (type) {
    case "text":
      return typeof delta === "string"
    case "emotion":
      return typeof emotion === "string"
    case "event":
      // JSON.stringify throws for a circle and for what JSON cannot hold.
      return typeof name === "string" && (JSON.stringify(data) !== undefined || data === undefined)
    case "warning":
      return typeof message === "string"
    default:
      return type === "bubble-end" || type === "empty-reply"
  }
}

function foundJson(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 100)
}

function kindOf(value: unknown): string {
  if (value instanceof Promise) return "a promise; a reader answers at once"
  return value === null || value === undefined ? "nothing" : `a value of type ${typeof value}`
}
