import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { lazyPattern } from "../../../core/lazy-pattern.ts"

/** Timers stop while a machine sleeps, so the clock is read at least this often. */
export const maxWaitMs = 60_000
/** A clock that is set back by less than this repeats no moments. */
const smallStepMs = 60 * 60 * 1_000
/** The maximum number of missed moments that are checked. If there are more, one of them counts as outside the quiet hours. */
const maxMissed = 500

/** Keeps track of which moments of a schedule have come. */
export class DueTimes {
  readonly #times: CronTimes
  readonly #isQuiet: (ms: number) => boolean
  #lastMs: number
  #nextMs: number | undefined

  constructor(times: CronTimes, isQuiet: (ms: number) => boolean, nowMs: number) {
    this.#times = times
    this.#isQuiet = isQuiet
    this.#lastMs = nowMs
    this.#nextMs = times.after(nowMs)
  }

  /** The next moment. Undefined if there is none. */
  get nextMs(): number | undefined {
    return this.#nextMs
  }

  /** Takes all moments up to now together. True if now and at least one of them lie outside the quiet hours. */
  take(nowMs: number): boolean {
    const isSetBack = nowMs < this.#lastMs - smallStepMs
    if (isSetBack) this.#nextMs = this.#times.after(nowMs)
    this.#lastMs = isSetBack ? nowMs : Math.max(this.#lastMs, nowMs)
    if (this.#nextMs === undefined || nowMs < this.#nextMs) return false
    const wanted = !this.#isQuiet(nowMs) && this.#hasWanted(this.#nextMs, nowMs)
    this.#nextMs = this.#times.after(nowMs)
    return wanted
  }

  #hasWanted(firstMs: number, nowMs: number): boolean {
    let dueMs: number | undefined = firstMs
    for (let seen = 0; seen < maxMissed; seen++) {
      if (dueMs === undefined || dueMs > nowMs) return false
      if (!this.#isQuiet(dueMs)) return true
      dueMs = this.#times.after(dueMs)
    }
    return true
  }
}

/** A part of each day in local time, from `from` up to but not including `to`. `{ from: "22:30", to: "07:00" }` goes over midnight. */
export interface QuietHours {
  readonly from: string
  readonly to: string
}

const timePattern = lazyPattern("^([01][0-9]|2[0-3]):([0-5][0-9])$", "u")

/** Makes a function that is true for moments, in milliseconds since 1970, in the quiet hours of a time zone. Throws `usage` for an invalid time of day. */
export function quietHours({ from, to }: QuietHours, timeZone: string): (atMs: number) => boolean {
  const [begin, end] = [minuteOf("from", from), minuteOf("to", to)]
  if (begin === end)
    throw new PromptStrataError("usage", `expected quiet hours that end at another time than they begin, found ${from} twice.`)
  const format = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit", hourCycle: "h23" })
  return (atMs) => {
    const minute = minuteOf("now", format.format(atMs))
    return begin < end ? begin <= minute && minute < end : begin <= minute || minute < end
  }
}

function minuteOf(name: string, time: string): number {
  const [, hours, minutes] = timePattern().exec(time) ?? []
  if (hours === undefined)
    throw new PromptStrataError("usage", `expected quietHours.${name} as HH:MM, found ${JSON.stringify(time)}.`)
  return Number(hours) * 60 + Number(minutes)
}

/** The moments of a cron pattern in a time zone, in milliseconds since 1970. */
interface CronTimes {
  /** The first moment after `ms`. Undefined if there is none. */
  after(ms: number): number | undefined
}

/**
 * Reads a cron pattern of five or six fields. A local time that a clock change skips comes once the skipped time is over, and one that it
 * repeats comes once. Throws `usage` for a bad pattern or an unknown time zone.
 */
export async function cronTimes(pattern: string, timeZone: string): Promise<CronTimes> {
  const { Cron } = await import("croner")
  try {
    const cron = new Cron(pattern, { paused: true, timezone: timeZone, mode: "5-or-6-parts" })
    cron.nextRun(new Date(0))
    return { after: (ms) => cron.nextRun(new Date(ms))?.getTime() }
  } catch (cause) {
    const message = `expected a cron pattern and a time zone, found ${JSON.stringify(pattern)} in ${JSON.stringify(timeZone)}: ${messageOf(cause)}`
    throw new PromptStrataError("usage", message, { hint: 'Such as "0 8 * * 1-5" in "Asia/Shanghai".', cause })
  }
}
