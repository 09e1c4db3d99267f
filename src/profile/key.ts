import { findTimeZone } from "../core/memo.ts"
import { isLocale } from "../prompt/dialect/locales.ts"

/** The keys of a table by their names in camelCase. A profile's file spells the same names in snake_case. */
export type Keys = Readonly<Record<string, Key>>

/** The values that a key takes, as plain data. */
export type ValueType =
  | { readonly kind: "number"; readonly integer: boolean; readonly min: number; readonly max?: number | undefined }
  | { readonly kind: "flag" }
  | { readonly kind: "choice"; readonly choices: readonly string[] }
  | { readonly kind: "text"; readonly form?: TextForm | undefined }
  /** A string, a number, true or false. */
  | { readonly kind: "scalar" }
  /** A table of anything that JSON can hold. */
  | { readonly kind: "json" }
  | { readonly kind: "list"; readonly of: ValueType; readonly expected: string }
  /** A table whose keys the user names. With `names` it may have no others. */
  | { readonly kind: "map"; readonly of: ValueType; readonly names?: readonly string[] | undefined; readonly expected: string }
  /** A table of declared keys. */
  | { readonly kind: "table"; readonly keys: Keys }
  /** A value that only code can give, such as a tool. TypeScript checks it. */
  | { readonly kind: "code" }

/** How a string must look. */
export interface TextForm {
  /** Completes "expected …": a noun phrase. */
  readonly expected: string
  /** A regular expression, also for editors. */
  readonly pattern: string
  /** Checks what the pattern cannot say. */
  accepts?(text: string): boolean
}

/** A `required` key must be given. A whole profile always has a `filled` one, and may lack an `optional` one. */
export type Presence = "required" | "filled" | "optional"

/**
 * The one declaration of a profile's key; key-words.json has its sentence for the docs. The types of `Profile` and `ProfileInput`, the defaults, the check of profiles from code
 * and from files, the JSON Schema and docs/profile.md are derived from it. `V` is the type of its value in a whole profile, `I` the
 * type of a value that one may write.
 */
export interface Key<V = unknown, P extends Presence = Presence, I = unknown> {
  readonly type: ValueType
  readonly presence: P
  readonly default?: V | undefined
  /** Carries the type `I`. It is never set. */
  readonly "~input"?: I
}

/** A key that is a table. */
export interface TableKey<K extends Keys = Keys, P extends Presence = Presence> extends Key<SettingsOf<K>, P, InputOf<K>> {
  readonly keys: K
}

type NamesWith<K extends Keys, P extends Presence> = { [N in keyof K]: K[N] extends Key<infer _V, P> ? N : never }[keyof K]
type Values<K extends Keys, N extends keyof K> = { readonly [M in N]: K[M] extends Key<infer V> ? V : never }
type Inputs<K extends Keys, N extends keyof K> = { readonly [M in N]: K[M] extends Key<infer _V, infer _P, infer I> ? I : never }
type OrUndefined<T> = { readonly [N in keyof T]?: T[N] | undefined }
/** The same type, written out where an editor shows it. */
type Flattened<T> = T extends infer O ? { readonly [N in keyof O]: O[N] } : never

/** A table of a whole profile: everything that has a default is there. */
export type SettingsOf<K extends Keys> = Flattened<
  Values<K, NamesWith<K, "required" | "filled">> & Partial<Values<K, NamesWith<K, "optional">>>
>

/** A table as one writes it: everything may be left out that is not required. */
export type InputOf<K extends Keys> = Flattened<
  Inputs<K, NamesWith<K, "required">> & OrUndefined<Inputs<K, NamesWith<K, "filled" | "optional">>>
>

type Facts<D> = { readonly default?: D }

/** A key with a default is always there in a whole profile. */
export type PresenceOf<D> = [D] extends [undefined] ? "optional" : "filled"

interface Bounds {
  readonly min: number
  /** Only where more would be a mistake. */
  readonly max?: number
}

function keyOf<V, D>(type: ValueType, facts: Facts<D>): Key<V, PresenceOf<D>, V> {
  const presence = facts.default === undefined ? "optional" : "filled"
  return { type, presence, ...facts } as unknown as Key<V, PresenceOf<D>, V>
}

export function number<D extends number | undefined = undefined>({ min, max, ...facts }: Facts<D> & Bounds) {
  return keyOf<number, D>({ kind: "number", integer: false, min, max }, facts)
}

/** A number from 0 to 1. */
export function share<D extends number | undefined = undefined>(facts: Facts<D> = {}) {
  return number({ min: 0, max: 1, ...facts })
}

export function wholeNumber<D extends number | undefined = undefined>({ min, max, ...facts }: Facts<D> & Bounds) {
  return keyOf<number, D>({ kind: "number", integer: true, min, max }, facts)
}

/** A timer beyond this fires at once: the runtime keeps the delay in 32 bits. */
const maxMilliseconds = 2_147_483_647

/** A time in milliseconds that a timer can wait. */
export function milliseconds<D extends number | undefined = undefined>(facts: Facts<D> = {}) {
  return wholeNumber({ min: 1, max: maxMilliseconds, ...facts })
}

export function flag<D extends boolean | undefined = undefined>(facts: Facts<D> = {}) {
  return keyOf<boolean, D>({ kind: "flag" }, facts)
}

/** One of some words. */
export function choice<const C extends readonly string[], D extends C[number] | undefined = undefined>(
  choices: C,
  facts: Facts<D> = {},
) {
  return keyOf<C[number], D>({ kind: "choice", choices }, facts)
}

const breaks = String.raw`\n\v\f\r\x85\u2028\u2029`

/** One line of text that is not blank. */
const lineForm: TextForm = {
  expected: "one line of text that is not blank",
  pattern: String.raw`^[^${breaks}]*[^\s${breaks}][^${breaks}]*$`,
}

/** One line of text that is not blank, or text of another form. */
export function line<D extends string | undefined = undefined>({
  form = lineForm,
  ...facts
}: Facts<D> & { readonly form?: TextForm } = {}) {
  return keyOf<string, D>({ kind: "text", form }, facts)
}

/** A list of lines. Messages show `example`. */
export function lines<D extends readonly string[] | undefined = undefined>(example: string, facts: Facts<D> = {}) {
  const expected = `an array of names, such as ["${example}"]`
  return keyOf<readonly string[], D>({ kind: "list", of: { kind: "text", form: lineForm }, expected }, facts)
}

/** A list of values of one type. */
export function list<V, D extends readonly V[] | undefined = undefined>(
  of: ValueType,
  { expected, ...facts }: Facts<D> & KeyExpectation,
) {
  return keyOf<readonly V[], D>({ kind: "list", of, expected }, facts)
}

/** A list of tables, of which a whole profile has none by default. */
export function tables<K extends Keys>(
  of: TableKey<K>,
  { expected, ...facts }: Facts<undefined> & KeyExpectation,
): Key<readonly SettingsOf<K>[], "filled", readonly InputOf<K>[]> {
  return { type: { kind: "list", of: of.type, expected }, presence: "filled", default: [], ...facts }
}

interface KeyExpectation {
  /** Completes "expected …": a noun phrase. */
  readonly expected: string
}

/** A table of anything that JSON can hold. */
export function jsonTable<D extends object | undefined = undefined>(facts: Facts<D> = {}) {
  return keyOf<Readonly<Record<string, unknown>>, D>({ kind: "json" }, facts)
}

/** A table whose keys the user names, with values of one type. */
export function map<V, D extends object | undefined = undefined>(
  of: ValueType,
  { expected, names, ...facts }: Facts<D> & KeyExpectation & { readonly names?: readonly string[] },
) {
  return keyOf<Readonly<Record<string, V>>, D>({ kind: "map", of, names, expected }, facts)
}

/** A table that a whole profile always has, with its defaults. */
export function table<const K extends Keys>(keys: K): TableKey<K, "filled"> {
  return { type: { kind: "table", keys }, presence: "filled", keys }
}

/** A table that a whole profile has only where it is given. */
export function optionalTable<const K extends Keys>(keys: K): TableKey<K, "optional"> {
  return { ...table(keys), presence: "optional" }
}

/** A key that only code can set, such as a tool. TypeScript checks it. */
export function inCode<V, P extends Presence = "optional", I = V>(fallback?: V): Key<V, P, I> {
  const presence = fallback === undefined ? "optional" : "filled"
  return { type: { kind: "code" }, presence: presence as P, default: fallback }
}

/** A key that a whole profile always has, though its default is not one fixed value. */
export function filled<V, I>(key: Key<V, Presence, I>): Key<V, "filled", I> {
  return { ...key, presence: "filled" }
}

/** A key that must be given. */
export function required<V, I>(key: Key<V, Presence, I>): Key<V, "required", I> {
  return { ...key, presence: "required" }
}

/** One or more lines, not all of them blank. */
export const textForm: TextForm = { expected: "text that is not blank", pattern: String.raw`\S` }

export const nameForm: TextForm = { ...lineForm, expected: "a name" }

export const localeForm: TextForm = { ...lineForm, expected: 'a locale such as "en" or "zh-CN"', accepts: isLocale }

/** A time zone that this host knows. */
export const timeZoneForm: TextForm = {
  ...lineForm,
  expected: 'a time zone such as "Asia/Shanghai"',
  accepts: (name) => findTimeZone(name) !== undefined,
}

export const timeOfDayForm: TextForm = { expected: 'a time such as "22:30"', pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$" }

export const colourForm: TextForm = { expected: 'a colour such as "#1D75B3"', pattern: "^#[0-9a-fA-F]{6}$" }

export const httpUrlForm: TextForm = {
  expected: "a URL that begins with http:// or https://",
  pattern: "^https?://",
  accepts: (address) => URL.canParse(address),
}

/** The name of a key as a file spells it: `max_steps` for `maxSteps`. */
export function inSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}
