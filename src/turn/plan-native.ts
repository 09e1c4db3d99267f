import type { ToolCall } from "../core/message.ts"
import type { FinishReason } from "../model/model-part.ts"
import { CallGuard } from "./call-guard.ts"
import { runModelStep } from "./model-step.ts"
import { readNativeArguments } from "./native-arguments.ts"
import { type NativeTools, nativeTools } from "./native-names.ts"
import type { PlanOutcome } from "./planner.ts"
import { proseReading } from "./prose-reading.ts"
import { isQuietWake } from "./quiet-wake.ts"
import { type ModelCall, runCall } from "./run-call.ts"
import type { TurnRun } from "./turn-run.ts"

/**
 * The model's own tool calls: what it says is shown as it comes; the calls of a step run side by side, their results in
 * order; a step without calls is the answer. The same guards and limits as with JSON decisions (T16, T17, T18).
 */
export async function planNative(run: TurnRun): Promise<PlanOutcome> {
  const { maxSteps } = run.setup.loop
  const native = nativeTools(run.tools.plannerTools)
  const guard = new CallGuard()
  for (let step = 1; step <= maxSteps; step++) {
    const { calls, text, finish } = await nativeStep(run, native)
    run.signal.throwIfAborted()
    if (calls.length === 0) {
      if (run.answer.said.trim() === "" && !isQuietWake(run)) return { type: "final", stopReason: "finish" }
      return { type: "answered", truncated: finish === "length" }
    }
    await runCalls(run, guard, { calls, text, native })
    run.signal.throwIfAborted()
    if (text.trim() !== "" && calls.every(({ name }) => run.tools.plannerTool(native.nameOf(name))?.withAnswer === true)) {
      return { type: "answered", truncated: finish === "length" }
    }
    if (guard.repeats >= 2) return { type: "final", stopReason: "repeated-call" }
    if (text !== "") run.answer.part()
  }
  return { type: "final", stopReason: "max-steps" }
}

interface NativeStep {
  readonly calls: readonly ToolCall[]
  /** What the model said beside its calls. */
  readonly text: string
  readonly finish: FinishReason | undefined
}

async function nativeStep(run: TurnRun, native: NativeTools): Promise<NativeStep> {
  let calls: ToolCall[] = []
  let finish: FinishReason | undefined
  const before = run.answer.saidLength
  await runModelStep(run, { prompt: "native", tools: native.tools }, (model) => {
    calls = []
    const prose = proseReading(run, model, (reason) => {
      finish = reason
    })
    return { ...prose, onToolCall: (call) => void calls.push(call) }
  })
  return { calls, text: run.answer.said.slice(before), finish }
}

async function runCalls(
  run: TurnRun,
  guard: CallGuard,
  { calls, text, native }: Pick<NativeStep, "calls" | "text"> & { native: NativeTools },
) {
  const known = calls.map(
    (call): ModelCall => ({ id: call.id, name: native.nameOf(call.name), ...readNativeArguments(call.args) }),
  )
  const runs = await Promise.all(known.map((call) => runCall(run, guard, call)))
  run.runs.push(...runs)
  run.steps.push({ type: "native", text, calls, runs })
}
