import type { JsonSchema } from "./tool.ts"

/** What every schema of one parameter list is printed with. */
export interface TypePrinter {
  /** Where local references are looked up. */
  readonly root: JsonSchema
  /** Applied to every character that the schema's author chose. */
  readonly encode: (text: string) => string
  /** Schemas still to be printed in full; beyond them only kinds stand, so that no schema grows without end. */
  remaining: number
}

/** A type as it is printed; a compound one falls apart where something follows it. */
export interface Printed {
  readonly text: string
  readonly compound: boolean
}

/** Parentheses around a type that would fall apart. */
export function grouped({ text, compound }: Printed): string {
  return compound ? `(${text})` : text
}

/** The types, each once, as alternatives; `""` for none. */
export function union(types: readonly Printed[]): Printed {
  const distinct = [...new Map(types.map((type) => [type.text, type])).values()]
  const [only] = distinct
  if (only !== undefined && distinct.length === 1) return only
  return { text: distinct.map(({ text }) => text).join("|"), compound: distinct.length > 1 }
}
