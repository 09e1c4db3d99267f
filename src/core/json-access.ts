// JSON from outside may leave out, null or mistype any field. These functions read it and never throw.

/** A JSON object from outside. */
export type Json = Readonly<Record<string, unknown>>

/** How deep the objects and lists of a value may nest that is built of a model's JSON. */
export const maxDepth = 200

/** True for a JSON object: no list, no `null`. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Returns the value if it is an object, else an empty object. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {}
}

/** Returns the value if it is a list, else an empty list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** True for a list of strings alone. */
export function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string")
}

/** Returns the value if it is a string, else `""`. */
export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

/** Returns the value if it is a finite number that is not negative, else `undefined`. */
export function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined
}

/** Returns the value if it is a finite number, else `otherwise`. */
export function numberOr<T>(value: unknown, otherwise: T): number | T {
  return typeof value === "number" && Number.isFinite(value) ? value : otherwise
}

/** Returns the value that the text is JSON of, or `undefined` if it is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Changes every text among the values of JSON data. Names stay, and so do dates and what nests more than 100 levels deep. */
export function mapTextValues(value: unknown, change: (text: string) => string, depth = 0): unknown {
  if (typeof value === "string") return change(value)
  if (Array.isArray(value) && depth <= 100) return value.map((item) => mapTextValues(item, change, depth + 1))
  if (!isRecord(value) || value instanceof Date || depth > 100) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, mapTextValues(item, change, depth + 1)]))
}
