import { attempt } from "../../core/errors.ts"
import { encodeJsonLine } from "../encode/inline.ts"
import { hasLineBreak, joinLines } from "../encode/line-breaks.ts"
import { isSchema, jsonTypeOf, keyword, listKeyword, propertiesOf, resolveReference } from "./json-schema.ts"
import type { JsonSchema } from "./tool.ts"

/** The state that all schemas of one parameter list are printed with. */
export interface TypePrinter {
  /** The schema in which local references are looked up. */
  readonly root: JsonSchema
  /** Applied to every text that the schema's author chose. */
  readonly encode: (text: string) => string
  /** The number of schemas that are still printed in full. After that only their kinds are, so that the output is bounded. */
  remaining: number
}

/** A printed type. A compound one needs parentheses where something follows it. */
interface PrintedType {
  readonly text: string
  readonly compound: boolean
}

type PrintInner = (part: unknown) => PrintedType

/** Deeper levels print as `object` or `array`. */
const maxDepth = 6

const any = plain("any")

/**
 * Prints a schema as a short type: `string`, `integer 0..10`, `string date-time`, `string[]`, `a|b`, `[string, ...number[]]`,
 * `{a: string - description, b?: number = 3}`. A schema that says nothing is `any`. Never throws and always ends, also for
 * cyclic and malformed schemas.
 */
export function printSchemaType(schema: unknown, printer: TypePrinter): string {
  return print(schema, printer, []).text
}

function print(schema: unknown, printer: TypePrinter, path: readonly unknown[]): PrintedType {
  if (schema === false) return plain("never")
  if (!isSchema(schema)) return any
  const full = path.length < maxDepth && printer.remaining > 0 && !path.includes(schema)
  if (!full) return union(kindsOf(schema, printer).map(plain))
  printer.remaining--
  const inner = (part: unknown): PrintedType => print(part, printer, [...path, schema])

  const reference = keyword(schema, "$ref")
  if (typeof reference === "string") {
    const target = resolveReference(printer.root, reference)
    return target === undefined ? plain(printer.encode(reference.split("/").at(-1) || "any")) : inner(target)
  }
  if (Object.hasOwn(schema, "const")) return plain(printConstant(schema.const, printer))
  const choices = listKeyword(schema, "enum")
  if (choices.length > 0) return union(choices.map((choice) => plain(printConstant(choice, printer))))
  return printParts(schema, printer, inner)
}

/** Joins the schema's own type with its parts, since all of them hold. A bare kind is left out beside parts that say more. */
function printParts(schema: JsonSchema, printer: TypePrinter, inner: PrintInner): PrintedType {
  const kinds = kindsOf(schema, printer)
  const own = union(kinds.map((kind) => printKind(kind, schema, printer, inner)))
  const bare = kinds.join("|")
  const options = [...listKeyword(schema, "anyOf"), ...listKeyword(schema, "oneOf")].map((option) =>
    inner(withType(option, schema)),
  )
  const parts = [union(options), ...listKeyword(schema, "allOf").map(inner)].filter(
    ({ text }) => text !== "" && text !== "any" && (text !== bare || bare === "any"),
  )
  const all = own.text === bare && parts.length > 0 && (bare === "any" || options.length > 0) ? parts : [own, ...parts]
  const distinct = [...new Map(all.map((part) => [part.text, part])).values()]
  const [only = any] = distinct
  return distinct.length < 2 ? only : { text: distinct.map(grouped).join(" & "), compound: true }
}

/** An option that only narrows, such as `{ minimum: 5 }`, has the type of the schema around it. */
function withType(option: unknown, { type }: JsonSchema): unknown {
  const says = ["type", "$ref", "const", "enum", "anyOf", "oneOf", "allOf"]
  if (!isSchema(option) || type === undefined || says.some((name) => Object.hasOwn(option, name))) return option
  return { ...option, type }
}

/** Returns the plain type names of a schema, such as `string`, or `string` and `null` for an enum with both. */
export function kindsOf(schema: JsonSchema, { encode }: TypePrinter): readonly string[] {
  const names = namedKinds(schema, encode)
  return keyword(schema, "nullable") === true && !names.includes("any") ? [...new Set([...names, "null"])] : names
}

function namedKinds(schema: JsonSchema, encode: TypePrinter["encode"]): readonly string[] {
  const type = keyword(schema, "type")
  const types = (Array.isArray(type) ? type : [type]).filter((name) => typeof name === "string")
  if (types.length > 0) return [...new Set(types.map((name) => encode(name)))]
  const choices = Object.hasOwn(schema, "const") ? [schema.const] : listKeyword(schema, "enum")
  if (choices.length > 0) return [...new Set(choices.map(jsonTypeOf))]
  if (isSchema(keyword(schema, "properties")) || isSchema(keyword(schema, "patternProperties"))) return ["object"]
  if (Object.hasOwn(schema, "items") || Object.hasOwn(schema, "prefixItems")) return ["array"]
  return ["any"]
}

/** `dict` and `tuple` are type names that Python programs use. */
function printKind(kind: string, schema: JsonSchema, printer: TypePrinter, inner: PrintInner): PrintedType {
  if (kind === "object" || kind === "dict") return plain(printObject(kind, schema, printer, inner))
  if (kind === "null" || kind === "boolean") return plain(kind)
  const text = kind === "array" || kind === "tuple" ? printArray(kind, schema, inner) : kind
  // The items of a tuple already show how many there are.
  const bounds = text.startsWith("[") ? "" : printBounds(kind, schema, printer.encode)
  return { text: `${text}${bounds}`, compound: bounds !== "" }
}

function printArray(kind: string, schema: JsonSchema, inner: PrintInner): string {
  const items = keyword(schema, "items")
  const tuple = [...listKeyword(schema, "prefixItems"), ...listKeyword(schema, "items")]
  const each = isSchema(items) ? `${grouped(inner(items))}[]` : ""
  if (tuple.length === 0) return each === "" ? kind : each
  return `[${[...tuple.map((item) => inner(item).text), ...(each === "" ? [] : [`...${each}`])].join(", ")}]`
}

/** Prints an object with its properties, `{a: string, b?: number, [key]: string}`, or only its kind when it names none. */
function printObject(kind: string, schema: JsonSchema, printer: TypePrinter, inner: PrintInner): string {
  const properties = propertiesOf(schema).map(({ name, schema: property, required }) => {
    const description = describedBy(property, printer)
    const head = `${printer.encode(name)}${required ? "" : "?"}: ${inner(property).text}${printDefault(property, printer)}`
    return description === "" ? head : `${head} - ${description}`
  })
  const all = [...properties, ...printOtherProperties(schema, printer, inner)]
  return all.length === 0 ? kind : `{${all.join(", ")}}`
}

/** Prints the properties that a schema does not name: `[/pattern/]: type`, `[a|b]: type`, `[key]: type`. */
export function printOtherProperties(
  schema: JsonSchema,
  printer: TypePrinter,
  inner: PrintInner = (part) => print(part, printer, []),
): readonly string[] {
  const patterns = keyword(schema, "patternProperties")
  const others = keyword(schema, "additionalProperties")
  const matched = isSchema(patterns) ? Object.entries(patterns) : []
  return [
    ...matched.map(([pattern, property]) => `[/${printer.encode(pattern)}/]: ${inner(property).text}`),
    ...(isSchema(others) ? [`[${keyName(schema, inner)}]: ${inner(others).text}`] : []),
  ]
}

function keyName(schema: JsonSchema, inner: PrintInner): string {
  const names = keyword(schema, "propertyNames")
  const isChoice = isSchema(names) && (listKeyword(names, "enum").length > 0 || typeof keyword(names, "pattern") === "string")
  // The names of properties are texts, whether a schema says so or not.
  return isChoice ? inner({ type: "string", ...names }).text : "key"
}

/** Prints a property's default as ` = 3`, or `""` when there is none or it is null. */
export function printDefault(property: unknown, printer: TypePrinter): string {
  const own = isSchema(property) ? keyword(property, "default") : undefined
  const value = own === undefined ? targetKeyword(property, "default", printer.root) : own
  return value === undefined || value === null ? "" : ` = ${printConstant(value, printer)}`
}

/** Returns a property's description on one line: its own, else that of its reference, else that of its items. */
export function describedBy(property: unknown, { encode, root }: TypePrinter): string {
  if (!isSchema(property)) return ""
  const items = keyword(property, "items")
  const found = [
    keyword(property, "description"),
    targetKeyword(property, "description", root),
    isSchema(items) && keyword(items, "description"),
  ]
  const description = found.find((text): text is string => typeof text === "string" && text.trim() !== "")
  return description === undefined ? "" : joinLines(encode(description))
}

function targetKeyword(property: unknown, name: string, root: JsonSchema): unknown {
  const target = resolved(property, root)
  return isSchema(target) ? keyword(target, name) : undefined
}

/** Returns the schema that a property refers to, or the property itself when it is no reference. */
export function resolved(property: unknown, root: JsonSchema): unknown {
  const reference = isSchema(property) ? keyword(property, "$ref") : undefined
  return typeof reference === "string" ? (resolveReference(root, reference) ?? property) : property
}

/**
 * Prints the limits of a kind, each after a space: ` date-time` and ` /^a/` for strings, ` 1..10` for the length of a string,
 * the number of items or the size of a number, ` >0` for an exclusive end, ` %5` for multiples.
 */
function printBounds(kind: string, schema: JsonSchema, encode: TypePrinter["encode"]): string {
  const words = kind === "string" ? [keywordText(schema, "format", encode), printPattern(schema, encode)] : []
  return [...words, ...rangeOf(kind, schema)]
    .filter((bound) => bound !== "")
    .map((bound) => ` ${bound}`)
    .join("")
}

function rangeOf(kind: string, schema: JsonSchema): string[] {
  if (kind === "string") return [range(limit(schema, "minLength"), limit(schema, "maxLength"))]
  if (kind === "array" || kind === "tuple") return [range(limit(schema, "minItems"), limit(schema, "maxItems"))]
  const [over, under, step] = [limit(schema, "exclusiveMinimum"), limit(schema, "exclusiveMaximum"), limit(schema, "multipleOf")]
  return [
    range(limit(schema, "minimum"), limit(schema, "maximum")),
    over === undefined ? "" : `>${over}`,
    under === undefined ? "" : `<${under}`,
    step === undefined ? "" : `%${step}`,
  ]
}

function range(from: number | undefined, to: number | undefined): string {
  if (from === undefined) return to === undefined ? "" : `≤${to}`
  if (from === to) return String(from)
  return to === undefined ? `≥${from}` : `${from}..${to}`
}

/** Converters write the largest safe integer where a schema has no limit. */
function limit(schema: JsonSchema, name: string): number | undefined {
  const value = keyword(schema, name)
  return typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined
}

/** A pattern beside a format is left out: it is long and repeats the format. */
function printPattern(schema: JsonSchema, encode: TypePrinter["encode"]): string {
  const text = keywordText(schema, "format", encode) === "" ? keywordText(schema, "pattern", encode) : ""
  return text === "" || text.startsWith('"') ? text : `/${text}/`
}

function keywordText(schema: JsonSchema, name: string, encode: TypePrinter["encode"]): string {
  const value = keyword(schema, name)
  return typeof value === "string" && value.trim() !== "" ? joinLines(encode(value)) : ""
}

/** Prints a constant: a word as it is, everything else, also a string such as `"1"` or `"a|b"`, as JSON on one line. */
function printConstant(value: unknown, { encode }: TypePrinter): string {
  const encoded = typeof value === "string" ? encode(value) : undefined
  if (encoded !== undefined && (encoded !== value || !isMistakable(encoded))) return encoded
  return attempt(() => encodeJsonLine(value), "any")
}

const jsonWord = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/

function isMistakable(text: string): boolean {
  return text.trim() !== text || text === "" || jsonWord.test(text) || text.includes("|") || hasLineBreak(text)
}

function grouped({ text, compound }: PrintedType): string {
  return compound ? `(${text})` : text
}

/** Joins types as alternatives, each once. No types give `""`. */
function union(types: readonly PrintedType[]): PrintedType {
  const distinct = [...new Map(types.map((type) => [type.text, type])).values()]
  const [only] = distinct
  if (only !== undefined && distinct.length === 1) return only
  return { text: distinct.map(({ text }) => text).join("|"), compound: distinct.length > 1 }
}

function plain(text: string): PrintedType {
  return { text, compound: false }
}
