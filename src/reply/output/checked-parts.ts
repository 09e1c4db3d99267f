import type { OutputPart } from "./output-part.ts"

/** What a user's own reader handed over, where it is parts; throws an error that says what it is instead. */
export function checkedParts(given: unknown): OutputPart[] {
  // Nobody waits for it, so what it rejects with must not end the process.
  if (given instanceof Promise) given.catch(() => undefined)
  if (!Array.isArray(given)) throw new Error(`expected an array of parts, found ${kindOf(given)}.`)
  const wrong = given.findIndex((part) => !isPart(part))
  if (wrong >= 0) throw new Error(`expected parts such as { type: "text", delta }, found ${shown(given[wrong])}.`)
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
      // Throws for a circle and for what JSON cannot hold.
      return typeof name === "string" && (JSON.stringify(data) !== undefined || data === undefined)
    case "warning":
      return typeof message === "string"
    default:
      return type === "bubble-end" || type === "empty-reply"
  }
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? String(value)).slice(0, 100)
}

function kindOf(value: unknown): string {
  if (value instanceof Promise) return "a promise; a reader answers at once"
  return value === null || value === undefined ? "nothing" : `a value of type ${typeof value}`
}
