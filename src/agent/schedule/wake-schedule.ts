import { messageOf } from "../../core/errors.ts"
import type { Clock, Timers } from "../../core/ports.ts"
import { defaultPorts } from "../agent-store.ts"
import type { Session, WakeOptions } from "../session.ts"
import type { Turn } from "../turn.ts"
import { cronTimes, DueTimes, type QuietHours, quietHours } from "./due-times.ts"

/** A session as a schedule needs it. */
export type WakeableSession = Pick<Session, "key" | "wake">

/** When to wake what, and why. */
export interface WakeScheduleOptions {
  /** Those to wake, or a function that is asked each time. */
  readonly sessions: WakeableSession | readonly WakeableSession[] | (() => readonly WakeableSession[])
  /** Five fields, or six with seconds: `0 8 * * 1-5`. */
  readonly cron: string
  /** Such as `Asia/Shanghai`: of the pattern and of the quiet hours. */
  readonly timeZone: string
  /** What falls into them is left out, not put off. */
  readonly quietHours?: QuietHours
  /** Why, in the author's words; a function gets the moment. */
  readonly reason: string | ((at: Date) => string)
  /** Whom it is for; see {@link WakeOptions}. */
  readonly to?: WakeOptions["to"]
  /** Told of each turn, so that what the agent says can be delivered. */
  readonly onTurn?: (turn: Turn, session: WakeableSession) => void
  /** Told of what goes wrong. Default: `console.warn`. */
  readonly onWarning?: (message: string) => void
  readonly clock?: Clock
  readonly timers?: Timers
}

/** A schedule at work. */
export interface WakeSchedule {
  /** When it wakes next, in milliseconds since 1970; undefined where it never will again. */
  readonly nextMs: number | undefined
  /** Settles when no turn that it began runs. */
  idle(): Promise<void>
  /** Wakes nothing more; turns that run go on. */
  stop(): void
}

/** A timer does not run while a machine sleeps, so the clock is looked at this often. */
const maxWaitMs = 60_000

/**
 * Wakes sessions by a schedule (R27). After a sleep or a long pause all that was missed comes as one turn; a session whose last turn of
 * this schedule still runs is left out. Throws `usage` for a bad pattern, time zone or quiet hours.
 */
export async function createWakeSchedule(options: WakeScheduleOptions): Promise<WakeSchedule> {
  const { cron, timeZone, clock = defaultPorts.clock, timers = defaultPorts.timers } = options
  const times = await cronTimes(cron, timeZone)
  const isQuiet = options.quietHours ? quietHours(options.quietHours, timeZone) : () => false
  const due = new DueTimes(times, isQuiet, clock.nowMs())
  const waker = new Waker(options)
  let timer: unknown
  const wait = (): void => {
    if (due.nextMs === undefined || waker.isStopped) return
    timer = timers.set(look, Math.min(Math.max(0, due.nextMs - clock.nowMs()), maxWaitMs))
  }
  const look = (): void => {
    const nowMs = clock.nowMs()
    if (due.take(nowMs)) waker.wakeAll(nowMs)
    wait()
  }
  wait()
  return {
    get nextMs() {
      return due.nextMs
    },
    idle: () => waker.idle(),
    stop() {
      timers.clear(timer)
      waker.isStopped = true
    },
  }
}

/** Wakes each session unless it is still awake from the last time. */
class Waker {
  readonly #options: WakeScheduleOptions
  readonly #running = new Map<string, Promise<void>>()
  isStopped = false

  constructor(options: WakeScheduleOptions) {
    this.#options = options
  }

  wakeAll(nowMs: number): void {
    try {
      const { sessions, reason } = this.#options
      const why = typeof reason === "string" ? reason : reason(new Date(nowMs))
      for (const session of listOf(sessions)) if (!this.isStopped) this.#wake(session, why)
    } catch (thrown) {
      this.#warn(`Nothing was woken: ${messageOf(thrown)}`)
    }
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values())
  }

  #wake(session: WakeableSession, reason: string): void {
    const { to, onTurn } = this.#options
    const { agent, conversation, audience } = session.key
    const id = JSON.stringify([agent, conversation, audience])
    if (this.#running.has(id)) {
      this.#warn(`${conversation} was not woken: its last turn still runs.`)
      return
    }
    const turn = session.wake(reason, to ? { to } : {})
    const ended = turn.result.then((result) => {
      this.#running.delete(id)
      if (!result.ok) this.#warn(`${conversation} was woken and failed: ${result.error.message}`)
    })
    this.#running.set(id, ended)
    try {
      onTurn?.(turn, session)
    } catch (thrown) {
      this.#warn(`onTurn failed for ${conversation}: ${messageOf(thrown)}`)
    }
  }

  #warn(message: string): void {
    const { onWarning = warnOnConsole } = this.#options
    // Whoever is warned cannot stop the schedule by failing.
    try {
      onWarning(message)
    } catch {}
  }
}

function listOf(sessions: WakeScheduleOptions["sessions"]): readonly WakeableSession[] {
  if (typeof sessions === "function") return sessions()
  return "wake" in sessions ? [sessions] : sessions
}

function warnOnConsole(message: string): void {
  console.warn(`promptstrata: ${message}`)
}
