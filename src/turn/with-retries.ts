import { messageOf, PromptStrataError } from "../core/errors.ts"
import type { LanguageModel } from "../model/language-model.ts"
import type { TurnRun } from "./turn-run.ts"

/**
 * Tries a call again where that can help, then with the next model of the list; never once a character of the answer was
 * shown, never after an abort. Waits as long as the server asks, else longer each time with jitter.
 */
export async function withRetries<T>(run: TurnRun, attempt: (model: LanguageModel) => Promise<T>): Promise<T> {
  const { models, retry } = run.setup
  for (let index = 0, tries = 1; ; ) {
    const model = models[index] ?? run.setup.models[0]
    try {
      return await attempt(model)
    } catch (error) {
      run.signal.throwIfAborted()
      if (run.answer.hasShown || !isModelFailure(error)) throw error
      const again = tries < retry.maxAttempts && isRetryable(error)
      const next = again ? model : models[index + 1]
      if (!next) throw error
      const delayMs = again ? delayBefore(run, tries, error) : 0
      run.answer.restart()
      run.emit({ type: "retry", model: next.id, delayMs, reason: messageOf(error) })
      await pause(run, delayMs)
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
function delayBefore(run: TurnRun, tries: number, error: PromptStrataError): number {
  const { retry, ports } = run.setup
  const wished = error.evidence.retryAfterMs
  if (typeof wished === "number" && wished >= 0) return Math.min(wished, retry.maxDelayMs)
  const most = Math.min(retry.baseDelayMs * 2 ** (tries - 1), retry.maxDelayMs)
  return Math.round(most / 2 + (most / 2) * ports.random())
}

/** Time passes, unless the turn is aborted first. */
function pause(run: TurnRun, delayMs: number): Promise<void> {
  const { timers } = run.setup.ports
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      timers.clear(timer)
      reject(run.signal.reason)
    }
    const timer = timers.set(() => {
      run.signal.removeEventListener("abort", onAbort)
      resolve()
    }, delayMs)
    run.signal.addEventListener("abort", onAbort, { once: true })
    if (run.signal.aborted) onAbort()
  })
}
