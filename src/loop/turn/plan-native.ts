import { authored, memoKind } from "../../core/memo.ts"
import { endedWhole, type FinishReason, type ModelTool } from "../../core/model/language-model.ts"
import type { ToolCall } from "../../core/span.ts"
import { nativeNames } from "../../prompt/tools/native-names.ts"
import { hasEnded, type Tool } from "../../prompt/tools/tool.ts"
import { exactArguments } from "./calls/exact-arguments.ts"
import { loadCalls, loadFurtherCalls } from "./calls/load-calls.ts"
import { type PlanOutcome, prepareStep, runModelStep } from "./model-step.ts"
import { answered, lastFinish, outcomeOfWords, proseReading } from "./prose.ts"
import type { CallGuard } from "./run-call.ts"
import { type TurnContext, warn } from "./turn-context.ts"
import type { ModelCall, UnfinishedStep } from "./turn-progress.ts"

/**
 * Plans with the model's own tool calls. Text is shown as it comes. The calls of a step run concurrently, and their results keep
 * the order of the calls. A step without calls is the answer. Guards and limits are those of JSON decisions (T16, T17, T18).
 */
export async function planNative(turn: TurnContext, guard: CallGuard): Promise<PlanOutcome> {
  const { maxSteps } = turn.agent.profile.loop
  const ids = new Set<string>()
  // Calls of earlier turns, and those for which this one waited, may stand in the request too: the record has at least twice the messages that a prompt shows.
  for (const { runs = [] } of [turn.progress, ...(turn.record?.history ?? [])]) for (const { id } of runs) ids.add(id)
  for (let step = turn.progress.steps.length + 1; step <= maxSteps; step++) {
    if (turn.input.control) await prepareStep(turn, turn.input.control, "native")
    const native = nativeTools(turn.progress.tools.plannerTools)
    const { calls: given, text, finish } = await nativeStep(turn, native)
    const calls = given.map((call) => withOwnId(turn, ids, call))
    turn.signal.throwIfAborted()
    if (calls.length === 0) return outcomeOfWords(turn, finish)
    const unfinished = await runCalls(turn, guard, { calls, text, finish, native })
    turn.signal.throwIfAborted()
    if (unfinished) return { type: "awaiting", step: unfinished }
    if (
      text.trim() !== "" &&
      calls.every(({ name }) => turn.progress.tools.plannerTool(native.nameOf(name))?.withAnswer !== undefined)
    ) {
      return answered(finish)
    }
    if (guard.repeats >= 2) return { type: "final", stopReason: "repeated-call" }
    if (turn.progress.step && (await turn.progress.step.stops())) return { type: "final", stopReason: "stopped" }
    if (text !== "") (turn.progress.output ?? turn.progress.answer).part()
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
  const answer = turn.progress.output ?? turn.progress.answer
  const before = answer.said.length
  const choice = turn.progress.step?.choice
  const toolChoice = typeof choice === "object" ? { tool: native.nativeNameOf(choice.tool) } : choice
  await runModelStep(turn, { prompt: "native", tools: native.tools, toolChoice }, (_, model) => {
    calls = []
    return { ...proseReading(turn, model), onToolCall: (call) => void calls.push(call) }
  })
  const text = answer.said.slice(before)
  const mark = writtenMark.exec(text)?.[0]
  if (mark !== undefined)
    warn(
      turn,
      "model",
      `The model wrote ${mark} into its answer as text. Nothing of it ran: its server should read its tool calls.`,
    )
  return { calls: turn.progress.step?.kept(calls, native.nameOf) ?? calls, text, finish: lastFinish(turn) }
}

/** The marks with which Kimi, Qwen and DeepSeek begin a call. A server that knows its model never shows them. */
const writtenMark = /<\|tool_calls?(?:_section)?_begin\|>|<tool_call>|<｜tool▁calls?▁begin｜>/

/** Runs the calls of a step. Returns the step if one of them waits. */
async function runCalls(
  turn: TurnContext,
  guard: CallGuard,
  { calls, text, finish, native }: NativeStep & { native: NativeTools },
): Promise<UnfinishedStep | undefined> {
  const isWhole = endedWhole(finish)
  const known = await Promise.all(
    calls.map(async ({ id, name, args }): Promise<ModelCall> => {
      const read = exactArguments(args) ?? (await loadFurtherCalls()).readNativeArguments(args, isWhole)
      return { id, name: native.nameOf(name), ...read }
    }),
  )
  const { runCall } = await loadCalls()
  const runs = await Promise.all(known.map((call) => runCall(turn, guard, call)))
  const ended = runs.map((run) => (hasEnded(run) ? run : null))
  if (ended.includes(null)) return { mode: "native", text, planned: known, calls, runs: ended }
  turn.progress.runs.push(...runs)
  turn.progress.steps.push({ type: "native", text, calls, runs })
  return undefined
}

/** The call under an id that no call of the conversation has. Some servers give none, or begin with the same one in each answer; providers refuse a request in which two calls have one id. */
function withOwnId({ agent }: TurnContext, taken: Set<string>, call: ToolCall): ToolCall {
  let { id } = call
  while (!id || taken.has(id)) id = agent.ports.ids.next("call")
  taken.add(id)
  return id === call.id ? call : { ...call, id }
}

/** Planner tools under names that every provider accepts. */
interface NativeTools {
  readonly tools: readonly ModelTool[]
  /** The tool's own name, or the given name if no tool has it. */
  nameOf(nativeName: string): string
  /** The native form of a tool's own name. */
  nativeNameOf(name: string): string
}

/** The native form of a list of tools, which stays the same from turn to turn. */
const nativeForm = memoKind<readonly Tool[], NativeTools>()

/** The tools as a provider gets them. */
export function nativeTools(tools: readonly Tool[]): NativeTools {
  return authored.made(nativeForm, tools, () => {
    const { of } = nativeNames(tools)
    const names = new Map(tools.map(({ name }) => [of(name), name]))
    return {
      tools: tools.map((tool) => ({ name: of(tool.name), description: describe(tool), inputSchema: tool.inputSchema })),
      nameOf: (name) => names.get(name) ?? name,
      nativeNameOf: of,
    }
  })
}

/** The description with the usage hint, for which a native tool has no other place. */
function describe({ description, usageHint = "" }: Tool): string {
  return [description, usageHint].filter((text) => text.trim() !== "").join("\n")
}
