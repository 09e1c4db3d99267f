import { PromptStrataError } from "../../../core/errors.ts"
import { isRecord } from "../../../core/json-access.ts"
import type { ToolChoice } from "../../../core/model/language-model.ts"
import { defineTool } from "../../../prompt/tools/define-tool.ts"
import type { Tool } from "../../../prompt/tools/tool.ts"
import { badRequest } from "../http-problem.ts"

/** The tools that a client runs itself. */
export interface ClientTools {
  readonly tools: readonly Tool[]
  readonly toolChoice?: ToolChoice | undefined
}

const maxTools = 1_000
const choices: readonly unknown[] = ["auto", "none", "required", undefined, null]

/**
 * Reads tools in the forms of chat completions, responses, AG-UI and pages of the AI SDK (by their names). Their texts came from outside, and are
 * encoded in prompts. Throws {@link HttpProblem} for what is no tool.
 */
export function readTools(given: unknown, choice?: unknown): ClientTools {
  const named = isRecord(given) ? Object.entries(given).map(([name, tool]) => (isRecord(tool) ? { name, ...tool } : tool)) : given
  const listed: unknown = named ?? []
  if (!Array.isArray(listed)) throw badRequest("Expected a list of tools.", "tools")
  if (listed.length > maxTools) throw badRequest(`Expected at most ${maxTools} tools.`, "tools")
  const tools = listed.map((tool, at) => readTool(tool, `tools[${at}]`))
  const seen = new Set<string>()
  const twice = tools.find(({ name }) => seen.size === seen.add(name).size)
  if (twice) throw badRequest(`Two tools are named ${twice.name}.`, "tools")
  const { function: called = choice } = isRecord(choice) ? choice : {}
  const name = isRecord(called) ? called.name : undefined
  if (!choices.includes(choice) && !tools.some((tool) => tool.name === name))
    throw badRequest('Expected "auto", "none", "required" or one of `tools`.', "tool_choice")
  if (choice === "none") return { tools: [] }
  if (choice === "required" && tools.length === 0) throw badRequest("There are no tools to require.", "tool_choice")
  return { tools, toolChoice: typeof name === "string" ? { tool: name } : choice === "required" ? choice : undefined }
}

function readTool(given: unknown, param: string): Tool {
  const of = isRecord(given) && isRecord(given.function) ? given.function : given
  const { name, description, parameters = {} } = isRecord(of) ? of : {}
  if (typeof name !== "string" || (isRecord(given) && (given.type ?? "function") !== "function"))
    throw badRequest(`${param} is no function with a name.`, param)
  if (!isRecord(parameters) || isDeeper(parameters, 64) || !(isRecord(parameters.properties) || !parameters.properties))
    throw badRequest(`The parameters of ${param} are no JSON Schema of an object, or nested more than 64 levels deep.`, param)
  try {
    const texts = { name, description: typeof description === "string" ? description : "", jsonSchema: parameters }
    const kind = { trust: "tool", repeatable: true, writes: true, execute: () => undefined } as const
    return { ...defineTool({ ...texts, ...kind }), outside: true }
  } catch (error) {
    if (!PromptStrataError.isInstance(error)) throw error
    throw badRequest(`${param} cannot be used: ${error.message}`, param)
  }
}

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false
  return levels === 0 || Object.values(value).some((each) => isDeeper(each, levels - 1))
}
