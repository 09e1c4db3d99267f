import type { StandardSchemaV1 } from "@standard-schema/spec"
import type { TextSchema } from "../../tools/text-arguments.ts"

/** A parameter of a file tool: text that may be blank, a path, which may not, or a whole number of at least 1. */
export interface FileParameter {
  readonly kind: "text" | "path" | "count"
  readonly description: string | undefined
  readonly optional?: boolean
}

type Value<One extends FileParameter> = One["kind"] extends "count" ? number : string

/** The checked arguments; absent for an optional one that was not given. */
export type FileArguments<Parameters extends Readonly<Record<string, FileParameter>>> = {
  readonly [Name in keyof Parameters]: Parameters[Name] extends { readonly optional: true }
    ? Value<Parameters[Name]> | undefined
    : Value<Parameters[Name]>
}

/** A schema of file parameters without any schema library. What a model writes nearly right is taken: `"12"` for 12, 7 for `"7"`; other keys are dropped. */
export function fileArguments<const Parameters extends Readonly<Record<string, FileParameter>>>(
  parameters: Parameters,
): TextSchema<FileArguments<Parameters>> {
  const schema = jsonSchemaOf(parameters)
  return {
    "~standard": {
      version: 1,
      vendor: "promptstrata",
      validate: (args) => validate(parameters, args) as StandardSchemaV1.Result<FileArguments<Parameters>>,
      jsonSchema: { input: () => schema, output: () => schema },
    },
  }
}

function jsonSchemaOf(parameters: Readonly<Record<string, FileParameter>>): Record<string, unknown> {
  const entries = Object.entries(parameters)
  const property = ({ kind, description }: FileParameter) => ({
    ...(kind === "count" ? { type: "integer", minimum: 1 } : { type: "string" }),
    ...(description === undefined ? {} : { description }),
  })
  return {
    type: "object",
    properties: Object.fromEntries(entries.map(([name, parameter]) => [name, property(parameter)])),
    required: entries.filter(([, { optional }]) => !optional).map(([name]) => name),
  }
}

function validate(
  parameters: Readonly<Record<string, FileParameter>>,
  args: unknown,
): StandardSchemaV1.Result<Record<string, unknown>> {
  if (typeof args !== "object" || args === null) return { issues: [{ message: "expected object" }] }
  const given = new Map(Object.entries(args))
  const issues: StandardSchemaV1.Issue[] = []
  const value: Record<string, unknown> = {}
  for (const [name, { kind, optional }] of Object.entries(parameters)) {
    const found = given.get(name) ?? undefined
    if (found === undefined && optional === true) continue
    const read = kind === "count" ? asCount(found) : asText(found, kind)
    if (read === undefined) issues.push({ message: `expected ${expected[kind]}, received ${kindOf(found)}`, path: [name] })
    else value[name] = read
  }
  return issues.length > 0 ? { issues } : { value }
}

const expected = { text: "string", path: "a path", count: "a whole number of at least 1" } as const

function asText(found: unknown, kind: "text" | "path"): string | undefined {
  const text = typeof found === "number" ? String(found) : found
  if (typeof text !== "string") return undefined
  return kind === "path" && text.trim() === "" ? undefined : text
}

function asCount(found: unknown): number | undefined {
  const number = typeof found === "string" && found.trim() !== "" ? Number(found) : found
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 1 ? number : undefined
}

function kindOf(found: unknown): string {
  if (typeof found === "string") return JSON.stringify(found.slice(0, 40))
  if (typeof found === "number") return String(found)
  return found === null ? "null" : Array.isArray(found) ? "array" : typeof found
}
