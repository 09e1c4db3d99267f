import { describedBy, printDefault } from "./print-property.ts"
import { grouped, type Printed, type TypePrinter } from "./printed-type.ts"
import { isSchema, keyword, listKeyword, propertiesOf } from "./schema-shape.ts"
import type { JsonSchema } from "./tool.ts"

/** An object with its properties and what it says about others: `{a: string, b?: number, [key]: string}`; its kind where it says nothing. */
export function printObject(kind: string, schema: JsonSchema, printer: TypePrinter, inner: (part: unknown) => Printed): string {
  const properties = propertiesOf(schema).map(({ name, schema: property, required }) => {
    const description = describedBy(property, printer)
    return [
      `${printer.encode(name)}${required ? "" : "?"}: ${inner(property).text}`,
      printDefault(property, printer),
      description === "" ? "" : ` - ${description}`,
    ].join("")
  })
  const all = [...properties, ...printOtherProperties(schema, printer, inner)]
  return all.length === 0 ? kind : `{${all.join(", ")}}`
}

/** Properties that are not named: `[/pattern/]: type`, `[a|b]: type`, `[key]: type`. */
export function printOtherProperties(
  schema: JsonSchema,
  printer: TypePrinter,
  inner: (part: unknown) => Printed,
): readonly string[] {
  const patterns = keyword(schema, "patternProperties")
  const others = keyword(schema, "additionalProperties")
  const matched = isSchema(patterns) ? Object.entries(patterns) : []
  return [
    ...matched.map(([pattern, property]) => `[/${printer.encode(pattern)}/]: ${inner(property).text}`),
    ...(isSchema(others) ? [`[${keyName(schema, inner)}]: ${inner(others).text}`] : []),
  ]
}

function keyName(schema: JsonSchema, inner: (part: unknown) => Printed): string {
  const names = keyword(schema, "propertyNames")
  const isChoice = isSchema(names) && (listKeyword(names, "enum").length > 0 || typeof keyword(names, "pattern") === "string")
  return isChoice ? grouped({ ...inner(names), compound: false }) : "key"
}
