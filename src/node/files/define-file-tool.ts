import type { StandardSchemaV1 } from "@standard-schema/spec"
import { defineTool } from "../../prompt/tools/define-tool.ts"
import { handWrittenSchema, type TextSchema } from "../../prompt/tools/text-arguments.ts"
import type { Tool, ToolContext } from "../../prompt/tools/tool.ts"
import { type FileToolParts, withFileProblems } from "./file-tool.ts"

/** A parameter: text, which may be blank; a path, which may not; or a whole number of at least 1. `?` makes it optional. */
export type FileParameter = "text" | "path" | "count" | "text?" | "count?"

type FileParameters = Readonly<Record<string, FileParameter>>

type Value<Kind extends FileParameter> = Kind extends "count" | "count?" ? number : string

/** The checked arguments. An optional one that was not given is absent. */
type FileArguments<Parameters extends FileParameters> = {
  readonly [Name in keyof Parameters]: Parameters[Name] extends `${string}?`
    ? Value<Parameters[Name]> | undefined
    : Value<Parameters[Name]>
}

/** A file tool apart from its words: its parameters, and what it does with checked arguments. */
export interface FileToolDefinition<Parameters extends FileParameters> {
  readonly parameters: Parameters
  readonly writes?: boolean
  readonly maxResultCharacters?: number
  run(args: FileArguments<Parameters>, context: ToolContext): Promise<string>
}

/** Makes a file tool. Descriptions come from its prompt file, and every failure of `run` is reported in the tool's words. */
export function defineFileTool<const Parameters extends FileParameters>(
  { name, words }: FileToolParts,
  { parameters, run, ...rest }: FileToolDefinition<Parameters>,
): Tool {
  const { description, usageHint } = words
  return defineTool({
    ...rest,
    name,
    group: "development",
    description,
    usageHint,
    // The same call may succeed later: a change is refused until the file was read.
    repeatable: true,
    inputSchema: fileSchema(parameters, words.parameters),
    execute: (args, context) => withFileProblems(words, String(args.path ?? ""), () => run(args, context)),
  })
}

/**
 * A schema of file parameters that needs no schema library. Nearly right values are accepted: `"12"` for 12, and 7 for `"7"`.
 * Other keys are dropped.
 */
function fileSchema<Parameters extends FileParameters>(
  parameters: Parameters,
  descriptions: Readonly<Record<string, string>>,
): TextSchema<FileArguments<Parameters>> {
  const properties = Object.entries(parameters).map(([name, kind]) => {
    const type = kind.startsWith("count") ? { type: "integer", minimum: 1 } : { type: "string" }
    const description = descriptions[name]
    return [name, description === undefined ? type : { ...type, description }] as const
  })
  const required = Object.keys(parameters).filter((name) => !parameters[name]?.endsWith("?"))
  const schema = { type: "object", properties: Object.fromEntries(properties), required }
  return handWrittenSchema(schema, (args) => validate(parameters, args) as StandardSchemaV1.Result<FileArguments<Parameters>>)
}

function validate(parameters: FileParameters, args: unknown): StandardSchemaV1.Result<Record<string, unknown>> {
  if (typeof args !== "object" || args === null) return { issues: [{ message: "expected object" }] }
  const given = new Map(Object.entries(args))
  const issues: StandardSchemaV1.Issue[] = []
  const value: Record<string, unknown> = {}
  for (const [name, kind] of Object.entries(parameters)) {
    const found = given.get(name) ?? undefined
    if (found === undefined && kind.endsWith("?")) continue
    const read = kind.startsWith("count") ? asCount(found) : asText(found, kind)
    if (read === undefined) issues.push({ message: `expected ${expected[kind]}, received ${kindOf(found)}`, path: [name] })
    else value[name] = read
  }
  return issues.length > 0 ? { issues } : { value }
}

const count = "a whole number of at least 1"
const expected = { text: "string", "text?": "string", path: "a path", count, "count?": count }

function asText(found: unknown, kind: FileParameter): string | undefined {
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
