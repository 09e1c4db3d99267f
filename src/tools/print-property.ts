import { onOneLine } from "./one-line.ts"
import { printConstant } from "./print-constant.ts"
import type { TypePrinter } from "./printed-type.ts"
import { isSchema, keyword, resolveReference } from "./schema-shape.ts"

/** ` = 3` for what a property is when it is left out; `""` where nothing is said, or only that it is null. */
export function printDefault(property: unknown, printer: Pick<TypePrinter, "encode" | "root">): string {
  const own = isSchema(property) ? keyword(property, "default") : undefined
  const value = own === undefined ? targetKeyword(property, "default", printer) : own
  return value === undefined || value === null ? "" : ` = ${printConstant(value, printer)}`
}

/** What a property is for, on one line: its own words, else those of what it refers to, else those of its items. */
export function describedBy(property: unknown, printer: Pick<TypePrinter, "encode" | "root">): string {
  if (!isSchema(property)) return ""
  const items = keyword(property, "items")
  const found = [
    keyword(property, "description"),
    targetKeyword(property, "description", printer),
    isSchema(items) && keyword(items, "description"),
  ]
  const description = found.find((text): text is string => typeof text === "string" && text.trim() !== "")
  return description === undefined ? "" : onOneLine(printer.encode(description))
}

function targetKeyword(property: unknown, name: string, { root }: Pick<TypePrinter, "root">): unknown {
  const target = resolved(property, root)
  return isSchema(target) ? keyword(target, name) : undefined
}

/** What a property that is only a reference stands for. */
export function resolved(property: unknown, root: TypePrinter["root"]): unknown {
  const reference = isSchema(property) ? keyword(property, "$ref") : undefined
  return typeof reference === "string" ? (resolveReference(root, reference) ?? property) : property
}
