import type { SessionKey } from "../../../core/conversation.ts"
import { messageOf } from "../../../core/errors.ts"
import { hostTimeZone } from "../../../core/memo.ts"
import type { Ports } from "../../../core/ports.ts"
import type { JobContext } from "../../../memory/services/background/background-job.ts"
import { localText } from "../../../memory/services/recall/time/local-time.ts"
import type { Job } from "../../../memory/services/store/job-runner.ts"
import type { WakeRecords } from "../../../memory/services/store/store.ts"
import type { BeforeTurnContext } from "../../../memory/services/turn-hook.ts"
import { quoted, renderNotice } from "../../../prompt/dialect/render-notice.ts"
import type { BackgroundWarning, ProfileParts } from "../../turn/turn-context.ts"
import type { AgentOptions } from "../agent-options.ts"
import { type KeptReminders, reminderOwner } from "../note-hooks.ts"
import { cronTimes } from "./schedule-times.ts"
import type { WakeableSession } from "./wake-schedule.ts"
import { afterQuiet, jobId, type WakePayload } from "./wakes.ts"

/** The parts of an agent that its wakes need. */
export interface RingParts {
  /** The latest version of the agent. */
  readonly latest: () => Pick<ProfileParts, "profile" | "dialect">
  readonly records: WakeRecords
  readonly session: (key: Omit<SessionKey, "agent">) => Pick<WakeableSession, "wake">
  readonly onWake: AgentOptions["onWake"] | undefined
  readonly ports: Ports
  readonly warn: (told: BackgroundWarning) => void
}

/** A wake that rings later than this says so. */
const lateMs = 60_000

/**
 * Rings a wake: opens a turn whose answer `onWake` delivers. Without `onWake` the reason waits in a note for the conversation's next
 * turn. In quiet hours it is put off. The next moment of a wake that repeats is kept first, and missed ones give one ring.
 */
export async function ring(parts: RingParts, job: Job, { ports, signal, isLast, post }: JobContext): Promise<void> {
  const { records, onWake, session } = parts
  const agent = parts.latest()
  const { reason, repeat, timeZone, to } = job.payload as unknown as WakePayload
  const nowMs = ports.clock.nowMs()
  const { profile } = agent
  const keep = async (dueMs: number, more: Partial<Job> = {}): Promise<void> => {
    signal.throwIfAborted()
    await records.put({ ...job, ...more, id: jobId(job.turnId, job.key, dueMs), dueMs })
  }
  const freeMs = afterQuiet(nowMs, profile, timeZone)
  if (freeMs > nowMs) return keep(freeMs)
  const nextMs = repeat === undefined ? undefined : (await cronTimes(repeat, timeZone ?? "UTC")).after(nowMs)
  if (nextMs !== undefined) await keep(afterQuiet(nextMs, profile, timeZone))
  const text = alarmText(agent, { reason, timeZone, dueMs: job.dueMs ?? nowMs, nowMs })
  if (onWake === undefined) {
    await post({ id: job.id, owner: reminderOwner, payload: { ...job.payload, dueMs: job.dueMs ?? nowMs } })
    return
  }
  const { conversation, audience } = job.key
  const turn = session({ conversation, audience }).wake(text, { to, signal })
  const result = await turn.result
  // A turn that is tried again is told once, with its last attempt.
  if (!result.ok && !isLast) throw result.error
  try {
    await onWake(turn, { agent: job.key.agent, conversation, audience })
  } catch (error) {
    const message = `The answer of the wake ${job.turnId} was kept and not delivered: ${messageOf(error)}`
    parts.warn({ key: job.key, turnId: job.turnId, message })
  }
  if (!result.ok) throw result.error
}

type WakeParts = ReturnType<RingParts["latest"]>

interface Alarm {
  readonly reason: string
  readonly timeZone?: string | undefined
  readonly dueMs: number
  readonly nowMs: number
}

/** The sentence with which a wake begins its turn: when it was due, what for, and how late it is. */
function alarmText({ profile, dialect }: WakeParts, { reason, timeZone, dueMs, nowMs }: Alarm): string {
  if (!dialect.files.has("alarm")) return reason
  const zone = timeZone ?? profile.timeZone ?? hostTimeZone()
  const late = nowMs - dueMs >= lateMs ? durationText(nowMs - dueMs, profile.locale) : undefined
  return renderNotice(dialect, "alarm", {
    reason: quoted(reason, dialect),
    time: `${localText(dueMs, zone)} (${zone})`,
    late,
  }).trim()
}

/** A time span by its two largest units, such as `2 hours 5 minutes`, in the words of a locale. */
function durationText(ms: number, locale: string): string {
  const minutes = Math.floor(ms / 60_000)
  const spans = [
    [Math.floor(minutes / 1_440), "day"],
    [Math.floor(minutes / 60) % 24, "hour"],
    [minutes % 60, "minute"],
  ] as const
  const first = spans.findIndex(([amount]) => amount > 0)
  const shown = spans.slice(first, first + 2).filter(([amount]) => amount > 0)
  const format = { style: "unit", unitDisplay: "long" } as const
  return shown.map(([amount, unit]) => new Intl.NumberFormat(locale, { ...format, unit }).format(amount)).join(" ")
}

/** At most so many reminders are shown in a turn. */
const maxShown = 20

/** Shows the reminders that came due since the conversation's last turn, and those of turns that were set aside. */
export function showReminders({ notes, stack, state, warn, startedMs, turnId }: BeforeTurnContext, agent: WakeParts): void {
  const { due = [] } = (state.get() ?? {}) as Partial<KeptReminders>
  const alarms = [...due, ...notes.map(({ payload }) => payload)]
  state.set(alarms.length === 0 ? null : ({ turnId, shown: alarms, due: [] } satisfies KeptReminders))
  if (alarms.length === 0) return
  const shown = alarms
    .slice(-maxShown)
    .map((alarm) => alarmText(agent, { ...(alarm as unknown as Omit<Alarm, "nowMs">), nowMs: startedMs }))
  if (alarms.length > maxShown) warn(`Older reminders were left out of the prompt: ${alarms.length - maxShown}.`)
  stack.add({ key: "reminders", content: { text: shown.join("\n"), trust: "agent" }, trust: "agent", scope: "turn" })
}
