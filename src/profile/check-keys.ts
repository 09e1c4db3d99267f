import { nearName } from "../core/check-options.ts"
import { clipped } from "../core/graphemes.ts"
import { isRecord } from "../core/json-access.ts"
import type { TextForm, ValueType } from "./key.ts"

/** A value that its key does not take. */
export interface WrongValue {
  readonly path: readonly PropertyKey[]
  /** Completes "expected …": a noun phrase. */
  readonly expected: string
  readonly found: unknown
}

/** A key that its table does not have. */
interface UnknownKey {
  readonly path: readonly PropertyKey[]
  readonly known: readonly string[]
}

type Path = WrongValue["path"]

type Problem = WrongValue | UnknownKey

/**
 * Every value of a profile that its key does not take, in the order of the declaration, and every unknown key of a table. `spelled`
 * gives the names of keys as the profile spells them. TypeScript checks values that only code can give.
 */
export function wrongValues(type: ValueType, value: unknown, path: Path = [], spelled = asInCode): readonly Problem[] {
  const inside = (of: ValueType, inner: unknown, key: PropertyKey) => wrongValues(of, inner, [...path, key], spelled)
  const unknown = (names: readonly string[], known: readonly string[]): UnknownKey[] =>
    names.filter((name) => !known.includes(name)).map((name) => ({ path: [...path, name], known }))
  const expected = expectedOf(type, value)
  if (expected !== undefined) return [{ path, expected, found: value }]
  if (type.kind === "json") return valuesBeyondJson(value, path)
  if (type.kind === "list") return (value as readonly unknown[]).flatMap((item, at) => inside(type.of, item, at))
  if (type.kind !== "map" && type.kind !== "table") return []
  const table = value as Readonly<Record<string, unknown>>
  if (type.kind === "map") {
    const names = Object.keys(table)
    return [...names.flatMap((name) => inside(type.of, table[name], name)), ...unknown(names, type.names ?? names)]
  }
  const keys = new Map(Object.entries(type.keys).map(([name, key]) => [spelled(name), key]))
  const given = Object.keys(table).filter((name) => table[name] !== undefined)
  const wrong = [...keys].flatMap(([name, { type: of, presence }]) =>
    table[name] === undefined && presence !== "required" ? [] : inside(of, table[name], name),
  )
  return [...wrong, ...unknown(given, [...keys.keys()])]
}

const asInCode = (name: string): string => name

/** Names what is expected in the place of `value`, apart from what is inside it; `undefined` where nothing is wrong. */
function expectedOf(type: ValueType, value: unknown): string | undefined {
  const { kind } = type
  if (kind === "number") return isWithin(value, type) ? undefined : describeBounds(type)
  if (kind === "flag") return typeof value === "boolean" ? undefined : flagWords
  if (kind === "choice") return type.choices.some((choice) => choice === value) ? undefined : describeChoices(type.choices)
  if (kind === "scalar")
    return typeof value === "string" || typeof value === "boolean" || Number.isFinite(value) ? undefined : scalarWords
  if (kind === "text" && typeof value !== "string") return textWords
  if (kind === "text") return type.form && !hasForm(value as string, type.form) ? type.form.expected : undefined
  if (kind === "list") return Array.isArray(value) ? undefined : type.expected
  if (kind === "map") return isTable(value) ? undefined : type.expected
  if (kind === "json" || kind === "table") return isTable(value) ? undefined : "an object"
  // A value that TypeScript checks.
  return undefined
}

export const flagWords = "true or false"
export const textWords = "a string"
export const scalarWords = "a string, a number, true or false"

type Bounds = Extract<ValueType, { readonly kind: "number" }>

/** True for a number within its bounds. */
function isWithin(value: unknown, { min, max = Number.POSITIVE_INFINITY, integer }: Bounds): boolean {
  if (!(integer ? Number.isSafeInteger(value) : Number.isFinite(value))) return false
  return typeof value === "number" && value >= min && value <= max
}

/** `a whole number of at least 1`, `a number from 0 to 2`. */
export function describeBounds({ min, max, integer }: Bounds): string {
  const kind = integer ? "a whole number" : "a number"
  return max === undefined ? `${kind} of at least ${min}` : `${kind} from ${min} to ${max}`
}

/** `"json", "native" or "chat"`. */
export function describeChoices(choices: readonly string[]): string {
  const quoted = choices.map((choice) => JSON.stringify(choice))
  return `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`
}

/** True for a text that has a form. */
function hasForm(text: string, { pattern, accepts }: TextForm): boolean {
  return new RegExp(pattern, "u").test(text) && (accepts?.(text) ?? true)
}

/** True for an object that is neither a list nor a date. */
function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && !(value instanceof Date)
}

/** The values inside a table that JSON cannot hold: dates, times, infinite numbers and NaN. TOML can write them. */
export function valuesBeyondJson(value: unknown, path: Path = []): WrongValue[] {
  if (value instanceof Date || (typeof value === "number" && !Number.isFinite(value))) {
    return [{ path, expected: "JSON: a string, a number, true, false, an array or a table", found: value }]
  }
  if (Array.isArray(value)) return value.flatMap((item, at) => valuesBeyondJson(item, [...path, at]))
  return isTable(value) ? Object.entries(value).flatMap(([key, item]) => valuesBeyondJson(item, [...path, key])) : []
}

/** `budget.tokens: expected a whole number of at least 1, found 0`, or `unknown key budget.token. Did you mean "tokens"?` */
export function describeProblem(problem: Problem): string {
  const at = formatKeyPath(problem.path)
  if ("known" in problem && renamedKey.test(at)) return `unknown key ${at}. ${renamedWords}`
  if ("known" in problem) return `unknown key ${at}.${nearName(String(problem.path.at(-1)), problem.known)}`.replace(/\.$/, "")
  return `${at}: expected ${problem.expected}, found ${foundWords(problem.found)}`
}

/** A key of earlier versions. */
export const renamedKey = /^memory\.daily_?[cC]alls$/
export const renamedWords = "Use daily_tokens or daily_usd of [limits], which count background work together with turns"

function foundWords(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value)
  if (Array.isArray(value)) return "an array"
  return typeof value === "object" && value !== null ? "an object" : String(value)
}

/** `prestart[0].args."a b"`: a path as one would write it. */
export function formatKeyPath(path: Path): string {
  return path
    .map((key, at) => (typeof key === "number" ? `[${key}]` : `${at === 0 ? "" : "."}${formatKey(String(key))}`))
    .join("")
}

function formatKey(key: string): string {
  const shown = clipped(key, 60)
  return /^[A-Za-z0-9_-]+$/.test(shown) ? shown : JSON.stringify(shown)
}
