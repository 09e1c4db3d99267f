// Servers may send anything. Their messages are read field by field, so that one bad field spoils nothing else.

/** True for a JSON object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** Returns the value if it is a string, else `undefined`. */
export function stringOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined
}
