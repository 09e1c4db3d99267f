import type { Tool } from "../tools/tool.ts"
import { createToolSet, isInGroups } from "../tools/tool-set.ts"
import type { TurnWarning } from "../trace/trace.ts"
import type { TurnEvent } from "../trace/turn-event.ts"
import { fileOpener } from "./answer-files.ts"
import { AnswerOutput } from "./answer-output.ts"
import type { TurnContext, TurnProgress } from "./turn-context.ts"

/** The progress of a turn that has not begun. */
export function createTurnProgress(
  turn: Pick<TurnContext, "agent" | "input" | "session" | "history" | "signal" | "emit">,
): TurnProgress {
  const { agent, input, session, history, signal, emit } = turn
  const { output } = agent.profile
  const warnings: TurnWarning[] = []
  const open = output.files && fileOpener(output.files, agent, { key: input.key, signal })
  const tell = (event: TurnEvent): void => {
    if (event.type === "warning") warnings.push(event.warning)
    emit(event)
  }
  return {
    answer: new AnswerOutput(output, tell, open),
    memories: [],
    prestartRuns: [],
    prestart: [],
    kept: [],
    runs: [],
    steps: [],
    traceSteps: [],
    warnings,
    records: [],
    children: [],
    hookStates: new Map(Object.entries(session.hooks)),
    takenNotes: new Set(),
    runListeners: [],
    tools: agent.tools,
    shownHistory: history,
    cut: undefined,
    fault: undefined,
    note: undefined,
    warnedOf: new Set(),
  }
}

/** Withdraws and then adds tools for this turn. Returns the added tools whose names are taken; they are left out. */
export function changeTools(turn: TurnContext, added: readonly Tool[], withdrawn: readonly string[]): readonly Tool[] {
  const { progress, agent } = turn
  const before = progress.tools
  const names = new Set(withdrawn)
  const left = before.tools.filter(({ name }) => !names.has(name))
  const seen = new Set(left.map(({ name }) => name))
  const taken: Tool[] = []
  const placed = new Map<string, Tool>()
  for (const tool of added) {
    if (!isInGroups(tool, agent.profile.tools.groups)) continue
    if (seen.has(tool.name)) taken.push(tool)
    else placed.set(tool.name, asVisibleAs(before.get(tool.name), tool))
    seen.add(tool.name)
  }
  progress.tools = createToolSet(inOrder(before.tools, left, placed))
  return taken
}

/** Puts a tool that replaces another into that one's place, so that the other lines of the printed list stay where they are. */
function inOrder(before: readonly Tool[], left: readonly Tool[], placed: Map<string, Tool>): readonly Tool[] {
  const staying = new Set(left)
  const kept = before.flatMap((tool) => {
    if (staying.has(tool)) return [tool]
    const other = placed.get(tool.name)
    placed.delete(tool.name)
    return other === undefined ? [] : [other]
  })
  return [...kept, ...placed.values()]
}

function asVisibleAs(other: Tool | undefined, tool: Tool): Tool {
  return other === undefined || other.visibility === tool.visibility ? tool : { ...tool, visibility: other.visibility }
}
