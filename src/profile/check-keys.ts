import type { Keys, TextForm, ValueType } from "./key.ts"

/** A value that a key does not take. */
interface WrongValue {
  readonly path: readonly PropertyKey[]
  /** Completes "expected …": a noun phrase. */
  readonly expected: string
  readonly found: unknown
  /** The words among which the value could have chosen. */
  readonly choices: readonly string[]
}

/** A key that was never declared. */
interface UnknownKey {
  readonly path: readonly PropertyKey[]
  /** The keys that may stand in its place. */
  readonly known: readonly string[]
}

/** Something in a profile that its declaration does not allow. */
export type KeyFault = WrongValue | UnknownKey

/** `file` spells keys in snake_case. `code` spells them in camelCase and ignores unknown ones: TypeScript finds those. */
export type Spelling = "code" | "file"

/** Everything in `value` that the declaration does not allow: in the order of the declaration, unknown keys last. */
export function keyFaults(
  type: ValueType,
  value: unknown,
  spelling: Spelling,
  path: readonly PropertyKey[] = [],
): readonly KeyFault[] {
  const inside = (of: ValueType, inner: unknown, key: PropertyKey) => keyFaults(of, inner, spelling, [...path, key])
  const expected = expectedOf(type, value, spelling)
  if (expected !== undefined) return [{ path, expected, found: value, choices: type.kind === "choice" ? type.choices : [] }]
  switch (type.kind) {
    case "json":
      return jsonFaults(value, path)
    case "list":
      return (value as readonly unknown[]).flatMap((item, at) => inside(type.of, item, at))
    case "map": {
      const { names } = type
      return Object.entries(value as object).flatMap(([name, inner]) =>
        names?.includes(name) === false ? [{ path: [...path, name], known: names }] : inside(type.of, inner, name),
      )
    }
    case "table":
      return tableFaults(type.keys, value as Readonly<Record<string, unknown>>, { spelling, path })
    default:
      return []
  }
}

/** The name of a key as a profile spells it: `maxSteps` in code, `max_steps` in a file. */
export function spelled(name: string, spelling: Spelling): string {
  return spelling === "code" ? name : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function tableFaults(
  keys: Keys,
  table: Readonly<Record<string, unknown>>,
  { spelling, path }: { readonly spelling: Spelling; readonly path: readonly PropertyKey[] },
): KeyFault[] {
  const known = Object.keys(keys).map((name) => spelled(name, spelling))
  const wrong = Object.entries(keys).flatMap(([name, { type, presence }]) => {
    const key = spelled(name, spelling)
    const value = table[key]
    return value === undefined && presence !== "required" ? [] : keyFaults(type, value, spelling, [...path, key])
  })
  const unknown = spelling === "code" ? [] : Object.keys(table).filter((key) => !known.includes(key))
  return [...wrong, ...unknown.map((key) => ({ path: [...path, key], known: known.toSorted() }))]
}

/** Names what is expected in the place of `value`, apart from what is inside it; `undefined` where nothing is wrong. */
function expectedOf(type: ValueType, value: unknown, spelling: Spelling): string | undefined {
  switch (type.kind) {
    case "number":
      return isWithin(value, type) ? undefined : describeBounds(type)
    case "flag":
      return typeof value === "boolean" ? undefined : "true or false"
    case "choice":
      return type.choices.some((choice) => choice === value) ? undefined : oneOf(type.choices)
    case "text":
      if (typeof value !== "string") return "a string"
      return type.form === undefined || hasForm(value, type.form) ? undefined : type.form.expected
    case "scalar":
      return isScalar(value) ? undefined : "a string, a number, true or false"
    case "list":
      return Array.isArray(value) ? undefined : type.expected
    case "map":
      return isTable(value) ? undefined : type.expected
    case "json":
    case "table":
      return isTable(value) ? undefined : spelling === "file" ? "a table" : "an object"
    case "code":
      return undefined
  }
}

type Bounds = Extract<ValueType, { readonly kind: "number" }>

function isWithin(value: unknown, { min, max = Number.POSITIVE_INFINITY, integer }: Bounds): boolean {
  if (!(integer ? Number.isSafeInteger(value) : Number.isFinite(value))) return false
  return typeof value === "number" && value >= min && value <= max
}

/** `a whole number of at least 1`, `a number from 0 to 2`. */
function describeBounds({ min, max, integer }: Bounds): string {
  const kind = integer ? "a whole number" : "a number"
  return max === undefined ? `${kind} of at least ${min}` : `${kind} from ${min} to ${max}`
}

function oneOf(choices: readonly string[]): string {
  const quoted = choices.map((choice) => JSON.stringify(choice))
  return `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`
}

function hasForm(text: string, { pattern, accepts }: TextForm): boolean {
  return new RegExp(pattern, "u").test(text) && (accepts?.(text) ?? true)
}

function isScalar(value: unknown): boolean {
  return typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

/** TOML can write what JSON cannot hold: dates, times, `inf` and `nan`. */
function jsonFaults(value: unknown, path: readonly PropertyKey[]): KeyFault[] {
  if (value instanceof Date || (typeof value === "number" && !Number.isFinite(value))) {
    const expected = "JSON: a string, a number, true, false, an array or a table"
    return [{ path, expected, found: value, choices: [] }]
  }
  if (Array.isArray(value)) return value.flatMap((item, at) => jsonFaults(item, [...path, at]))
  return isTable(value) ? Object.entries(value).flatMap(([key, item]) => jsonFaults(item, [...path, key])) : []
}

/** `prestart[0].args."a b"`: a path as one would write it. */
export function formatKeyPath(path: readonly PropertyKey[]): string {
  return path
    .map((key, at) => (typeof key === "number" ? `[${key}]` : `${at === 0 ? "" : "."}${formatKey(String(key))}`))
    .join("")
}

function formatKey(key: string): string {
  const shown = key.length > 60 ? `${key.slice(0, 60)}…` : key
  return /^[A-Za-z0-9_-]+$/.test(shown) ? shown : JSON.stringify(shown)
}
