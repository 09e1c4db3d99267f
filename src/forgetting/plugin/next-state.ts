import type { HistoryMessage } from "../../core/history.ts"
import type { EventRecord } from "../../forgetting/events/event-record.ts"
import { eventScore } from "../../forgetting/events/select-events.ts"
import { nextTopic } from "../../forgetting/events/topic.ts"
import { showCompressed } from "../compressed-messages.ts"
import type { Moment } from "../decay.ts"
import { createWorkspace } from "../forgetting-workspace.ts"
import { stalePulled } from "../pulled.ts"
import type { VirtualContextState } from "./context-state.ts"
import { markRolledUp } from "./jobs/roll-up-job.ts"
import type { EventSettings, VirtualContextSettings } from "./virtual-context-settings.ts"

/** What a new turn does to the state before anything is shown of it: topics go on or end, what has faded goes, answers shrink. */
export function nextState(
  state: VirtualContextState,
  turn: { readonly turnId: string; readonly now: Moment; readonly history: readonly HistoryMessage[] },
  settings: VirtualContextSettings,
): VirtualContextState {
  const { now } = turn
  const gone = new Set(stalePulled(state.pulled, now, settings.pulled))
  return {
    ...markRolledUp(withTopic(state, turn, settings), now.atMs, settings.events),
    events: keepWithin(state.events, now, settings.events),
    workspace: afterForgetting(state, now, settings),
    pulled: gone.size === 0 ? state.pulled : state.pulled.filter(({ id }) => !gone.has(id)),
    compressed: showCompressed(turn.history, state.compressed, settings.compression),
  }
}

/** Eviction takes the item out; the file it stands for is never touched (R16). */
function afterForgetting(state: VirtualContextState, now: Moment, { workspace: settings }: VirtualContextSettings) {
  const workspace = createWorkspace({ ...settings, settings: settings.decay, items: state.workspace })
  return workspace.evict(now).length === 0 ? state.workspace : workspace.items()
}

function withTopic(
  state: VirtualContextState,
  { turnId, now }: { readonly turnId: string; readonly now: Moment },
  { events: { topicGapMs, topicTurns } }: VirtualContextSettings,
): VirtualContextState {
  const turn = { id: turnId, atMs: now.atMs, turn: now.turn }
  const { topic, ended } = nextTopic(state.topic, turn, { gapMs: topicGapMs, maxTurns: topicTurns })
  if (ended === undefined) return { ...state, topic }
  return { ...state, topic, shownFrom: ended.id, ended: [...state.ended, ended] }
}

/** At most `maxEvents`: what a coarser record summarises is forgotten first, then anything, the lowest score first. */
function keepWithin(events: readonly EventRecord[], now: Moment, settings: EventSettings): readonly EventRecord[] {
  const surplus = events.length - settings.maxEvents
  if (surplus <= 0) return events
  const summarised = new Set(events.flatMap(({ grain, children }) => (grain === "moment" ? [] : children)))
  const scoring = { weights: settings.weights, clock: { by: "days" } as const }
  const ranked = events
    .map((event) => ({ event, kept: summarised.has(event.id) ? 0 : 1, score: eventScore(event, now, scoring) }))
    .sort((a, b) => a.kept - b.kept || a.score - b.score)
  const forgotten = new Set(ranked.slice(0, surplus).map(({ event }) => event))
  return events.filter((event) => !forgotten.has(event))
}
