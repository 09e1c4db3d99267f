import type { PromptStrataError } from "../core/errors.ts"
import { addUsage, type Usage } from "../model/language-model.ts"
import type { ChildTrace, TurnTrace } from "../trace/trace.ts"
import type { StopReason, TurnResult } from "../trace/turn-event.ts"
import { leaveFileFaults } from "./answer-files.ts"
import { type TurnContext, warn } from "./turn-context.ts"

/** Ends a turn that has an answer. The last words that were held back are shown now. */
export function succeed(turn: TurnContext, stopReason: StopReason): TurnResult & { readonly ok: true } {
  const { answer, hookStates } = turn.progress
  answer.end({ isWhole: true })
  if (turn.input.wake !== undefined && !answer.hasShown) turn.emit({ type: "empty-reply" })
  const { attachments, unopened } = answer
  for (const { written, fault } of unopened) warn(turn, "file", `The answer shows ${written}, which was not opened: ${fault}.`)
  leaveFileFaults(hookStates, unopened)
  const trace = traceOf(turn)
  const shown = attachments.length > 0 ? { attachments } : {}
  return { ok: true, text: answer.text, ...shown, stopReason, usage: trace.usage, trace }
}

/** Ends a turn that failed; everything gathered so far stays on the result (T19). */
export function fail(turn: TurnContext, error: PromptStrataError): TurnResult {
  const { answer, runs } = turn.progress
  answer.end({ isWhole: false })
  return { ok: false, error, gathered: { runs, text: answer.text }, trace: traceOf(turn, error) }
}

/** The trace of a turn as far as it has come. */
export function traceOf(turn: TurnContext, error?: PromptStrataError): TurnTrace {
  const { input, process, startedMs, agent, progress } = turn
  const { key, turnId, wake } = input
  const children = progress.children.map(({ id, name, trace }): ChildTrace => ({ id, name, trace: trace() }))
  const usages = [...progress.traceSteps.map(({ usage }) => usage), ...children.map(({ trace }) => trace.usage)]
  return {
    turnId,
    process,
    ...(wake === undefined ? {} : { wake }),
    key: { agent: key.agent, conversation: key.conversation, audience: key.audience },
    startedMs,
    durationMs: agent.ports.clock.nowMs() - startedMs,
    prestart: progress.prestartRuns,
    ...(progress.memories.length > 0 ? { recalled: progress.memories } : {}),
    steps: progress.traceSteps,
    runs: progress.runs,
    warnings: progress.warnings,
    records: progress.records,
    children,
    usage: usages.reduce<Usage>((sum, usage) => (usage ? addUsage(sum, usage) : sum), {}),
    ...(error ? { error } : {}),
  }
}
