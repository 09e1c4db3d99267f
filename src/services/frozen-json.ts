import { PromptStrataError } from "../core/errors.ts"

/** Deeper than any state a person would write, shallower than the call stack. */
const maxDepth = 500

/**
 * What was made here is frozen and plain already: a state that grows is not copied anew each turn. Only what lies near its root is marked,
 * with how many levels lie in it: a state that holds what it was before grows deeper with each turn.
 */
const made = new WeakMap<object, number>()
/** A state's lists and the things in them; marking what these hold would cost more than copying it. */
const maxMarkedDepth = 2
/** Of a session's whole state: its hooks, what each keeps, and of that as much. */
const maxStateDepth = 2 + maxMarkedDepth

/**
 * A deep-frozen copy of plain JSON that shares nothing with `value` but what was such a copy before. Absent (`undefined`) properties are left out; anything
 * else that JSON cannot hold throws `usage`, naming its path below `name`.
 */
export function frozenJson<T>(value: T, name: string): T {
  return copy(value, placeOf(name, maxMarkedDepth)) as T
}

/** The same for the state of a session: what its hooks keep is marked as deep as if each had been copied by itself. */
export function frozenState<T>(state: T): T {
  return copy(state, placeOf("state", maxStateDepth)) as T
}

/** Freezes, where it is, what was parsed from the JSON of a {@link frozenJson} and nobody else holds: it is not copied anew either. */
export function freezeParsed<T>(value: T): T {
  freezeLevels(value, 0)
  return value
}

/** How many levels lie in a value. */
function freezeLevels(value: unknown, depth: number): number {
  if (typeof value !== "object" || value === null) return 0
  let levels = 0
  for (const item of Object.values(value)) levels = Math.max(levels, freezeLevels(item, depth + 1))
  if (depth <= maxStateDepth) made.set(value, levels + 1)
  Object.freeze(value)
  return levels + 1
}

/** Where in a value one is; put into words only where something is wrong. */
interface Place {
  readonly name: string
  readonly path: (string | number)[]
  readonly markedDepth: number
  /** How many levels deep its object at hand reaches by now, counted from the root. */
  deepest: number
}

function placeOf(name: string, markedDepth: number): Place {
  return { name, path: [], markedDepth, deepest: 0 }
}

function copy(value: unknown, place: Place): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value
  // JSON has no -0: what is kept in memory is what a database would give back.
  if (typeof value === "number" && Number.isFinite(value)) return value === 0 ? 0 : value
  const isObject = typeof value === "object"
  const levels = isObject ? made.get(value) : undefined
  if (place.path.length + (levels ?? 1) > maxDepth + 1)
    throw new PromptStrataError("usage", `${told(place)} is nested more than ${maxDepth} levels deep.`)
  if (levels !== undefined) {
    place.deepest = Math.max(place.deepest, place.path.length + levels)
    return value
  }
  if (isObject && (Array.isArray(value) || isPlain(value))) return copyObject(value, place)
  throw new PromptStrataError("usage", `${told(place)} must be plain JSON, and ${kindOf(value)} is not.`)
}

function copyObject(value: object, place: Place): object {
  const [depth, before] = [place.path.length, place.deepest]
  place.deepest = depth + 1
  const copied = Array.isArray(value) ? Array.from(value, (item, at) => copyAt(item, at, place)) : copyMembers(value, place)
  if (depth <= place.markedDepth) made.set(copied, place.deepest - depth)
  place.deepest = Math.max(place.deepest, before)
  return Object.freeze(copied)
}

function copyMembers(value: object, place: Place): object {
  const copied: Record<string, unknown> = {}
  for (const [key, item] of Object.entries(value)) if (item !== undefined) put(copied, key, copyAt(item, key, place))
  return copied
}

function copyAt(item: unknown, at: string | number, place: Place): unknown {
  place.path.push(at)
  const copied = copy(item, place)
  place.path.pop()
  return copied
}

/** `__proto__` is a name like any other. */
function put(copied: Record<string, unknown>, key: string, value: unknown): void {
  if (key === "__proto__") Object.defineProperty(copied, key, { value, enumerable: true, configurable: true, writable: true })
  else copied[key] = value
}

function told({ name, path }: Place): string {
  return name + path.map((at) => (typeof at === "number" ? `[${at}]` : `.${at}`)).join("")
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null
}

function kindOf(value: unknown): string {
  if (typeof value === "object" && value !== null) return `a ${value.constructor?.name || "class instance"}`
  return typeof value === "number" ? String(value) : `a value of type ${typeof value}`
}
