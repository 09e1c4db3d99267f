import type { LanguageModel, ModelRequest } from "../../src/core/model/language-model.ts"
import { textChunks } from "../../src/core/model/text-chunks.ts"
import type { Receipt } from "../../src/memory/services/store/receipt.ts"

/** What a model answers to a background prompt; what is left out is answered sensibly. */
export interface BackgroundAnswers {
  readonly importance?: string | ((request: ModelRequest) => string)
  readonly profile?: string | ((request: ModelRequest) => string)
  readonly reflection?: string | ((request: ModelRequest) => string)
  readonly batch?: string | ((request: ModelRequest) => string)
  readonly learn?: string | ((request: ModelRequest) => string)
  readonly tidy?: string | ((request: ModelRequest) => string)
  /** The answer to a turn. */
  readonly turn?: (request: ModelRequest) => string
}

/** A model that answers turns and background prompts by their kind, and remembers what it was asked. */
export function backgroundModel(
  answers: BackgroundAnswers = {},
): LanguageModel & { readonly asked: ModelRequest[]; count(prompt: string): number } {
  const asked: ModelRequest[] = []
  const of = (answer: string | ((request: ModelRequest) => string) | undefined, request: ModelRequest, usual: string): string =>
    typeof answer === "function" ? answer(request) : (answer ?? usual)
  return {
    id: "background",
    capabilities: { developerRole: false, tools: false },
    asked,
    count: (prompt) => asked.filter(({ facts }) => facts?.prompt === prompt).length,
    async *stream(request) {
      asked.push(request)
      const prompt = request.facts?.prompt
      const text =
        prompt === "importance"
          ? of(answers.importance, request, "7")
          : prompt === "user-profile"
            ? of(answers.profile, request, "{}")
            : prompt === "reflection"
              ? of(answers.reflection, request, "[]")
              : prompt === "importance-and-profile"
                ? of(answers.batch, request, '{"importance": 7, "profile": {}}')
                : prompt === "learn"
                  ? of(answers.learn, request, '{"importance": 7, "notes": [], "profile": {}}')
                  : prompt === "tidy"
                    ? of(answers.tidy, request, "[]")
                    : (answers.turn?.(request) ?? JSON.stringify({ action: "finish", message: "I see." }))
      for (const delta of textChunks(text, 7)) yield { type: "text-delta", delta }
      yield { type: "usage", usage: { inputTokens: 10, outputTokens: 1 } }
      yield { type: "finish", reason: "stop" }
    },
  }
}

/** A receipt in one word or two: `importance ok`. */
export function outcomesOf(receipts: readonly Receipt[]): string[] {
  return receipts.map(({ kind, outcome }) => `${kind} ${outcome}`)
}

/** Background work that is tried again at once, three times at the most. */
export const quickJobs = { maxAttempts: 3, waitMs: 1, maxWaitMs: 1 }

/** Waits between attempts end at the next turn of the event loop; a limit of an attempt is never reached. */
export const soonTimers = {
  set: (callback: () => void, delayMs: number) => (delayMs > 1 ? undefined : setImmediate(callback)),
  clear: (handle: unknown) => clearImmediate(handle as ReturnType<typeof setImmediate>),
}
