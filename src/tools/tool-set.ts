import { PromptStrataError } from "../core/errors.ts"
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

/**
 * Makes a tool set. Throws `tool-collision` when two tools have the same name. The built-in tools that a profile enables let
 * its hint say how to replace one.
 */
export function createToolSet(tools: readonly Tool[], builtin: readonly Tool[] = []): ToolSet {
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

/** Names for tools that every provider accepts. */
export interface NativeNames {
  /** Equal for equal lists of tools. */
  readonly key: string
  /** The tool's name for providers; for a tool that is not in the list, one that none of them has. */
  of(name: string): string
}

const maxNameLength = 64

/** The names of each list of tools. A turn asks for those of the same list at every step. */
const madeNames = new WeakMap<readonly Pick<Tool, "name">[], { readonly count: number; readonly names: NativeNames }>()

/**
 * Gives each tool a name for providers, which accept only letters, digits, `_` and `-`. A tool with another name gets one that no other
 * tool has. The names are kept with the list: tools may be added to it, but not replaced.
 */
export function nativeNames(tools: readonly Pick<Tool, "name">[]): NativeNames {
  const known = madeNames.get(tools)
  if (known?.count === tools.length) return known.names
  const taken = new Set(tools.map(({ name }) => name).filter(isLegal))
  const made = new Map<string, string>()
  const nameFor = (name: string): string =>
    isLegal(name) ? name : unused(name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, maxNameLength - 4), taken)
  for (const { name } of tools) {
    const native = nameFor(name)
    taken.add(native)
    made.set(name, native)
  }
  const names = { key: JSON.stringify([...made.keys()]), of: (name: string) => made.get(name) ?? nameFor(name) }
  madeNames.set(tools, { count: tools.length, names })
  return names
}

function isLegal(name: string): boolean {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(name)
}

function unused(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 && name !== "" ? name : `${name}_${number}`
    if (!taken.has(candidate)) return candidate
  }
}
