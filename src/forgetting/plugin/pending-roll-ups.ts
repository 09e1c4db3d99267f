import { daysRange, grainDays } from "../../forgetting/events/grain.ts"
import { dueRollUps, type RollUp } from "../../forgetting/events/roll-ups.ts"
import { zonedCalendar } from "../../forgetting/events/zoned-calendar.ts"
import type { EventSettings } from "./settings.ts"
import type { VirtualContextState } from "./state.ts"

type Rolled = Pick<VirtualContextState, "events" | "topic" | "ended" | "rolledUpMs">

/** What is to be rolled up now; nothing that a topic still belongs to which is no event yet, and nothing between two midnights once all is done. */
export function pendingRollUps(state: Rolled, nowMs: number, settings: EventSettings): readonly RollUp[] {
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
