import type { ServiceKey } from "../../../core/conversation.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import { findTimeZone } from "../../../core/memo.ts"
import type { Ports } from "../../../core/ports.ts"
import { defined } from "../../../core/value.ts"
import { localFields, momentOf, readMoment } from "../../../memory/services/recall/time/local-time.ts"
import type { Job } from "../../../memory/services/store/job-runner.ts"
import { sessionRowId } from "../../../memory/services/store/rows/row-tables.ts"
import type { StoreScope, WakeRecords } from "../../../memory/services/store/store.ts"
import type { ScheduledWake, WakeOutcome, WakeRequest, Wakes } from "../../../memory/services/wakes.ts"
import type { Profile } from "../../../profile/profile.ts"
import { cronTimes, quietHours } from "./schedule-times.ts"

/** A wake further ahead is refused: stores may delete jobs that wait for longer. */
const farthestMs = 5 * 366 * 86_400_000
/** The shortest time between two moments of a wake that repeats. */
const shortestMs = 10 * 60_000
const maxReason = 2_000

/** The payload of a wake's job. */
export type WakePayload = Omit<WakeRequest, "at">

/** The parts of {@link createWakes}. */
export interface WakesParts {
  readonly records: WakeRecords
  readonly profile: Profile
  readonly ports: Pick<Ports, "clock" | "ids">
  /** True if this process can deliver an answer that nobody waits for. */
  readonly delivers: boolean
}

/** The wakes of an agent in its store. */
export function createWakes(parts: WakesParts): Wakes {
  const { records } = parts
  const jobsOf = async (key: ServiceKey): Promise<readonly Job[]> => {
    const jobs = await wakeJobs(records, { agent: key.agent, user: key.user })
    const shown = jobs.filter((job) => key.audience === "private" || sessionRowId(job.key) === sessionRowId(key))
    return shown.sort((a, b) => (a.dueMs ?? 0) - (b.dueMs ?? 0))
  }
  return {
    set: (key, request) => setWake(parts, key, request),
    list: async (key) => (await jobsOf(key)).map(wakeOf),
    async drop(key, id) {
      const job = (await jobsOf(key)).find(({ turnId }) => turnId === id)
      if (job !== undefined) await records.delete(job.key, id)
      return job !== undefined
    },
  }
}

/** The wakes and reminders of a scope among its jobs that wait for a moment. */
export async function wakeJobs(records: WakeRecords, scope: StoreScope): Promise<Job[]> {
  return (await records.list(scope)).filter(({ kind }) => kind === "wake" || kind === "reminder")
}

/** The work of {@link Wakes.set}. */
async function setWake(
  { records, profile, ports, delivers }: WakesParts,
  key: ServiceKey,
  request: WakeRequest,
): Promise<WakeOutcome> {
  const nowMs = ports.clock.nowMs()
  const { reason, to } = request
  const timeZone = request.timeZone === undefined ? profile.timeZone : findTimeZone(request.timeZone)
  if (timeZone === undefined && request.timeZone !== undefined) return { ok: false, refusal: "unknown-zone" }
  const planned = await planOf({ ...request, timeZone }, nowMs)
  if (typeof planned === "string") return { ok: false, refusal: planned }
  if ((await wakeJobs(records, { agent: key.agent, user: key.user })).length >= profile.conversation.wakesPerUser)
    return { ok: false, refusal: "too-many" }
  const { atMs, repeat, clockChange } = planned
  const dueMs = afterQuiet(atMs, profile, timeZone)
  const id = ports.ids.next("wake").slice(0, "wake_12345678".length)
  const kind = delivers ? "wake" : "reminder"
  const payload = { reason: reason.toWellFormed(), repeat, timeZone, to }
  const job: Job = { id: jobId(id, key, dueMs), kind, key, turnId: id, atMs: nowMs, dueMs, payload: defined(payload) }
  if (!(await records.put(job))) throw new PromptStrataError("usage", `expected an id that no other wake has, found ${id}.`)
  return { ok: true, wake: wakeOf(job), clockChange, quiet: dueMs !== atMs, waits: !delivers }
}

/** The moments that a wish asks for, or why there are none. */
async function planOf({ at, reason, repeat, timeZone }: WakeRequest, nowMs: number) {
  if (reason.trim() === "" || reason.length > maxReason) return "empty"
  const moment = typeof at === "number" ? { atMs: Math.round(at) } : readMoment(at, { timeZone, nowMs })
  if (moment === undefined || moment === "no-zone") return moment ?? "unclear"
  const { atMs } = moment
  if (!Number.isFinite(atMs)) return "unclear"
  if (atMs <= nowMs) return "past"
  if (atMs - nowMs > farthestMs) return "far"
  if (repeat === undefined) return { ...moment, repeat }
  if (timeZone === undefined) return "no-zone"
  const pattern = patternOf(repeat, localFields(atMs, timeZone))
  return (await isPattern(pattern, timeZone, atMs)) ? { ...moment, repeat: pattern } : "bad-repeat"
}

/** The cron pattern of a word, at the local time of the first moment. Other words are a pattern already. */
function patternOf(word: string, [year, month, day, hours, minutes]: readonly number[]): string {
  const at = `${minutes} ${hours}`
  const patterns: Readonly<Record<string, string>> = {
    hourly: `${minutes} * * * *`,
    daily: `${at} * * *`,
    weekdays: `${at} * * 1-5`,
    weekly: `${at} * * ${new Date(Date.UTC(year ?? 0, (month ?? 1) - 1, day)).getUTCDay()}`,
    // The last day of each month, as no shorter month has a 31st.
    monthly: `${at} ${day === 31 ? "L" : day} * *`,
    yearly: `${at} ${day} ${month} *`,
  }
  return Object.hasOwn(patterns, word) ? (patterns[word] ?? word) : word
}

/** True for a cron pattern of five fields whose moments are not too close to each other. */
async function isPattern(pattern: string, timeZone: string, fromMs: number): Promise<boolean> {
  if (pattern.trim().split(/\s+/).length !== 5) return false
  const times = await cronTimes(pattern, timeZone).catch(() => undefined)
  const moments: number[] = []
  for (let next = times?.after(fromMs); next !== undefined && moments.length < 10; next = times?.after(next)) moments.push(next)
  return moments.length > 0 && moments.every((moment, at) => at === 0 || moment - (moments[at - 1] ?? 0) >= shortestMs)
}

/** The moment itself or, in the quiet hours of a profile, their end. */
export function afterQuiet(atMs: number, { conversation, timeZone: own }: Profile, timeZone = own ?? "UTC"): number {
  const { quietFrom: from, quietTo: to } = conversation
  if (from === undefined || to === undefined || from === to || !quietHours({ from, to }, timeZone)(atMs)) return atMs
  const [year, month, day] = localFields(atMs, timeZone)
  const [hours = 0, minutes = 0] = to.split(":").map(Number)
  const [today, tomorrow] = [day, day + 1].map((date) => momentOf([year, month, date, hours, minutes, 0], timeZone).atMs)
  return today !== undefined && today > atMs ? today : (tomorrow ?? atMs)
}

/** Unique for ever: the wakes of a conversation have ids of their own, and their moments too. */
export function jobId(id: string, key: ServiceKey, dueMs: number): string {
  return JSON.stringify([sessionRowId(key), id, dueMs])
}

/** A wake as its job keeps it. */
export function wakeOf({ turnId, key, dueMs = 0, payload }: Job): ScheduledWake {
  const { reason, repeat, timeZone } = payload as unknown as WakePayload
  return { id: turnId, key, reason, dueMs, repeat, timeZone }
}
