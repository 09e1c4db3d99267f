import { onOneLine } from "./one-line.ts"
import type { TypePrinter } from "./printed-type.ts"
import { keyword } from "./schema-shape.ts"
import type { JsonSchema } from "./tool.ts"

/**
 * What narrows a kind, with a space before it: ` date-time` and ` /^a/` for strings, ` 1..10` for how long a string, how many
 * items or how large a number, ` >0` where the end does not count, ` %5` for multiples; `""` for nothing.
 */
export function printBounds(kind: string, schema: JsonSchema, { encode }: Pick<TypePrinter, "encode">): string {
  const bounds = [
    ...(kind === "string" ? [word(schema, "format", encode), pattern(schema, encode)] : []),
    ...rangeOf(kind, schema),
  ]
  return bounds
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

/** The largest whole numbers are what converters write for no limit. */
function limit(schema: JsonSchema, name: string): number | undefined {
  const value = keyword(schema, name)
  return typeof value === "number" && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined
}

function word(schema: JsonSchema, name: string, encode: (text: string) => string): string {
  const value = keyword(schema, name)
  return typeof value === "string" && value.trim() !== "" ? onOneLine(encode(value)) : ""
}

/** A pattern that only repeats what the format says would be long and say nothing. */
function pattern(schema: JsonSchema, encode: (text: string) => string): string {
  const text = word(schema, "format", encode) === "" ? word(schema, "pattern", encode) : ""
  return text === "" || text.startsWith('"') ? text : `/${text}/`
}
