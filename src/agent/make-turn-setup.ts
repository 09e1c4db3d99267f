import type { SessionRecord } from "../services/session-store.ts"
import type { TurnSetup } from "../turn/turn-setup.ts"
import type { AgentParts } from "./agent-parts.ts"
import { historyWindow } from "./history-window.ts"
import { sessionState } from "./session-state.ts"
import type { TurnInput } from "./turn-input.ts"

/** What a turn is made from. */
export function makeTurnSetup(parts: AgentParts, input: TurnInput, record: SessionRecord | undefined): TurnSetup {
  const { profile, ports } = parts
  const { tokens, answerTokens, stepTokens } = profile.budget
  const { temperature, maxOutputTokens } = profile.model
  const { memoryOn, turns, hooks: hookStates } = sessionState(record)
  return {
    key: input.key,
    turnId: input.turnId,
    question: { speaker: input.speaker, text: input.text },
    agentName: profile.agent.name,
    models: parts.models,
    retry: profile.retry,
    dialect: parts.dialect,
    stack: input.stack.fork(),
    tools: parts.tools,
    history: historyWindow(record?.history ?? [], profile.history, record?.earlier),
    prestart: profile.prestart,
    ...(parts.memory ? { memory: parts.memory } : {}),
    memoryOn,
    recallLimit: profile.memory.recallLimit,
    hooks: parts.hooks,
    hookStates,
    turn: turns,
    notes: record?.notes ?? [],
    ...(parts.confirm ? { confirm: parts.confirm } : {}),
    loop: profile.loop,
    limits: profile.limits,
    output: profile.output,
    ...(tokens === undefined ? {} : { budgetTokens: Math.max(0, tokens - answerTokens) }),
    reserveTokens: tokens === undefined ? 0 : stepTokens,
    maxResultCharacters: profile.tools.maxResultCharacters,
    request: {
      responseFormat: profile.loop.responseFormat,
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    },
    ports,
  }
}
