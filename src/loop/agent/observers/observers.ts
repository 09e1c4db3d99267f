import type { SessionKey } from "../../../core/conversation.ts"
import type { Timers } from "../../../core/ports.ts"
import { pause, whatHappened, within } from "../../../core/timers.ts"
import type { Trust } from "../../../core/value.ts"
import type { ObservedEvent, Observer } from "../../../memory/services/observer.ts"
import type { ToolRecord } from "../../../prompt/tools/tool.ts"
import type { TurnTrace } from "../../../trace/trace.ts"
import type { TurnEvent } from "../../../trace/turn-event.ts"
import type { ObservedTurn, ProfileParts, SharedParts } from "../../turn/turn-context.ts"
import type { AgentOptions } from "../agent-options.ts"
import type { Turn } from "../turn.ts"
import { type Allowance, type ContextParts, observerContext } from "./observer-context.ts"

export { addInjections } from "./injection-notes.ts"

/** Passes events to an agent's observers, to each independently of the others. */
export interface ObserverFeeds {
  /** Passes an event on. Neither throws nor waits. */
  tell(turn: ObservedTurn, event: TurnEvent): void
  /** Settles when every observer got every event, or after `drainMs`. */
  idle(): Promise<void>
  /** Passes on no more events. */
  close(): void
}

/** Lets observers begin turns. */
export interface WatchOptions {
  readonly onWake: AgentOptions["onWake"] | undefined
  readonly session: (key: Omit<SessionKey, "agent">) => { wake(reason: string, options: { readonly trust: Trust }): Turn }
}

/** The parts for the feeds of an agent's observers. */
interface FeedsParts extends FeedParts {
  /** The longest that {@link ObserverFeeds.idle} takes. */
  readonly drainMs: number
}

/** Makes the feeds of observers. */
export function createObserverFeeds(observers: readonly Observer[], parts: FeedsParts): ObserverFeeds {
  const feeds = observers.map((observer) => new ObserverFeed(observer, parts))
  return {
    tell(turn, event) {
      const seen = withoutTrace(event)
      for (const feed of feeds) feed.tell(turn, seen)
    },
    async idle() {
      await within({ timeoutMs: parts.drainMs, timers: parts.timers }, async () => {
        await Promise.all(feeds.map((feed) => feed.idle()))
      })
    },
    close() {
      for (const feed of feeds) feed.close()
    },
  }
}

export function feedsParts(agent: ProfileParts & SharedParts, { onWake, session }: WatchOptions): FeedsParts {
  const { store, ports, hooks, profile } = agent
  const warn = ({ input: { key, turnId } }: ObservedTurn, message: string): void => {
    // An error of `onWarning` must not stop the feed.
    try {
      agent.onWarning({ key, turnId, message })
    } catch {}
  }
  return {
    store,
    ids: ports.ids,
    timers: ports.timers,
    hooks: new Set(hooks.map(({ name }) => name)),
    drainMs: profile.limits.toolMs,
    warn,
    wake({ input: { key } }, reason, trust) {
      if (agent.closed.aborted) return false
      const { conversation, audience } = key
      const turn = session({ conversation, audience }).wake(reason, { trust })
      onWake?.(turn, { agent: key.agent, conversation, audience })
      return true
    },
  }
}

interface FeedParts extends ContextParts {
  readonly timers: Timers
  readonly warn: (turn: ObservedTurn, message: string) => void
}

interface QueuedEvent {
  readonly turn: ObservedTurn
  readonly event: ObservedEvent
  /** The number of events that were left out before this one. */
  readonly missed: number
}

const defaults = { timeoutMs: 10_000, maxQueued: 1_000 } as const

/** After this many failures in a row an observer gets no more events. */
const maxFailures = 5
/** The delay after the first failure. It doubles with each further one. */
const baseDelayMs = 1_000

/** Passes events to one observer (R26). An event is put on a bounded list, and the observer runs later, so that turns never wait for it. */
class ObserverFeed {
  readonly #observer: Observer
  readonly #parts: FeedParts
  readonly #timeoutMs: number
  readonly #room: number
  readonly #wanted: ReadonlySet<string> | undefined
  readonly #closing = new AbortController()
  /** By turn: an observer may look at one long after its end, and nothing says when it last does. */
  readonly #allowances = new WeakMap<ObservedTurn, Allowance>()
  #queue: QueuedEvent[] = []
  #running: Promise<void> | undefined
  /** Events that were left out since the last event on the list. */
  #missed = 0
  /** Events that were left out before that, since the last warning. */
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

  /** Puts an event on the list. Never throws and never runs the observer. */
  tell(turn: ObservedTurn, event: ObservedEvent): void {
    if (this.#closing.signal.aborted || this.#wanted?.has(event.type) === false) return
    // The end of a turn matters more than the events in it, so there is more room for it.
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

  /** Stops. The call that runs is abandoned, and the events on the list are reported as left out. */
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

  #task({ turn, event, missed }: QueuedEvent): (signal: AbortSignal) => void | Promise<void> {
    return (signal) => {
      const allowance = this.#allowances.get(turn) ?? { posted: 0, hasWoken: false }
      this.#allowances.set(turn, allowance)
      const context = observerContext(this.#observer.name, this.#parts, { turn, missed, signal, allowance })
      // A copy, so that an observer can neither change the data of a turn nor keep it in memory.
      return this.#observer.observe(copy(event, 0) as ObservedEvent, context)
    }
  }

  /** Reports events that were left out, once for each turn: when it ends, or when the next one begins if its end was left out too. */
  #reportMissed({ turn, event, missed }: QueuedEvent): void {
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

  /** Reports a failure and waits, longer after each one. Gives up after several in a row. */
  async #failed(turn: ObservedTurn, what: string): Promise<void> {
    this.#failures++
    const isLast = this.#failures >= maxFailures
    const end = isLast ? `; after ${maxFailures} failures in a row it gets no more events` : ""
    this.#parts.warn(turn, `The observer ${this.#observer.name} ${what}${end}.`)
    if (isLast) return this.#stop()
    if (!this.#closing.signal.aborted)
      await pause(baseDelayMs * 2 ** (this.#failures - 1), { timers: this.#parts.timers, signal: this.#closing.signal })
  }
}

/** No event is deeper. */
const maxDepth = 64

/** Returns an event without its traces, which are large and may still change. The rest is shared with the event. */
function withoutTrace(event: TurnEvent): ObservedEvent {
  if (event.type === "child") return { ...event, event: withoutTrace(event.event) }
  if (event.type !== "turn-end") return event
  const { result } = event
  if (result.ok) {
    const { trace, ...rest } = result
    return { ...event, result: { ...rest, records: recordsIn(trace), unreported: trace.unreported } }
  }
  const { error, gathered } = result
  const { code, message } = error
  return { ...event, result: { ok: false, error: { code, message }, gathered: { text: gathered.text } } }
}

/** The side effects of tools, without details, which may be large. */
function recordsIn({
  records = [],
  children = [],
}: Partial<TurnTrace>): readonly Pick<ToolRecord, "kind" | "tool" | "summary">[] {
  const own = records.map(({ kind, tool, summary }) => ({ kind, tool, summary }))
  return [...own, ...children.flatMap(({ trace }) => recordsIn(trace))]
}

/** Leaves out everything that JSON cannot hold. */
function copy(value: unknown, depth: number): unknown {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean" || value === null) return value
  if (typeof value !== "object" || depth > maxDepth) return undefined
  if (Array.isArray(value)) return value.map((item) => copy(item, depth + 1) ?? null)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copy(item, depth + 1)]))
}
