import type { HistoryMessage } from "../../core/history.ts"
import { showCompressed } from "../../forgetting/compression/show-compressed.ts"
import { nextTopic } from "../../forgetting/events/topic.ts"
import type { Moment } from "../forgetting-clock.ts"
import { stalePulled } from "../pulled.ts"
import { createWorkspace } from "../workspace.ts"
import { keepWithin } from "./keep-within.ts"
import { markRolledUp } from "./pending-roll-ups.ts"
import type { VirtualContextSettings } from "./settings.ts"
import type { VirtualContextState } from "./state.ts"

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
