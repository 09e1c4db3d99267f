import type { HistoryMessage } from "../../../core/conversation.ts"
import type { StoredTurn } from "../../services/store/session-store.ts"
import { showCompressed } from "../compressed-messages.ts"
import type { Moment } from "../decay.ts"
import type { EventRecord } from "../events/event-record.ts"
import { eventScore } from "../events/select-events.ts"
import { type EndedTopic, nextTopic } from "../events/topic.ts"
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
    .map((event) => ({ event, kept: summarised.has(event.id) ? 0 : 1, score: eventScore(event, now, scoring) }))
    .sort((a, b) => a.kept - b.kept || a.score - b.score)
  const forgotten = new Set(ranked.slice(0, surplus).map(({ event }) => event))
  return events.filter((event) => !forgotten.has(event))
}

/**
 * The state without what was drawn from turns that are set aside: their events, the summaries that rest on these, and what was pulled or
 * put into the workspace since the first of them began. A topic of which a part is left is to become an event again. Compressed answers
 * stay: they belong to one turn, and are shown in its place alone.
 */
export function stateWithout(state: VirtualContextState, turns: readonly StoredTurn[], now: Moment): VirtualContextState {
  const fromMs = Math.min(...turns.flatMap(({ messages }) => messages.map(({ atMs }) => atMs)))
  const ids = new Set(turns.map(({ turnId }) => turnId))
  const gone = goneEvents(state.events, { ids, fromMs })
  const events = state.events.filter(({ id }) => !gone.has(id))
  const parts = new Set(state.events.flatMap(({ grain, children }) => (grain === "moment" ? children : [])))
  const again = state.events.flatMap((event) =>
    gone.has(event.id) && !parts.has(event.id) ? (topicLeft(event, { ids, fromMs, now }) ?? []) : [],
  )
  return {
    ...state,
    events,
    ended: [...state.ended, ...again],
    pulled: state.pulled.filter(({ pulled }) => pulled.atMs < fromMs),
    workspace: state.workspace.filter(({ added }) => added.atMs < fromMs),
  }
}

interface TurnsSetAside {
  /** The ids of turns that are set aside. */
  readonly ids: ReadonlySet<string>
  /** When the first of them began. */
  readonly fromMs: number
}

/** The ids of events from these turns, and of those that summarise them or a time in which one of them was. */
function goneEvents(events: readonly EventRecord[], { ids, fromMs }: TurnsSetAside): ReadonlySet<string> {
  const gone = new Set<string>()
  const order = ["moment", "day", "week", "month", "year"] as const
  for (const grain of order)
    for (const { id, endMs, children, sources, ...event } of events) {
      if (event.grain !== grain) continue
      const isLate = grain !== "moment" && endMs > fromMs
      if (isLate || sources.some((source) => ids.has(source)) || children.some((child) => gone.has(child))) gone.add(id)
    }
  return gone
}

/** The topic of an event that was written from other turns too. */
function topicLeft(event: EventRecord, { ids, fromMs, now }: TurnsSetAside & { readonly now: Moment }): EndedTopic | undefined {
  const left = event.sources.filter((source) => !ids.has(source))
  if (event.grain !== "moment" || left.length === 0 || left.length === event.sources.length) return undefined
  const { startMs } = event
  const beforeMs = Math.max(startMs + 1, fromMs)
  return {
    id: `${event.id}~${now.turn}`,
    fromMs: startMs,
    lastMs: beforeMs - 1,
    turns: left.length,
    beforeMs,
    endedTurn: now.turn,
  }
}
