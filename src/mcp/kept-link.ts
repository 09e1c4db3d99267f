import { messageOf } from "../core/errors.ts"
import type { Ports } from "../core/ports.ts"
import { backoff, backoffMs } from "./backoff.ts"
import { deadline, orAborted, pause } from "./deadline.ts"
import type { Link } from "./link.ts"

/** `waiting` for its next attempt; `failed` when it was tried too often and waits until it is needed again. */
export type LinkState = "starting" | "ready" | "waiting" | "failed" | "closed"

/** How a connection is made, and who is told of it. */
export interface KeptLinkOptions {
  /** Makes a connection that can be used; `onEnd` is called when it has ended by itself. */
  open(signal: AbortSignal, onEnd: () => void): Promise<Link>
  readonly startTimeoutMs: number
  readonly ports: Pick<Ports, "clock" | "timers" | "random">
  onReady(): void
  /** An attempt has failed, in one sentence's rest. */
  onFailure(problem: string): void
  /** A connection that stood has ended. */
  onEnded(problem: string, isMadeAgain: boolean): void
}

/** A connection that is made again when it ends: at once the first time, then after longer and longer waits. */
export class KeptLink {
  readonly #options: KeptLinkOptions
  readonly #closing = new AbortController()
  #state: LinkState = "starting"
  #link: Link | undefined
  /** Settles when the attempt that is made or waited for is over; absent where there is none. */
  #attempt: Promise<void> | undefined
  #failures = 0
  #opened = 0
  #retryAtMs = 0
  #problem: string | undefined

  constructor(options: KeptLinkOptions) {
    this.#options = options
  }

  get state(): LinkState {
    return this.#state
  }

  /** The connection, where one stands. */
  get current(): Link | undefined {
    return this.#link
  }

  /** Connections made so far. */
  get opened(): number {
    return this.#opened
  }

  /** Why there is none now. */
  get problem(): string | undefined {
    return this.#problem
  }

  /** Aborts when this is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal
  }

  /** Makes the first attempt; settles when it is over, whatever came of it. */
  start(): Promise<void> {
    const attempt = this.#open()
    this.#attempt ??= attempt
    return attempt
  }

  /** Tries again where that was given up long enough ago. */
  wake(): void {
    if (this.#state === "failed" && this.#options.ports.clock.nowMs() >= this.#retryAtMs) this.#begin(() => this.#open())
  }

  /** The connection, once it stands, or `undefined` where there will be none soon; rejects when the signal aborts. */
  async get(signal: AbortSignal): Promise<Link | undefined> {
    this.wake()
    const { signal: closing } = this.#closing
    while (this.#link === undefined && this.#attempt !== undefined && !closing.aborted) await orAborted(this.#attempt, signal)
    return this.#link
  }

  /** The server is well: when its connection next ends, another is made at once. */
  isWell(): void {
    this.#failures = 0
  }

  /** Ends a connection that is no longer good and makes another. */
  drop(link: Link, problem: string): void {
    if (this.#link !== link) return
    void link.close()
    this.#ended(problem)
  }

  /** Ends the connection, and whatever is under way; there will be no other. */
  async close(): Promise<void> {
    this.#state = "closed"
    this.#closing.abort(new Error("it was closed"))
    await this.#link?.close()
    await this.#attempt
    this.#link = undefined
  }

  async #open(): Promise<void> {
    const { open, startTimeoutMs, ports } = this.#options
    this.#state = "starting"
    const limit = deadline(startTimeoutMs, "it was not ready", { timers: ports.timers, other: this.#closing.signal })
    try {
      let hasEnded = false
      let opened: Link | undefined
      const link = await open(limit.signal, () => {
        hasEnded = true
        if (opened !== undefined && this.#link === opened) this.#ended("it has stopped")
      })
      opened = link
      if (hasEnded) throw new Error("it stopped as soon as it was ready")
      if (this.#closing.signal.aborted) return await link.close()
      this.#ready(link)
    } catch (error) {
      this.#failed(messageOf(error))
    } finally {
      limit.clear()
    }
  }

  #ready(link: Link): void {
    this.#link = link
    this.#opened++
    this.#state = "ready"
    this.#problem = undefined
    this.#attempt = undefined
    this.#options.onReady()
  }

  #failed(problem: string): void {
    if (this.#closing.signal.aborted) return
    this.#failures++
    this.#problem = problem
    this.#options.onFailure(problem)
    this.#again()
  }

  /** One that ends before it was seen well counts as a failed attempt. */
  #ended(problem: string): void {
    this.#link = undefined
    if (this.#closing.signal.aborted) return
    this.#problem = problem
    this.#again()
    this.#failures++
    this.#options.onEnded(problem, this.#attempt !== undefined)
  }

  #again(): void {
    const { ports } = this.#options
    this.#retryAtMs = ports.clock.nowMs() + backoff.maxMs
    if (this.#failures > backoff.attempts) {
      this.#state = "failed"
      this.#attempt = undefined
      return
    }
    this.#begin(async () => {
      await this.#wait(backoffMs(this.#failures, ports.random))
      if (!this.#closing.signal.aborted) await this.#open()
    })
  }

  /** An attempt that fails begins the next one before it settles; only the last one stands here. */
  #begin(run: () => Promise<void>): void {
    this.#attempt = run()
  }

  #wait(ms: number): Promise<void> {
    if (ms > 0) this.#state = "waiting"
    return pause(ms, { timers: this.#options.ports.timers, signal: this.#closing.signal })
  }
}
