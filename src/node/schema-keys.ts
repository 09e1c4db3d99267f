import { z } from "zod"

/** The keys that a table may have at `path`; empty where any key may stand, or none. */
export function keysAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): string[] {
  const found = path.reduce<z.core.$ZodType | undefined>((outer, key) => (outer ? inside(outer, key) : undefined), schema)
  const table = found && unwrapped(found)
  return table instanceof z.ZodObject ? Object.keys(table.shape).sort() : []
}

/** Every table in which `key` may stand, as `table.key`, or `key` at the top. */
export function pathsOfKey(schema: z.core.$ZodType, key: string, above = ""): string[] {
  const table = unwrapped(schema)
  if (!(table instanceof z.ZodObject)) return []
  return Object.entries(table.shape).flatMap(([name, inner]) => {
    const path = above === "" ? name : `${above}.${name}`
    return [...(name === key ? [path] : []), ...pathsOfKey(inner, key, path)]
  })
}

function inside(schema: z.core.$ZodType, key: PropertyKey): z.core.$ZodType | undefined {
  const outer = unwrapped(schema)
  if (outer instanceof z.ZodArray) return outer.element
  if (outer instanceof z.ZodRecord) return outer.valueType
  if (!(outer instanceof z.ZodObject) || !Object.hasOwn(outer.shape, key)) return undefined
  return outer.shape[String(key)]
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  return schema instanceof z.ZodExactOptional ? unwrapped(schema.unwrap()) : schema
}
