import type { SlotEntry, TrustedText } from "../core/value.ts"
import { encodeInline } from "../encode/inline.ts"
import { encodedText } from "../encode/marked-text.ts"
import { sanitiseJson } from "../encode/sanitise.ts"
import { isSchema, listKeyword, propertiesOf } from "./json-schema.ts"
import {
  describedBy,
  kindsOf,
  printDefault,
  printOtherProperties,
  printSchemaType,
  resolved,
  type TypePrinter,
} from "./print-schema-type.ts"
import type { JsonSchema, Tool } from "./tool.ts"

/** The words that a parameter list needs. They come from `prompts/`. */
export interface ParameterWords {
  /** Marks a parameter that may be left out, such as `optional`. */
  readonly optional: string
}

/** The last entry made for each tool, with the word it was printed with. A turn asks for the same tools at every step. */
const madeEntries = new WeakMap<Tool, { readonly optional: string; readonly entry: SlotEntry }>()

/**
 * Makes the entry of a tool for a dialect's `tools.md` (T9, L6): `name`, `description`, `parameters` and `hint`, of which the
 * last two may be `""`, and `owed` for a tool that each answer must come with (R16). The texts have the tool's trust. `parameters` is encoded already. The entry is kept with the tool
 * object, so a tool must not be changed after it was first shown.
 */
export function toolEntry(tool: Tool, words: ParameterWords): SlotEntry {
  const made = madeEntries.get(tool)
  if (made?.optional === words.optional) return made.entry
  const { name, description, usageHint = "", inputSchema, trust } = tool
  const entry = {
    name: { text: name, trust },
    description: { text: description, trust },
    parameters: trust === "author" ? encodedText(printParameters(inputSchema, words), trust) : untrustedParameters(tool, words),
    hint: { text: usageHint, trust },
    owed: tool.withAnswer === "required",
  }
  madeEntries.set(tool, { optional: words.optional, entry })
  return entry
}

/** The last entries made for each list of tools. A turn has the same list as the one before. Tools may be added to a list, but not replaced. */
const madeLists = new WeakMap<readonly Tool[], { readonly optional: string; readonly entries: readonly SlotEntry[] }>()

/** The entries of tools, in their order; see {@link toolEntry}. */
export function toolEntries(tools: readonly Tool[], words: ParameterWords): readonly SlotEntry[] {
  const made = madeLists.get(tools)
  if (made?.optional === words.optional && made.entries.length === tools.length) return made.entries
  const entries = tools.map((tool) => toolEntry(tool, words))
  madeLists.set(tools, { optional: words.optional, entries })
  return entries
}

/** A schema that came over a network is cleaned, and encoded name by name. */
function untrustedParameters({ inputSchema, trust }: Tool, words: ParameterWords): TrustedText {
  const { value, ...removed } = sanitiseJson(inputSchema)
  return encodedText(printParameters(value, words, encodeInline), trust, removed)
}

/** Schemas after these are printed by their kind only. No real tool has so many. */
const maxSchemas = 2_000

/** Further parts of the top schema are left out. */
const maxParts = 100

/**
 * Prints a tool's parameters on one line, `p (type) - description, q (type = default, optional)` (T9), or `""` for none.
 * `encode` is applied to every name, description, type name and enum value: `encodeInline` for a schema that came over a
 * network. Never throws and always ends.
 */
export function printParameters(
  schema: JsonSchema,
  words: ParameterWords,
  encode: (text: string) => string = (text) => text,
): string {
  const printer: TypePrinter = { root: schema, encode, remaining: maxSchemas }
  const parts = partsOf(schema)
  const named = new Map<string, string>()
  for (const { name, schema: property, required } of parts.flatMap(propertiesOf)) {
    if (named.has(name)) continue
    const type = `${printTopType(resolved(property, schema), printer)}${printDefault(property, printer)}`
    const description = describedBy(property, printer)
    const marks = required ? type : `${type}, ${words.optional}`
    named.set(name, `${encode(name)} (${marks})${description === "" ? "" : ` - ${description}`}`)
  }
  const others = parts.flatMap((part) => [...printOtherProperties(part, printer), ...printChoices(part, printer)])
  return [...named.values(), ...others].join(", ")
}

/** Returns the top schema and everything that it includes by `allOf` and `$ref`: all of it holds. */
function partsOf(schema: JsonSchema): readonly JsonSchema[] {
  const parts = new Set<JsonSchema>([schema])
  for (const part of parts) {
    if (parts.size > maxParts) break
    for (const included of [...listKeyword(part, "allOf"), resolved(part, schema)]) {
      const target = resolved(included, schema)
      if (isSchema(target)) parts.add(target)
    }
  }
  return [...parts]
}

/** Prints the alternatives of a top schema: `{kind: a, …}|{kind: b, …}`. */
function printChoices(schema: JsonSchema, printer: TypePrinter): readonly string[] {
  return ["anyOf", "oneOf"].flatMap((name) => {
    const options = listKeyword(schema, name)
    const text = options.length === 0 ? "" : printSchemaType({ [name]: options }, printer)
    return ["", "any", "object"].includes(text) ? [] : [text]
  })
}

/** Prints an enum as `string: a|b` and everything else as its type. */
function printTopType(schema: unknown, printer: TypePrinter): string {
  const type = printSchemaType(schema, printer)
  const isEnum = isSchema(schema) && listKeyword(schema, "enum").length > 0
  return isEnum ? `${kindsOf(schema, printer).join("|")}: ${type}` : type
}
