import type { CountedTool } from "../../core/ports.ts"

/**
 * The tokens that OpenAI's chat format adds around messages, by the formula of the OpenAI cookbook ("How to count tokens
 * with tiktoken"): 3 for each message and those of its role, and 3 that prime the reply. Tools are counted apart.
 */
export function chatOverhead(messages: readonly { readonly role: string }[], count: (text: string) => number): number {
  const ofRoles = new Map<string, number>()
  let tokens = 3
  for (const { role } of messages) {
    const ofRole = ofRoles.get(role) ?? count(role)
    ofRoles.set(role, ofRole)
    tokens += 3 + ofRole
  }
  return tokens
}

/** What OpenAI's chat models read for a function, by the numbers of the OpenAI cookbook ("How to count tokens with tiktoken"). */
interface FormatTokens {
  readonly perFunction: number
  readonly properties: number
  readonly perProperty: number
  readonly perEnum: number
  readonly perEnumItem: number
  readonly end: number
}

const formats: Readonly<Record<"o200k_base" | "cl100k_base", FormatTokens>> = {
  o200k_base: { perFunction: 7, properties: 3, perProperty: 3, perEnum: -3, perEnumItem: 3, end: 12 },
  cl100k_base: { perFunction: 10, properties: 3, perProperty: 3, perEnum: -3, perEnumItem: 3, end: 12 },
}

/**
 * About the tokens of native tool schemas. The format that models read is not published: the cookbook's numbers hold for flat
 * schemas, and what is nested is counted as the JSON it is. An estimate even where texts are counted exactly.
 */
export function functionTokens(
  tools: readonly CountedTool[],
  encoding: keyof typeof formats,
  count: (text: string) => number,
): number {
  if (tools.length === 0) return 0
  const format = formats[encoding]
  return tools.reduce((sum, tool) => sum + oneFunction(tool, format, count), format.end)
}

function oneFunction({ name, description, parameters }: CountedTool, format: FormatTokens, count: (text: string) => number) {
  const properties = Object.entries(recordOf(parameters.properties))
  const own = format.perFunction + count(`${name}:${withoutStop(description)}`)
  const listed = properties.reduce((sum, [key, schema]) => sum + property(key, recordOf(schema), format, count), 0)
  return own + (properties.length > 0 ? format.properties : 0) + listed
}

function property(
  key: string,
  { type, description, enum: values, ...rest }: Readonly<Record<string, unknown>>,
  format: FormatTokens,
  count: (text: string) => number,
): number {
  const line = `${key}:${typeof type === "string" ? type : JSON.stringify(type ?? "")}:${withoutStop(textOf(description))}`
  const items = Array.isArray(values) ? values : []
  const choices = items.reduce<number>((sum, item) => sum + format.perEnumItem + count(String(item)), format.perEnum)
  const nested = Object.keys(rest).length > 0 ? count(JSON.stringify(rest)) : 0
  return format.perProperty + count(line) + (items.length > 0 ? choices : 0) + nested
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : ""
}

function withoutStop(text: string): string {
  return text.endsWith(".") ? text.slice(0, -1) : text
}
