/** A piece of JSON Schema: the keywords that the schema of profiles uses. */
interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly items?: Schema
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly propertyNames?: Schema
  readonly additionalProperties?: Schema | boolean
}

const known = new Set([
  ...["type", "enum", "pattern", "minimum", "maximum", "items", "required", "properties", "propertyNames"],
  ...["additionalProperties", "description", "default", "title", "format", "$schema"],
])

/** Where a value breaks a JSON Schema, as JSON pointers. Throws for a keyword that it does not know: nothing passes unseen. */
export function schemaFaults(schema: unknown, value: unknown, at = ""): string[] {
  const checked = schema as Schema
  const unknown = Object.keys(checked).find((keyword) => !known.has(keyword))
  if (unknown !== undefined) throw new Error(`schemaFaults does not know the keyword ${unknown} at ${at}`)
  if (!hasType(checked, value) || !isAllowed(checked, value)) return [at]
  if (Array.isArray(value)) return value.flatMap((item, index) => schemaFaults(checked.items ?? {}, item, `${at}/${index}`))
  if (typeof value !== "object" || value === null) return []
  const missing = (checked.required ?? []).some((name) => !Object.hasOwn(value, name)) ? [at] : []
  return [
    ...missing,
    ...Object.entries(value).flatMap(([name, inner]) => memberFaults(checked, name, { inner, at: `${at}/${name}` })),
  ]
}

function memberFaults(schema: Schema, name: string, { inner, at }: { inner: unknown; at: string }): string[] {
  const { properties = {}, additionalProperties = true } = schema
  const own = Object.hasOwn(properties, name) ? properties[name] : additionalProperties
  if (typeof own === "boolean") return own ? [] : [at]
  return schemaFaults(own, inner, at)
}

function hasType({ type }: Schema, value: unknown): boolean {
  if (type === undefined) return true
  return (typeof type === "string" ? [type] : type).some((one) => {
    if (one === "array") return Array.isArray(value)
    if (one === "object") return typeof value === "object" && value !== null && !Array.isArray(value)
    return one === "integer" ? Number.isInteger(value) : typeof value === one
  })
}

function isAllowed({ enum: values, pattern, minimum, maximum }: Schema, value: unknown): boolean {
  if (values !== undefined && !values.includes(value)) return false
  if (typeof value === "string") return pattern === undefined || new RegExp(pattern, "u").test(value)
  return typeof value !== "number" || (value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity))
}
