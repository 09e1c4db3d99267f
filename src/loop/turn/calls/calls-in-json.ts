import { parsedJson, recordOf } from "../../../core/json-access.ts"
import { defined } from "../../../core/value.ts"
import { renderNotice } from "../../../prompt/dialect/render-notice.ts"
import { hasEnded } from "../../../prompt/tools/tool.ts"
import type { Decision } from "../../../reply/decision.ts"
import { readDecision } from "../../../reply/decision-reader.ts"
import { keepAsStep } from "../fit-tool-text.ts"
import { type CallGuard, runCall } from "../run-call.ts"
import { type TurnContext, warn } from "../turn-context.ts"
import type { ModelCall, StepDecision, UnfinishedStep } from "../turn-progress.ts"

/**
 * Runs the call that came with an answer. The answer is shown already, and ends the turn if the tool is called so (R6, R16). The
 * result of another tool is part of an answer, so planning goes on with it: then this returns true. It does not go on after an
 * unknown tool, a repeat, or a second failure of the tool, since none of them says anything new.
 * If the call waits, its step is returned.
 */
export async function runCallOfAnswer(
  turn: TurnContext,
  guard: CallGuard,
  decision: Decision & { action: "finish" },
): Promise<boolean | UnfinishedStep> {
  const { tool: name = "", args = {} } = decision.call ?? {}
  const { tools, runs } = turn.progress
  const tool = tools.plannerTool(name)
  if (tool === undefined) {
    warn(turn, "model", `The answer came with a call of ${name}, which is no tool here; it was not run.`)
    return false
  }
  const { repeatedName } = decision
  const planned = { id: turn.agent.ports.ids.next("call"), name, args, repeatedName }
  const run = await runCall(turn, guard, planned)
  if (!hasEnded(run)) return waiting(planned, decision.message)
  runs.push(run)
  turn.signal.throwIfAborted()
  if (tool.withAnswer !== undefined) return false
  const failures = runs.filter((earlier) => earlier.tool === name && earlier.status === "failed").length
  if (run.repeatOf !== undefined || (run.status === "failed" && failures > 1)) {
    const why = run.repeatOf === undefined ? "failed again" : "had its result already"
    warn(turn, "model", `The answer came with a call of ${name} that ${why}; the turn ended with the answer.`)
    return false
  }
  keepAsStep(turn, run, { action: "finish", ...defined({ message: decision.message }), args })
  return true
}

/** The members of objects that plainly are a decision without its `action`, sorted. */
const shapes: ReadonlyMap<string, "tool" | "finish"> = new Map([
  ["message", "finish"],
  ["args tool", "tool"],
  ["arguments name", "tool"],
])

/**
 * The decision that an output without `action` plainly is, if it is nothing but that object: a message, or a call of a tool that is
 * there, with arguments that the tool takes (T44). Any other output stays unreadable.
 */
export async function withAction(turn: TurnContext, unclear: StepDecision): Promise<StepDecision> {
  const { log, tools, step, output, answer } = turn.progress
  const written = log.steps.at(-1)?.output.trim() ?? ""
  const members = Object.keys(recordOf(parsedJson(written))).toSorted()
  const action = shapes.get(members.join(" "))
  if (action === undefined) return unclear
  const read = readDecision(`{"action":"${action}",${written.slice(1)}`)
  if (read.action === "tool" && (await tools.plannerTool(read.tool)?.check(read.args))?.ok !== true) return unclear
  if (read.action === "unreadable" || (read.action === "finish" && read.message === undefined)) return unclear
  const kept = step?.keptDecision(read) ?? read
  if (kept.action === "finish" && !output) answer.say(kept.message ?? "")
  return kept
}

function waiting(planned: ModelCall, text = ""): UnfinishedStep {
  return { mode: "json", text, planned: [planned], calls: [], runs: [null] }
}

/** Runs the call of a decision, and keeps it as a step. Returns the step if the call waits. */
export async function runPlannedCall(
  turn: TurnContext,
  guard: CallGuard,
  decision: StepDecision & { action: "tool" },
): Promise<UnfinishedStep | undefined> {
  const { tool: name, args, ignored, repeatedName } = decision
  const planned = { id: turn.agent.ports.ids.next("call"), name, args, repeatedName }
  const done = await runCall(turn, guard, planned)
  if (!hasEnded(done)) return waiting(planned)
  const result =
    ignored === undefined ? done.result : renderNotice(turn.agent.dialect, "several-decisions", { result: done.result })
  const run = { ...done, result }
  turn.progress.runs.push(run)
  keepAsStep(turn, run, { action: "tool", args })
  return undefined
}
