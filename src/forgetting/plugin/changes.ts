import type { CompressedMessage } from "../../forgetting/compression/compressed-message.ts"
import { type EventRecord, putEvents } from "../../forgetting/events/event-record.ts"
import type { SessionNote } from "../../services/store/session-store.ts"
import type { Moment } from "../forgetting-clock.ts"
import { type PulledItem, type PulledSettings, pull } from "../pulled.ts"
import { type VirtualContextState, virtualContextName } from "./state.ts"

/** What background work or an observer does to a virtual context, in the session's next turn: plain JSON. */
export type VirtualContextChange =
  /** Writes events; `ends` names the topic that they come from. */
  | { readonly type: "events"; readonly events: readonly EventRecord[]; readonly ends?: string }
  | { readonly type: "compressed"; readonly turnId: string; readonly text: string }
  /** Pulls information; `content` is shown whole in the next turn and only there (R22). */
  | { readonly type: "pulled"; readonly item: Pick<PulledItem, "id" | "kind" | "text">; readonly content?: string }
  /** Collects garbage; the files themselves are never touched. */
  | { readonly type: "collect"; readonly area: "pulled" | "workspace"; readonly ids: readonly string[] }

/** A note that brings changes to the session's next turn. The id must be unique in its session: the same id twice is one note. */
export function virtualContextNote(id: string, changes: readonly VirtualContextChange[]): SessionNote {
  return { id, owner: virtualContextName, payload: { changes } }
}

/** Whole texts that only this turn shows, by id. */
export type FreshContents = ReadonlyMap<string, string>

const maxCompressed = 500

/** Applies what notes bring, in their order; what is no change is passed over. */
export function applyNotes(
  state: VirtualContextState,
  notes: readonly SessionNote[],
  options: { readonly now: Moment; readonly settings: PulledSettings },
): { readonly state: VirtualContextState; readonly fresh: FreshContents } {
  const fresh = new Map<string, string>()
  let after = state
  for (const change of notes.flatMap(({ payload }) => changesOf(payload.changes))) {
    if (change.type === "pulled" && change.content !== undefined) fresh.set(change.item.id, change.content)
    after = applyChange(after, change, options)
  }
  return { state: after, fresh }
}

function changesOf(changes: unknown): readonly VirtualContextChange[] {
  return Array.isArray(changes) ? changes : []
}

function applyChange(
  state: VirtualContextState,
  change: VirtualContextChange,
  options: { readonly now: Moment; readonly settings: PulledSettings },
): VirtualContextState {
  switch (change.type) {
    case "events":
      return {
        ...state,
        events: putEvents(state.events, change.events),
        ended: state.ended.filter(({ id }) => id !== change.ends),
      }
    case "compressed":
      return { ...state, compressed: withCompressed(state.compressed, change) }
    case "pulled":
      return { ...state, pulled: pull(state.pulled, change.item, options) }
    case "collect": {
      const ids = new Set(change.ids)
      if (change.area === "pulled") return { ...state, pulled: state.pulled.filter(({ id }) => !ids.has(id)) }
      return { ...state, workspace: state.workspace.filter(({ id }) => !ids.has(id)) }
    }
    default:
      return state
  }
}

/** The first result for a message stands: another one would move what prompts have shown already. */
function withCompressed(
  compressed: readonly CompressedMessage[],
  { turnId, text }: Pick<CompressedMessage, "turnId" | "text">,
): readonly CompressedMessage[] {
  if (compressed.some((message) => message.turnId === turnId)) return compressed
  return [...compressed, { turnId, text, shown: false }].slice(-maxCompressed)
}
