/** Every text that can be found in a value: own properties, also hidden ones, names and causes, to a depth of 12. */
export function textsWithin(value: unknown, depth = 12, seen = new Set<unknown>()): readonly string[] {
  if (typeof value === "string") return [value]
  if (typeof value !== "object" || value === null || depth === 0 || seen.has(value)) return []
  seen.add(value)
  const entries = value instanceof Map || value instanceof Headers ? [...value.entries()] : []
  const named = Object.getOwnPropertyNames(value).map((name) => [name, propertyOf(value, name)])
  return [...entries, ...named].flatMap((pair) => pair.flatMap((inner) => textsWithin(inner, depth - 1, seen)))
}

function propertyOf(value: object, name: string): unknown {
  try {
    return Reflect.get(value, name)
  } catch {
    return undefined
  }
}
