import { messageOf, PromptStrataError } from "../core/errors.ts"
import type { HistoryMessage } from "../core/history.ts"
import type { Speaker } from "../core/keys.ts"
import type { ContextSettings } from "../profile/profile.ts"
import type { SessionRecord } from "../services/store/session-store.ts"
import type { TurnResult } from "../trace/turn-result.ts"
import type { TurnEvent } from "../turn/events.ts"
import type { TurnRun } from "../turn/turn-run.ts"
import type { AgentParts } from "./agent-parts.ts"
import { jobsAfter } from "./committed-turn.ts"
import { keepRecalled } from "./keep-recalled.ts"
import { stackState } from "./stack-state.ts"
import type { TurnInput } from "./turn-input.ts"

/** The one write of a turn: words, state and jobs. */
export async function commitTurn(parts: AgentParts, input: TurnInput, ended: Ended): Promise<TurnResult> {
  const { record, emit, run, result } = ended
  const { setup } = run
  try {
    const append = spoken(ended, input, parts.profile.context)
    const { version } = await parts.store.commit(input.key, {
      expectVersion: record?.version ?? 0,
      append,
      state: {
        ...record?.state,
        turns: setup.turn + 1,
        stack: stackState(setup.stack),
        ...(run.hookStates.size > 0 ? { hooks: Object.fromEntries(run.hookStates) } : {}),
      },
      jobs: jobsAfter(parts, run, append),
      ...(run.taken.size > 0 ? { taken: [...run.taken] } : {}),
    })
    input.stack.merge(setup.stack)
    emit({ type: "commit", version })
    return result
  } catch (thrown) {
    return run.fail(commitError(thrown))
  }
}

/** A turn that has an answer, before its commit. */
interface Ended {
  readonly record: SessionRecord | undefined
  readonly emit: (event: TurnEvent) => void
  readonly run: TurnRun
  readonly result: TurnResult & { readonly ok: true }
}

/** What enters history (T29): the words, the answer, kept prestart results; never thinking, tool chatter or injections. Where nobody spoke only what the agent said (R27). */
function spoken(
  { run, result: { stopReason, text: shown } }: Ended,
  { turnId, speaker, text, wake, files }: TurnInput,
  context: ContextSettings,
): HistoryMessage[] {
  const { clock } = run.setup.ports
  const agent: Speaker = { id: run.setup.key.agent, name: run.setup.agentName }
  const recalled = keepRecalled(run.memories, context)
  const kept = {
    ...(files ? { files } : {}),
    ...(run.kept.length > 0 ? { prestart: run.kept } : {}),
    ...(recalled.length > 0 ? { recalled } : {}),
  }
  const answer: HistoryMessage = {
    role: "assistant",
    text: run.answer.said,
    speaker: agent,
    turnId,
    atMs: clock.nowMs(),
    ...(stopReason === "truncated" ? { interrupted: true as const } : {}),
  }
  if (wake !== undefined) return shown.trim() === "" ? [] : [{ ...answer, unprompted: true }]
  return [{ role: "user", text, speaker, turnId, atMs: run.startedMs, ...kept }, answer]
}

function commitError(thrown: unknown): PromptStrataError {
  if (PromptStrataError.isInstance(thrown)) return thrown
  return new PromptStrataError("session-store", `The session could not be stored: ${messageOf(thrown)}`, {
    cause: thrown,
    hint: "The answer was made but is not part of the conversation; send again once the store works.",
  })
}
