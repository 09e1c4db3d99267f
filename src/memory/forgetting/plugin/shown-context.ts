import type { Memo } from "../../../core/memo.ts"
import type { SlotEntry, TrustedText } from "../../../core/value.ts"
import { formatFileReference } from "../../../prompt/encode/file-reference.ts"
import { encodedText } from "../../../prompt/encode/marked-text.ts"
import { sanitise } from "../../../prompt/encode/sanitise.ts"
import type { InjectionInput } from "../../../prompt/stack/injection.ts"
import type { Moment } from "../decay.ts"
import { type EventRecord, recallEvents } from "../events/event-record.ts"
import { leastRelevance, pickEvents } from "../events/select-events.ts"
import { stampIn } from "../events/stamp.ts"
import { relevanceAmong } from "../ranking.ts"
import { shorten } from "../shorten-by-rule.ts"
import { fitTexts } from "../text-width.ts"
import type { FreshContents, VirtualContextState } from "./context-state.ts"
import {
  type EventSettings,
  type VirtualContextSettings,
  type WorkspaceSettings,
  workspaceOf,
} from "./virtual-context-settings.ts"

/** The order of cutting when the budget is short: pulled information, then events, then the workspace. All are cut before the tools. */
const ranks = { pulled: 15, events: 25, workspace: 45 } as const

/** An event as a prompt shows it. */
type ShownEvent = Pick<EventRecord, "stamp" | "text">

/**
 * The events that a turn shows (R20, R21), long texts cut to `shownCharacters` together, and the state in which the events that the
 * question speaks of count as recalled (R18). These stay whole.
 */
export function chooseEvents(
  state: VirtualContextState,
  { now, question, memo }: { readonly now: Moment; readonly question: string; readonly memo?: Memo },
  settings: EventSettings,
): { readonly events: readonly ShownEvent[]; readonly state: VirtualContextState } {
  const fit = relevanceAmong(question, state.events, memo)
  const { keep, shownCharacters, broughtBack, minScore, weights } = settings
  const selection = { keep, shownCharacters, broughtBack, minScore, weights }
  const chosen = pickEvents(state.events, now, { ...selection, relevance: fit }, memo)
  const spokenOf = new Set(chosen.filter((event) => fit(event) >= leastRelevance))
  const cut = fitTexts(
    chosen.map((event) => (spokenOf.has(event) ? "" : event.text)),
    shownCharacters,
  )
  const events = chosen.map(({ stamp, text }, at) => ({ stamp, text: cut[at] || text }))
  const recalled = new Set([...spokenOf].map(({ id }) => id))
  return { events, state: { ...state, events: recallEvents(state.events, recalled, now) } }
}

/** Events, workspace and pulled information as injections under these keys (R11, R14, R20, R22). */
export function shownContext(
  state: VirtualContextState,
  { now, events, fresh }: { readonly now: Moment; readonly events: readonly ShownEvent[]; readonly fresh: FreshContents },
  { workspace, locale }: VirtualContextSettings,
): readonly InjectionInput[] {
  const list = (key: keyof typeof ranks, content: readonly SlotEntry[]): InjectionInput => {
    return { key, content, trust: "memory", scope: "turn", fit: { rank: ranks[key], shrink: "entries" } }
  }
  return [
    list(
      "events",
      events.map(({ stamp, text }) => ({ stamp: said(stampIn(locale, stamp), "author"), text: said(text, "memory") })),
    ),
    list("workspace", workspaceEntries(state, now, workspace)),
    list("pulled", pulledEntries(state, fresh)),
  ]
}

/** The best remembered items, in the order in which they were put in, so that the beginning of a prompt stays the same. */
function workspaceEntries(state: VirtualContextState, now: Moment, settings: WorkspaceSettings): readonly SlotEntry[] {
  const workspace = workspaceOf(settings, state.workspace)
  const best = new Set(workspace.best(now, settings.shownItems).map(({ id }) => id))
  return state.workspace
    .filter(({ id }) => best.has(id))
    .map(({ id, kind, text }) => ({
      id: nameOf(id, kind),
      kind: said(kind, "author"),
      text: said(shorten(text, settings.shownCharacters), "memory"),
    }))
}

function pulledEntries({ pulled }: VirtualContextState, fresh: FreshContents): readonly SlotEntry[] {
  return pulled.map(({ id, kind, text }) => {
    const content = fresh.get(id)
    return {
      id: nameOf(id, kind),
      text: said(text, "tool"),
      ...(content === undefined ? {} : { content: said(content, "tool") }),
    }
  })
}

/** A name. A file's name becomes a reference (R8, R14); it is sanitised here, because no encoder runs over references. */
function nameOf(id: string, kind: "file" | "reference"): TrustedText {
  if (kind !== "file") return said(id, "tool")
  const { text: path, removed, kinds } = sanitise(id)
  return encodedText(formatFileReference({ path }), "tool", { removed, kinds })
}

function said(text: string, trust: TrustedText["trust"]): TrustedText {
  return { text, trust }
}
