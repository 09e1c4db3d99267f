import { messageOf, PromptStrataError } from "../core/errors.ts"
import type { StopReason, TurnResult } from "../trace/turn-event.ts"
import type { Planner, PlanningMode, PlanOutcome } from "./model-step.ts"
import { planJson } from "./plan-json.ts"
import { planNative } from "./plan-native.ts"
import { prepare } from "./prepare.ts"
import { finalOutput, planChat } from "./prose.ts"
import { type TurnContext, warn } from "./turn-context.ts"
import { fail, succeed } from "./turn-outcome.ts"

/**
 * The loop: prepare → plan → (tool → plan)* → finish → final output (T13). Pure over its ports. Never rejects: a turn
 * ends in an answer or in a typed error that keeps what was gathered (T19). Emits everything but `turn-end`.
 */
export async function runTurn(turn: TurnContext): Promise<TurnResult> {
  const { deadline, signal, progress, input } = turn
  turn.emit({ type: "turn-start", turnId: input.turnId, atMs: turn.startedMs })
  try {
    signal.throwIfAborted()
    await prepare(turn)
    const planned = await planners[planningMode(turn)](turn)
    const stopReason = planned.type === "answered" ? stopReasonOf(planned) : await finalOutput(turn, planned.stopReason)
    const opening = progress.answer.settle()
    if (opening) await opening
    signal.throwIfAborted()
    return succeed(turn, stopReason)
  } catch (thrown) {
    return fail(turn, asTurnError(thrown))
  } finally {
    deadline.close()
  }
}

const planners: Readonly<Record<PlanningMode, Planner>> = { json: planJson, native: planNative, chat: planChat }

/** Native calls need a model that has them. A turn whose models lack them plans with JSON and reports it. */
function planningMode(turn: TurnContext): PlanningMode {
  const { models, profile } = turn.agent
  const { mode } = profile.loop
  const isAble = models.every(({ capabilities }) => capabilities.tools)
  if (mode === "auto") return isAble ? "native" : "json"
  if (mode !== "native" || isAble) return mode
  warn(turn, "model", `${models.map(({ id }) => id).join(", ")} cannot call tools natively; this turn plans with JSON.`)
  return "json"
}

function stopReasonOf({ truncated }: PlanOutcome & { type: "answered" }): StopReason {
  return truncated ? "truncated" : "finish"
}

function asTurnError(thrown: unknown): PromptStrataError {
  if (PromptStrataError.isInstance(thrown)) return thrown
  return new PromptStrataError("model", `The turn failed: ${messageOf(thrown)}`, { cause: thrown })
}
