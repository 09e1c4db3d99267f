import type { StandardSchemaV1 } from "@standard-schema/spec"
import type { TextSchema } from "../../tools/text-arguments.ts"

/** What a parameter holds: a text, a list of texts, or a number. */
export type ParameterKind = "text" | "texts" | "number"

interface KindValues {
  readonly text: string
  readonly texts: readonly string[]
  readonly number: number
}

/** The checked arguments: what was not given is absent. */
export type GivenArguments<Kinds extends Readonly<Record<string, ParameterKind>>> = {
  readonly [Name in keyof Kinds]?: KindValues[Kinds[Name]]
}

/** A schema of parameters of these kinds, none of them required; a number for a text, a text for a list of one and `null` are understood. */
export function toolArguments<const Kinds extends Readonly<Record<string, ParameterKind>>>(
  kinds: Kinds,
  {
    descriptions,
    required = [],
  }: { readonly descriptions: Readonly<Record<string, string>>; readonly required?: readonly string[] },
): TextSchema<GivenArguments<Kinds>> {
  const properties = Object.entries(kinds).map(([name, kind]) => [name, { ...shapes[kind], ...described(descriptions[name]) }])
  const schema = { type: "object", properties: Object.fromEntries(properties), required: [...required] }
  return {
    "~standard": {
      version: 1,
      vendor: "promptstrata",
      validate: (args) => validate(kinds, args, required) as StandardSchemaV1.Result<GivenArguments<Kinds>>,
      jsonSchema: { input: () => schema, output: () => schema },
    },
  }
}

const shapes = {
  text: { type: "string" },
  texts: { type: "array", items: { type: "string" } },
  number: { type: "number" },
} as const

function described(description: string | undefined): { readonly description?: string } {
  return description === undefined ? {} : { description }
}

function validate(
  kinds: Readonly<Record<string, ParameterKind>>,
  args: unknown,
  required: readonly string[],
): StandardSchemaV1.Result<Record<string, unknown>> {
  if (typeof args !== "object" || args === null) return { issues: [{ message: "expected object" }] }
  const given = new Map(Object.entries(args))
  const issues: StandardSchemaV1.Issue[] = []
  const value: Record<string, unknown> = {}
  for (const [name, kind] of Object.entries(kinds)) {
    const found = given.get(name)
    if (found === undefined || found === null || found === "") {
      if (required.includes(name)) issues.push({ message: `expected ${kind}, received nothing`, path: [name] })
      continue
    }
    const read = readers[kind](found)
    if (read === undefined) issues.push({ message: `expected ${kind}, received ${kindOf(found)}`, path: [name] })
    else value[name] = read
  }
  return issues.length > 0 ? { issues } : { value }
}

const readers: { readonly [Kind in ParameterKind]: (value: unknown) => KindValues[Kind] | undefined } = {
  text: (value) => (typeof value === "string" ? value : typeof value === "number" ? String(value) : undefined),
  texts: (value) => {
    if (typeof value === "string") return [value]
    return Array.isArray(value) && value.every((item) => typeof item === "string") ? value : undefined
  },
  number: (value) => {
    const number = typeof value === "string" ? Number(value) : value
    return typeof number === "number" && Number.isFinite(number) ? number : undefined
  },
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? "array" : typeof value
}
