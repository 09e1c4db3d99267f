import type { CompressedMessage } from "../../forgetting/compression/compressed-message.ts"
import type { EventRecord } from "../../forgetting/events/event-record.ts"
import type { EndedTopic, Topic } from "../../forgetting/events/topic.ts"
import type { PulledItem } from "../pulled.ts"
import type { WorkspaceItem } from "../workspace-item.ts"

/** The name of the plugin, of its hook, and of what it keeps in a session's state. */
export const virtualContextName = "virtual-context"

/** Everything that a virtual context remembers of a session: plain JSON, committed with each turn and restored exactly. */
export interface VirtualContextState {
  readonly version: 1
  readonly events: readonly EventRecord[]
  readonly workspace: readonly WorkspaceItem[]
  readonly pulled: readonly PulledItem[]
  /** Cached results, oldest first. */
  readonly compressed: readonly CompressedMessage[]
  readonly topic?: Topic
  /** The turn with which the topic before began: what is shown of the conversation begins there (R11). */
  readonly shownFrom?: string
  /** Topics that have not become events yet. */
  readonly ended: readonly EndedTopic[]
  /** When everything that was over before had been rolled up. */
  readonly rolledUpMs?: number
}

const newState: VirtualContextState = { version: 1, events: [], workspace: [], pulled: [], compressed: [], ended: [] }

/** The state as a hook keeps it; that of a new session where there is none, or one of another form. */
export function readState(kept: unknown): VirtualContextState {
  if (typeof kept !== "object" || kept === null) return newState
  const state = kept as Partial<VirtualContextState>
  const lists = [state.events, state.workspace, state.pulled, state.compressed, state.ended]
  return state.version === 1 && lists.every((list) => Array.isArray(list)) ? (state as VirtualContextState) : newState
}
