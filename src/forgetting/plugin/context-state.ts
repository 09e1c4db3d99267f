import { type EventRecord, putEvents } from "../../forgetting/events/event-record.ts"
import type { EndedTopic, Topic } from "../../forgetting/events/topic.ts"
import type { SessionNote } from "../../services/session-store.ts"
import type { ToolRun } from "../../tools/tool.ts"
import type { CompressedMessage } from "../compressed-messages.ts"
import type { Moment } from "../decay.ts"
import type { WorkspaceItem } from "../forgetting-workspace.ts"
import { markedPath, type PulledItem, type PulledSettings, pull } from "../pulled.ts"
import type { WatchedPulls } from "./virtual-context-settings.ts"

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

/** Arguments that name what a tool looked at. */
const fileArguments = ["path", "file", "url", "uri"] as const

/**
 * Keeps a line of what a tool was used to look at (R22): its text is gone with the turn, unless it is put into the workspace
 * (R15). An observer can do the same with runs that it sees. The state itself where the run is none of the watched ones.
 */
export function afterRun(
  state: VirtualContextState,
  run: Pick<ToolRun, "tool" | "args" | "status" | "result" | "empty">,
  { now, settings }: { readonly now: Moment; readonly settings: WatchedPulls },
): VirtualContextState {
  if (run.status !== "ok" || run.empty === true || !settings.tools.includes(run.tool)) return state
  const named = fileArguments.map((name) => run.args[name]).find((value) => typeof value === "string" && value.trim() !== "")
  if (typeof named !== "string") return state
  const id = markedPath(named)
  if (state.workspace.some((item) => item.id === id)) return state
  return { ...state, pulled: pull(state.pulled, { id, kind: "file", text: run.result }, { now, settings }) }
}
