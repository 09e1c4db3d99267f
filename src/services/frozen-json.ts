import { PromptStrataError } from "../core/errors.ts"

/** Deeper than any state a person would write, shallower than the call stack. */
const maxDepth = 500

/** What was made here is frozen and plain already: a state that grows is not copied anew each turn. */
const made = new WeakSet<object>()

/**
 * A deep-frozen copy of plain JSON that shares nothing with `value` but what was such a copy before. Absent (`undefined`) properties are left out; anything
 * else that JSON cannot hold throws `usage`, naming its path below `name`.
 */
export function frozenJson<T>(value: T, name: string): T {
  return copy(value, name, 0) as T
}

function copy(value: unknown, path: string, depth: number): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value
  if (typeof value === "number" && Number.isFinite(value)) return value
  if (depth > maxDepth) throw new PromptStrataError("usage", `${path} is nested more than ${maxDepth} levels deep.`)
  if (typeof value === "object" && made.has(value)) return value
  if (Array.isArray(value)) return keep(Array.from(value, (item, at) => copy(item, `${path}[${at}]`, depth + 1)))
  if (typeof value === "object" && isPlain(value)) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined)
    return keep(Object.fromEntries(entries.map(([key, item]) => [key, copy(item, `${path}.${key}`, depth + 1)])))
  }
  throw new PromptStrataError("usage", `${path} must be plain JSON, and ${kindOf(value)} is not.`)
}

function keep<T extends object>(copied: T): Readonly<T> {
  made.add(copied)
  return Object.freeze(copied)
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

function kindOf(value: unknown): string {
  if (typeof value === "object" && value !== null) return `a ${value.constructor?.name || "class instance"}`
  return typeof value === "number" ? String(value) : `a value of type ${typeof value}`
}
