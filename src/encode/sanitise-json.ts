import { sanitise } from "./sanitise.ts"

/** A JSON value whose strings and keys were sanitised, and what was taken out of them. */
export interface SanitisedJson<T> {
  readonly value: T
  readonly removed: number
  readonly kinds: readonly string[]
}

/**
 * Sanitises every string of a JSON value, keys too; no key is lost when two become equal. Objects that are no plain JSON
 * stay as they are, and so does what lies deeper than tools nest: where they are printed, the encoder escapes what is
 * left. Values that hold one another are walked once. Never throws.
 */
export function sanitiseJson<T>(value: T): SanitisedJson<T> {
  const walk = new Walk()
  const clean = walk.value(value, 0) as T
  return { value: clean, removed: walk.removed, kinds: [...walk.kinds] }
}

const maxDepth = 200

class Walk {
  removed = 0
  readonly kinds = new Set<string>()
  /** Copies by what they were made from: shared and circular values stay so. */
  readonly #copies = new Map<object, unknown>()

  value(node: unknown, depth: number): unknown {
    if (typeof node === "string") return this.#text(node)
    if (typeof node !== "object" || node === null || depth > maxDepth) return node
    if (this.#copies.has(node)) return this.#copies.get(node)
    try {
      if (Array.isArray(node)) return this.#list(node, depth)
      return isPlain(node) ? this.#record(node, depth) : node
    } catch {
      return node
    }
  }

  #text(text: string): string {
    const clean = sanitise(text)
    this.removed += clean.removed
    for (const kind of clean.kinds) this.kinds.add(kind)
    return clean.text
  }

  #list(node: readonly unknown[], depth: number): unknown[] {
    const copy: unknown[] = []
    this.#copies.set(node, copy)
    for (const item of node) copy.push(this.value(item, depth + 1))
    return copy
  }

  #record(node: object, depth: number): Record<string, unknown> {
    const copy: Record<string, unknown> = Object.create(null)
    this.#copies.set(node, copy)
    for (const [key, item] of Object.entries(node)) {
      const clean = this.#text(key)
      const isTaken = clean !== key && (Object.hasOwn(node, clean) || Object.hasOwn(copy, clean))
      copy[isTaken ? key : clean] = this.value(item, depth + 1)
    }
    return copy
  }
}

function isPlain(node: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(node)
  return prototype === Object.prototype || prototype === null
}
