import { PromptStrataError } from "../../../core/errors.ts"
import { renderNotice } from "../../../prompt/dialect/render-notice.ts"
import { canonicalArguments } from "../../../prompt/tools/call-arguments.ts"
import { nativeNames } from "../../../prompt/tools/native-names.ts"
import { hasEnded, type Tool, type ToolRun } from "../../../prompt/tools/tool.ts"
import { keepAsStep } from "../fit-tool-text.ts"
import { type CallGuard, runCall, tellHooks } from "../run-call.ts"
import { runTool } from "../run-tool.ts"
import type { TurnContext } from "../turn-context.ts"
import type { ModelCall, UnfinishedStep } from "../turn-progress.ts"
import { definitionOf, type OpenTurn, type ResumedTurn } from "./open-turn.ts"

/**
 * Goes on with a turn that waited: runs the calls that were allowed, tells those that were refused, and ends the step. While a call still
 * has no answer, or asks something else, the turn goes on waiting, and its step is returned. Throws `approval` if a tool is gone or another one, before anything was taken.
 */
export async function resumeStep(
  turn: TurnContext,
  { open, ...resumes }: ResumedTurn,
  guard: CallGuard,
): Promise<UnfinishedStep | undefined> {
  const { progress, agent } = turn
  progress.runs.push(...open.runs)
  progress.steps.push(...open.steps)
  progress.found = { ...progress.found, prestart: open.prestart }
  if (open.calls.some(({ answer }) => answer === undefined)) {
    progress.open.calls.push(...open.calls)
    return open.step
  }
  const toolMs = checkTools(turn, open)
  await resumes.claim(agent.ports.clock.nowMs() + toolMs)
  remember(turn, guard)
  const { planned, runs } = open.step
  const resultOf = (id: string) => open.calls.find(({ callId }) => callId === id)?.answer?.result
  const done = await Promise.all(
    planned.map((call, at) => {
      const result = resultOf(call.id)
      return runs[at] ?? (result === undefined ? runCall(turn, guard, call) : outsideRun(turn, call, result))
    }),
  )
  // One asks again, in the middle of its work.
  if (progress.open.calls.length > 0) return { ...open.step, runs: done.map((run) => (hasEnded(run) ? run : null)) }
  await resumes.ran(done)
  endStep(turn, open.step, done)
  return undefined
}

/** Begins a turn with runs that were made for its words before, each as a step: by its caller, or by a try that a crash ended. */
export async function takeRuns(turn: TurnContext, mode: UnfinishedStep["mode"], guard: CallGuard): Promise<void> {
  const { input, progress, agent } = turn
  const native = nativeNames(progress.tools.plannerTools)
  for (const { id, tool: name, args, result } of [...(input.runs ?? []), ...(input.journal?.runs ?? [])]) {
    const run = await outsideRun(turn, { id, name, args }, result ?? renderNotice(agent.dialect, "tool-cut-off", {}))
    endStep(turn, { mode, text: "", calls: [{ id, name: native.of(name), args: JSON.stringify(args) }] }, [run])
    if (result !== undefined) continue
    const cutOff = { run: Promise.resolve(run), writes: guard.writes, isUnknown: true }
    guard.calls.set(`${name}\n${canonicalArguments(args)}`, cutOff)
  }
}

const resultTool: Omit<Tool, "name" | "execute"> = {
  ...{ description: "", trust: "tool", inputSchema: {}, visibility: "planner", repeatable: true, writes: false },
  check: async (value) => ({ ok: true, value }),
}

/** The run of a call that ran outside, whose result is bounded like any other. */
async function outsideRun(turn: TurnContext, { id, name, args }: ModelCall, result: string): Promise<ToolRun> {
  const run = await runTool(turn, { id, name, args, tool: { ...resultTool, name, execute: () => result } })
  tellHooks(turn, run)
  return run
}

/** The longest time that a tool of the allowed calls may take. */
function checkTools({ progress, agent }: TurnContext, { calls }: OpenTurn): number {
  let toolMs = 0
  for (const { id, tool: name, answer, definition } of calls) {
    if (!answer?.approved || answer.result !== undefined) continue
    const tool = progress.tools.plannerTool(name)
    if (tool === undefined || definitionOf(tool) !== definition) {
      const fault = tool === undefined ? "tool-gone" : "tool-changed"
      const found = tool === undefined ? "which is gone" : "whose definition has changed since"
      throw new PromptStrataError("approval", `The approval ${JSON.stringify(id)} is for the tool "${name}", ${found}.`, {
        hint: "The call did not run. Refuse it with `session.deny`, or send a message, which withdraws the question.",
        evidence: { fault, id, tool: name },
      })
    }
    toolMs = Math.max(toolMs, tool.timeoutMs ?? agent.profile.limits.toolMs)
  }
  return toolMs
}

/** Lets the guard know the runs of the turn's first part, so that a repeat gets their results (T17). */
function remember({ progress }: TurnContext, guard: CallGuard): void {
  for (const run of progress.runs) {
    if (run.status === "failed") continue
    if (progress.tools.plannerTool(run.tool)?.writes === true) guard.writes++
    guard.calls.set(`${run.tool}\n${canonicalArguments(run.args)}`, { run: Promise.resolve(run), writes: guard.writes })
  }
}

function endStep(turn: TurnContext, step: Pick<UnfinishedStep, "mode" | "text" | "calls">, runs: readonly ToolRun[]): void {
  const { progress } = turn
  progress.runs.push(...runs)
  if (step.mode === "native") {
    progress.steps.push({ type: "native", text: step.text, calls: step.calls, runs })
    return
  }
  const said = step.text === "" ? { action: "tool" } : { action: "finish", message: step.text }
  for (const run of runs) keepAsStep(turn, run, { ...said, args: run.args })
}
