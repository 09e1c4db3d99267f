import type { BackgroundJob, JobContext } from "../../../services/background/background-job.ts"
import { promptData } from "../../../services/background/dialogue.ts"
import { type EventRecord, newEvent } from "../../events/event-record.ts"
import { dueRollUps, type RollUp } from "../../events/roll-ups.ts"
import { daysRange, grainDays, stampIn } from "../../events/stamp.ts"
import { zonedCalendar } from "../../events/zoned-calendar.ts"
import { readState, type VirtualContextState, virtualContextNote } from "../context-state.ts"
import { virtualContextName } from "../virtual-context-name.ts"
import type { EventSettings, EventWriter, VirtualContextSettings } from "../virtual-context-settings.ts"
import { askOrRule } from "./ask-or-rule.ts"
import { chooseByRule, readRollUp, type WrittenEvent, writeRollUpByRule } from "./written-event.ts"

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
