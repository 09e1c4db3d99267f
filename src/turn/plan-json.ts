import { renderNotice } from "../dialect/render-notice.ts"
import { encodeInline, encodeJsonLine } from "../encode/inline.ts"
import type { LanguageModel } from "../model/language-model.ts"
import type { Decision, DecisionFault } from "../reply/decision.ts"
import { createDecisionReader } from "../reply/decision-reader.ts"
import { CallGuard } from "./call-guard.ts"
import { fitArguments, withFittedArguments } from "./fit-arguments.ts"
import { runModelStep, type StepReading } from "./model-step.ts"
import type { PlanOutcome } from "./planner.ts"
import { isQuietWake } from "./quiet-wake.ts"
import { runCall } from "./run-call.ts"
import type { TurnRun } from "./turn-run.ts"

/** JSON decisions: plan, run the tool, plan again, until the planner finishes or a limit says it must (T13, T14, T16). */
export async function planJson(run: TurnRun): Promise<PlanOutcome> {
  const { loop } = run.setup
  const guard = new CallGuard()
  let asked = false
  for (let step = 1; step <= loop.maxSteps; step++) {
    const decision = await runModelStep(run, { prompt: "planner" }, (model) => decisionReading(run, model))
    run.signal.throwIfAborted()
    if (decision === undefined || decision.action === "unreadable") {
      if (asked || decision === undefined) return { type: "final", stopReason: "finish" }
      asked = true
      askAgain(run, decision.fault)
      continue
    }
    asked = false
    run.fault = undefined
    if (decision.action === "finish") {
      await report(run, guard, decision)
      return finish(run, decision)
    }
    await call(run, guard, decision)
    run.signal.throwIfAborted()
    if (guard.repeats >= 2) return { type: "final", stopReason: "repeated-call" }
  }
  return { type: "final", stopReason: "max-steps" }
}

/** Reads planner output: what may be shown is shown as it comes (T23). */
function decisionReading(run: TurnRun, model: LanguageModel): StepReading {
  const { loop } = run.setup
  const reader = createDecisionReader({ strict: loop.strict, opensInThought: model.capabilities.opensInThought ?? false })
  const step = run.traceSteps.length + 1
  let decision: Decision | undefined
  const take = (events: ReturnType<typeof reader.push>) => {
    for (const event of events) {
      if (event.type === "message-delta") run.answer.say(event.delta)
      else if (event.type === "thinking-delta") run.emit({ ...event, step })
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

function finish(run: TurnRun, decision: Decision & { action: "finish" }): PlanOutcome {
  if (run.answer.said.trim() !== "") return { type: "answered", truncated: decision.status === "truncated" }
  if (isQuietWake(run)) return { type: "answered", truncated: false }
  if (decision.note !== undefined) run.note = decision.note
  return { type: "final", stopReason: "finish" }
}

/** The call that comes with an answer, where it is of such a tool; the answer stands already (R6, R16). */
async function report(run: TurnRun, guard: CallGuard, decision: Decision & { action: "finish" }): Promise<void> {
  if (!decision.call || run.tools.plannerTool(decision.call.tool)?.withAnswer !== true) return
  const { tool: name, args } = decision.call
  run.runs.push(await runCall(run, guard, { id: run.setup.ports.ids.next("call"), name, args }))
  run.signal.throwIfAborted()
}

/** One re-prompt that quotes the fault (T21): in the message rebuilt each step, or appended. */
function askAgain(run: TurnRun, fault: DecisionFault): void {
  const notice = renderNotice(run.setup.dialect, "unreadable", {
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
  run.fault = notice
  run.steps.push({ type: "fault", output: fault.excerpt, notice })
}

async function call(run: TurnRun, guard: CallGuard, { tool: name, args }: Decision & { action: "tool" }): Promise<void> {
  const result = await runCall(run, guard, { id: run.setup.ports.ids.next("call"), name, args })
  run.runs.push(result)
  const shown = encodeJsonLine({ action: "tool", tool: name, args: fitArguments(args, run.setup) })
  run.steps.push({ type: "run", call: shown, run: withFittedArguments(result, run.setup) })
}
