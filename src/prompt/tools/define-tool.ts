import type { StandardSchemaV1 } from "@standard-schema/spec"
import { checkMembers, checkMemberTypes, checkType, shownValue } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"
import { lazyPattern } from "../../core/lazy-pattern.ts"
import { toolParameters } from "./print-parameters.ts"
import { type JsonSchema, type Tool, type ToolContext, type ToolGroup, toolGroups } from "./tool.ts"
import { printParametersBy } from "./tool-entry.ts"
import { checkArguments, checkRecord, inputJsonSchema, jsonSchemaCheck, withoutTokens } from "./tool-schema.ts"

/** The arguments of `execute`: the schema's output, or unchecked named values when there is no schema. */
type ToolArguments<Schema> = Schema extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Schema>
  : Readonly<Record<string, unknown>>

/** The definition of a tool. Only `name`, `description` and `execute` are required. */
export interface ToolDefinition<Schema extends StandardSchemaV1 | undefined = undefined> {
  /** A letter or `_`, then up to 63 letters, digits, `_`, `.` or `-`. */
  readonly name: string
  readonly description: string
  /** When to use it (L6). */
  readonly usageHint?: string | undefined
  /** The kind of tool (R28). Default: no group; a tool without a group is in every profile. */
  readonly group?: ToolGroup | undefined
  /** A Standard Schema of an object, such as zod's. Without it the tool has no parameters, or those of `jsonSchema`. */
  readonly inputSchema?: Schema | undefined
  /**
   * Shown to the model, for an `inputSchema` that cannot convert to JSON Schema. Without an `inputSchema` it also checks the
   * arguments (not formats, patterns and bounds); they stay as the model wrote them.
   */
  readonly jsonSchema?: JsonSchema | undefined
  /** Returns any value or a promise of one. Do long work asynchronously: a call that blocks the thread cannot be timed out. */
  execute(args: ToolArguments<Schema>, context: ToolContext): unknown
  readonly repeatable?: boolean
  readonly writes?: boolean
  /**
   * True for a tool that the model calls together with its answer: no further step follows its result (R16). With `required` an
   * answer without this call is followed by one step that asks for it.
   */
  readonly withAnswer?: boolean | "required"
  /** True, or a function of the checked arguments that returns true, for calls that a person must allow before they run. Default false. */
  readonly needsApproval?: boolean | ((args: ToolArguments<Schema>) => boolean | Promise<boolean>)
  readonly visibility?: Tool["visibility"]
  readonly timeoutMs?: number
  readonly maxResultCharacters?: number
  /** `tool` when description and schema came over a network: then no token of a chat template in them reaches the model. Default `author`. */
  readonly trust?: Tool["trust"]
}

const fields =
  "name description usageHint group inputSchema jsonSchema execute repeatable writes withAnswer needsApproval visibility timeoutMs maxResultCharacters trust"

printParametersBy(toolParameters)

const namePattern = lazyPattern(String.raw`^[\p{L}_][\p{L}\p{N}_.-]{0,63}$`, "u")

/**
 * Makes a tool. `execute` gets arguments that were checked against `inputSchema`, with defaults filled in, or else against `jsonSchema`. Throws
 * `tool-definition` for a bad name, description, group, limit or schema, and `usage` for an unknown field.
 */
export function defineTool<Schema extends StandardSchemaV1 | undefined = undefined>(definition: ToolDefinition<Schema>): Tool {
  checkType("the definition of defineTool", definition, "object")
  const { name, inputSchema } = definition
  requireValid(definition)
  checkMembers(`The tool "${name}"`, definition, fields)
  const jsonSchema = inputJsonSchema(name, inputSchema, definition.jsonSchema)
  return withoutTokens({
    name,
    description: definition.description,
    trust: definition.trust ?? "author",
    inputSchema: jsonSchema,
    visibility: definition.visibility ?? "planner",
    repeatable: definition.repeatable ?? false,
    writes: definition.writes ?? false,
    usageHint: definition.usageHint,
    withAnswer: definition.withAnswer === false ? undefined : definition.withAnswer,
    needsApproval: definition.needsApproval as Tool["needsApproval"],
    group: definition.group,
    timeoutMs: definition.timeoutMs,
    maxResultCharacters: definition.maxResultCharacters,
    check: checkOf(definition, jsonSchema),
    execute: (args, context) => definition.execute(args as ToolArguments<Schema>, context),
  })
}

function checkOf(definition: ToolDefinition<StandardSchemaV1 | undefined>, schema: JsonSchema): Tool["check"] {
  const { inputSchema, jsonSchema } = definition
  if (inputSchema !== undefined) return (args) => checkArguments(inputSchema, args)
  return jsonSchema === undefined ? checkRecord : jsonSchemaCheck(schema)
}

function requireValid(definition: ToolDefinition<StandardSchemaV1 | undefined>): void {
  const { name, description, group, timeoutMs, maxResultCharacters } = definition
  if (typeof name !== "string" || !namePattern().test(name)) {
    throw new PromptStrataError("tool-definition", `${shownValue(name)} cannot be a tool's name.`, {
      hint: "Begin with a letter or _, then use at most 63 letters, digits, _, . or -.",
      evidence: { tool: name },
    })
  }
  const isGroup = group === undefined || toolGroups.includes(group)
  if (!isGroup) throw badSetting(name, "group", `one of ${toolGroups.join(", ")}`, group)
  if (!["undefined", "boolean", "function"].includes(typeof definition.needsApproval))
    throw badSetting(name, "needsApproval", "true, false or a function", definition.needsApproval)
  if (typeof description !== "string") throw badSetting(name, "description", "a string", description)
  for (const [setting, value] of Object.entries({ timeoutMs, maxResultCharacters })) {
    const isLimit = value === undefined || (typeof value === "number" && value > 0)
    if (!isLimit) throw badSetting(name, setting, "a number above 0", value)
  }
}

function badSetting(tool: string, setting: string, expected: string, found: unknown): PromptStrataError {
  return new PromptStrataError("tool-definition", `${setting} of tool "${tool}" must be ${expected}, not ${shownValue(found)}.`, {
    evidence: { tool, setting },
  })
}

/**
 * Returns a finished tool as it is, and makes a tool of a plain definition. Throws `tool-definition` for anything else, which
 * untyped code may pass.
 */
export function completeTool(given: unknown): Tool {
  if (typeof given !== "object" || given === null) throw notATool("a tool", shownValue(given))
  const { name, description, inputSchema, check, execute } = given as Readonly<Record<string, unknown>>
  if (typeof name !== "string" || name.trim() === "") {
    throw notATool("a tool with a name", name === undefined ? "none" : shownValue(name))
  }
  if (typeof execute !== "function") {
    throw notATool(`${JSON.stringify(name)} to have a function execute`, execute === undefined ? "none" : "something else")
  }
  if (typeof check !== "function") return defineTool(given as ToolDefinition)
  if (typeof description !== "string" || typeof inputSchema !== "object" || inputSchema === null) {
    throw notATool(`the tool ${JSON.stringify(name)} as defineTool makes it`, "one without description or inputSchema")
  }
  checkMemberTypes(`the tool ${JSON.stringify(name)}`, given, "usageHint:string?")
  return given as Tool
}

function notATool(expected: string, found: string): PromptStrataError {
  return new PromptStrataError("tool-definition", `expected ${expected}, found ${found}.`)
}
