import type { HistoryMessage } from "../../src/core/conversation.ts"
import type { TurnState } from "../../src/prompt/layers/turn-state.ts"
import type { ToolRun } from "../../src/prompt/tools/tool.ts"

const master = { id: "master", name: "主人" }

/** A turn that has only a question; the rest as given. */
export function turnState(text: string, given: Partial<TurnState> = {}): TurnState {
  return {
    question: { speaker: master, text },
    group: false,
    agentName: "Fay",
    history: [],
    memories: [],
    prestart: [],
    tools: [],
    runs: [],
    steps: [],
    ...given,
  }
}

/** A message of history, said at the beginning of time. */
export function said(role: HistoryMessage["role"], text: string, given: Partial<HistoryMessage> = {}): HistoryMessage {
  return { role, text, speaker: role === "user" ? master : { id: "agent", name: "Fay" }, turnId: "turn_0", atMs: 0, ...given }
}

/** A tool run that went well. */
export function ran(tool: string, args: Record<string, unknown>, result: string, given: Partial<ToolRun> = {}): ToolRun {
  return { id: "call_1", tool, args, status: "ok", result, durationMs: 0, ...given }
}
