import type { SessionKey } from "../../../core/conversation.ts"
import { messageOf } from "../../../core/errors.ts"
import { type Clock, hostPorts, type Timers } from "../../../core/ports.ts"
import type { WakeOptions } from "../session-options.ts"
import type { Turn } from "../turn.ts"
import { cronTimes, DueTimes, maxWaitMs, type QuietHours, quietHours } from "./schedule-times.ts"

/** The part of a session that a schedule needs. */
export interface WakeableSession {
  readonly key: SessionKey
  wake(reason: string, options?: WakeOptions): Turn
}

/** Options of {@link createWakeSchedule}. */
export interface WakeScheduleOptions {
  /** The sessions to wake, or a function that returns them and is called each time. */
  readonly sessions: WakeableSession | readonly WakeableSession[] | (() => readonly WakeableSession[])
  /** A cron pattern of five fields, or of six with seconds, such as `0 8 * * 1-5`. */
  readonly cron: string
  /** The IANA time zone of the pattern and of the quiet hours, such as `Asia/Shanghai`. */
  readonly timeZone: string
  /** Moments in these hours are left out, not put off. */
  readonly quietHours?: QuietHours
  /** The reason for waking: the author's words, or a function that finds words. */
  readonly reason: string | ((at: Date) => string)
  /** The origin of the words that the function finds. Default `tool`: they came from outside. */
  readonly trust?: WakeOptions["trust"]
  /** The person that the turn is for; see {@link WakeOptions}. */
  readonly to?: WakeOptions["to"] | undefined
  /** Called with each turn, so that its answer can be delivered. */
  readonly onTurn?: (turn: Turn, session: WakeableSession) => void
  /** Called with everything that goes wrong. Default: `console.warn`. */
  readonly onWarning?: (message: string) => void
  readonly clock?: Clock
  readonly timers?: Timers
}

/** A schedule that runs. */
export interface WakeSchedule {
  /** The next time, in milliseconds since 1970. Undefined if there is none. */
  readonly nextMs: number | undefined
  /** Settles when none of its turns runs. */
  idle(): Promise<void>
  /** Wakes no more sessions. Turns that run go on. */
  stop(): void
}

/** Does the work of `createWakeSchedule`, which loads this file. */
export async function runWakeSchedule(options: WakeScheduleOptions): Promise<WakeSchedule> {
  const { cron, timeZone, clock = hostPorts.clock, timers = hostPorts.timers } = options
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

/** Wakes each session whose last turn of the schedule has ended. */
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
    // A reason that stands in the options is the author's; one that a function finds may hold anybody's words.
    const trust = typeof this.#options.reason === "string" ? "author" : (this.#options.trust ?? "tool")
    const turn = session.wake(reason, { trust, to })
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
    const { onWarning = (told) => console.warn(`promptstrata: ${told}`) } = this.#options
    // An error of `onWarning` must not stop the schedule.
    try {
      onWarning(message)
    } catch {}
  }
}

function listOf(sessions: WakeScheduleOptions["sessions"]): readonly WakeableSession[] {
  if (typeof sessions === "function") return sessions()
  return "wake" in sessions ? [sessions] : sessions
}
