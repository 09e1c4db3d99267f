import type { BackgroundJob, JobContext } from "../../../services/background/background-job.ts"
import { promptData } from "../../../services/background/dialogue.ts"
import { type EventRecord, newEvent } from "../../events/event-record.ts"
import { daysRange, formatStamp, type Grain, grainDays, stampAt, stampIn, type WeekKind } from "../../events/stamp.ts"
import { type ZonedCalendar, zonedCalendar } from "../../events/zoned-calendar.ts"
import { readState, type VirtualContextState, virtualContextNote } from "../context-state.ts"
import { virtualContextName } from "../virtual-context-name.ts"
import type { EventSettings, EventWriter, VirtualContextSettings } from "../virtual-context-settings.ts"
import { askOrRule } from "./ask-or-rule.ts"
import { chooseByRule, readRollUp, type WrittenEvent, writeRollUpByRule } from "./written-event.ts"

/** A period of time that is over and has no record yet, with the records that it is to summarise, oldest first (R20). */
export interface RollUp extends Pick<EventRecord, "id" | "stamp" | "startMs" | "endMs"> {
  readonly grain: Exclude<Grain, "moment">
  readonly children: readonly EventRecord[]
}

/** The grain that each grain summarises. Weeks and months overlap, so both summarise days. */
const drawnFrom = { day: "moment", week: "day", month: "day", year: "month" } as const

/** The periods to look at: those that end after `sinceMs` and not after `untilMs`. */
interface RollUpWindow {
  /** The midnight up to which everything has been rolled up. */
  readonly sinceMs: number
  readonly untilMs: number
  /** Default: from Sunday to Saturday. */
  readonly weeks?: WeekKind
}

/**
 * The roll-ups that are due: days whose topics have all ended, weeks and months whose days are all there, years whose months are. The
 * parts of a topic belong to their topic and are left out.
 */
export function dueRollUps(
  events: readonly EventRecord[],
  { sinceMs, untilMs, weeks = "sunday" }: RollUpWindow,
  calendar: ZonedCalendar,
): readonly RollUp[] {
  const known = new Set(events.map(({ id }) => id))
  const parts = new Set(events.flatMap(({ grain, children }) => (grain === "moment" ? children : [])))
  const due: RollUp[] = []
  for (const grain of ["day", "week", "month", "year"] as const) {
    const children = events.filter(
      (event) => event.grain === drawnFrom[grain] && !parts.has(event.id) && (grain !== "day" || event.startMs >= sinceMs),
    )
    for (const period of periodsOf(grain, children, { calendar, weeks })) {
      const waits = due.some((other) => other.startMs < period.endMs && other.endMs > period.startMs && feeds(other, grain))
      if (period.endMs > sinceMs && period.endMs <= untilMs && !known.has(period.id) && !waits) due.push(period)
    }
  }
  return due
}

function feeds(other: RollUp, grain: RollUp["grain"]): boolean {
  return other.grain === "day" ? grain !== "day" : other.grain === "month" && grain === "year"
}

function periodsOf(
  grain: RollUp["grain"],
  children: readonly EventRecord[],
  { calendar, weeks }: { readonly calendar: ZonedCalendar; readonly weeks: WeekKind },
): readonly RollUp[] {
  const byStamp = Map.groupBy(children, ({ startMs }) => formatStamp(stampAt(grain, startMs, calendar, weeks)))
  return [...byStamp].flatMap(([stamp, drawn]) => {
    const first = drawn[0]
    if (first === undefined) return []
    const range = daysRange(grainDays(grain, calendar.local(first.startMs), weeks), calendar)
    // The id depends on the period only, so that a period that is summarised twice has one record.
    return [{ id: `${grain}:${stamp}`, grain, stamp, ...range, children: drawn }]
  })
}

const kind = "roll-up"
const maxRollUps = 8

/** Summarises days, weeks, months and years that are over (R20): by rule, or by the agent's model with the prompt `roll-up`. */
export function rollUpJob({ events, locale }: VirtualContextSettings): BackgroundJob {
  return {
    kind: `${virtualContextName}:${kind}`,
    afterTurn({ memoryOn, turn, hookStates }) {
      if (!memoryOn) return undefined
      const state = readState(hookStates[virtualContextName])
      const due = state.topic === undefined ? [] : pendingRollUps(state, state.topic.lastMs, events)
      return due.length === 0
        ? undefined
        : { rollUps: due.slice(0, maxRollUps).map((rollUp) => payloadOf(rollUp, state.events)), turn }
    },
    async run({ payload, atMs }, context) {
      const { rollUps, turn } = payload as { readonly rollUps: readonly RollUpPayload[]; readonly turn: number }
      for (const { children, topics, ...rollUp } of rollUps) {
        const written = await write({ children, topics, ...rollUp, stamp: stampIn(locale, rollUp.stamp) }, events.writer, context)
        const record = newEvent({ ...rollUp, ...written, children: children.map(({ id }) => id) }, { atMs, turn })
        await context.post(virtualContextNote(`${kind}:${rollUp.id}`, [{ type: "events", events: [record] }]))
      }
    },
  }
}

type RollUpChild = Pick<RollUp["children"][number], "id" | "stamp" | "text" | "importance">
type RollUpPayload = Omit<RollUp, "children"> & {
  readonly children: readonly RollUpChild[]
  /** The topics that a rule tells. Taken from the topics themselves, because summaries of summaries lose what matters. */
  readonly topics: readonly RollUpChild[]
}

function payloadOf({ children, ...rollUp }: RollUp, events: readonly EventRecord[]): RollUpPayload {
  const told = chooseByRule(topicsOf(children, new Map(events.map((event) => [event.id, event]))), rollUp.grain)
  return { ...rollUp, children: children.map(childOf), topics: told.map(childOf) }
}

function childOf({ id, stamp, text, importance }: EventRecord): RollUpChild {
  return { id, stamp, text, importance }
}

/** The topics under records. A record whose topics were forgotten stands for them. */
function topicsOf(records: readonly EventRecord[], byId: ReadonlyMap<string, EventRecord>): readonly EventRecord[] {
  return records.flatMap((record) => {
    if (record.grain === "moment") return [record]
    const children = record.children.flatMap((id) => byId.get(id) ?? [])
    const known = topicsOf(children, byId)
    return known.length > 0 ? known : [record]
  })
}

async function write(
  { stamp, children, topics }: RollUpPayload,
  writer: EventWriter,
  context: JobContext,
): Promise<WrittenEvent> {
  // Jobs that were enqueued before topics were kept have their children alone.
  const rule = () => writeRollUpByRule(topics ?? children)
  if (writer !== "model-call") return rule()
  const records = children.map((child) => ({
    id: { text: child.stamp, trust: "author" as const },
    text: { text: child.text, trust: "memory" as const },
  }))
  const data = [promptData("recent", records, "memory"), promptData("stamp", stamp, "author")]
  return askOrRule(context, { kind, prompt: "roll-up", data, read: readRollUp, rule })
}

type RollUpState = Pick<VirtualContextState, "events" | "topic" | "ended" | "rolledUpMs">

/**
 * The roll-ups that can be done now. A period is left out while it contains a topic that is no event yet. Once everything up to the last
 * midnight is done, nothing is looked for until the next midnight.
 */
function pendingRollUps(state: RollUpState, nowMs: number, settings: EventSettings): readonly RollUp[] {
  if (isDone(state, nowMs, settings)) return []
  const untilMs = Math.min(nowMs, state.topic?.fromMs ?? nowMs, ...state.ended.map(({ fromMs }) => fromMs))
  const sinceMs = state.rolledUpMs ?? Number.NEGATIVE_INFINITY
  return dueRollUps(state.events, { sinceMs, untilMs, weeks: settings.weeks }, zonedCalendar(settings.timeZone))
}

/** Marks everything before the last midnight as rolled up, if nothing of it is pending. */
export function markRolledUp<State extends RollUpState>(state: State, nowMs: number, settings: EventSettings): State {
  if (isDone(state, nowMs, settings)) return state
  const midnightMs = lastMidnight(nowMs, settings)
  const isWaiting = [...state.ended, ...(state.topic ? [state.topic] : [])].some(({ fromMs }) => fromMs < midnightMs)
  return isWaiting || pendingRollUps(state, nowMs, settings).length > 0 ? state : { ...state, rolledUpMs: midnightMs }
}

function isDone({ rolledUpMs }: RollUpState, nowMs: number, settings: EventSettings): boolean {
  return rolledUpMs !== undefined && rolledUpMs >= lastMidnight(nowMs, settings)
}

function lastMidnight(nowMs: number, { timeZone }: EventSettings): number {
  const calendar = zonedCalendar(timeZone)
  return daysRange(grainDays("day", calendar.local(nowMs)), calendar).startMs
}
