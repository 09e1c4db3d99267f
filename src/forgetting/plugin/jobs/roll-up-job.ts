import { newEvent } from "../../../forgetting/events/event-record.ts"
import { dueRollUps, type RollUp } from "../../../forgetting/events/roll-ups.ts"
import { daysRange, grainDays } from "../../../forgetting/events/stamp.ts"
import { zonedCalendar } from "../../../forgetting/events/zoned-calendar.ts"
import type { BackgroundJob, JobContext } from "../../../services/background-job.ts"
import { readState, type VirtualContextState, virtualContextName, virtualContextNote } from "../context-state.ts"
import type { EventSettings, VirtualContextSettings } from "../virtual-context-settings.ts"
import { askData, askOrRule } from "./ask-or-rule.ts"
import { readRollUp, type WrittenEvent, writeRollUpByRule } from "./written-event.ts"

const kind = "roll-up"
const maxRollUps = 8
/** How long a record by rule is. */
const maxCharacters = { day: 240, week: 320, month: 400, year: 480 } as const

/** Summarises days, weeks, months and years that are over (R20): by rule, or by the agent's model with the prompt `roll-up`. */
export function rollUpJob({ events }: VirtualContextSettings): BackgroundJob {
  return {
    kind: `${virtualContextName}:${kind}`,
    afterTurn({ memoryOn, turn, hookStates }) {
      if (!memoryOn) return undefined
      const state = readState(hookStates[virtualContextName])
      const due = state.topic === undefined ? [] : pendingRollUps(state, state.topic.lastMs, events)
      return due.length === 0 ? undefined : { rollUps: due.slice(0, maxRollUps).map(payloadOf), turn }
    },
    async run({ payload, atMs }, context) {
      const { rollUps, turn } = payload as { readonly rollUps: readonly RollUpPayload[]; readonly turn: number }
      for (const { children, ...rollUp } of rollUps) {
        const written = await write({ children, ...rollUp }, events.writer, context)
        const record = newEvent({ ...rollUp, ...written, children: children.map(({ id }) => id) }, { atMs, turn })
        await context.post(virtualContextNote(`${kind}:${rollUp.id}`, [{ type: "events", events: [record] }]))
      }
    },
  }
}

type RollUpChild = Pick<RollUp["children"][number], "id" | "stamp" | "text" | "importance">
type RollUpPayload = Omit<RollUp, "children"> & { readonly children: readonly RollUpChild[] }

function payloadOf({ children, ...rollUp }: RollUp): RollUpPayload {
  return { ...rollUp, children: children.map(({ id, stamp, text, importance }) => ({ id, stamp, text, importance })) }
}

function write(
  { grain, stamp, children }: RollUpPayload,
  writer: "rule" | "model",
  context: JobContext,
): Promise<WrittenEvent> | WrittenEvent {
  const rule = () => {
    const { text, importance } = writeRollUpByRule(children, maxCharacters[grain])
    return { text, importance }
  }
  if (writer === "rule") return rule()
  const read = (answer: string): WrittenEvent | undefined => {
    const found = readRollUp(answer)
    return found && { text: found.text, importance: found.importance }
  }
  const records = children.map((child) => ({
    id: { text: child.stamp, trust: "author" as const },
    text: { text: child.text, trust: "memory" as const },
  }))
  const data = [askData("recent", records, "memory"), askData("stamp", stamp, "author")]
  return askOrRule(context, { kind, prompt: "roll-up", data, read, rule })
}

type Rolled = Pick<VirtualContextState, "events" | "topic" | "ended" | "rolledUpMs">

/** What is to be rolled up now; nothing that a topic still belongs to which is no event yet, and nothing between two midnights once all is done. */
function pendingRollUps(state: Rolled, nowMs: number, settings: EventSettings): readonly RollUp[] {
  const calendar = zonedCalendar(settings.timeZone)
  if (isDone(state, nowMs, settings)) return []
  const untilMs = Math.min(nowMs, state.topic?.fromMs ?? nowMs, ...state.ended.map(({ fromMs }) => fromMs))
  return dueRollUps(state.events, { sinceMs: state.rolledUpMs ?? Number.NEGATIVE_INFINITY, untilMs }, calendar)
}

/** The state with the last midnight marked as done, where nothing is pending from before it. */
export function markRolledUp<State extends Rolled>(state: State, nowMs: number, settings: EventSettings): State {
  if (isDone(state, nowMs, settings)) return state
  const midnightMs = lastMidnight(nowMs, settings)
  const isWaiting = [...state.ended, ...(state.topic ? [state.topic] : [])].some(({ fromMs }) => fromMs < midnightMs)
  return isWaiting || pendingRollUps(state, nowMs, settings).length > 0 ? state : { ...state, rolledUpMs: midnightMs }
}

function isDone({ rolledUpMs }: Rolled, nowMs: number, settings: EventSettings): boolean {
  return rolledUpMs !== undefined && rolledUpMs >= lastMidnight(nowMs, settings)
}

function lastMidnight(nowMs: number, { timeZone }: EventSettings): number {
  const calendar = zonedCalendar(timeZone)
  return daysRange(grainDays("day", calendar.local(nowMs)), calendar).startMs
}
