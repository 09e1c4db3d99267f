import { PromptStrataError } from "../../core/errors.ts"
import { endedWhole, type FinishReason, type LanguageModel } from "../../core/model/language-model.ts"
import { createFinalOutputReader, type FinalOutputReader } from "../../reply/final-output-reader.ts"
import type { StopReason } from "../../trace/turn-event.ts"
import { type PlanOutcome, prepareStep, runModelStep, type StepReading } from "./model-step.ts"
import type { StepRequest } from "./step-request.ts"
import type { TurnContext } from "./turn-context.ts"
import { isBlankAnswer, isQuietWake, warnOfThinking } from "./turn-outcome.ts"

/** Reads an answer in prose. Text is shown as it comes; thinking is emitted. */
export function proseReading(turn: TurnContext, model: LanguageModel): StepReading {
  const options: Parameters<typeof createFinalOutputReader>[0] = {
    opensInThought: model.capabilities.opensInThought ?? false,
    onFault: (fault) => warnOfThinking(turn, model, fault),
  }
  const reader: FinalOutputReader = turn.progress.output?.reader(options) ?? createFinalOutputReader(options)
  const step = turn.progress.log.steps.length + 1
  const take = (parts: ReturnType<typeof reader.push>) => {
    for (const { type, delta } of parts) {
      if (type === "text") (turn.progress.output ?? turn.progress.answer).say(delta)
      // No cutting of the output shows thoughts behind the end of a limited answer.
      else if (turn.progress.answer.limiter?.ended === undefined) turn.emit({ type: "thinking-delta", step, delta })
    }
  }
  return {
    onText(delta) {
      take(reader.push(delta))
      return reader.waits
    },
    isOver: () => turn.progress.answer.limiter?.ended !== undefined,
    onEnd() {
      take(reader.end())
      return reader.waits?.then(() => void take(reader.end()))
    },
  }
}

/** Runs one step whose text is the answer. Returns the reason why the model stopped. */
export async function proseStep(turn: TurnContext, request: StepRequest): Promise<FinishReason | undefined> {
  if (turn.input.control) await prepareStep(turn, turn.input.control, request.prompt)
  await runModelStep(turn, request, proseReading)
  turn.signal.throwIfAborted()
  return lastFinish(turn)
}

/** The reason why the model stopped in the last step. */
export function lastFinish({ progress }: TurnContext): FinishReason | undefined {
  return progress.log.steps.at(-1)?.finishReason
}

/** Plans nothing: makes one call without tools, whose text is the answer. */
export async function planChat(turn: TurnContext): Promise<PlanOutcome> {
  const finish = await proseStep(turn, { prompt: "chat" })
  return outcomeOfWords(turn, finish)
}

/** The end of planning after words without a call. Blank ones are an answer only where silence is one. */
export function outcomeOfWords(turn: TurnContext, finish: FinishReason | undefined): PlanOutcome {
  if (isBlankAnswer(turn) && !isQuietWake(turn)) return { type: "final", stopReason: "finish" }
  return answered(finish)
}

/** The end of planning after an answer that the model ended for `finish`. */
export function answered(finish: FinishReason | undefined): PlanOutcome {
  return { type: "answered", stopReason: endedWhole(finish) ? "finish" : "truncated" }
}

/**
 * Asks for the final output: the answer in prose, made from everything that was gathered, and streamed (T12). An empty one throws
 * `model-empty`, except in a turn in which nobody spoke, where silence is an answer (R27).
 */
export async function finalOutput(
  turn: TurnContext,
  { stopReason, told }: PlanOutcome & { readonly type: "final" },
): Promise<StopReason> {
  // A mark alone would touch the words that follow.
  if (isBlankAnswer(turn)) turn.progress.answer.restart()
  const finish = await proseStep(turn, { ...told, prompt: "final" })
  if (!isBlankAnswer(turn)) return endedWhole(finish) ? stopReason : "truncated"
  if (turn.input.wake !== undefined && finish !== "content-filter") return stopReason
  const model = turn.agent.models[0].id
  throw new PromptStrataError("model-empty", `expected an answer from ${model}; its final output was empty.`, {
    hint:
      finish === "content-filter"
        ? "The provider's content filter stopped it."
        : "Try again, or read the request in the turn's trace.",
    evidence: { model, finishReason: finish },
  })
}
