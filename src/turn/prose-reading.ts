import type { LanguageModel } from "../model/language-model.ts"
import type { FinishReason } from "../model/model-part.ts"
import { createFinalOutputReader } from "../reply/final-output-reader.ts"
import type { StepReading } from "./model-step.ts"
import type { TurnRun } from "./turn-run.ts"

/** Reads prose: text is shown as it comes, thinking is told as events. */
export function proseReading(
  run: TurnRun,
  model: LanguageModel,
  onFinish: (reason: FinishReason | undefined) => void,
): StepReading {
  const reader = createFinalOutputReader({ opensInThought: model.capabilities.opensInThought ?? false })
  const step = run.traceSteps.length + 1
  const take = (parts: ReturnType<typeof reader.push>) => {
    for (const { type, delta } of parts) {
      if (type === "text") run.answer.say(delta)
      else run.emit({ type: "thinking-delta", step, delta })
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
