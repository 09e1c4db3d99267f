import type { FinishReason } from "../model/model-part.ts"
import { runModelStep } from "./model-step.ts"
import type { PlanOutcome } from "./planner.ts"
import { proseReading } from "./prose-reading.ts"
import { isQuietWake } from "./quiet-wake.ts"
import type { TurnRun } from "./turn-run.ts"

/** Plain talk: one call, no tools; what the model says is the answer. */
export async function planChat(run: TurnRun): Promise<PlanOutcome> {
  let finish: FinishReason | undefined
  await runModelStep(run, { prompt: "chat" }, (model) =>
    proseReading(run, model, (reason) => {
      finish = reason
    }),
  )
  run.signal.throwIfAborted()
  if (run.answer.said.trim() === "" && !isQuietWake(run)) return { type: "final", stopReason: "finish" }
  return { type: "answered", truncated: finish === "length" }
}
