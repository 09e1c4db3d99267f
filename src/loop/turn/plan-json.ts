import { late } from "../../core/late.ts"
import { endedWhole, type LanguageModel } from "../../core/model/language-model.ts"
import { renderNotice } from "../../prompt/dialect/render-notice.ts"
import { encodeInline } from "../../prompt/encode/inline.ts"
import type { Decision, DecisionFault } from "../../reply/decision.ts"
import { createPlannerReader } from "../../reply/planner-reader.ts"
import { loadFurtherCalls } from "./calls/load-calls.ts"
import { type PlanOutcome, prepareStep, runModelStep, type StepReading } from "./model-step.ts"
import type { CallGuard } from "./run-call.ts"
import { type TurnContext, warn } from "./turn-context.ts"
import { isBlankAnswer, isQuietWake, warnOfRepeatedName, warnOfThinking } from "./turn-outcome.ts"
import type { StepDecision } from "./turn-progress.ts"

/** Plans with JSON decisions: asks for one, runs its tool, asks again, until the planner finishes or reaches a limit (T13, T14, T16). */
export async function planJson(turn: TurnContext, guard: CallGuard): Promise<PlanOutcome> {
  const { loop } = turn.agent.profile
  let fault: string | undefined
  for (let step = turn.progress.steps.length + 1; step <= loop.maxSteps; step++) {
    if (turn.input.control) await prepareStep(turn, turn.input.control, "planner")
    // Without tools there is nothing to plan before a value is asked for.
    if (turn.progress.output && turn.progress.tools.plannerTools.length === 0) return { type: "final", stopReason: "finish" }
    let decision = await runModelStep(turn, { prompt: "planner", fault }, decisionReading)
    if (decision?.action === "unreadable" && decision.fault.kind === "no-action" && !loop.strict)
      decision = await (await loadFurtherCalls()).withAction(turn, decision)
    turn.signal.throwIfAborted()
    if (decision === undefined || decision.action === "unreadable") {
      if (fault !== undefined && decision?.fault.kind.startsWith("call-"))
        warn(turn, "model", "The planner did not keep to `toolChoice`, also when it was asked again.")
      if (fault !== undefined || decision === undefined) return { type: "final", stopReason: "finish", told: { fault } }
      fault = faultNotice(turn, decision.fault)
      turn.progress.steps.push({ type: "fault", output: decision.fault.excerpt, notice: fault })
      continue
    }
    fault = undefined
    if (decision.ignored !== undefined)
      warn(turn, "model", `The planner wrote several decisions at once. Only the first counts; left out: ${decision.ignored}`)
    if (decision.action === "finish") {
      if (decision.call === undefined && decision.repeatedName !== undefined) warnOfRepeatedName(turn, decision.repeatedName)
      const goesOn = decision.call && (await (await loadFurtherCalls()).runCallOfAnswer(turn, guard, decision))
      if (typeof goesOn === "object") return { type: "awaiting", step: goesOn }
      if (!goesOn) return finish(turn, decision)
      turn.progress.answer.part()
      if (turn.progress.step && (await turn.progress.step.stops())) return finish(turn, decision)
      continue
    }
    const unfinished = await (await loadFurtherCalls()).runPlannedCall(turn, guard, decision)
    turn.signal.throwIfAborted()
    if (unfinished) return { type: "awaiting", step: unfinished }
    if (turn.progress.step && (await turn.progress.step.stops())) return { type: "final", stopReason: "stopped" }
    if (guard.repeats >= 2) return { type: "final", stopReason: "repeated-call" }
  }
  return { type: "final", stopReason: "max-steps", told: { fault } }
}

const loadLadder = late(() => import("../../reply/ladder.ts"))

/** Reads a decision as it comes. Its message is shown at once (T23). */
function decisionReading(turn: TurnContext, model: LanguageModel): StepReading {
  const { loop } = turn.agent.profile
  const opensInThought = model.capabilities.opensInThought ?? false
  const reader = createPlannerReader({ strict: loop.strict, opensInThought })
  const step = turn.progress.log.steps.length + 1
  const prepared = turn.progress.step
  let decision: StepDecision | undefined
  const take = (events: ReturnType<typeof reader.push>) => {
    for (const event of events) {
      if (event.type === "message-delta") {
        if (!turn.progress.output && !prepared?.mustCall) turn.progress.answer.say(event.delta)
      } else if (event.type === "thinking-delta") turn.emit({ ...event, step })
      else {
        decision = prepared?.keptDecision(event.decision) ?? event.decision
        if (event.ignored !== undefined) decision = { ...decision, ignored: event.ignored }
        if (event.thinkingFault !== undefined) warnOfThinking(turn, model, event.thinkingFault)
      }
    }
  }
  return {
    onText: (delta) => take(reader.push(delta)),
    async onEnd(finishReason) {
      const ladder = reader.needsLadder() ? await loadLadder() : undefined
      take(reader.end(ladder?.climbLadder))
      // A plain-text answer that was cut looks whole. Only the finish reason tells.
      if (decision?.action === "finish" && decision.status === "plain-text" && !endedWhole(finishReason))
        return { ...decision, status: "truncated" }
      // A picture alone is an answer.
      if (decision?.action === "unreadable" && decision.fault.kind === "empty" && turn.progress.files.made.length > 0)
        return { action: "finish", status: "plain-text" }
      return decision
    },
  }
}

function finish(turn: TurnContext, decision: Decision & { action: "finish" }): PlanOutcome {
  if (turn.progress.output) {
    // The value is asked for next; words of the planner are advice for it.
    const note = [decision.message, decision.note].filter(Boolean).join("\n") || undefined
    return { type: "final", stopReason: "finish", told: { note } }
  }
  if (!isBlankAnswer(turn)) return { type: "answered", stopReason: decision.status === "truncated" ? "truncated" : "finish" }
  if (isQuietWake(turn)) return { type: "answered", stopReason: "finish" }
  return { type: "final", stopReason: "finish", told: { note: decision.note } }
}

/** The notice with which the planner is asked once more; it quotes its unreadable output (T21). */
function faultNotice(turn: TurnContext, fault: DecisionFault): string {
  const broken = fault.kind.startsWith("call-") ? turn.progress.step?.broken : undefined
  return (
    broken ??
    renderNotice(turn.agent.dialect, "unreadable", {
      unterminated: fault.kind === "unterminated",
      not_json: fault.kind === "not-json",
      no_action: fault.kind === "no-action",
      unknown_action: fault.kind === "unknown-action",
      no_tool: fault.kind === "no-tool",
      args: fault.kind === "args-not-object",
      empty: fault.kind === "empty",
      too_deep: fault.kind === "too-deep",
      message: fault.kind === "message-not-text",
      excerpt: fault.excerpt === "" ? "" : encodeInline(fault.excerpt),
    })
  )
}
