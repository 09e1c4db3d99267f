import type { HistoryMessage } from "../../../core/conversation.ts"
import { showCompressed } from "../compressed-messages.ts"
import type { Moment } from "../decay.ts"
import { scoreOf } from "../events/select-events.ts"
import { nextTopic } from "../events/topic.ts"
import { stalePulled } from "../pulled.ts"
import type { VirtualContextState } from "./context-state.ts"
import { markRolledUp } from "./jobs/roll-up-job.ts"
import { type EventSettings, type VirtualContextSettings, workspaceOf } from "./virtual-context-settings.ts"

/** The state at the begin of a turn: the topic goes on or ends, faded items and surplus events are removed, answers are compressed. */
export function nextState(
  state: VirtualContextState,
  turn: { readonly turnId: string; readonly now: Moment; readonly history: readonly HistoryMessage[] },
  settings: VirtualContextSettings,
): VirtualContextState {
  const { now } = turn
  const stale = new Set(stalePulled(state.pulled, now, settings.pulled))
  // Eviction removes the item; the file that it names is never touched (R16).
  const workspace = workspaceOf(settings.workspace, state.workspace)
  const hasEvicted = workspace.evict(now).length > 0
  return {
    ...markRolledUp(withTopic(state, turn.turnId, now, settings.events), now.atMs, settings.events),
    events: keepWithin(state.events, now, settings.events),
    workspace: hasEvicted ? workspace.items() : state.workspace,
    pulled: stale.size === 0 ? state.pulled : state.pulled.filter(({ id }) => !stale.has(id)),
    compressed: showCompressed(turn.history, state.compressed, settings.compression),
  }
}

function withTopic(state: VirtualContextState, turnId: string, now: Moment, settings: EventSettings): VirtualContextState {
  const limits = { gapMs: settings.topicGapMs, maxTurns: settings.topicTurns }
  const { topic, ended } = nextTopic(state.topic, { id: turnId, ...now }, limits)
  if (ended === undefined) return { ...state, topic }
  return { ...state, topic, shownFrom: ended.id, ended: [...state.ended, ended] }
}

/** Removes events above `maxEvents`, the lowest score first: those that a coarser record summarises before all others. */
function keepWithin(events: VirtualContextState["events"], now: Moment, { maxEvents, weights }: EventSettings) {
  const surplus = events.length - maxEvents
  if (surplus <= 0) return events
  const summarised = new Set(events.flatMap(({ grain, children }) => (grain === "moment" ? [] : children)))
  const scoring = { weights, clock: { by: "days" } as const }
  const ranked = events
    .map((event) => ({ event, kept: summarised.has(event.id) ? 0 : 1, score: scoreOf(event, now, scoring) }))
    .sort((a, b) => a.kept - b.kept || a.score - b.score)
  const forgotten = new Set(ranked.slice(0, surplus).map(({ event }) => event))
  return events.filter((event) => !forgotten.has(event))
}
