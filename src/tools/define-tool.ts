import type { StandardSchemaV1 } from "@standard-schema/spec"
import { PromptStrataError } from "../core/errors.ts"
import { lazyPattern } from "../core/lazy-pattern.ts"
import { checkArguments, checkRecord } from "./check-arguments.ts"
import { inputJsonSchema } from "./input-schema.ts"
import { type JsonSchema, type Tool, type ToolContext, type ToolGroup, toolGroups } from "./tool.ts"

/** What `execute` receives: the schema's output, or unchecked named values where there is no schema. */
export type ToolArguments<Schema> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Schema>
  : Readonly<Record<string, unknown>>

/** Everything that makes a tool; only `name`, `description` and `execute` are needed. */
export interface ToolDefinition<Schema extends StandardSchemaV1 | undefined = undefined> {
  /** A letter or `_`, then up to 63 letters, digits, `_`, `.` or `-`. */
  readonly name: string
  readonly description: string
  /** When to use it (L6). */
  readonly usageHint?: string
  /** What kind of tool it is (R28). Default: of no group, so that every profile has it. */
  readonly group?: ToolGroup
  /** Any Standard Schema of an object; without it the tool has no parameters, or only those of `jsonSchema`. */
  readonly inputSchema?: Schema
  /** For schemas that cannot say their JSON Schema themselves; alone, it is shown and arguments are not checked against it. */
  readonly jsonSchema?: JsonSchema
  /** May return anything, at once or as a promise. A call that blocks the thread cannot be timed out: do long work asynchronously. */
  execute(args: ToolArguments<Schema>, context: ToolContext): unknown
  readonly repeatable?: boolean
  readonly writes?: boolean
  /** True for a tool that is called together with the answer: no step follows for its result (R16). */
  readonly withAnswer?: boolean
  readonly visibility?: Tool["visibility"]
  readonly timeoutMs?: number
  readonly maxResultCharacters?: number
  /** `tool` for texts that came over a wire; default `author`. */
  readonly trust?: Tool["trust"]
}

const namePattern = lazyPattern(String.raw`^[\p{L}_][\p{L}\p{N}_.-]{0,63}$`, "u")

/** Makes a tool. Throws `tool-definition` for a bad name, limit or schema. Arguments reach `execute` checked, with defaults filled in. */
export function defineTool<Schema extends StandardSchemaV1 | undefined = undefined>(definition: ToolDefinition<Schema>): Tool {
  const { name, inputSchema, timeoutMs, maxResultCharacters, usageHint, group } = definition
  requireValid(definition)
  return {
    name,
    description: definition.description,
    trust: definition.trust ?? "author",
    inputSchema: inputJsonSchema(name, inputSchema, definition.jsonSchema),
    visibility: definition.visibility ?? "planner",
    repeatable: definition.repeatable ?? false,
    writes: definition.writes ?? false,
    ...(usageHint === undefined ? {} : { usageHint }),
    ...(definition.withAnswer === true ? { withAnswer: true as const } : {}),
    ...(group === undefined ? {} : { group }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(maxResultCharacters === undefined ? {} : { maxResultCharacters }),
    check: (args) => (inputSchema === undefined ? checkRecord(args) : checkArguments(inputSchema, args)),
    execute: (args, context) => definition.execute(args as ToolArguments<Schema>, context),
  }
}

function requireValid({
  name,
  description,
  group,
  timeoutMs,
  maxResultCharacters,
}: ToolDefinition<StandardSchemaV1 | undefined>): void {
  if (typeof name !== "string" || !namePattern().test(name)) {
    throw new PromptStrataError("tool-definition", `${JSON.stringify(name)} cannot be a tool's name.`, {
      hint: "Begin with a letter or _, then use at most 63 letters, digits, _, . or -.",
      evidence: { name },
    })
  }
  if (group !== undefined && !toolGroups.includes(group)) {
    throw badSetting(name, "group", `one of ${toolGroups.join(", ")}`, group)
  }
  if (typeof description !== "string") throw badSetting(name, "description", "a string", description)
  if (!isLimit(timeoutMs)) throw badSetting(name, "timeoutMs", "a number above 0", timeoutMs)
  if (!isLimit(maxResultCharacters)) throw badSetting(name, "maxResultCharacters", "a number above 0", maxResultCharacters)
}

function isLimit(value: number | undefined): boolean {
  return value === undefined || (typeof value === "number" && value > 0)
}

function badSetting(tool: string, setting: string, expected: string, found: unknown): PromptStrataError {
  return new PromptStrataError("tool-definition", `${setting} of tool "${tool}" must be ${expected}, not ${String(found)}.`, {
    evidence: { tool, setting },
  })
}
