import { listOf, recordOf, stringOf } from "../../../core/json-access.ts"
import type { CountedTool } from "../../../core/ports.ts"

type Count = (text: string) => number

/**
 * The tokens that OpenAI's chat format adds around messages, by the formula of the OpenAI cookbook ("How to count tokens with
 * tiktoken"): 3 for each message and those of its role, and 3 for the beginning of the reply. Tools are not included.
 */
export function chatOverhead(messages: readonly { readonly role: string }[], count: Count): number {
  const roles = new Map<string, number>()
  for (const { role } of messages) roles.set(role, (roles.get(role) ?? 0) + 1)
  let tokens = 3
  for (const [role, times] of roles) tokens += times * (3 + count(role))
  return tokens
}

/** The numbers of the cookbook for functions. */
const perFunction = { o200k_base: 7, cl100k_base: 10 } as const
const perProperties = 3
const perProperty = 3
const perEnum = -3
const perEnumItem = 3
const afterFunctions = 12

/**
 * An estimate of the tokens of native tool schemas. OpenAI has not published the format that its models read. The cookbook's numbers
 * hold for flat schemas; nested schemas are counted as JSON.
 */
export function functionTokens(tools: readonly CountedTool[], encoding: keyof typeof perFunction, count: Count): number {
  if (tools.length === 0) return 0
  return tools.reduce((sum, tool) => sum + perFunction[encoding] + oneFunction(tool, count), afterFunctions)
}

function oneFunction({ name, description, parameters }: CountedTool, count: Count): number {
  const properties = Object.entries(recordOf(parameters.properties))
  const listed = properties.reduce((sum, [key, schema]) => sum + property(key, recordOf(schema), count), 0)
  return count(`${name}:${withoutStop(description)}`) + (properties.length > 0 ? perProperties : 0) + listed
}

function property(
  key: string,
  { type, description, enum: values, ...rest }: Readonly<Record<string, unknown>>,
  count: Count,
): number {
  const kind = typeof type === "string" ? type : JSON.stringify(type ?? "")
  const line = `${key}:${kind}:${withoutStop(stringOf(description))}`
  const items = listOf(values)
  const choices = items.reduce<number>((sum, item) => sum + perEnumItem + count(String(item)), perEnum)
  const nested = Object.keys(rest).length > 0 ? count(JSON.stringify(rest)) : 0
  return perProperty + count(line) + (items.length > 0 ? choices : 0) + nested
}

function withoutStop(text: string): string {
  return text.endsWith(".") ? text.slice(0, -1) : text
}
