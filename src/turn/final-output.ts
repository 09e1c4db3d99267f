import { PromptStrataError } from "../core/errors.ts"
import type { FinishReason } from "../model/model-part.ts"
import type { StopReason } from "../trace/turn-result.ts"
import { runModelStep } from "./model-step.ts"
import { proseReading } from "./prose-reading.ts"
import type { TurnRun } from "./turn-run.ts"

/** The final output: spoken prose over everything gathered, streamed (T12). Saying nothing is an answer where nobody spoke (R27); else it throws `model-empty`. */
export async function finalOutput(run: TurnRun, stopReason: StopReason): Promise<StopReason> {
  let finish: FinishReason | undefined
  await runModelStep(run, { prompt: "final" }, (model) =>
    proseReading(run, model, (reason) => {
      finish = reason
    }),
  )
  run.signal.throwIfAborted()
  if (run.answer.said.trim() !== "") return finish === "length" ? "truncated" : stopReason
  if (run.setup.wake !== undefined && finish !== "content-filter") return stopReason
  throw new PromptStrataError("model-empty", `expected an answer from ${run.setup.models[0].id}; its final output was empty.`, {
    hint:
      finish === "content-filter"
        ? "The provider's content filter stopped it."
        : "Try again, or look at the trace: what was it asked?",
    evidence: { model: run.setup.models[0].id, ...(finish ? { finishReason: finish } : {}) },
  })
}
