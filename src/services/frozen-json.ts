import { PromptStrataError } from "../core/errors.ts"

/** Deeper than any state a person would write, shallower than the call stack. */
const maxDepth = 500

/**
 * A deep-frozen copy of plain JSON that shares nothing with `value`. Absent (`undefined`) properties are left out; anything
 * else that JSON cannot hold throws `usage`, naming its path below `name`.
 */
export function frozenJson<T>(value: T, name: string): T {
  return copy(value, name, 0) as T
}

function copy(value: unknown, path: string, depth: number): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value
  if (typeof value === "number" && Number.isFinite(value)) return value
  if (depth > maxDepth) throw new PromptStrataError("usage", `${path} is nested more than ${maxDepth} levels deep.`)
  if (Array.isArray(value)) return Object.freeze(Array.from(value, (item, at) => copy(item, `${path}[${at}]`, depth + 1)))
  if (typeof value === "object" && isPlain(value)) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined)
    return Object.freeze(Object.fromEntries(entries.map(([key, item]) => [key, copy(item, `${path}.${key}`, depth + 1)])))
  }
  throw new PromptStrataError("usage", `${path} must be plain JSON, and ${kindOf(value)} is not.`)
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

function kindOf(value: unknown): string {
  if (typeof value === "object" && value !== null) return `a ${value.constructor?.name || "class instance"}`
  return typeof value === "number" ? String(value) : `a value of type ${typeof value}`
}
