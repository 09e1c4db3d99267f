import { endedWhole, type FinishReason, type LanguageModel } from "../../core/model/language-model.ts"
import type { ToolCall } from "../../core/span.ts"
import { within } from "../../core/timers.ts"
import { renderNotice } from "../../prompt/dialect/render-notice.ts"
import { encodeJsonLine } from "../../prompt/encode/inline.ts"
import type { Tool, ToolRun } from "../../prompt/tools/tool.ts"
import { readDecision } from "../../reply/decision-reader.ts"
import { readNativeArguments } from "./calls/native-arguments.ts"
import { type PlanningMode, runModelStep, type StepReading } from "./model-step.ts"
import { nativeTools } from "./plan-native.ts"
import { runCall } from "./run-call.ts"
import type { StepRequest } from "./step-request.ts"
import { type TurnContext, warn } from "./turn-context.ts"
import type { ModelCall } from "./turn-progress.ts"

interface ReportMode {
  readonly mode: PlanningMode
  /** The planner's advice for the final output. */
  readonly note: string | undefined
}

/**
 * Asks once for a report that an answer lacks (R16): the call of `tool`, which must come with each answer. The answer is shown already,
 * so nothing of this step is shown, its failure is a warning, and the turn's time limit stands still for as long as one step may take.
 */
export async function askForReport(turn: TurnContext, tool: Tool, { mode, note }: ReportMode): Promise<void> {
  const { progress, agent, deadline } = turn
  const { said } = progress.answer
  const isReported = progress.runs.some((run) => run.tool === tool.name && run.status === "ok")
  if (isReported || mode === "chat" || said.trim() === "") return
  // The last message is delivered first, so that nobody waits for the report.
  progress.answer.end({ isWhole: true })
  const json = mode === "json"
  const notice = renderNotice(agent.dialect, "report-missing", { tool: tool.name, json })
  progress.steps.push({ type: "fault", output: json ? encodeJsonLine({ action: "finish", message: said }) : said, notice })
  const resume = deadline.pause()
  const { stepMs } = agent.profile.limits
  const asked = await within({ timeoutMs: stepMs, signal: turn.signal, timers: agent.ports.timers }, (signal) =>
    reportStep({ ...turn, signal }, tool, { prompt: json ? "planner" : "native", fault: notice, note }),
  )
  resume()
  if (asked.status === "aborted" || (asked.status === "done" && asked.value?.status === "ok")) return
  progress.log.unreported.push(tool.name)
  warn(turn, "tool", `The answer came without ${tool.name}. It was asked for once and did not come.`)
}

async function reportStep(turn: TurnContext, tool: Tool, request: StepRequest): Promise<ToolRun | undefined> {
  const call = await (request.prompt === "planner" ? reportInJson(turn, tool, request) : nativeReport(turn, tool, request))
  if (call === undefined) return undefined
  const run = await runCall(turn, { calls: new Map(), writes: 0, repeats: 0 }, call)
  turn.progress.runs.push(run)
  return run
}

async function reportInJson(turn: TurnContext, { name }: Tool, request: StepRequest): Promise<ModelCall | undefined> {
  const decision = await runModelStep(turn, request, silentReading)
  if (decision === undefined || decision.action === "unreadable") return undefined
  const { repeatedName } = decision
  const call = decision.action === "finish" ? decision.call : decision
  return call?.tool === name ? { id: turn.agent.ports.ids.next("call"), name, args: call.args, repeatedName } : undefined
}

/** Reads a decision and shows nothing of it. */
function silentReading({ agent }: TurnContext, { capabilities }: LanguageModel): StepReading {
  let output = ""
  return {
    onText(delta) {
      output += delta
    },
    onEnd: () =>
      readDecision(output, { strict: agent.profile.loop.strict, opensInThought: capabilities.opensInThought ?? false }),
  }
}

async function nativeReport(turn: TurnContext, { name }: Tool, request: StepRequest): Promise<ModelCall | undefined> {
  const native = nativeTools(turn.progress.tools.plannerTools)
  const calls: ToolCall[] = []
  let finish: FinishReason | undefined
  await runModelStep(turn, { ...request, tools: native.tools }, () => ({
    onText: () => undefined,
    onToolCall: (call) => void calls.push(call),
    onEnd(reason) {
      finish = reason
      return undefined
    },
  }))
  const call = calls.find((made) => native.nameOf(made.name) === name)
  return call && { id: call.id, name, ...readNativeArguments(call.args, endedWhole(finish)) }
}
