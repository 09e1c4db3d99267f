import { isRecord } from "../../core/json-access.ts"
import { hostTimers, type Timers } from "../../core/ports.ts"
import { pause } from "../../core/timers.ts"

/** How a message is sent again that a platform refused for now. */
export interface Patience {
  /**
   * How long to wait before the same message is sent again, in milliseconds; undefined for an error that is thrown. Default
   * {@link retryAfterMs}.
   */
  readonly retryAfterMs?: ((error: unknown) => number | undefined) | undefined
  /** How often one message is sent at most. Default 5. */
  readonly attempts?: number | undefined
  /** The longest wait that is accepted, in milliseconds. The error is thrown if a platform asks for more. Default 60,000. */
  readonly longestWaitMs?: number | undefined
  readonly signal?: AbortSignal | undefined
  /** Timers of a test. */
  readonly timers?: Timers | undefined
}

const never = new AbortController().signal

/** Sends a message, and sends it again while the platform asks to wait. Rejects with the platform's own error. */
export async function sendPatiently<T>(send: () => T | Promise<T>, patience: Patience): Promise<T> {
  const { attempts = 5, longestWaitMs = 60_000, signal = never, timers = hostTimers } = patience
  const waitOf = patience.retryAfterMs ?? retryAfterMs
  for (let attempt = 1; ; attempt++) {
    try {
      return await send()
    } catch (error) {
      const waitMs = attempt < attempts ? waitOf(error) : undefined
      if (waitMs === undefined || !(waitMs <= longestWaitMs)) throw error
      await pause(Math.max(1, waitMs), { timers, signal })
      if (signal.aborted) throw error
    }
  }
}

/**
 * The time that an error of a platform asks to wait, in milliseconds: `retry_after` of Telegram and Discord in seconds, or the header
 * `Retry-After`. Undefined if it asks for nothing: the message may have arrived, and sent again it could stand there twice.
 */
export function retryAfterMs(error: unknown): number | undefined {
  const parts = ["parameters", "rawError", "response"].map((name) => at(error, name))
  for (const holder of [error, ...parts, at(at(error, "response"), "data")]) {
    const seconds = Number(at(holder, "retry_after") ?? headerOf(at(holder, "headers")) ?? Number.NaN)
    if (Number.isFinite(seconds) && seconds >= 0) return Math.ceil(seconds * 1000)
  }
  return undefined
}

function at(value: unknown, name: string): unknown {
  return isRecord(value) || value instanceof Error ? Reflect.get(value, name) : undefined
}

function headerOf(headers: unknown): unknown {
  if (headers instanceof Headers) return headers.get("retry-after") ?? undefined
  return at(headers, "retry-after") ?? at(headers, "Retry-After")
}
