// Writes docs/profile.md and its Chinese twin from the schema of a profile's file: every key with its type, default and meaning.
import { fileURLToPath } from "node:url"
import { toJsonSchema } from "../src/node/profile/profile-json-schema.ts"
import { type Locale, wholePage, writePages } from "./reference/pages.ts"

/** The page, whole. */
export function profileReference(locale: Locale = "en"): string {
  const { properties = {} } = toJsonSchema() as DescribedSchema
  const entries = Object.entries(properties)
  const keys = entries.filter(([, schema]) => !isTable(schema) && !isTableList(schema))
  const sections = entries.flatMap(([name, schema]) => {
    if (isTable(schema)) return [section(`\`[${name}]\``, schema.description, rowsOf(schema)), ...namedTables(name, schema)]
    if (isTableList(schema)) return [section(`\`[[${name}]]\``, schema.description, rowsOf(schema.items ?? {}))]
    const { additionalProperties: inner } = schema
    return isSchema(inner) && isTable(inner) ? [section(`\`[${name}.NAME]\``, inner.description, rowsOf(inner, properties))] : []
  })
  const top = section(
    "At the top",
    "Keys that stand before the first table.",
    keys.map(([name, schema]) => row(name, schema)),
  )
  return wholePage("profile", [top, ...sections].join("\n\n"), locale)
}

function section(title: string, meaning = "", rows: readonly string[] = []): string {
  return [`## ${title}`, "", meaning, "", "| key | type | default | meaning |", "|---|---|---|---|", ...rows].join("\n")
}

/** A piece of the profile's schema as data, with `otherwise`: the default in words. */
interface DescribedSchema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly default?: unknown
  readonly otherwise?: string
  readonly enum?: readonly string[]
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: DescribedSchema
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, DescribedSchema>>
  readonly additionalProperties?: DescribedSchema | boolean
}

/** Tables that a reader names, such as `[mcp.servers.NAME]`. */
function namedTables(name: string, { properties = {} }: DescribedSchema): string[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const { additionalProperties: inner } = schema
    if (isInnerTable(schema)) return [section(`\`[${name}.${key}]\``, schema.description, rowsOf(schema))]
    return isSchema(inner) && isTable(inner) ? [section(`\`[${name}.${key}.NAME]\``, inner.description, rowsOf(inner))] : []
  })
}

/** True for a table whose keys differ in type, and so have meanings of their own. */
function isInnerTable({ properties = {} }: DescribedSchema): boolean {
  return new Set(Object.values(properties).map(({ type }) => type)).size > 1
}

/** A table inside that has the keys of one at the top is one row; its keys stand in their own section. */
function rowsOf({ properties = {}, required = [] }: DescribedSchema, top: Properties = {}): string[] {
  return Object.entries(properties).map(([name, schema]) => {
    const same = top[name]
    if (same !== undefined && isTable(same) && isTable(schema))
      return `| \`${name}\` | table | that of \`[${name}]\` | ${schema.description ?? ""} |`
    if (isInnerTable(schema)) return `| \`${name}\` | table | none | ${schema.description ?? ""} |`
    return row(name, schema, required.includes(name))
  })
}

type Properties = NonNullable<DescribedSchema["properties"]>

/** A table of which each key is the reader's own is shown as one such key. */
function row(name: string, schema: DescribedSchema, isRequired = false): string {
  const inner = namedValue(schema)
  const cells = [
    `\`${inner ? `${name}.NAME` : name}\``,
    typeOf(inner ?? schema),
    isRequired ? "required" : defaultOf(schema),
    schema.description ?? "",
  ]
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`
}

/** The values of a table whose keys are the reader's own, or one of some names. */
function namedValue({ properties = {}, additionalProperties }: DescribedSchema): DescribedSchema | undefined {
  const [named] = Object.values(properties)
  if (named !== undefined) return named
  return isSchema(additionalProperties) && additionalProperties.type !== undefined ? additionalProperties : undefined
}

function typeOf(schema: DescribedSchema): string {
  const { type, minimum, maximum, items } = schema
  if (schema.enum) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(", ")
  if (type === "array") return `array of ${typeOf(items ?? {})}${items?.enum ? "" : "s"}`
  if (type === "boolean") return "true or false"
  if (typeof type === "object") return "string, number, true or false"
  if (type === "object") return "table"
  if (type !== "integer" && type !== "number") return type ?? "anything"
  const kind = type === "integer" ? "whole number" : "number"
  return maximum === undefined ? `${kind}, at least ${minimum}` : `${kind}, ${minimum} to ${maximum}`
}

function defaultOf(schema: DescribedSchema): string {
  if (schema.otherwise !== undefined) return schema.otherwise
  return schema.default === undefined ? "" : `\`${JSON.stringify(schema.default)}\``
}

function isTable({ type, properties }: DescribedSchema): boolean {
  return type === "object" && properties !== undefined
}

function isTableList({ type, items }: DescribedSchema): boolean {
  return type === "array" && items?.properties !== undefined
}

function isSchema(schema: DescribedSchema["additionalProperties"]): schema is DescribedSchema {
  return typeof schema === "object"
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writePages("profile", profileReference)
