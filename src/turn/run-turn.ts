import { messageOf, PromptStrataError } from "../core/errors.ts"
import type { TurnResult } from "../trace/turn-event.ts"
import type { Planner, PlanningMode } from "./model-step.ts"
import { planJson } from "./plan-json.ts"
import { prepare } from "./prepare.ts"
import { finalOutput, planChat, proseStep } from "./prose.ts"
import { type TurnContext, warn } from "./turn-context.ts"
import { fail, succeed } from "./turn-outcome.ts"

/**
 * Runs a turn: prepare → plan → (tool → plan)* → finish → final output (T13). It does no I/O except by the ports of the agent.
 * Never rejects: a turn ends with an answer, or with a typed error that keeps what was gathered (T19). Emits every event of the
 * turn except `turn-end`.
 */
export async function runTurn(turn: TurnContext): Promise<TurnResult> {
  const { signal, progress, input } = turn
  const { colour } = turn.agent.profile.agent
  turn.emit({ type: "turn-start", turnId: input.turnId, atMs: turn.startedMs, ...(colour !== undefined && { colour }) })
  if (input.received !== undefined) turn.emit({ type: "answer-decision", answers: true, reason: input.received })
  try {
    signal.throwIfAborted()
    await prepare(turn)
    const mode = planningMode(turn)
    const planned = await planners[mode](turn)
    if (planned.type === "awaiting") return succeed(turn, "awaiting-approval")
    const stopReason = planned.type === "answered" ? planned.stopReason : await finalOutput(turn, planned.stopReason)
    if (progress.output) await progress.output.settle(() => proseStep(turn, mode === "chat" ? "chat" : "final"))
    const opening = progress.answer.settle()
    if (opening) await opening
    for (const tool of progress.tools.plannerTools)
      if (tool.withAnswer === "required") await (await import("./ask-for-report.ts")).askForReport(turn, tool, mode)
    signal.throwIfAborted()
    return succeed(turn, stopReason)
  } catch (thrown) {
    return fail(turn, asTurnError(thrown))
  }
}

/** Kept once it is loaded: an `import()` costs as much as all else that a step does beside its prompt. */
let planNative: Planner | undefined

const planners: Readonly<Record<PlanningMode, Planner>> = {
  json: planJson,
  async native(turn) {
    planNative ??= (await import("./plan-native.ts")).planNative
    return planNative(turn)
  },
  chat: planChat,
}

/** Native calls need models that support them. A turn with a model that does not plans with JSON, and warns if the profile asked for `native`. */
function planningMode(turn: TurnContext): PlanningMode {
  const { models, profile } = turn.agent
  const { mode } = profile.loop
  if (mode === "chat") return turn.input.resumes?.open.step.mode ?? mode
  if (mode === "json") return mode
  if (models.every(({ capabilities }) => capabilities.tools)) return "native"
  if (mode === "native")
    warn(turn, "model", `${models.map(({ id }) => id).join(", ")} cannot call tools natively; this turn plans with JSON.`)
  return "json"
}

function asTurnError(thrown: unknown): PromptStrataError {
  if (PromptStrataError.isInstance(thrown)) return thrown
  return new PromptStrataError("model", `The turn failed: ${messageOf(thrown)}`, { cause: thrown })
}
