import { PromptStrataError } from "../../core/errors.ts"
import { defineTool } from "../../tools/define-tool.ts"
import type { Tool, ToolContext } from "../../tools/tool.ts"
import { recordOf, stringOf } from "../openai/json-access.ts"
import { readToolOutput } from "./tool-output.ts"
import { readToolSchema } from "./tool-schema.ts"

/** A tool as the package `ai` has it, in the part that is read. */
export interface AiSdkToolLike {
  readonly type?: string | undefined
  readonly description?: unknown
  readonly inputSchema?: unknown
  readonly execute?: unknown
  readonly toModelOutput?: unknown
  readonly needsApproval?: unknown
}

/**
 * A `ToolSet` of the package `ai` as tools for an agent here. Arguments are checked by the tool's own schema; it gets the
 * turn's signal; of a stream of results the last counts; `toModelOutput` decides what the model reads. Throws
 * `tool-definition` for a tool that cannot run here: without `execute`, run by a provider, or in need of approval.
 */
export function fromAiSdkTools(toolSet: Readonly<Record<string, AiSdkToolLike>>): Tool[] {
  return Object.entries(toolSet).map(([name, tool]) => {
    requireRunnable(name, tool)
    const { inputSchema, jsonSchema } = readToolSchema(name, tool.inputSchema)
    let calls = 0
    return defineTool({
      name,
      description: descriptionOf(tool),
      ...(inputSchema === undefined ? {} : { inputSchema }),
      ...(jsonSchema === undefined ? {} : { jsonSchema }),
      execute: (args: unknown, context) => run(tool, args, { context, toolCallId: `${context.turnId}-${name}-${++calls}` }),
    })
  })
}

interface Call {
  readonly context: ToolContext
  readonly toolCallId: string
}

async function run(tool: AiSdkToolLike, input: unknown, { context, toolCallId }: Call): Promise<unknown> {
  const { execute, toModelOutput } = tool
  if (typeof execute !== "function") return undefined
  const output = await lastOf(
    execute.call(tool, input, { toolCallId, messages: [], abortSignal: context.signal, context: undefined }),
  )
  if (typeof toModelOutput !== "function") return output
  return readToolOutput(await toModelOutput.call(tool, { toolCallId, input, output }))
}

/** A tool may yield what it has so far; the last is the result. */
async function lastOf(returned: unknown): Promise<unknown> {
  if (typeof returned !== "object" || returned === null || !(Symbol.asyncIterator in returned)) return returned
  let last: unknown
  for await (const output of returned as AsyncIterable<unknown>) last = output
  return last
}

function descriptionOf({ description }: AiSdkToolLike): string {
  return stringOf(typeof description === "function" ? description({ context: {} }) : description)
}

function requireRunnable(name: string, tool: AiSdkToolLike): void {
  const { type, execute, needsApproval } = recordOf(tool)
  const why =
    type === "provider" || type === "provider-defined"
      ? "is run by a provider"
      : typeof execute !== "function"
        ? "has no `execute`"
        : needsApproval !== undefined && needsApproval !== false
          ? "needs approval, which nobody here is asked for"
          : undefined
  if (why === undefined) return
  throw new PromptStrataError("tool-definition", `The tool "${name}" ${why}, so an agent cannot run it.`, {
    hint: "Leave it out, or define a tool that can be run with `defineTool`.",
    evidence: { tool: name },
  })
}
