import { messageOf, PromptStrataError } from "../core/errors.ts"
import type { HistoryMessage } from "../core/history.ts"
import type { ServiceKey, Speaker } from "../core/keys.ts"
import type { SessionRecord } from "../services/session-store.ts"
import type { PromptStack } from "../stack/prompt-stack.ts"
import type { TurnEvent, TurnResult } from "../turn/events.ts"
import { runTurn } from "../turn/run-turn.ts"
import type { TurnRun } from "../turn/turn-run.ts"
import type { TurnSetup } from "../turn/turn-setup.ts"
import type { AgentParts } from "./agent-parts.ts"
import { historyWindow } from "./history-window.ts"
import { stackState } from "./stack-state.ts"

/** One turn to run: who says what, on which stack. */
export interface TurnInput {
  readonly key: ServiceKey
  readonly turnId: string
  readonly speaker: Speaker
  readonly text: string
  /** The session's stack; the turn works on a fork of it. */
  readonly stack: PromptStack
}

/** Runs one turn from the record it begins with to its one commit. Nothing is committed unless there is an answer. Never rejects. */
export async function runSessionTurn(
  parts: AgentParts,
  input: TurnInput,
  { record, emit, signal }: { record: SessionRecord | undefined; emit: (event: TurnEvent) => void; signal: AbortSignal },
): Promise<TurnResult> {
  const setup = turnSetup(parts, input, record)
  const { result, run } = await runTurn(setup, signal, emit)
  if (!result.ok) return result
  try {
    const { version } = await parts.store.commit(input.key, {
      expectVersion: record?.version ?? 0,
      append: spoken(run, input, { answer: result.text, truncated: result.stopReason === "truncated" }),
      state: { ...record?.state, stack: stackState(setup.stack) },
      jobs: [],
    })
    input.stack.merge(setup.stack)
    emit({ type: "commit", version })
    return result
  } catch (thrown) {
    return run.fail(commitError(thrown))
  }
}

/** What a turn is made from. */
export function turnSetup(parts: AgentParts, input: TurnInput, record: SessionRecord | undefined): TurnSetup {
  const { profile, ports } = parts
  const { tokens, answerTokens, stepTokens } = profile.budget
  const { temperature, maxOutputTokens } = profile.model
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
    history: historyWindow(record?.history ?? [], profile.history),
    prestart: profile.prestart,
    ...(parts.memory ? { memory: parts.memory } : {}),
    recallLimit: profile.memory.recallLimit,
    hooks: parts.hooks,
    loop: profile.loop,
    limits: profile.limits,
    ...(tokens === undefined ? {} : { budgetTokens: Math.max(0, tokens - answerTokens - stepTokens) }),
    maxResultCharacters: profile.tools.maxResultCharacters,
    request: {
      responseFormat: profile.loop.responseFormat,
      ...(temperature === undefined ? {} : { temperature }),
      ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }),
    },
    ports,
  }
}

/** What enters history (T29): the words, the answer, kept prestart results; never thinking, tool chatter or injections. */
function spoken(
  run: TurnRun,
  { turnId, speaker, text }: TurnInput,
  { answer, truncated }: { answer: string; truncated: boolean },
): HistoryMessage[] {
  const { clock } = run.setup.ports
  const agent: Speaker = { id: run.setup.key.agent, name: run.setup.agentName }
  return [
    { role: "user", text, speaker, turnId, atMs: run.startedMs, ...(run.kept.length > 0 ? { prestart: run.kept } : {}) },
    {
      role: "assistant",
      text: answer,
      speaker: agent,
      turnId,
      atMs: clock.nowMs(),
      ...(truncated ? { interrupted: true as const } : {}),
    },
  ]
}

function commitError(thrown: unknown): PromptStrataError {
  if (PromptStrataError.isInstance(thrown)) return thrown
  return new PromptStrataError("session-store", `The session could not be stored: ${messageOf(thrown)}`, {
    cause: thrown,
    hint: "The answer was made but is not part of the conversation; send again once the store works.",
  })
}
