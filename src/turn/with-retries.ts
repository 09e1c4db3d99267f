import { messageOf, PromptStrataError } from "../core/errors.ts"
import type { LanguageModel } from "../model/language-model.ts"
import type { TurnContext } from "./turn-context.ts"

/**
 * Tries a call again where that can help, then with the next model of the list; never once a character of the answer was
 * shown, never after an abort. Waits as long as the server asks, else longer each time with jitter.
 */
export async function withRetries<T>(turn: TurnContext, attempt: (model: LanguageModel) => Promise<T>): Promise<T> {
  const { models, profile } = turn.agent
  for (let index = 0, tries = 1; ; ) {
    const model = models[index] ?? models[0]
    try {
      return await attempt(model)
    } catch (error) {
      turn.signal.throwIfAborted()
      if (turn.progress.answer.hasShown || !isModelFailure(error)) throw error
      const again = tries < profile.retry.maxAttempts && isRetryable(error)
      const next = again ? model : models[index + 1]
      if (!next) throw error
      const delayMs = again ? delayBefore(turn, tries, error) : 0
      turn.progress.answer.restart()
      turn.emit({ type: "retry", model: next.id, delayMs, reason: messageOf(error) })
      await pause(turn, delayMs)
      tries = again ? tries + 1 : 1
      if (!again) index++
    }
  }
}

function isModelFailure(error: unknown): error is PromptStrataError {
  return PromptStrataError.isInstance(error) && (error.code === "model" || error.code === "model-stall")
}

function isRetryable(error: PromptStrataError): boolean {
  return error.code === "model-stall" || error.evidence.isRetryable === true
}

/** The server's own wish, or an exponential delay with full jitter over its upper half. */
function delayBefore(turn: TurnContext, tries: number, error: PromptStrataError): number {
  const { profile, ports } = turn.agent
  const { baseDelayMs, maxDelayMs } = profile.retry
  const wished = error.evidence.retryAfterMs
  if (typeof wished === "number" && wished >= 0) return Math.min(wished, maxDelayMs)
  const most = Math.min(baseDelayMs * 2 ** (tries - 1), maxDelayMs)
  return Math.round(most / 2 + (most / 2) * ports.random())
}

/** Time passes, unless the turn is aborted first. */
function pause(turn: TurnContext, delayMs: number): Promise<void> {
  const { timers } = turn.agent.ports
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      timers.clear(timer)
      reject(turn.signal.reason)
    }
    const timer = timers.set(() => {
      turn.signal.removeEventListener("abort", onAbort)
      resolve()
    }, delayMs)
    turn.signal.addEventListener("abort", onAbort, { once: true })
    if (turn.signal.aborted) onAbort()
  })
}
