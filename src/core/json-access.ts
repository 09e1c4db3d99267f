// JSON from outside may leave out, null or mistype any field. These functions read it and never throw.

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

/** Returns the value if it is a string, else `""`. */
export function stringOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

/** Returns the value if it is a finite number that is not negative, else `undefined`. */
export function countOf(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined
}

/** An object of which members that may be undefined may be absent, and are never undefined. */
type Defined<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Leaves out members that are undefined, for records that are stored or compared: there a member is absent. */
export function defined<const T extends object>(given: T): Defined<T> {
  const made: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(given)) if (value !== undefined) made[name] = value
  return made as Defined<T>
}

/** Returns the list, or undefined for an empty one. */
export function filled<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length > 0 ? list : undefined
}

/** Returns the value that the text is JSON of, or `undefined` if it is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
