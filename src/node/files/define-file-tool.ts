import { defineTool } from "../../prompt/tools/define-tool.ts"
import type { Tool, ToolContext } from "../../prompt/tools/tool.ts"
import { argumentSchema, asText, type ParameterKind, type TextSchema } from "../../prompt/tools/tool-schema.ts"
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

/** A schema of file parameters: `"12"` stands for 12, and 7 for `"7"`. */
function fileSchema<Parameters extends FileParameters>(
  parameters: Parameters,
  descriptions: Readonly<Record<string, string>>,
): TextSchema<FileArguments<Parameters>> {
  return argumentSchema(
    Object.entries(parameters).map(([name, kind]) => {
      return { name, kind: parameterKinds[kind], description: descriptions[name], optional: kind.endsWith("?") }
    }),
  )
}

function kind<Value>(expected: string, shape: object, read: (found: unknown) => Value | undefined): ParameterKind<Value> {
  return { shape: { ...shape }, read, problem: (found) => `expected ${expected}, received ${kindOf(found ?? undefined)}` }
}

const text = kind("string", { type: "string" }, asText)
const path = kind("a path", { type: "string" }, (found) => (asText(found)?.trim() ? asText(found) : undefined))
const count = kind("a whole number of at least 1", { type: "integer", minimum: 1 }, (found) => {
  const number = typeof found === "string" && found.trim() !== "" ? Number(found) : found
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 1 ? number : undefined
})
const parameterKinds = { text, "text?": text, path, count, "count?": count }

function kindOf(found: unknown): string {
  if (typeof found === "string") return JSON.stringify(found.slice(0, 40))
  if (typeof found === "number") return String(found)
  return found === null ? "null" : Array.isArray(found) ? "array" : typeof found
}
