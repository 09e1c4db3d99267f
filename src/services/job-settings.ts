import type { RandomSource } from "../core/ports.ts"

/** How a job runner tries. */
export interface JobSettings {
  /** The last attempt's failure makes a dead letter. */
  readonly maxAttempts: number
  /** An attempt that takes longer has failed. */
  readonly timeoutMs: number
  /** The wait before the second attempt; doubled with each further one, up to `maxWaitMs`. */
  readonly waitMs: number
  readonly maxWaitMs: number
  /** Conversations whose jobs run side by side. */
  readonly concurrency: number
}

/** Five attempts over about a quarter of a minute and more; the attempt's limit leaves room for several steps of a slow model. */
export const defaultJobSettings: JobSettings = {
  maxAttempts: 5,
  timeoutMs: 300_000,
  waitMs: 1_000,
  maxWaitMs: 300_000,
  concurrency: 8,
}

/** How long to wait after a failed attempt, counted from 1: exponential, and between half of that and all of it at random. */
export function retryWaitMs(attempt: number, { waitMs, maxWaitMs }: JobSettings, random: RandomSource): number {
  const full = Math.min(maxWaitMs, waitMs * 2 ** Math.min(30, attempt - 1))
  return Math.round(full / 2 + (full / 2) * random())
}
