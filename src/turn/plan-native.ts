import type { ToolCall } from "../core/span.ts"
import type { FinishReason, ModelTool } from "../model/language-model.ts"
import { readDecision } from "../reply/decision-reader.ts"
import type { Tool } from "../tools/tool.ts"
import { type PlanOutcome, runModelStep } from "./model-step.ts"
import { answered, proseReading } from "./prose.ts"
import { type CallGuard, type ModelCall, runCall } from "./run-call.ts"
import { isQuietWake, type TurnContext } from "./turn-context.ts"

/**
 * Plans with the model's own tool calls. Text is shown as it comes. The calls of a step run concurrently, and their results keep
 * the order of the calls. A step without calls is the answer. Guards and limits are those of JSON decisions (T16, T17, T18).
 */
export async function planNative(turn: TurnContext): Promise<PlanOutcome> {
  const { maxSteps } = turn.agent.profile.loop
  const native = nativeTools(turn.progress.tools.plannerTools)
  const guard: CallGuard = { calls: new Map(), writes: 0, repeats: 0 }
  for (let step = 1; step <= maxSteps; step++) {
    const { calls, text, finish } = await nativeStep(turn, native)
    turn.signal.throwIfAborted()
    if (calls.length === 0) {
      if (turn.progress.answer.said.trim() === "" && !isQuietWake(turn)) return { type: "final", stopReason: "finish" }
      return answered(finish)
    }
    await runCalls(turn, guard, { calls, text, native })
    turn.signal.throwIfAborted()
    if (
      text.trim() !== "" &&
      calls.every(({ name }) => turn.progress.tools.plannerTool(native.nameOf(name))?.withAnswer !== undefined)
    ) {
      return answered(finish)
    }
    if (guard.repeats >= 2) return { type: "final", stopReason: "repeated-call" }
    if (text !== "") turn.progress.answer.part()
  }
  return { type: "final", stopReason: "max-steps" }
}

interface NativeStep {
  readonly calls: readonly ToolCall[]
  /** The text that stands beside the calls. */
  readonly text: string
  readonly finish: FinishReason | undefined
}

async function nativeStep(turn: TurnContext, native: NativeTools): Promise<NativeStep> {
  let calls: ToolCall[] = []
  let finish: FinishReason | undefined
  const before = turn.progress.answer.said.length
  await runModelStep(turn, { prompt: "native", tools: native.tools }, (_, model) => {
    calls = []
    const prose = proseReading(turn, model, (reason) => {
      finish = reason
    })
    return { ...prose, onToolCall: (call) => void calls.push(call) }
  })
  return { calls, text: turn.progress.answer.said.slice(before), finish }
}

async function runCalls(
  turn: TurnContext,
  guard: CallGuard,
  { calls, text, native }: Pick<NativeStep, "calls" | "text"> & { native: NativeTools },
) {
  const known = calls.map(
    (call): ModelCall => ({ id: call.id, name: native.nameOf(call.name), ...readNativeArguments(call.args) }),
  )
  const runs = await Promise.all(known.map((call) => runCall(turn, guard, call)))
  turn.progress.runs.push(...runs)
  turn.progress.steps.push({ type: "native", text, calls, runs })
}

/** The arguments of a native call. `fault` is present if they could not be read. */
type NativeArguments = { readonly args: Readonly<Record<string, unknown>>; readonly fault?: string }

/** Reads the JSON text of a native call's arguments, repaired as a decision is (T21). A blank text stands for no arguments. */
export function readNativeArguments(text: string): NativeArguments {
  if (text.trim() === "") return { args: {} }
  const decision = readDecision(`{"action":"tool","tool":"native","args":${text}}`)
  if (decision.action === "tool" && decision.tool === "native") return { args: decision.args }
  const fault = decision.action === "unreadable" ? decision.fault.kind : "not-json"
  return { args: {}, fault: `arguments: ${fault} ${JSON.stringify(text.slice(0, 80))}` }
}

/** Planner tools under names that every provider accepts. */
interface NativeTools {
  readonly tools: readonly ModelTool[]
  /** The tool's own name, or the given name if no tool has it. */
  nameOf(nativeName: string): string
  /** The native form of a tool's own name. */
  nativeNameOf(name: string): string
}

const maxNameLength = 64

/** Gives each tool a name for providers, which accept only letters, digits, `_` and `-`. A tool with another name gets one that no other tool has. */
export function nativeTools(tools: readonly Tool[]): NativeTools {
  const taken = new Set(tools.map(({ name }) => name).filter(isLegal))
  const nativeNames = new Map<string, string>()
  for (const { name } of tools) {
    const native = isLegal(name) ? name : unused(name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, maxNameLength - 4), taken)
    taken.add(native)
    nativeNames.set(name, native)
  }
  const names = new Map([...nativeNames].map(([name, native]) => [native, name]))
  return {
    tools: tools.map(({ name, description, inputSchema }) => ({ name: nativeNames.get(name) ?? name, description, inputSchema })),
    nameOf: (native) => names.get(native) ?? native,
    nativeNameOf: (name) => nativeNames.get(name) ?? name,
  }
}

function isLegal(name: string): boolean {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(name)
}

function unused(name: string, taken: ReadonlySet<string>): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 && name !== "" ? name : `${name}_${number}`
    if (!taken.has(candidate)) return candidate
  }
}
