import { shorten } from "../../../memory/services/shorten-by-rule.ts"
import { loadToolWords, shippedPrompts } from "../../../prompt/dialect/shipped-files.ts"
import type { TemplateValues } from "../../../prompt/template/render.ts"
import { defineTool } from "../../../prompt/tools/define-tool.ts"
import type { Tool } from "../../../prompt/tools/tool.ts"
import { createToolSet, type ToolSet } from "../../../prompt/tools/tool-set.ts"
import { type ToolWords, toolWords } from "../../../prompt/tools/tool-words.ts"
import { hintsWith } from "./hints.ts"
import { runRequest } from "./run-request.ts"
import { requestSchema, type ToolProcess } from "./tool-processes.ts"

/**
 * The tools of a turn as its planner sees them: the tools that processes take over are replaced by one coarse tool for each process
 * (R24, R25). The process gets the tools themselves, those included that hooks added for this turn. Prestart tools and tools that
 * come with an answer stay. A process without tools has a coarse tool only if the profile describes it: the shipped words would promise
 * work that it cannot do.
 */
export async function withProcesses(tools: ToolSet, processes: readonly ToolProcess[]): Promise<ToolSet> {
  for (const { agent } of processes) await loadToolWords(agent.profile.locale)
  const taken = new Set<Tool>()
  const coarse = processes.flatMap((process) => {
    const own = tools.plannerTools.filter((tool) => isTaken(tool, process, processes))
    for (const tool of own) taken.add(tool)
    return own.length === 0 && process.settings.description === undefined ? [] : [coarseTool(process, own)]
  })
  return createToolSet([...coarse, ...tools.tools.filter((tool) => !taken.has(tool))])
}

/** True if the process takes the tool over. A process that names no tools takes all that no other process names. */
function isTaken(tool: Tool, process: ToolProcess, processes: readonly ToolProcess[]): boolean {
  if (tool.withAnswer !== undefined) return false
  const { tools, groups } = process.settings
  if (tools !== undefined || groups !== undefined) return isNamed(tool, process)
  return !processes.some((other) => other !== process && isNamed(tool, other))
}

function isNamed({ name, group }: Tool, { settings: { tools = [], groups = [] } }: ToolProcess): boolean {
  return tools.includes(name) || (group !== undefined && groups.includes(group))
}

/** One tool that takes a sentence. If a tool behind it has texts from a network, its own description has them too. */
function coarseTool({ name, settings, agent }: ToolProcess, own: readonly Tool[]): Tool {
  const { hintMessages, timeoutMs } = settings
  const { locale } = agent.profile
  const words = toolWords(shippedPrompts("tools", locale), locale, "process")
  const hints = hintsWith({ messages: hintMessages })
  const parts = { ...agent, tools: createToolSet(own) }
  const tool = defineTool({
    name,
    description: settings.description ?? words.say(abilitiesOf(words, own)),
    jsonSchema: requestSchema(words.parameters.request),
    repeatable: true,
    writes: own.some(({ writes }) => writes),
    trust: own.some(({ trust }) => trust === "tool") ? "tool" : "author",
    timeoutMs,
    execute: (args, context) => runRequest(async () => parts, { name, hints, tellsRuns: true, args, context }),
  })
  return { ...tool, runsAgent: true }
}

/** Enough for each shipped tool. */
const maxAbilityCharacters = 120

/** The values of the coarse description: each tool's own description, up to its first stop. */
function abilitiesOf({ description }: ToolWords, own: readonly Tool[]): TemplateValues {
  const abilities = own.map((tool) => shorten(tool.description.split(/[;；。\n]|\. /u, 1)[0]?.trim() ?? "", maxAbilityCharacters))
  return {
    description,
    abilities: abilities.filter((ability) => ability !== "").join(" / "),
    context: own.some(({ group }) => group === "context"),
  }
}
