import { checkShape } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"
import type { Tool } from "./tool.ts"

/** The tools of an agent. */
export interface ToolSet {
  /** Every tool, in the order given. */
  readonly tools: readonly Tool[]
  /** The tools that the planner sees and may call (T27). */
  readonly plannerTools: readonly Tool[]
  /** The tool with exactly this name, also one for prestart only. */
  get(name: string): Tool | undefined
  /** The tool with exactly this name if the planner may call it. */
  plannerTool(name: string): Tool | undefined
}

const toolShape = [
  {
    name: "string",
    description: "string",
    inputSchema: "object",
    "usageHint?": "string",
    "group?": "string",
    execute: "function",
  },
]

/**
 * Makes a tool set. Throws `tool-collision` when two tools have the same name, and `usage` for what is none. The built-in tools that a profile enables let
 * its hint say how to replace one.
 */
export function createToolSet(tools: readonly Tool[], builtin: readonly Tool[] = []): ToolSet {
  checkShape("tools", tools, toolShape)
  const byName = new Map<string, Tool>()
  for (const tool of tools) {
    const other = byName.get(tool.name)
    if (other !== undefined) {
      const descriptions = [other.description, tool.description]
      const [one, two] = descriptions.map((description) => JSON.stringify(description))
      throw new PromptStrataError("tool-collision", `Two tools are named "${tool.name}".`, {
        hint: `Their descriptions are ${one} and ${two}. ${builtin.some(({ name }) => name === tool.name) ? replacing(tool.name) : "Rename one or leave it out."}`,
        evidence: { tool: tool.name, descriptions },
      })
    }
    byName.set(tool.name, tool)
  }
  const plannerTools = tools.filter((tool) => tool.visibility === "planner")
  return {
    tools: [...tools],
    plannerTools,
    get: (name) => byName.get(name),
    plannerTool: (name) => plannerTools.find((tool) => tool.name === name),
  }
}

function replacing(name: string): string {
  return `The profile brings the built-in ${name}. To put another tool in its place, leave "${name}" out of \`enabled\` under [tools], and out of the tools of its skill plugins; else rename yours.`
}

/** True for a tool in one of the groups and for a tool without a group (R28). `undefined` groups stand for all. */
export function isInGroups({ group }: Pick<Tool, "group">, groups: readonly string[] | undefined): boolean {
  return groups === undefined || group === undefined || groups.includes(group)
}
