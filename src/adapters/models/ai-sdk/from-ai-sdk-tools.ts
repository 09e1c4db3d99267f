import type { StandardSchemaV1 } from "@standard-schema/spec"
import { checkOptions, checkType } from "../../../core/check-options.ts"
import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { listOf, recordOf, stringOf } from "../../../core/json-access.ts"
import { defineTool, type ToolDefinition } from "../../../prompt/tools/define-tool.ts"
import type { JsonSchema, Tool, ToolContext } from "../../../prompt/tools/tool.ts"

/** A tool of the package `ai`, with the fields that are read here. */
export interface AiSdkToolLike {
  readonly type?: string | undefined
  readonly description?: unknown
  readonly inputSchema?: unknown
  readonly execute?: unknown
  readonly toModelOutput?: unknown
  readonly needsApproval?: unknown
}

/**
 * Returns a `ToolSet` of the package `ai` as tools for an agent of this library. A tool's own schema checks the arguments. The
 * tool gets the turn's signal. Of a stream of results the last one counts, and `toModelOutput` decides what the model reads.
 * `needsApproval` holds as for `defineTool`. For tools of a server, such as those of the AI SDK's MCP client, give `trust: "tool"`. Throws `tool-definition` for a tool that has no `execute` or that a provider runs.
 */
export function fromAiSdkTools(
  toolSet: Readonly<Record<string, AiSdkToolLike>>,
  options: Pick<ToolDefinition, "trust"> = {},
): Tool[] {
  checkType("the tools of fromAiSdkTools", toolSet, "object")
  checkOptions("fromAiSdkTools", options, "trust")
  return Object.entries(toolSet).map(([name, tool]) => {
    requireRunnable(name, tool)
    let calls = 0
    return defineTool({
      name,
      description: stringOf(typeof tool.description === "function" ? tool.description({ context: {} }) : tool.description),
      ...readSchema(name, tool.inputSchema),
      ...options,
      needsApproval: approvalOf(tool, `${name}-approval`),
      execute: (args: unknown, context) => run(tool, args, { context, toolCallId: `${context.turnId}-${name}-${++calls}` }),
    })
  })
}

function requireRunnable(name: string, tool: AiSdkToolLike): void {
  const { type, execute } = recordOf(tool)
  const why =
    type === "provider" || type === "provider-defined"
      ? "is run by a provider"
      : typeof execute !== "function"
        ? "has no `execute`"
        : undefined
  if (why === undefined) return
  throw new PromptStrataError("tool-definition", `The tool "${name}" ${why}, so an agent cannot run it.`, {
    hint: "Leave it out, or define a tool that can be run with `defineTool`.",
    evidence: { tool: name },
  })
}

function approvalOf({ needsApproval }: AiSdkToolLike, toolCallId: string): boolean | ((args: unknown) => Promise<boolean>) {
  if (typeof needsApproval !== "function") return needsApproval === true
  return async (args) => (await needsApproval(args, { toolCallId, messages: [], context: undefined })) === true
}

async function run(
  tool: AiSdkToolLike,
  input: unknown,
  { context, toolCallId }: { readonly context: ToolContext; readonly toolCallId: string },
): Promise<unknown> {
  const { execute, toModelOutput } = tool
  if (typeof execute !== "function") return undefined
  const options = { toolCallId, messages: [], abortSignal: context.signal, context: undefined }
  const output = await lastOf(execute.call(tool, input, options))
  if (typeof toModelOutput !== "function") return output
  return readToolOutput(await toModelOutput.call(tool, { toolCallId, input, output }))
}

/** A tool may yield preliminary results. The last one is the result. */
async function lastOf(returned: unknown): Promise<unknown> {
  if (typeof returned !== "object" || returned === null || !(Symbol.asyncIterator in returned)) return returned
  let last: unknown
  for await (const output of returned as AsyncIterable<unknown>) last = output
  return last
}

/** Turns the output of `toModelOutput` into a result. Throws an error that it reports. */
function readToolOutput(output: unknown): unknown {
  const { type, value, reason } = recordOf(output)
  switch (type) {
    case "text":
    case "json":
      return value
    case "error-text":
    case "error-json":
      throw new Error(messageOf(value))
    case "execution-denied":
      throw new Error(stringOf(reason) || type)
    case "content":
      // Files are named without their data.
      return {
        content: listOf(value).map((part) => {
          const { type: kind, text, mediaType, filename } = recordOf(part)
          return kind === "text" ? { type: kind, text } : { type: stringOf(kind), mediaType, filename }
        }),
      }
    default:
      return output
  }
}

/** Reads a schema of the AI SDK as the schemas that `defineTool` takes. */
function readSchema(name: string, given: unknown): { inputSchema?: StandardSchemaV1; jsonSchema?: JsonSchema } {
  const schema: unknown = typeof given === "function" && !("~standard" in given) ? given() : given
  if (schema === undefined || schema === null) return {}
  if ((typeof schema === "object" || typeof schema === "function") && "~standard" in schema) {
    return { inputSchema: schema as StandardSchemaV1 }
  }
  const { jsonSchema, validate } = recordOf(schema)
  if (typeof jsonSchema !== "object" || jsonSchema === null || "then" in jsonSchema) {
    const message = `The input schema of tool "${name}" has no JSON Schema that can be read at once.`
    const hint =
      "Pass a Standard Schema such as zod's, or `jsonSchema({ … })` of the package `ai` with the schema itself instead of a promise."
    throw new PromptStrataError("tool-definition", message, { hint, evidence: { tool: name } })
  }
  return {
    jsonSchema: recordOf(jsonSchema),
    ...(typeof validate === "function" && { inputSchema: checkedBy((value) => validate.call(schema, value)) }),
  }
}

/** Makes a Standard Schema of the AI SDK's own `validate`. */
function checkedBy(validate: (value: unknown) => unknown): StandardSchemaV1 {
  return {
    "~standard": {
      version: 1,
      vendor: "ai-sdk",
      async validate(value) {
        const { success, value: checked, error } = recordOf(await validate(value))
        return success === true
          ? { value: checked }
          : { issues: [{ message: error instanceof Error ? error.message : "invalid" }] }
      },
    },
  }
}
