import type { Entry, Text } from "../../core/value.ts"
import { formatFileReference } from "../../encode/file-reference.ts"
import { encodedText } from "../../encode/marked-text.ts"
import { sanitise } from "../../encode/sanitise.ts"
import { selectEvents } from "../../forgetting/events/select-events.ts"
import type { InjectionInput } from "../../stack/injection.ts"
import type { Moment } from "../forgetting-clock.ts"
import { relevanceTo } from "../relevance.ts"
import { shorten } from "../shorten.ts"
import { createWorkspace } from "../workspace.ts"
import type { FreshContents } from "./changes.ts"
import type { VirtualContextSettings } from "./settings.ts"
import type { VirtualContextState } from "./state.ts"

/** What gives way first when tokens are short: what was pulled, then events, then the workspace; all of it before the tools. */
const ranks = { pulled: 15, events: 25, workspace: 45 } as const

/** Events, workspace and pulled information as a turn's prompts show them, under these keys (R11, R14, R20, R22). */
export function shownContext(
  state: VirtualContextState,
  { now, question, fresh }: { readonly now: Moment; readonly question: string; readonly fresh: FreshContents },
  settings: VirtualContextSettings,
): readonly InjectionInput[] {
  return [
    list("events", eventEntries(state, { now, question }, settings)),
    list("workspace", workspaceEntries(state, now, settings)),
    list("pulled", pulledEntries(state, fresh)),
  ]
}

function list(key: keyof typeof ranks, content: readonly Entry[]): InjectionInput {
  return { key, content, trust: "memory", scope: "turn", fit: { rank: ranks[key], shrink: "entries" } }
}

function eventEntries(
  state: VirtualContextState,
  { now, question }: { readonly now: Moment; readonly question: string },
  { events: settings }: VirtualContextSettings,
): readonly Entry[] {
  const relevant = relevanceTo(question)
  const events = selectEvents(state.events, now, { ...settings, relevance: ({ text }) => relevant(text) })
  return events.map(({ stamp, text }) => ({ stamp: said(stamp, "author"), text: said(text, "memory") }))
}

/** The best remembered ones, in the order in which they were put there, so that a prompt's beginning holds. */
function workspaceEntries(
  state: VirtualContextState,
  now: Moment,
  { workspace: settings }: VirtualContextSettings,
): readonly Entry[] {
  const workspace = createWorkspace({ ...settings, settings: settings.decay, items: state.workspace })
  const best = new Set(workspace.best(now, settings.shownItems).map(({ id }) => id))
  return state.workspace
    .filter(({ id }) => best.has(id))
    .map(({ id, kind, text }) => ({
      id: kind === "file" ? fileName(id) : said(id, "tool"),
      kind: said(kind, "author"),
      text: said(shorten(text, settings.shownCharacters), "memory"),
    }))
}

function pulledEntries({ pulled }: VirtualContextState, fresh: FreshContents): readonly Entry[] {
  return pulled.map(({ id, kind, text }) => {
    const content = fresh.get(id)
    return {
      id: kind === "file" ? fileName(id) : said(id, "tool"),
      text: said(text, "tool"),
      ...(content === undefined ? {} : { content: said(content, "tool") }),
    }
  })
}

/** A file as text names it (R8, R14), cleaned by itself, as no encoder runs over it any more. */
function fileName(given: string): Text {
  const { text: path, removed, kinds } = sanitise(given)
  return encodedText(formatFileReference({ path }), "tool", { removed, kinds })
}

function said(text: string, trust: Text["trust"]): Text {
  return { text, trust }
}
