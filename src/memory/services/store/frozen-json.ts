import { PromptStrataError } from "../../../core/errors.ts"

/** Deeper than any state that a person would write; the call stack could hold more. */
const maxDepth = 500

/**
 * Objects that were made here, with the number of levels in each. They are plain and frozen, so they are not copied again: a session's
 * state grows from turn to turn. Only objects near the root are marked. The number of levels is kept because a state that contains
 * its earlier self grows deeper each turn.
 */
const made = new WeakMap<object, number>()
/** The copy of every empty list. */
const noItems: readonly unknown[] = Object.freeze([])
made.set(noItems, 1)
/** Lists and the objects in them are marked. Marking deeper objects would cost more than copying them. */
const maxMarkedDepth = 2
/** In the whole state of a session, two levels come first: the states of all hooks, then the state of one. */
const maxStateDepth = 2 + maxMarkedDepth

/**
 * A deep-frozen copy of plain JSON. It shares only those parts with `value` that are such copies already. Members that are `undefined`
 * are left out. Anything else that JSON cannot hold throws `usage`, with its path below `name`. A value that is kept and never given
 * again need not be marked: its `markedDepth` is -1.
 */
export function frozenJson<T>(value: T, name: string, markedDepth = maxMarkedDepth): T {
  return copy(value, { name, path: [], markedDepth, deepest: 0 }) as T
}

/** Like {@link frozenJson}, for the whole state of a session: the state of each hook is marked as deep as if it had been copied alone. */
export function frozenState<T>(state: T): T {
  return copy(state, { name: "state", path: [], markedDepth: maxStateDepth, deepest: 0 }) as T
}

/** Freezes a value in place, so that it is not copied later. It must be parsed from the JSON of a {@link frozenJson}, and the caller must hold the only reference. */
export function freezeParsed<T>(value: T): T {
  freezeLevels(value, 0)
  return value
}

/** Returns the number of levels in the value. */
function freezeLevels(value: unknown, depth: number): number {
  if (typeof value !== "object" || value === null) return 0
  let levels = 0
  for (const item of Object.values(value)) levels = Math.max(levels, freezeLevels(item, depth + 1))
  if (depth <= maxStateDepth) made.set(value, levels + 1)
  Object.freeze(value)
  return levels + 1
}

/** The place in a value that is being copied. It becomes text only for an error. */
interface Place {
  readonly name: string
  readonly path: (string | number)[]
  readonly markedDepth: number
  /** The deepest level reached so far inside the current object, counted from the root. */
  deepest: number
}

function copy(given: unknown, place: Place): unknown {
  const value = Array.isArray(given) && given.length === 0 ? noItems : given
  if (value === null || typeof value === "string" || typeof value === "boolean") return value
  // JSON has no -0. Memory must keep what a database would give back.
  if (typeof value === "number" && Number.isFinite(value)) return value === 0 ? 0 : value
  const isObject = typeof value === "object"
  const levels = isObject ? made.get(value) : undefined
  if (place.path.length + (levels ?? 1) > maxDepth + 1)
    throw new PromptStrataError("usage", `expected ${pathOf(place)} at most ${maxDepth} levels deep, found more.`)
  if (levels !== undefined) {
    place.deepest = Math.max(place.deepest, place.path.length + levels)
    return value
  }
  if (isObject && (Array.isArray(value) || isPlain(value))) return copyObject(value, place)
  throw new PromptStrataError("usage", `expected plain JSON at ${pathOf(place)}, found ${kindOf(value)}.`)
}

function copyObject(value: object, place: Place): object {
  const { path } = place
  const [depth, before] = [path.length, place.deepest]
  place.deepest = depth + 1
  const copied: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {}
  // The places of a list include its holes, which JSON cannot hold.
  const keys = Array.isArray(value) ? value.keys() : Object.keys(value)
  for (const key of keys) {
    const item = (value as Readonly<Record<string | number, unknown>>)[key]
    if (item === undefined && typeof key === "string") continue
    path.push(key)
    const member = copy(item, place)
    path.pop()
    if (key === "__proto__") Object.defineProperty(copied, key, { ...ownMember, value: member })
    else (copied as Record<string | number, unknown>)[key] = member
  }
  if (depth <= place.markedDepth) made.set(copied, place.deepest - depth)
  place.deepest = Math.max(place.deepest, before)
  return Object.freeze(copied)
}

/** A member named `__proto__` is defined, because assigning it would set the prototype. */
const ownMember = { enumerable: true, configurable: true, writable: true }

function pathOf({ name, path }: Place): string {
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
