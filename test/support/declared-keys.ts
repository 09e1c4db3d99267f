import { parseSync, Visitor } from "rolldown/utils"
import type { Key, Keys, ValueType } from "../../src/profile/key.ts"
import * as makers from "../../src/profile/key.ts"
import { inSnakeCase } from "../../src/profile/key.ts"

/** The table in a value of this type, if it is one, or a list or map of such. */
function tableIn(type: ValueType): Extract<ValueType, { kind: "table" }> | undefined {
  if (type.kind === "list" || type.kind === "map") return tableIn(type.of)
  return type.kind === "table" ? type : undefined
}

/** Every key of a declaration, tables too, with the names that lead to it. */
export function keysIn(keys: Keys, above: readonly string[] = []): { readonly path: readonly string[]; readonly key: Key }[] {
  return Object.entries(keys).flatMap(([name, key]) => {
    const path = [...above, name]
    return [{ path, key }, ...keysIn(tableIn(key.type)?.keys ?? {}, path)]
  })
}

/** The names of several words in each table, such as `maxSteps`. A single word, such as `name`, stands in many other types too. */
export function longNamesIn(keys: Keys): string[][] {
  const own = Object.keys(keys).filter((name) => /[A-Z]/.test(name))
  return [own, ...Object.values(keys).flatMap(({ type }) => longNamesIn(tableIn(type)?.keys ?? {}))]
}

/** The names of a table that a source text declares once more: in an interface, a type, or an object of constants. */
export function declaredAgain(source: string, tables: readonly (readonly string[])[], least: number): string[] {
  const named = tables.map((names) => names.filter((name) => source.includes(name) || source.includes(inSnakeCase(name))))
  if (named.every((names) => names.length < least)) return []
  return declarationsIn(source).flatMap((declared) =>
    named
      .map((names) => names.filter((name) => declared.includes(name) || declared.includes(inSnakeCase(name))))
      .filter((names) => names.length >= least)
      .map((names) => names.join(", ")),
  )
}

/** The names that each interface, type and object of constants declares. */
function declarationsIn(source: string): string[][] {
  const found: string[][] = []
  const visitor = new Visitor({
    TSInterfaceBody: ({ body }) => found.push(signatures(body)),
    TSTypeLiteral: ({ members }) => found.push(signatures(members)),
    ObjectExpression: ({ properties }) =>
      found.push(
        properties.flatMap((property) =>
          property.type === "Property" && isConstant(property.value) ? nameOf(property.key) : [],
        ),
      ),
  })
  visitor.visit(parseSync("source.ts", source).program)
  return found
}

function signatures(members: readonly { readonly type: string; readonly key?: unknown }[]): string[] {
  return members.flatMap(({ type, key }) => (type === "TSPropertySignature" ? nameOf(key) : []))
}

interface Expression {
  readonly type: string
  readonly name?: unknown
  readonly callee?: Expression
  readonly object?: Expression
}

/** True for a literal, a list, and what a schema is made of: `z.int().min(1)`, or a function that declares a key. */
function isConstant(value: Expression): boolean {
  if (value.callee === undefined) return value.type === "Literal" || value.type === "ArrayExpression"
  return ["z", ...Object.keys(makers)].includes(String(firstName(value)))
}

/** The name with which a chain of calls begins. */
function firstName({ name, callee, object }: Expression): unknown {
  const inner = callee ?? object
  return inner === undefined ? name : firstName(inner)
}

function nameOf(key: unknown): string[] {
  const { name, value } = key as { readonly name?: string; readonly value?: unknown }
  return [name ?? String(value)]
}
