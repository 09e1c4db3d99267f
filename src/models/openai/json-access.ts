// Compatible servers leave out, null or mistype any field: wire data is read by these and never trusted to have a shape.

/** The value as an object; an empty one for anything else. */
export function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
}

/** The value as a list; an empty one for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The value as a string; `""` for anything else. */
export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

/** The value as a count; `undefined` for anything that is none. */
export function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined
}
