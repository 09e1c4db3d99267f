import { PromptStrataError } from "../core/errors.ts"
import type { FinishReason, LanguageModel } from "../model/language-model.ts"
import { createFinalOutputReader } from "../reply/final-output-reader.ts"
import type { StopReason } from "../trace/turn-event.ts"
import { type PlanOutcome, runModelStep, type StepReading } from "./model-step.ts"
import { isQuietWake } from "./step-request.ts"
import type { TurnContext } from "./turn-context.ts"

/** Reads prose: text is shown as it comes, thinking becomes events. */
export function proseReading(
  turn: TurnContext,
  model: LanguageModel,
  onFinish: (reason: FinishReason | undefined) => void,
): StepReading {
  const reader = createFinalOutputReader({ opensInThought: model.capabilities.opensInThought ?? false })
  const step = turn.progress.traceSteps.length + 1
  const take = (parts: ReturnType<typeof reader.push>) => {
    for (const { type, delta } of parts) {
      if (type === "text") turn.progress.answer.say(delta)
      else turn.emit({ type: "thinking-delta", step, delta })
    }
  }
  return {
    onText: (delta) => take(reader.push(delta)),
    onEnd(finishReason) {
      take(reader.end())
      onFinish(finishReason)
      return undefined
    },
  }
}

/** One step whose text is the answer. Hands back why the model stopped. */
async function proseStep(turn: TurnContext, prompt: "chat" | "final"): Promise<FinishReason | undefined> {
  let finish: FinishReason | undefined
  await runModelStep(turn, { prompt }, (model) =>
    proseReading(turn, model, (reason) => {
      finish = reason
    }),
  )
  turn.signal.throwIfAborted()
  return finish
}

/** Plain talk: one call without tools; its text is the answer. */
export async function planChat(turn: TurnContext): Promise<PlanOutcome> {
  const finish = await proseStep(turn, "chat")
  if (turn.progress.answer.said.trim() === "" && !isQuietWake(turn)) return { type: "final", stopReason: "finish" }
  return { type: "answered", truncated: finish === "length" }
}

/**
 * The final output: spoken prose over everything gathered, streamed (T12). An empty one throws `model-empty`, except where
 * nobody spoke: then silence is an answer (R27).
 */
export async function finalOutput(turn: TurnContext, stopReason: StopReason): Promise<StopReason> {
  const finish = await proseStep(turn, "final")
  if (turn.progress.answer.said.trim() !== "") return finish === "length" ? "truncated" : stopReason
  if (turn.input.wake !== undefined && finish !== "content-filter") return stopReason
  const model = turn.agent.models[0].id
  throw new PromptStrataError("model-empty", `expected an answer from ${model}; its final output was empty.`, {
    hint:
      finish === "content-filter"
        ? "The provider's content filter stopped it."
        : "Try again, or look at the trace: what was it asked?",
    evidence: { model, finishReason: finish },
  })
}
