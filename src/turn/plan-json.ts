import { renderNotice } from "../dialect/render-notice.ts"
import { encodeInline, encodeJsonLine } from "../encode/inline.ts"
import type { LanguageModel } from "../model/language-model.ts"
import type { Decision, DecisionFault } from "../reply/decision.ts"
import { createDecisionReader } from "../reply/decision-reader.ts"
import { fitArguments, withFittedArguments } from "./fit-tool-text.ts"
import { type PlanOutcome, runModelStep, type StepReading } from "./model-step.ts"
import { CallGuard, runCall } from "./run-call.ts"
import { isQuietWake } from "./step-request.ts"
import type { TurnContext } from "./turn-context.ts"

/** JSON decisions: plan, run the tool, plan again, until the planner finishes or a limit says it must (T13, T14, T16). */
export async function planJson(turn: TurnContext): Promise<PlanOutcome> {
  const { loop } = turn.agent.profile
  const guard = new CallGuard()
  let asked = false
  for (let step = 1; step <= loop.maxSteps; step++) {
    const decision = await runModelStep(turn, { prompt: "planner" }, (model) => decisionReading(turn, model))
    turn.signal.throwIfAborted()
    if (decision === undefined || decision.action === "unreadable") {
      if (asked || decision === undefined) return { type: "final", stopReason: "finish" }
      asked = true
      askAgain(turn, decision.fault)
      continue
    }
    asked = false
    turn.progress.fault = undefined
    if (decision.action === "finish") {
      await report(turn, guard, decision)
      return finish(turn, decision)
    }
    await call(turn, guard, decision)
    turn.signal.throwIfAborted()
    if (guard.repeats >= 2) return { type: "final", stopReason: "repeated-call" }
  }
  return { type: "final", stopReason: "max-steps" }
}

/** Reads planner output: what may be shown is shown as it comes (T23). */
function decisionReading(turn: TurnContext, model: LanguageModel): StepReading {
  const { loop } = turn.agent.profile
  const reader = createDecisionReader({ strict: loop.strict, opensInThought: model.capabilities.opensInThought ?? false })
  const step = turn.progress.traceSteps.length + 1
  let decision: Decision | undefined
  const take = (events: ReturnType<typeof reader.push>) => {
    for (const event of events) {
      if (event.type === "message-delta") turn.progress.answer.say(event.delta)
      else if (event.type === "thinking-delta") turn.emit({ ...event, step })
      else decision = event.decision
    }
  }
  return {
    onText: (delta) => take(reader.push(delta)),
    onEnd(finishReason) {
      take(reader.end())
      return cutShort(decision, finishReason)
    },
  }
}

/** A plain-text answer that ran into the token limit looks whole; only the finish reason tells. */
function cutShort(decision: Decision | undefined, finishReason: string | undefined): Decision | undefined {
  if (decision?.action !== "finish" || decision.status !== "plain-text" || finishReason !== "length") return decision
  return { ...decision, status: "truncated" }
}

function finish(turn: TurnContext, decision: Decision & { action: "finish" }): PlanOutcome {
  if (turn.progress.answer.said.trim() !== "") return { type: "answered", truncated: decision.status === "truncated" }
  if (isQuietWake(turn)) return { type: "answered", truncated: false }
  if (decision.note !== undefined) turn.progress.note = decision.note
  return { type: "final", stopReason: "finish" }
}

/** The call that comes with an answer, where it is of such a tool; the answer stands already (R6, R16). */
async function report(turn: TurnContext, guard: CallGuard, decision: Decision & { action: "finish" }): Promise<void> {
  if (!decision.call || turn.progress.tools.plannerTool(decision.call.tool)?.withAnswer !== true) return
  const { tool: name, args } = decision.call
  turn.progress.runs.push(await runCall(turn, guard, { id: turn.agent.ports.ids.next("call"), name, args }))
  turn.signal.throwIfAborted()
}

/** One re-prompt that quotes the fault (T21): in the message rebuilt each step, or appended. */
function askAgain(turn: TurnContext, fault: DecisionFault): void {
  const notice = renderNotice(turn.agent.dialect, "unreadable", {
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
  turn.progress.fault = notice
  turn.progress.steps.push({ type: "fault", output: fault.excerpt, notice })
}

async function call(turn: TurnContext, guard: CallGuard, { tool: name, args }: Decision & { action: "tool" }): Promise<void> {
  const result = await runCall(turn, guard, { id: turn.agent.ports.ids.next("call"), name, args })
  turn.progress.runs.push(result)
  const shown = encodeJsonLine({ action: "tool", tool: name, args: fitArguments(args, turn) })
  turn.progress.steps.push({ type: "run", call: shown, run: withFittedArguments(result, turn) })
}
