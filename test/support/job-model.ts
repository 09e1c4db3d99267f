import type { JobSettings } from "../../src/memory/services/store/job-runner.ts"

/** A job of the model. */
export interface ModelJob {
  readonly id: string
  readonly agent: string
  readonly lane: string
  readonly kind: string
}

/** Stands for the handlers without an agent. */
export const everyone = "everyone"

interface Row extends ModelJob {
  state: "waiting" | "running" | "dead"
  attempts: number
  dueMs: number
  startedMs: number
  error?: string
}

/**
 * What a store's jobs must do, one list and no timers: each begins when it is the first of its conversation that has a handler, is due, and
 * nothing of its conversation runs. Every change returns the events that it leads to.
 */
export class JobModel {
  readonly #settings: JobSettings
  readonly #known = new Set<string>()
  /** The kinds of an agent; those of `everyone` are for the agents that are not listed. */
  readonly #handlers = new Map<string, readonly string[]>()
  /** The jobs that ran when an agent began to close. */
  #closing: readonly Row[] = []
  #rows: Row[] = []
  #nowMs = 0

  constructor(settings: JobSettings) {
    this.#settings = settings
  }

  /** The ids of the jobs that run. */
  get running(): readonly string[] {
    return this.#rows.filter(({ state }) => state === "running").map(({ id }) => id)
  }

  /** What an export says of each job, in the order in which they came. */
  get rows(): readonly (readonly [id: string, attempts: number, error: string | undefined])[] {
    return this.#rows.map(({ id, attempts, error }) => [id, attempts, error] as const)
  }

  /** The time until an attempt reaches its limit or a wait is over; endless if there is neither. */
  get nextMs(): number {
    const times = this.#rows.map(({ state, startedMs, dueMs }) =>
      state === "running" ? startedMs + this.#settings.timeoutMs : state === "waiting" ? dueMs : 0,
    )
    return Math.min(Infinity, ...times.map((atMs) => atMs - this.#nowMs).filter((ms) => ms > 0))
  }

  enqueue(job: ModelJob): readonly string[] {
    if (this.#known.has(job.id)) return []
    this.#known.add(job.id)
    this.#rows.push({ ...job, state: "waiting", attempts: 0, dueMs: 0, startedMs: 0 })
    return this.#begun()
  }

  start(agent: string, kinds: readonly string[]): readonly string[] {
    this.#handlers.set(agent, kinds)
    return this.#begun()
  }

  /** Time passes, not beyond {@link nextMs}. */
  pass(ms: number): readonly string[] {
    this.#nowMs += ms
    const late = this.#rows.filter((row) => row.state === "running" && row.startedMs + this.#settings.timeoutMs <= this.#nowMs)
    for (const row of late) this.#failed(row, `not within ${this.#settings.timeoutMs} ms`)
    return [...late.map(({ id }) => `${id} stops: store`), ...this.#begun()]
  }

  succeed(id: string): readonly string[] {
    this.#rows = this.#rows.filter((row) => row.id !== id)
    return this.#begun()
  }

  fail(id: string, message: string): readonly string[] {
    for (const row of this.#rows) if (row.id === id) this.#failed(row, message)
    return this.#begun()
  }

  forget(lane: string): readonly string[] {
    const gone = this.#rows.filter((row) => row.lane === lane)
    this.#rows = this.#rows.filter((row) => row.lane !== lane)
    // A job that is done leaves its id, too.
    for (const id of this.#known) if (id.startsWith(`${lane} `)) this.#known.delete(id)
    return gone.filter(({ state }) => state === "running").map(({ id }) => `${id} stops: aborted`)
  }

  /** The handlers take no more jobs; what they do goes on. */
  beginClose(agent: string): readonly string[] {
    this.#closing = this.#rows.filter((row) => row.agent === agent && row.state === "running")
    this.#handlers.delete(agent)
    return this.#begun()
  }

  /** True while something that ran when the closing began has not ended. */
  get isClosing(): boolean {
    return this.#closing.some((row) => this.#rows.includes(row) && row.state === "running")
  }

  /** What still runs is stopped, and the attempt does not count. */
  endClose(): readonly string[] {
    const stopped = this.#closing.filter((row) => this.#rows.includes(row) && row.state === "running")
    for (const row of stopped) Object.assign(row, { state: "waiting", attempts: row.attempts - 1 })
    return [...stopped.map(({ id }) => `${id} stops: closed`), ...this.#begun()]
  }

  #failed(row: Row, message: string): void {
    const isDead = row.attempts >= this.#settings.maxAttempts
    const waitMs = Math.min(this.#settings.maxWaitMs, this.#settings.waitMs * 2 ** (row.attempts - 1))
    if (isDead) Object.assign(row, { state: "dead", error: message })
    else Object.assign(row, { state: "waiting", dueMs: this.#nowMs + waitMs })
  }

  #begun(): readonly string[] {
    const events: string[] = []
    for (const lane of new Set(this.#rows.map((row) => row.lane))) {
      const open = this.#rows.filter((row) => row.lane === lane && row.state !== "dead")
      const next = open.find(({ agent, kind }) => (this.#handlers.get(agent) ?? this.#handlers.get(everyone))?.includes(kind))
      if (next === undefined || next.dueMs > this.#nowMs || open.some(({ state }) => state === "running")) continue
      Object.assign(next, { state: "running", attempts: next.attempts + 1, startedMs: this.#nowMs })
      events.push(`${next.id} begins: ${next.attempts}${next.attempts === this.#settings.maxAttempts ? ", the last" : ""}`)
    }
    return events
  }
}
