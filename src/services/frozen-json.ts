import { PromptStrataError } from "../core/errors.ts"

/** Deeper than any state a person would write, shallower than the call stack. */
const maxDepth = 500

/** What was made here is frozen and plain already: a state that grows is not copied anew each turn. Only what lies near its root is marked. */
const made = new WeakSet<object>()
/** A state's lists and the things in them; marking what these hold would cost more than copying it. */
const maxMarkedDepth = 2
/** Of a session's whole state: its hooks, what each keeps, and of that as much. */
const maxStateDepth = 2 + maxMarkedDepth

/**
 * A deep-frozen copy of plain JSON that shares nothing with `value` but what was such a copy before. Absent (`undefined`) properties are left out; anything
 * else that JSON cannot hold throws `usage`, naming its path below `name`.
 */
export function frozenJson<T>(value: T, name: string): T {
  return copy(value, { name, path: [], markedDepth: maxMarkedDepth }) as T
}

/** The same for the state of a session: what its hooks keep is marked as deep as if each had been copied by itself. */
export function frozenState<T>(state: T): T {
  return copy(state, { name: "state", path: [], markedDepth: maxStateDepth }) as T
}

/** Freezes, where it is, what was parsed from the JSON of a {@link frozenJson} and nobody else holds: it is not copied anew either. */
export function freezeParsed<T>(value: T, depth = 0): T {
  if (typeof value !== "object" || value === null) return value
  for (const item of Object.values(value)) freezeParsed(item, depth + 1)
  if (depth <= maxStateDepth) made.add(value)
  return Object.freeze(value)
}

/** Where in a value one is; put into words only where something is wrong. */
interface Place {
  readonly name: string
  readonly path: (string | number)[]
  readonly markedDepth: number
}

function copy(value: unknown, place: Place): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value
  if (typeof value === "number" && Number.isFinite(value)) return value
  if (place.path.length > maxDepth)
    throw new PromptStrataError("usage", `${told(place)} is nested more than ${maxDepth} levels deep.`)
  if (typeof value === "object" && made.has(value)) return value
  if (Array.isArray(value))
    return keep(
      Array.from(value, (item, at) => copyAt(item, at, place)),
      place,
    )
  if (typeof value === "object" && isPlain(value)) {
    const copied: Record<string, unknown> = {}
    for (const [key, item] of Object.entries(value)) if (item !== undefined) put(copied, key, copyAt(item, key, place))
    return keep(copied, place)
  }
  throw new PromptStrataError("usage", `${told(place)} must be plain JSON, and ${kindOf(value)} is not.`)
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

function keep<T extends object>(copied: T, { path, markedDepth }: Place): Readonly<T> {
  if (path.length <= markedDepth) made.add(copied)
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
