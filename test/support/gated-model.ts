import { PromptStrataError } from "../../src/core/errors.ts"
import type { LanguageModel } from "../../src/core/model/language-model.ts"
import { orAborted } from "../../src/core/timers.ts"

/** The turn whose model is being asked. */
export interface Asked {
  readonly shown: string | undefined
  readonly whole: string
  readonly prompt: string
  readonly end: (how: "finish" | "fail") => void
}

interface GatedModel {
  readonly model: LanguageModel
  asked: Asked | undefined
  /** The answers so far. */
  count: number
}

/** A model that begins to answer, and goes on when it is told to. Every third answer shows nothing before that. */
export function gatedModel(count = 0): GatedModel {
  const gated: GatedModel = {
    asked: undefined,
    count,
    model: {
      id: "gated",
      capabilities: { developerRole: false, tools: false },
      async *stream(request, { signal }) {
        const answer = `za${++gated.count} begins`
        const shown = gated.count % 3 === 0 ? undefined : answer
        const { promise, resolve: end } = Promise.withResolvers<"finish" | "fail">()
        gated.asked = { shown, whole: `${answer} and ends`, prompt: JSON.stringify(request.messages), end }
        const begin = `{"action":"finish","message":"${answer}`
        try {
          if (shown !== undefined) yield { type: "text-delta", delta: begin }
          if ((await orAborted(promise, signal)) === "fail") throw new PromptStrataError("model", "The server is down.")
        } finally {
          gated.asked = undefined
        }
        yield { type: "text-delta", delta: shown === undefined ? `${begin} and ends"}` : ' and ends"}' }
        yield { type: "finish", reason: "stop" }
      },
    },
  }
  return gated
}
