import { isRecord } from "../../core/json-access.ts"
import { isSchema, jsonTypeOf, keyword, listKeyword, resolveReference } from "./json-schema.ts"
import type { JsonSchema } from "./tool.ts"

/** A server may choose schema and value, so that the time of a check must be bounded. */
const maxSteps = 20_000

/** The first mismatch as `PATH: PROBLEM`, or `undefined` when the value fits. */
type Mismatch = string | undefined

/**
 * Returns the first mismatch between a value and its JSON Schema: arguments of a call, or a tool's structured output. It checks types, required and forbidden properties,
 * items, enums, constants and combinations, but not formats, patterns and bounds. A check ends after 20,000 steps.
 */
export function schemaMismatch(schema: JsonSchema, value: unknown): Mismatch {
  return mismatch(schema, value, "", { root: schema, steps: 0 }, 0)
}

function mismatch(
  schema: unknown,
  value: unknown,
  path: string,
  check: { readonly root: JsonSchema; steps: number },
  depth: number,
): Mismatch {
  if (++check.steps > maxSteps || depth > 100) return undefined
  if (schema === false) return at(path, "nothing is expected here")
  if (!isSchema(schema)) return undefined
  const reference = keyword(schema, "$ref")
  const target = typeof reference === "string" ? resolveReference(check.root, reference) : undefined
  const deeper: CheckInner = (part, of, at) => mismatch(part, of, at, check, depth + 1)
  const inner = (part: unknown) => deeper(part, value, path)
  return (
    (target === undefined ? undefined : inner(target)) ??
    wrongType(schema, value, path) ??
    wrongConstant(schema, value, path) ??
    firstOf(listKeyword(schema, "allOf"), inner) ??
    noneFits(schema, path, inner) ??
    wrongProperty(schema, value, path, deeper) ??
    wrongItem(schema, value, path, deeper)
  )
}

type CheckInner = (schema: unknown, value: unknown, path: string) => Mismatch

function wrongType(schema: JsonSchema, value: unknown, path: string): Mismatch {
  const type = keyword(schema, "type")
  const types = (Array.isArray(type) ? type : [type]).filter((name) => typeof name === "string")
  if (types.length === 0 || types.some((name) => isOfType(value, name))) return undefined
  return at(path, `expected ${types.join(" or ")}, found ${jsonTypeOf(value)}`)
}

function isOfType(value: unknown, type: string): boolean {
  if (type === "integer") return Number.isInteger(value)
  return jsonTypeOf(value) === type || !["string", "number", "boolean", "null", "object", "array"].includes(type)
}

/** Only plain values are compared. */
function wrongConstant(schema: JsonSchema, value: unknown, path: string): Mismatch {
  if (typeof value === "object" && value !== null) return undefined
  const choices = Object.hasOwn(schema, "const") ? [schema.const] : listKeyword(schema, "enum")
  return choices.length === 0 || choices.includes(value) ? undefined : at(path, "found another value than those it may have")
}

function noneFits(schema: JsonSchema, path: string, inner: (part: unknown) => Mismatch): Mismatch {
  for (const name of ["anyOf", "oneOf"]) {
    const options = listKeyword(schema, name)
    if (options.length > 0 && options.every((option) => inner(option) !== undefined)) return at(path, `fits no option of ${name}`)
  }
  return undefined
}

function wrongProperty(schema: JsonSchema, value: unknown, path: string, inner: CheckInner): Mismatch {
  if (!isRecord(value)) return undefined
  const missing = listKeyword(schema, "required").find((name) => typeof name === "string" && !Object.hasOwn(value, name))
  if (missing !== undefined) return at(path, `${String(missing)} is missing`)
  const known = keyword(schema, "properties")
  const properties = isSchema(known) ? known : {}
  const others = Object.hasOwn(schema, "patternProperties") ? undefined : keyword(schema, "additionalProperties")
  return firstOf(Object.keys(value), (name) =>
    inner(Object.hasOwn(properties, name) ? properties[name] : others, value[name], `${path}.${name}`),
  )
}

function wrongItem(schema: JsonSchema, value: unknown, path: string, inner: CheckInner): Mismatch {
  if (!Array.isArray(value)) return undefined
  const first = listKeyword(schema, "prefixItems")
  const rest = keyword(schema, "items")
  return firstOf([...value.keys()], (index) => inner(first[index] ?? rest, value[index], `${path}[${index}]`))
}

function firstOf<T>(items: readonly T[], find: (item: T) => Mismatch): Mismatch {
  for (const item of items) {
    const found = find(item)
    if (found !== undefined) return found
  }
  return undefined
}

function at(path: string, problem: string): string {
  return `${path === "" ? "it" : path.replace(/^\./, "")}: ${problem}`
}
