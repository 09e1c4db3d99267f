import { isMoment } from "./conversation.ts"
import { attempt, PromptStrataError } from "./errors.ts"
import { clipped } from "./graphemes.ts"
import { authored, memoKind } from "./memo.ts"
import { didYouMean } from "./suggest.ts"

/** One value for each option that there is. Any will do but `false`, which says that this one is not taken. */
export type OptionNames<T> = { readonly [Name in keyof T]-?: unknown }

/** The words of a text. */
export type Words<Text extends string> = Text extends `${infer First} ${infer Rest}` ? First | Words<Rest> : Text

/** The keys of an object, or of each member of a union. */
type KeyOf<T> = T extends unknown ? keyof T : never

/** `unknown` if the words of a text are the names of all options, else the names that are missing or that are none. */
type EachOnce<T, Text extends string> = [Words<Text>] extends [KeyOf<T>]
  ? [KeyOf<T>] extends [Words<Text>]
    ? unknown
    : { readonly missing: Exclude<KeyOf<T>, Words<Text>> }
  : { readonly unknown: Exclude<Words<Text>, KeyOf<T>> }

/** The names of all options: as the keys of an object, or as the words of a text, which the compiler checks. */
export type OptionList<T, Text extends string> = OptionNames<T> | (Text & EachOnce<T, Text>)

/**
 * Throws `usage` for an option that is none of `known`, which would be ignored. One that is `undefined` counts as absent. `gone` says for
 * an earlier name what to write now.
 */
export function checkOptions<T extends object, Text extends string = string>(
  of: string,
  given: T,
  known: OptionList<T, Text>,
  gone: Readonly<Record<string, string>> = {},
): void {
  checkType(`options of ${of}`, given, "object")
  const names = typeof known === "string" ? known.split(" ") : Object.keys(known)
  for (const name of Object.keys(given)) {
    const isTaken = typeof known === "string" || Reflect.get(known, name) !== false
    if ((isTaken && names.includes(name)) || given[name as keyof T] === undefined) continue
    const hint = Object.hasOwn(gone, name) ? gone[name] : undefined
    const near = hint === undefined ? nearName(name, names) : ""
    throw new PromptStrataError("usage", `${of} has no option ${JSON.stringify(name)}.${near}`, { evidence: { name }, hint })
  }
}

/** The type of a value: as `typeof` names it, with `null` as none, or a list, a list of objects, or what can be iterated but a text, or a time, or an object that JSON can hold. */
export type TypeName = Words<"string number boolean function object list objects iterable milliseconds json">

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Throws `usage` for a value of another type, which only JavaScript can pass. */
export function checkType(what: string, value: unknown, type: TypeName): void {
  if (!isOfType(value, type))
    throw new PromptStrataError("usage", `expected a value of type ${type} as ${what}, found ${shownValue(value)}.`)
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "list" ? Array.isArray(value) : typeof value === type && value !== null) return true
  if (type === "objects") return Array.isArray(value) && value.every(isObject)
  if (type === "milliseconds") return isMoment(value)
  if (type === "json") return isObject(value) && isJson(value)
  return type === "iterable" && isObject(value) && typeof Reflect.get(value, Symbol.iterator) === "function"
}

function isJson(value: unknown): boolean {
  return attempt(() => JSON.stringify(value) !== undefined, false)
}

/** A value in words, for an error: the first 80 characters of a text as JSON, and of an object its type alone. */
export function shownValue(value: unknown): string {
  if (typeof value === "function" || isObject(value)) return `one of type ${typeof value}`
  return typeof value === "string" ? JSON.stringify(clipped(value, 80)) : String(value)
}

/** A value for an error as {@link shownValue} gives it, but an object that JSON can hold as JSON. */
export const shownJson = (value: unknown): string => (isJson(value) ? JSON.stringify(value) : shownValue(value))

/** {@link checkOptions} for an object that a program wrote out. One of a class may keep members of its own. */
export function checkMembers<T extends object, Text extends string = string>(
  of: string,
  given: T,
  known: OptionList<T, Text>,
): void {
  if (Object.getPrototypeOf(given) === Object.prototype) checkOptions(of, given, known)
}

/** Throws `usage` for options that are passed as a second argument, which would be ignored. */
export function checkOneArgument(of: string, more: readonly unknown[]): void {
  if (typeof more[0] !== "object" || more[0] === null) return
  throw new PromptStrataError("usage", `${of} takes one argument, found options as a second one.`, {
    hint: "Put everything into one object.",
  })
}

/** ` Did you mean "x"?`, also where only the beginning of a name was written or more than the name, or ` Expected one of x, y.` */
export function nearName(name: string, known: readonly string[]): string {
  if (known.length === 0) return " There are none."
  const lower = name.toLowerCase()
  const whole = known.find((each) => each.toLowerCase().startsWith(lower) || lower.startsWith(each.toLowerCase()))
  const near = whole === undefined ? didYouMean(name, known) : ` Did you mean ${JSON.stringify(whole)}?`
  return near || ` Expected one of ${known.join(", ")}.`
}

/** {@link checkType} of the members of an object: `name:type` for each, with `?` behind one that may be absent. */
export function checkMemberTypes(of: string, owner: object, members: string): void {
  checkType(of, owner, "object")
  for (const member of members.split(" ")) {
    const [name = "", type = ""] = member.split(":")
    misfitIn(Reflect.get(owner, name), type)?.(`${name} of ${of}`)
  }
}

/**
 * The form of plain data: the name of a type, the form of each element of a list, or of each member of an object, with `?` behind the name
 * of one that may be absent or undefined, and `!` where undefined would mean something else than absent. A form as `type` holds for each type of object the form of its other members.
 */
export type Shape = string | readonly Shape[] | { readonly [member: string]: Shape }

/** {@link checkType} of all that a shape names in a value, at any depth. */
export function checkShape(what: string, value: unknown, shape: Shape): void {
  misfitIn(value, shape)?.(what)
}

const shapeMembers = memoKind<object, ReturnType<typeof membersOf>>()

function membersOf(shape: object) {
  return Object.entries<Shape>(shape as Readonly<Record<string, Shape>>).map(([member, inner]) => {
    const [name = "", mark] = member.split(/(?=[?!]$)/)
    return { name, mark, inner, hasVariants: name === "type" && typeof inner === "object" }
  })
}

/** Gives a function that throws for the first misfit in a value. Its place is put together on the way out, because most values have none. */
function misfitIn(value: unknown, shape: Shape): ((what: string) => void) | undefined {
  if (typeof shape === "string") {
    const type = shape.endsWith("?") ? shape.slice(0, -1) : shape
    return (value === undefined && type !== shape) || isOfType(value, type)
      ? undefined
      : (what) => checkType(what, value, type as TypeName)
  }
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return (what) => checkType(what, value, "list")
    for (let at = 0; at < value.length; at++) {
      const misfit = misfitIn(value[at], shape[0])
      if (misfit) return (what) => misfit(`${what}[${at}]`)
    }
    return undefined
  }
  if (!isObject(value)) return (what) => checkType(what, value, "object")
  for (const { name, mark, inner, hasVariants } of authored.made(shapeMembers, shape, membersOf)) {
    const found = (value as Readonly<Record<string, unknown>>)[name]
    if (!hasVariants && found === undefined && (mark === "!" ? !(name in value) : mark === "?")) continue
    const misfit = hasVariants ? misfitIn(value, variantOf(inner as object, found)) : misfitIn(found, inner)
    if (misfit) return hasVariants ? misfit : (what) => misfit(`${what}.${name}`)
  }
  return undefined
}

/** The shape of the other members of an object of a type; for one that is none, a shape whose type nothing has. */
function variantOf(variants: object, type: unknown): Shape {
  return typeof type === "string" && Object.hasOwn(variants, type)
    ? (Reflect.get(variants, type) as Shape)
    : { type: Object.keys(variants).join(" or ") }
}

/** The object, with {@link checkShape} of what its methods promise. `?` stands behind the name of one that may give undefined, or null as that. */
export function checkedResults<T extends object>(of: string, owner: T, shapes: Readonly<Record<string, Shape>>): T {
  const get = (target: T, name: string): unknown => {
    const member: unknown = Reflect.get(target, name)
    const key = [name, `${name}?`].find((each) => Object.hasOwn(shapes, each))
    if (typeof member !== "function" || key === undefined) return typeof member === "function" ? member.bind(target) : member
    return async (...given: readonly unknown[]) => {
      const result = (await Reflect.apply(member, target, given)) ?? undefined
      checkShape(`the result of ${of}`, { [name]: result }, { [key]: shapes[key] as Shape })
      return result
    }
  }
  return new Proxy(owner, { get: (target, name) => get(target, name as string) })
}

/** The shapes of the arguments of an object's methods, by name, and of the methods of its members. */
export interface MethodShapes {
  readonly [name: string]: readonly Shape[] | MethodShapes
}

/** Puts {@link checkShape} of the arguments before methods of an object, and returns it. Those that promise something reject. */
export function checkArguments<T extends object>(of: string, owner: T, shapes: MethodShapes, streams: readonly string[] = []): T {
  for (const [name, shape] of Object.entries(shapes)) {
    const member = Reflect.get(owner, name) as (...given: readonly unknown[]) => unknown
    if (!Array.isArray(shape)) checkArguments(`${of}.${name}`, member, shape as MethodShapes)
    else
      Reflect.set(owner, name, (...given: readonly unknown[]) => {
        try {
          for (const [at, each] of shape.entries()) checkShape(`argument ${at + 1} of ${of}.${name}`, given[at], each)
        } catch (error) {
          if (streams.includes(name)) throw error
          return Promise.reject(error)
        }
        return Reflect.apply(member, owner, given)
      })
  }
  return owner
}
