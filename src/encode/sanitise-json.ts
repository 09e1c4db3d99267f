import { sanitise } from "./sanitise.ts"

/** A JSON value whose strings and keys were sanitised, and what was taken out of them. */
export interface SanitisedJson<T> {
  readonly value: T
  readonly removed: number
  readonly kinds: readonly string[]
}

/** Sanitises every string of a JSON value, keys too. Anything that is no plain JSON stays as it is. */
export function sanitiseJson<T>(value: T): SanitisedJson<T> {
  let removed = 0
  const kinds = new Set<string>()
  const clean = (text: string): string => {
    const result = sanitise(text)
    removed += result.removed
    for (const kind of result.kinds) kinds.add(kind)
    return result.text
  }
  const walk = (node: unknown, depth: number): unknown => {
    if (typeof node === "string") return clean(node)
    if (typeof node !== "object" || node === null || depth > maxDepth) return node
    if (Array.isArray(node)) return node.map((item) => walk(item, depth + 1))
    if (Object.getPrototypeOf(node) !== Object.prototype && Object.getPrototypeOf(node) !== null) return node
    const copy: Record<string, unknown> = Object.create(null)
    for (const [key, item] of Object.entries(node)) copy[clean(key)] = walk(item, depth + 1)
    return copy
  }
  return { value: walk(value, 0) as T, removed, kinds: [...kinds] }
}

/** Deeper values come from no tool; the encoders bound their own depth. */
const maxDepth = 200
