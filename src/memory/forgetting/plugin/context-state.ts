import type { ToolRun } from "../../../prompt/tools/tool.ts"
import type { SessionNote } from "../../services/store/session-store.ts"
import type { CompressedMessage } from "../compressed-messages.ts"
import type { Moment } from "../decay.ts"
import { type EventRecord, putEvents } from "../events/event-record.ts"
import type { EndedTopic, Topic } from "../events/topic.ts"
import type { WorkspaceItem } from "../forgetting-workspace.ts"
import { markedPath, type NamedItem, type PulledItem, type PulledSettings, pull } from "../pulled.ts"
import { virtualContextName } from "./virtual-context-name.ts"
import type { WatchedPulls } from "./virtual-context-settings.ts"

/** The state of a virtual context in a session: plain JSON, committed with each turn. */
export interface VirtualContextState {
  readonly version: 1
  readonly events: readonly EventRecord[]
  readonly workspace: readonly WorkspaceItem[]
  readonly pulled: readonly PulledItem[]
  /** Compressed answers, oldest first. */
  readonly compressed: readonly CompressedMessage[]
  readonly topic?: Topic
  /** The id of the first turn of the topic before the current one. The shown conversation begins there (R11). */
  readonly shownFrom?: string
  /** Topics that have not become events yet. */
  readonly ended: readonly EndedTopic[]
  /** A report of use that did not come (R16): the next turn asks for it once, and then no turn does until one has come. */
  readonly report?: "missing" | "asked"
  /** The last midnight before which everything has been rolled up. */
  readonly rolledUpMs?: number
}

const newState: VirtualContextState = { version: 1, events: [], workspace: [], pulled: [], compressed: [], ended: [] }

/** Reads the state that a hook kept. Returns the state of a new session when there is none or it has another form. */
export function readState(kept: unknown): VirtualContextState {
  if (typeof kept !== "object" || kept === null) return newState
  const state = kept as Partial<VirtualContextState>
  const lists = [state.events, state.workspace, state.pulled, state.compressed, state.ended]
  return state.version === 1 && lists.every((list) => Array.isArray(list)) ? (state as VirtualContextState) : newState
}

/** A change that background work or an observer makes to a virtual context. It is applied in the session's next turn. Plain JSON. */
export type VirtualContextChange =
  /** Adds events. `ends` names the topic that they were written from. */
  | { readonly type: "events"; readonly events: readonly EventRecord[]; readonly ends?: string }
  | { readonly type: "compressed"; readonly turnId: string; readonly text: string }
  /** Pulls information. Only the next turn shows its whole `content` (R22). */
  | { readonly type: "pulled"; readonly item: NamedItem; readonly content?: string }
  /** A turn owed a report of use, and none came (R16). */
  | { readonly type: "unreported" }
  /** Removes items. Their files are never touched. */
  | { readonly type: "collect"; readonly area: "pulled" | "workspace"; readonly ids: readonly string[] }

/** Makes a note that brings changes to the session's next turn. Two notes of a session with the same id are one note. */
export function virtualContextNote(id: string, changes: readonly VirtualContextChange[]): SessionNote {
  return { id, owner: virtualContextName, payload: { changes } }
}

/** Whole texts, by id, that only this turn shows. */
export type FreshContents = ReadonlyMap<string, string>

/** The moment of a change, and how long pulled information stays. */
type ChangeSettings = { readonly now: Moment; readonly settings: PulledSettings }

/** Applies the changes of notes in their order. Anything else in the notes is ignored. */
export function applyNotes(
  state: VirtualContextState,
  notes: readonly SessionNote[],
  options: ChangeSettings,
): { readonly state: VirtualContextState; readonly fresh: FreshContents } {
  const fresh = new Map<string, string>()
  const changes = notes.flatMap(({ payload }) =>
    Array.isArray(payload.changes) ? (payload.changes as readonly VirtualContextChange[]) : [],
  )
  let after = state
  for (const change of changes) {
    if (change.type === "pulled" && change.content !== undefined) fresh.set(change.item.id, change.content)
    after = applyChange(after, change, options)
  }
  return { state: after, fresh }
}

const maxCompressed = 500

function applyChange(state: VirtualContextState, change: VirtualContextChange, options: ChangeSettings): VirtualContextState {
  if (change.type === "events") {
    const ended = state.ended.filter(({ id }) => id !== change.ends)
    return { ...state, events: putEvents(state.events, change.events), ended }
  }
  if (change.type === "compressed") {
    const { turnId, text } = change
    // The first compression of a message stays, because another one would change what prompts have shown already.
    if (state.compressed.some((message) => message.turnId === turnId)) return state
    return { ...state, compressed: [...state.compressed, { turnId, text, shown: false }].slice(-maxCompressed) }
  }
  if (change.type === "pulled") return { ...state, pulled: pull(state.pulled, change.item, options) }
  if (change.type === "unreported") return { ...state, report: state.report ?? "missing" }
  if (change.type !== "collect") return state
  const ids = new Set(change.ids)
  if (change.area === "pulled") return { ...state, pulled: state.pulled.filter(({ id }) => !ids.has(id)) }
  return { ...state, workspace: state.workspace.filter(({ id }) => !ids.has(id)) }
}

/** Arguments that name the thing a tool looks at. */
const fileArguments = ["path", "file", "url", "uri"] as const

/**
 * Pulls the result of a watched tool (R22): the text itself goes with the turn, unless it is put into the workspace (R15). Returns
 * the same state for runs of other tools.
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
