import type { SessionNote, SessionRecord } from "../services/store/session-store.ts"
import type { TurnHook } from "../services/turn-hook.ts"
import type { TurnSetup } from "../turn/turn-setup.ts"
import type { AgentParts } from "./agent-parts.ts"
import { historyWindow } from "./history-window.ts"
import { mainProcess } from "./main-process.ts"
import { injectionHook, injectionOwner } from "./observers/injection-notes.ts"
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
    ...(input.wake === undefined ? {} : { wake: input.wake }),
    process: mainProcess,
    depth: 0,
    ...(input.files ? { files: input.files } : {}),
    ...(profile.timeZone === undefined ? {} : { timeZone: profile.timeZone }),
    groupRules: profile.tools.rules,
    ...(profile.tools.groups ? { toolGroups: profile.tools.groups } : {}),
    mentions: profile.tools.mentions,
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
    hooks: hooksFor(parts, record?.notes),
    hookStates,
    turn: turns,
    notes: record?.notes ?? [],
    messages: (filter) => parts.store.messages(input.key, filter),
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

/** What observers left costs a turn nothing where they left nothing. */
function hooksFor({ hooks }: AgentParts, notes: readonly SessionNote[] = []): readonly TurnHook[] {
  if (notes.some(({ owner }) => owner === injectionOwner)) return hooks
  return hooks.filter((hook) => hook !== injectionHook)
}
