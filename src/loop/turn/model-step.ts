import { messageOf, PromptStrataError, type PromptStrataErrorOf } from "../../core/errors.ts"
import { isRecord } from "../../core/json-access.ts"
import {
  addUsage,
  type FinishReason,
  type LanguageModel,
  type ModelPart,
  type ModelReport,
  type Usage,
} from "../../core/model/language-model.ts"
import type { Assembly, ToolCall } from "../../core/span.ts"
import { growingWaitMs, pause } from "../../core/timers.ts"
import { defined } from "../../core/value.ts"
import { addPiece } from "../../reply/incoming-text.ts"
import { loadCalls, loadFurtherCalls } from "./calls/load-calls.ts"
import type { StepControl } from "./control/step-control.ts"
import { readModel } from "./read-model.ts"
import type { CallGuard } from "./run-call.ts"
import { assembleStep, keepsToSchema, type PlannerWords, requestOf, type StepRequest } from "./step-request.ts"
import { type TurnContext, warn } from "./turn-context.ts"
import { warnOnce } from "./turn-outcome.ts"
import type { StepDecision, UnfinishedStep } from "./turn-progress.ts"

/** The end of planning. `answered`: the answer is shown already. `final`: a final output must be made. `awaiting`: a call of this step waits. */
export type PlanOutcome =
  | { readonly type: "awaiting"; readonly step: UnfinishedStep }
  | { readonly type: "answered"; readonly stopReason: "finish" | "truncated" }
  | {
      readonly type: "final"
      readonly stopReason: "finish" | "max-steps" | "repeated-call" | "stopped"
      /** The words of the planner's last step for the final output. */
      readonly told?: PlannerWords
    }

/** Plans a turn by JSON decisions, by native tool calls, or by plain talk. */
export type Planner = (turn: TurnContext, guard: CallGuard) => Promise<PlanOutcome>

export type PlanningMode = "json" | "native" | "chat"

/** Reads the output of a model in one attempt of a step. */
export interface StepReading {
  /** Takes text as it comes, and shows the part that belongs to the answer. The next text waits for a promise. */
  onText(delta: string): void | Promise<void>
  /** Takes a native tool call. Absent in a step that asks for none. */
  onToolCall?(call: ToolCall): void
  /** True once nothing more is to be read. */
  readonly isOver?: () => boolean
  /** Called at the end of a whole stream, never of a failed one. Returns the decision of a planner step. */
  onEnd(finishReason: FinishReason | undefined): StepDecision | undefined | Promise<StepDecision | undefined>
}

/** Prepares the next step as the caller wants it. */
export async function prepareStep(turn: TurnContext, control: StepControl, prompt: string): Promise<void> {
  await (await loadFurtherCalls()).controlStep(turn, control, prompt)
}

/**
 * Runs one step: assembles the request, streams, reads and records it. Tries again where that can help, then with the next model
 * of the list, but never once a character of the answer was shown, and never after an abort. It waits as long as the server
 * asks, or longer each time, with jitter. `makeReading` is called for each attempt. Throws the error of the last attempt.
 */
export async function runModelStep(
  turn: TurnContext,
  request: StepRequest,
  makeReading: (turn: TurnContext, model: LanguageModel) => StepReading,
): Promise<StepDecision | undefined> {
  const { profile } = turn.agent
  const models = turn.progress.step?.models ?? turn.agent.models
  const assemble = (model: LanguageModel): Promise<Assembly> => assembleStep(turn, request, model)
  for (let index = 0, tries = 1; ; ) {
    let model = models[index] ?? models[0]
    try {
      const allowed = turn.agent.spending && (await (await turn.agent.spending()).allow(turn, model, assemble))
      model = allowed?.model ?? model
      const assembly = allowed?.assembly ?? (await assemble(model))
      return await runAttempt(turn, request, { model, assembly, reading: makeReading(turn, model) })
    } catch (error) {
      turn.signal.throwIfAborted()
      const answer = turn.progress.output ?? turn.progress.answer
      // A file is shown also where the words are a value that is not.
      if (answer.hasShown || turn.progress.files.made.length > 0 || !isModelFailure(error)) throw error
      const isRefused = error.code === "model" && error.evidence.kind === "bad-request"
      const isFreed = isRefused && refusesSchema(turn, request, { model, error })
      const isChanged = isFreed || (isRefused && turn.progress.shown?.nameOld(turn, model) === true)
      const again = isChanged || (tries < profile.retry.maxAttempts && isRetryable(error))
      const next = again ? model : models[index + 1]
      if (!next) throw error
      const delayMs = again && !isChanged ? delayBefore(turn, tries, error) : 0
      answer.restart()
      turn.emit({ type: "retry", model: next.id, delayMs, reason: messageOf(error) })
      await pause(delayMs, { timers: turn.agent.ports.timers, signal: turn.signal })
      turn.signal.throwIfAborted()
      tries = again ? tries + 1 : 1
      if (!again) index++
    }
  }
}

/**
 * True if a refused request asked for a decision by a schema, which may be the reason. The model is then asked without one, in later
 * turns too, which is told. If that is refused as well, it was not the schema.
 */
function refusesSchema(
  turn: TurnContext,
  { prompt }: StepRequest,
  { model, error }: { readonly model: LanguageModel; readonly error: ModelFailure },
): boolean {
  const { schemaless } = turn.agent
  const isAsked = keepsToSchema(turn, prompt, model)
  if (!isAsked || (error.code === "model" && error.evidence.refused !== undefined)) {
    schemaless.delete(model)
    return false
  }
  schemaless.add(model)
  const what = `A request to ${model.id} with the JSON Schema of the planner's decision was refused, so it is asked without one`
  warn(turn, "model", `${what}: ${messageOf(error)}`)
  return true
}

type Attempt = { readonly model: LanguageModel; readonly assembly: Assembly; readonly reading: StepReading }

/** The content of a model's stream, apart from tool calls. */
interface StreamContent {
  readonly output: string[]
  usage: Usage | undefined
  report: ModelReport | undefined
  finishReason: FinishReason | undefined
  /** The last file that the model made, while it is read: each waits for the one before. */
  file: Promise<unknown> | undefined
}

/** Calls a model once. Emits `step-start` and `step-end` also if the stream fails, and then throws its error. */
async function runAttempt(turn: TurnContext, request: StepRequest, attempt: Attempt): Promise<StepDecision | undefined> {
  const { model, assembly, reading } = attempt
  const [{ profile, ports }, { log }, { prompt }] = [turn.agent, turn.progress, request]
  const step = log.steps.length + 1
  const startedMs = ports.clock.nowMs()
  turn.agent.inspection.send?.(turn, { step, prompt, model: model.id, assembly, startedMs })
  turn.emit({ type: "step-start", step, prompt, tokens: assembly.tokens + assembly.overheadTokens, exact: assembly.exact })
  const heard: StreamContent = { output: [], usage: undefined, report: undefined, finishReason: undefined, file: undefined }
  const hearing = { step, heard, attempt }
  let decision: StepDecision | undefined
  let error: string | undefined
  try {
    const sent = requestOf(turn, request, { model, assembly })
    // Without pictures the model is asked at once: a reader that stops the turn at `step-start` stops a request that was sent.
    const shown = turn.progress.shown?.withBytes(turn, sent, model)
    await readModel(model, shown ? ((await shown) ?? sent) : sent, {
      ...{ signal: turn.signal, limits: profile.limits, clock: ports.clock, timers: ports.timers },
      onPart: (part, atMs) => hear(turn, part, hearing, atMs),
      isOver: reading.isOver,
    })
    if (heard.file) await heard.file
    decision = await reading.onEnd(heard.finishReason)
    turn.progress.answer.flush()
    if (profile.conversation.cacheKeepAlive > 0 && (log.lastRequest?.prompt ?? prompt) === prompt)
      log.lastRequest = { prompt, model, request: sent, usage: heard.usage }
    return decision
  } catch (thrown) {
    if (heard.file) await heard.file
    error = messageOf(thrown)
    throw thrown
  } finally {
    const { usage, report, finishReason } = heard
    const outcome = defined({ decision, usage, report, finishReason, error })
    const times = { startedMs, durationMs: ports.clock.nowMs() - startedMs }
    log.steps.push({ step, prompt, model: model.id, assembly, output: heard.output.join(""), ...outcome, ...times })
    turn.emit({ type: "step-end", step, ...outcome })
  }
}

/** Takes one part of a stream. Output, usage and finish reason are kept; thinking is emitted. An adapter without types may hand over anything. */
function hear(
  turn: TurnContext,
  part: ModelPart | null | undefined,
  { step, heard, attempt }: { readonly step: number; readonly heard: StreamContent; readonly attempt: Attempt },
  atMs: number,
): void | Promise<void> {
  const { model, reading } = attempt
  turn.progress.heardMs = atMs
  try {
    if (part?.type === "text-delta" && typeof part.delta === "string") {
      addPiece(heard.output, part.delta)
      return reading.onText(part.delta)
    } else if (part?.type === "thinking-delta" && typeof part.delta === "string") {
      if (part.delta !== "") turn.emit({ type: "thinking-delta", step, delta: part.delta })
    } else if (part?.type === "usage" && isRecord(part.usage)) heard.usage = addUsage(heard.usage ?? {}, part.usage)
    else if (part?.type === "report" && isRecord(part.report)) heard.report = { ...heard.report, ...part.report }
    else if (part?.type === "finish") heard.finishReason ??= part.reason
    else if (part?.type === "warning") warn(turn, "model", part.message)
    else if (part?.type === "file" && typeof part.base64 === "string" && typeof part.mediaType === "string") {
      const ready = Promise.all([loadCalls(), heard.file])
      const file = ready.then(
        ([{ readMadeFile }]) => readMadeFile(turn, model.id, part),
        (thrown: unknown) => void warn(turn, "file", `The answer lacks a file of ${model.id}: ${messageOf(thrown)}`),
      )
      heard.file = file
      turn.progress.answer.draw(file)
    } else if (
      part?.type === "tool-call" &&
      isRecord(part.call) &&
      typeof part.call.name === "string" &&
      typeof part.call.args === "string"
    ) {
      if (reading.onToolCall) reading.onToolCall(part.call)
      else warn(turn, "model", `${model.id} called ${part.call.name} natively, which it was not asked to; the call was ignored.`)
    } else warnOfPart(turn, model, part)
  } finally {
    turn.progress.heardMs = undefined
  }
}

function warnOfPart(turn: TurnContext, { id }: LanguageModel, part: unknown): void {
  const shown = (JSON.stringify(part) ?? String(part)).slice(0, 200)
  warnOnce(turn, "model", id, `${id} sent a part that is not of the form of a ModelPart, which was left out: ${shown}`)
}

type ModelFailure = PromptStrataErrorOf<"model"> | PromptStrataErrorOf<"model-stall">

function isModelFailure(error: unknown): error is ModelFailure {
  return PromptStrataError.isInstance(error) && (error.code === "model" || error.code === "model-stall")
}

function isRetryable(error: ModelFailure): boolean {
  return error.code === "model-stall" || error.evidence.isRetryable === true
}

/** The delay that the server asks for, or an exponential one of which the upper half is random. */
function delayBefore(turn: TurnContext, tries: number, error: ModelFailure): number {
  const { profile, ports } = turn.agent
  const { baseDelayMs: baseMs, maxDelayMs: maxMs } = profile.retry
  const { retryAfterMs = -1 } = error.code === "model" ? error.evidence : {}
  // An adapter without types may hand over anything.
  if (Number.isFinite(retryAfterMs) && retryAfterMs >= 0) return Math.min(retryAfterMs, maxMs)
  return growingWaitMs(tries, { baseMs, maxMs }, ports.random)
}
