import type { Timers } from "../../core/ports.ts"
import { whatHappened, within } from "../../core/timers.ts"
import type { ObservedEvent, Observer } from "../../services/observer.ts"
import type { TurnEvent } from "../../trace/turn-event.ts"
import type { ObservedTurn } from "../../turn/turn-context.ts"
import { type Allowance, type ContextParts, observerContext } from "./observer-context.ts"

/** What a feed is made from beside its observer. */
export interface FeedParts extends ContextParts {
  readonly timers: Timers
  readonly warn: (turn: ObservedTurn, message: string) => void
}

interface Waiting {
  readonly turn: ObservedTurn
  readonly event: ObservedEvent
  /** Events left out between the one before and this one. */
  readonly missed: number
}

const defaults = { timeoutMs: 10_000, maxQueued: 1_000 } as const

/** Failures in a row after which an observer is told no more. */
const maxFailures = 5

/** The wait after the first failure; it doubles each time. */
const baseDelayMs = 1_000

/** One observer's events on their way to it (R26). Telling it something is a push onto a bounded list; all else happens beside the turn. */
export class ObserverFeed {
  readonly #observer: Observer
  readonly #parts: FeedParts
  readonly #timeoutMs: number
  readonly #room: number
  readonly #wanted: ReadonlySet<string> | undefined
  readonly #closing = new AbortController()
  readonly #allowances = new WeakMap<ObservedTurn, Allowance>()
  #queue: Waiting[] = []
  #running: Promise<void> | undefined
  /** Left out since the last event that was queued; and of what was told or is told next, since the last warning. */
  #missed = 0
  #unreported = 0
  #last: ObservedTurn | undefined
  #failures = 0

  constructor(observer: Observer, parts: FeedParts) {
    this.#observer = observer
    this.#parts = parts
    this.#timeoutMs = observer.timeoutMs ?? defaults.timeoutMs
    this.#room = observer.maxQueued ?? defaults.maxQueued
    this.#wanted = observer.events && new Set(observer.events)
  }

  /** Never throws and never runs the observer. */
  tell(turn: ObservedTurn, event: ObservedEvent): void {
    if (this.#closing.signal.aborted || this.#wanted?.has(event.type) === false) return
    // How a turn ended is worth more than what happened in it.
    const room = event.type === "turn-end" ? 2 * this.#room : this.#room
    if (this.#queue.length < room) {
      this.#queue.push({ turn, event, missed: this.#missed })
      this.#missed = 0
    } else this.#missed++
    this.#running ??= Promise.resolve().then(() => this.#drain())
  }

  /** Settles when nothing waits or runs. */
  async idle(): Promise<void> {
    while (this.#running) await this.#running
  }

  /** Tells nothing more; what runs is abandoned, what waits is reported as left out. */
  close(): void {
    if (this.#closing.signal.aborted) return
    this.#unreported += this.#queue.reduce((sum, { missed }) => sum + missed + 1, this.#missed)
    if (this.#last) this.#report(this.#last)
    this.#stop()
  }

  #stop(): void {
    this.#queue = []
    this.#closing.abort()
  }

  async #drain(): Promise<void> {
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      this.#reportMissed(next)
      const timeoutMs = this.#timeoutMs
      const outcome = await within({ timeoutMs, signal: this.#closing.signal, timers: this.#parts.timers }, this.#task(next))
      if (outcome.status === "aborted") break
      if (outcome.status === "done") this.#failures = 0
      else await this.#failed(next.turn, whatHappened(outcome, timeoutMs))
    }
    this.#running = undefined
  }

  #task({ turn, event, missed }: Waiting): (signal: AbortSignal) => void | Promise<void> {
    return (signal) => {
      const allowance = this.#allowances.get(turn) ?? { posted: 0, hasWoken: false }
      this.#allowances.set(turn, allowance)
      const context = observerContext(this.#observer.name, this.#parts, { turn, missed, signal, allowance })
      return this.#observer.observe(copyOfEvent(event), context)
    }
  }

  /** Once a turn: when it ends, or when the next one begins where its end was left out too. */
  #reportMissed({ turn, event, missed }: Waiting): void {
    this.#unreported += missed
    const isDue = event.type === "turn-end" || (this.#last !== undefined && this.#last !== turn)
    this.#last = turn
    if (isDue) this.#report(turn)
  }

  #report(turn: ObservedTurn): void {
    if (this.#unreported === 0) return
    this.#parts.warn(turn, `The observer ${this.#observer.name} was too slow: ${this.#unreported} events were left out.`)
    this.#unreported = 0
  }

  /** Waits longer after each failure, and gives up after several. */
  async #failed(turn: ObservedTurn, what: string): Promise<void> {
    this.#failures++
    const isLast = this.#failures >= maxFailures
    const end = isLast ? `; that was the ${maxFailures}th time in a row, it is told no more` : ""
    this.#parts.warn(turn, `The observer ${this.#observer.name} ${what}${end}.`)
    if (isLast) return this.#stop()
    if (!this.#closing.signal.aborted) await this.#pause(baseDelayMs * 2 ** (this.#failures - 1))
  }

  #pause(delayMs: number): Promise<void> {
    const { timers } = this.#parts
    const { signal } = this.#closing
    return new Promise((resolve) => {
      const end = (): void => {
        timers.clear(timer)
        signal.removeEventListener("abort", end)
        resolve()
      }
      const timer = timers.set(end, delayMs)
      signal.addEventListener("abort", end)
    })
  }
}

/** Deeper than any event. */
const maxDepth = 64

/** An event without the traces in it, which are large and still being written; the rest is the event's own. */
export function withoutTrace(event: TurnEvent): ObservedEvent {
  if (event.type === "child") return { ...event, event: withoutTrace(event.event) }
  if (event.type !== "turn-end") return event
  const { result } = event
  if (result.ok) {
    const { trace: _, ...rest } = result
    return { ...event, result: rest }
  }
  const { error, gathered } = result
  const { code, message } = error
  return { ...event, result: { ok: false, error: { code, message }, gathered: { text: gathered.text } } }
}

/** A copy that shares nothing with the turn, so that an observer can neither change nor hold on to what the turn works with. */
function copyOfEvent(event: ObservedEvent): ObservedEvent {
  return copy(event, 0) as ObservedEvent
}

/** What JSON cannot hold is left out. */
function copy(value: unknown, depth: number): unknown {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === null) return value
  if (typeof value !== "object" || depth > maxDepth) return undefined
  if (Array.isArray(value)) return value.map((item) => copy(item, depth + 1) ?? null)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copy(item, depth + 1)]))
}
