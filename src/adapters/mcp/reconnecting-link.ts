import { messageOf } from "../../core/errors.ts"
import type { Ports, RandomSource, Timers } from "../../core/ports.ts"
import { growingWaitMs, orAborted, pause } from "../../core/timers.ts"
import type { Link } from "./link.ts"

/** `waiting`: for the next attempt. `failed`: too many attempts failed, and the next one comes when the link is needed. */
type LinkState = "starting" | "ready" | "waiting" | "failed" | "closed"

/** Opens connections and gets their events. */
interface ReconnectingLinkOptions {
  /** Opens a connection that is ready for use. `onEnd` is called when it ends by itself. */
  open(signal: AbortSignal, onEnd: () => void): Promise<Link>
  readonly startTimeoutMs: number
  readonly ports: Pick<Ports, "clock" | "timers" | "random">
  onReady(): void
  /** An attempt failed. `problem` continues the sentence "It could not be started: …". */
  onFailure(problem: string): void
  /** An open connection ended. `problem` is a clause such as "it has stopped". */
  onEnded(problem: string, isMadeAgain: boolean): void
}

/** A link that reconnects when its connection ends: at once the first time, then after longer and longer waits. */
export class ReconnectingLink {
  readonly #options: ReconnectingLinkOptions
  readonly #closing = new AbortController()
  state: LinkState = "starting"
  /** The open connection, if there is one. */
  current: Link | undefined
  /** Settles when the last, current or planned attempt is over. Absent after too many failures, when none is planned. */
  #attempt: Promise<void> | undefined
  #failures = 0
  /** The number of connections made so far. */
  opened = 0
  #retryAtMs = 0
  /** The reason why there is no connection now. */
  problem: string | undefined

  constructor(options: ReconnectingLinkOptions) {
    this.#options = options
  }

  /** Aborts when the link is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  /** Makes the first attempt. Resolves when it is over, also when it failed. */
  start(): Promise<void> {
    const attempt = this.#open()
    this.#attempt ??= attempt
    return attempt
  }

  /** Tries again if the link has failed and the longest wait has passed since. */
  wake(): void {
    if (this.state === "failed" && this.#options.ports.clock.nowMs() >= this.#retryAtMs) this.#attempt = this.#open()
  }

  /** Resolves with the open connection, or with `undefined` when no attempt is planned. Rejects when the signal aborts. */
  async get(signal: AbortSignal): Promise<Link | undefined> {
    this.wake()
    const { signal: closing } = this.#closing
    while (this.current === undefined && this.#attempt !== undefined && !closing.aborted) await orAborted(this.#attempt, signal)
    return this.current
  }

  /** Forgets earlier failures, since the server has answered. When the connection ends next, the link reconnects at once. */
  resetFailures(): void {
    this.#failures = 0
  }

  /** Closes a connection that can no longer be used, and reconnects. */
  drop(link: Link, problem: string): void {
    if (this.current !== link) return
    void link.close()
    this.#ended(problem)
  }

  /** Closes the connection and ends an attempt under way. The link does not reconnect. */
  async close(): Promise<void> {
    this.state = "closed"
    this.#closing.abort(new Error("it was closed"))
    await this.current?.close()
    await this.#attempt
    this.current = undefined
  }

  async #open(): Promise<void> {
    const { open, startTimeoutMs, ports } = this.#options
    this.state = "starting"
    const limit = { ms: startTimeoutMs, what: "it was not ready", timers: ports.timers, other: this.#closing.signal }
    try {
      let hasEnded = false
      let opened: Link | undefined
      const onEnd = (): void => {
        hasEnded = true
        if (opened !== undefined && this.current === opened) this.#ended("it has stopped")
      }
      const link = await withDeadline(limit, (signal) => open(signal, onEnd))
      opened = link
      if (hasEnded) throw new Error("it stopped as soon as it was ready")
      if (this.#closing.signal.aborted) return await link.close()
      this.current = link
      this.opened++
      this.state = "ready"
      this.problem = undefined
      this.#options.onReady()
    } catch (error) {
      this.#failed(messageOf(error))
    }
  }

  #failed(problem: string): void {
    if (this.#closing.signal.aborted) return
    this.#failures++
    this.problem = problem
    this.#options.onFailure(problem)
    this.#planAttempt()
  }

  /** A connection that ends before the server has answered counts as a failed attempt. */
  #ended(problem: string): void {
    this.current = undefined
    if (this.#closing.signal.aborted) return
    this.problem = problem
    this.#planAttempt()
    this.#failures++
    this.#options.onEnded(problem, this.#attempt !== undefined)
  }

  #planAttempt(): void {
    const { ports } = this.#options
    this.#retryAtMs = ports.clock.nowMs() + backoff.maxMs
    if (this.#failures > backoff.attempts) {
      this.state = "failed"
      this.#attempt = undefined
      return
    }
    this.#attempt = this.#openAfter(backoffMs(this.#failures, ports.random))
  }

  async #openAfter(ms: number): Promise<void> {
    if (ms > 0) this.state = "waiting"
    await pause(ms, { timers: this.#options.ports.timers, signal: this.#closing.signal })
    if (!this.#closing.signal.aborted) await this.#open()
  }
}

const backoff = { baseMs: 250, maxMs: 30_000, attempts: 5 } as const

/** Returns the wait before an attempt: 0, then 250 ms, doubled each time up to 30 s, times a random 0.5 to 1. */
export function backoffMs(failures: number, random: RandomSource): number {
  return failures === 0 ? 0 : growingWaitMs(failures, backoff, random)
}

/** Settles as the work does. Its signal aborts after `ms`, with the error `WHAT within MS ms`, or with `other`. */
export async function withDeadline<T>(
  { ms, what, timers, other }: { ms: number; what: string; timers: Timers; other?: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const late = new AbortController()
  const timer = timers.set(() => late.abort(new Error(`${what} within ${ms} ms`)), ms)
  try {
    return await work(other ? AbortSignal.any([late.signal, other]) : late.signal)
  } finally {
    timers.clear(timer)
  }
}
