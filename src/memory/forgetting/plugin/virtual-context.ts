import type { Memo } from "../../../core/memo.ts"
import type { SlotEntry, TrustedText } from "../../../core/value.ts"
import { createAssembler, memoOf, noteUse } from "../../../prompt/assemble/assembler.ts"
import { shippedPrompts } from "../../../prompt/dialect/shipped-files.ts"
import { formatFileReference } from "../../../prompt/encode/file-reference.ts"
import { encodedText } from "../../../prompt/encode/marked-text.ts"
import { sanitise } from "../../../prompt/encode/sanitise.ts"
import type { InjectionInput } from "../../../prompt/stack/injection.ts"
import type { Tool } from "../../../prompt/tools/tool.ts"
import { type ToolWords, toolWords } from "../../../prompt/tools/tool-words.ts"
import type { BackgroundJob, JobContext } from "../../services/background/background-job.ts"
import { promptData } from "../../services/background/dialogue.ts"
import type { Plugin } from "../../services/plugin.ts"
import { shorten } from "../../services/shorten-by-rule.ts"
import type { TurnHook } from "../../services/turn-hook.ts"
import { decayPresets, type Moment } from "../decay.ts"
import { type EventRecord, recallEvents } from "../events/event-record.ts"
import { leastRelevance, pickEvents } from "../events/select-events.ts"
import { stampIn } from "../events/stamp.ts"
import { zonedCalendar } from "../events/zoned-calendar.ts"
import { relevanceAmong } from "../ranking.ts"
import { fitTexts } from "../text-width.ts"
import {
  afterRun,
  applyNotes,
  type FreshContents,
  readState,
  type VirtualContextState,
  virtualContextNote,
} from "./context-state.ts"
import { askOrRule } from "./jobs/ask-or-rule.ts"
import { eventJob } from "./jobs/event-job.ts"
import { rollUpJob } from "./jobs/roll-up-job.ts"
import { nextState, stateWithout } from "./next-state.ts"
import { compressTool } from "./tools/compress-tool.ts"
import { type ContextToolParts, contextToolNames } from "./tools/context-tool.ts"
import { recordEventTool, searchEventsTool } from "./tools/event-tools.ts"
import { pullMessagesTool, searchMemoriesTool } from "./tools/lookup-tools.ts"
import { discardPulledTool, putIntoWorkspaceTool, reportUseTool, takeOutOfWorkspaceTool } from "./tools/workspace-tools.ts"
import { virtualContextName } from "./virtual-context-name.ts"
import {
  type EventSettings,
  type VirtualContextOptions,
  type VirtualContextSettings,
  virtualContextSettings,
  type WorkspaceSettings,
  workspaceOf,
} from "./virtual-context-settings.ts"

const kind = "compress"

/**
 * Compresses a turn's answer in the background if it is longer than a compressed message may be (R12): by rule, or by the agent's model
 * with the prompt `compress`. Users' messages are never compressed.
 */
export function compressJob({ compression }: VirtualContextSettings): BackgroundJob {
  const { targetCharacters, writer } = compression
  return {
    kind: `${virtualContextName}:${kind}`,
    afterTurn({ memoryOn, turnId, messages }) {
      const answer = messages.findLast(({ role }) => role === "assistant")?.text ?? ""
      return memoryOn && answer.length > targetCharacters ? { turnId, text: answer } : undefined
    },
    async run({ payload }, context) {
      const { turnId, text } = payload as { readonly turnId: string; readonly text: string }
      const compressed = writer === "rule" ? shorten(text, targetCharacters) : await byModel(text, targetCharacters, context)
      await context.post(virtualContextNote(`${kind}:${turnId}`, [{ type: "compressed", turnId, text: compressed }]))
    },
  }
}

function byModel(text: string, limit: number, context: JobContext): Promise<string> {
  const read = (answer: string) => (answer.trim() === "" ? undefined : shorten(answer, limit))
  const data = [promptData("message", { text, trust: "agent" }, "agent"), promptData("limit", String(limit), "author")]
  return askOrRule(context, { kind, prompt: "compress", data, read, rule: () => shorten(text, limit) })
}

/**
 * Makes the virtual context as a plugin (R11–R23): events that roll up, a workspace that forgets, pulled information, compressed answers,
 * and the tools of the context group. Its memory is the session's state under {@link virtualContextName}. Slow work is done by jobs after
 * a turn, and the next turn takes in their results. Throws `usage` for an unknown time zone.
 */
export function createVirtualContext(options: VirtualContextOptions = {}): Plugin {
  const settings = virtualContextSettings(options)
  const { locale = "en", prompts = shippedPrompts("tools", locale) } = options
  const words = Object.fromEntries(
    contextToolNames.map((name) => [name, toolWords(prompts, locale, name)]),
  ) as ContextToolParts["words"]
  return {
    name: virtualContextName,
    hooks: [virtualContextHook(settings, words)],
    jobs: [eventJob(settings, words.record_event.say), rollUpJob(settings), compressJob(settings)],
    notesEvents: settings.events.writer === "model",
    variables: contextVariables(settings),
    mayAddTool: (tool) => contextToolNames.some((name) => name === tool),
  }
}

/**
 * The hook of a virtual context. It applies notes of background work, ages the state, and adds events, workspace, pulled information and
 * tools to the turn. It waits for nothing. With memory off it does nothing (D2).
 */
function virtualContextHook(settings: VirtualContextSettings, words: ContextToolParts["words"]): TurnHook {
  const calendar = zonedCalendar(settings.events.timeZone)
  // Holds what is known of the events' texts, so that it is forgotten with all that requests are made of.
  const known = createAssembler()
  return {
    name: virtualContextName,
    beforeTurn(context) {
      const { turnId, turn, startedMs, question, history, memoryOn, state: kept, stack } = context
      if (!memoryOn) return
      const now = { atMs: startedMs, turn }
      const noted = applyNotes(readState(kept.get()), context.notes, { now, settings: settings.pulled })
      const aged = nextState(noted.state, { turnId, now, history }, settings)
      const memo = memoOf(known)
      const { events, state } = chooseEvents(aged, { now, question, memo }, settings.events)
      noteUse(known, state.events.length * unitsOfEvent)
      kept.set(reportAsked(state))
      if (state.report === "missing" && state.workspace.length > 0) stack.add(reportNote(words.report_use))
      for (const injection of shownContext(state, { now, events, fresh: noted.fresh }, settings)) stack.add(injection)
      // The shown conversation begins with the previous topic, and older answers are compressed (R11, R12).
      if (state.shownFrom !== undefined) context.startHistoryAt(state.shownFrom)
      for (const message of state.compressed) if (message.shown) context.replaceAnswer(message.turnId, message.text)
      const read = () => readState(kept.get())
      const write: ContextToolParts["write"] = (changed) => kept.set(changed)
      context.addTools(contextTools({ words, settings, calendar, now, memo, turn: context, read, write }))
      context.onRun((run) => {
        const before = read()
        const after = afterRun(before, run, { now, settings: settings.pulled })
        if (after !== before) kept.set(after)
      })
    },
    setAside({ turns, state, notes, turn, atMs }) {
      if (state === undefined && notes.length === 0) return undefined
      const now = { atMs, turn }
      return stateWithout(applyNotes(readState(state), notes, { now, settings: settings.pulled }).state, turns, now)
    },
  }
}

/** About the UTF-16 units that are known of an event: its plain text and its terms. */
const unitsOfEvent = 500

/** The state after a turn's prompt has asked for a missing report. With an empty workspace there is none to ask for (R16). */
function reportAsked({ report, ...state }: VirtualContextState): VirtualContextState {
  return report === undefined || state.workspace.length === 0 ? state : { ...state, report: "asked" }
}

/** The sentence that asks for the report that the last answer owed. */
function reportNote({ say }: ToolWords): InjectionInput {
  const content = say({ missing: true })
  return { key: "report_missing", content, trust: "author", scope: "turn", fit: { rank: 35, shrink: "drop" } }
}

/**
 * The tools of a turn, always in the same order, so that the printed list stays the same. `report_use` needs a workspace that the prompt
 * shows, `search_memories` a memory.
 */
function contextTools(parts: ContextToolParts): readonly Tool[] {
  return [
    ...(parts.read().workspace.length > 0 ? [reportUseTool(parts)] : []),
    putIntoWorkspaceTool(parts),
    takeOutOfWorkspaceTool(parts),
    pullMessagesTool(parts),
    discardPulledTool(parts),
    searchEventsTool(parts),
    recordEventTool(parts),
    ...(parts.turn.recall ? [searchMemoriesTool(parts)] : []),
    compressTool(parts),
  ]
}

/** The numbers of a virtual context as variables of prompts (R3). */
function contextVariables({
  events: { keep },
  workspace: { decay },
  compression,
}: VirtualContextSettings): Readonly<Record<string, string>> {
  const { maxJumpMini, maxJumpLarge } = { ...decayPresets.workspace, ...decay }
  const numbers = {
    mini_full_context_count: compression.fullMessages,
    max_jump_mini: maxJumpMini,
    max_jump_large: maxJumpLarge,
    event_remember_years_times: keep.year,
    event_remember_months_times: keep.month,
    event_remember_weeks_times: keep.week,
    event_remember_days_times: keep.day,
    event_remember_times: keep.moment,
  }
  return Object.fromEntries(Object.entries(numbers).map(([name, number]) => [name, String(number)]))
}

/** The order of cutting when the budget is short: pulled information, then events, then the workspace. All are cut before the tools. */
const ranks = { pulled: 15, events: 25, workspace: 45 } as const

/** An event as a prompt shows it. */
type ShownEvent = Pick<EventRecord, "stamp" | "text">

/**
 * The events that a turn shows (R20, R21), long texts cut to `shownCharacters` together, and the state in which the events that the
 * question speaks of count as recalled (R18). These stay whole.
 */
function chooseEvents(
  state: VirtualContextState,
  { now, question, memo }: { readonly now: Moment; readonly question: string; readonly memo?: Memo },
  settings: EventSettings,
): { readonly events: readonly ShownEvent[]; readonly state: VirtualContextState } {
  const fit = relevanceAmong(question, state.events, memo)
  const { keep, shownCharacters, broughtBack, minScore, weights } = settings
  const selection = { keep, shownCharacters, broughtBack, minScore, weights }
  const chosen = pickEvents(state.events, now, { ...selection, relevance: fit }, memo)
  const spokenOf = new Set(chosen.filter((event) => fit(event) >= leastRelevance))
  const texts = chosen.map((event) => (spokenOf.has(event) ? "" : event.text))
  const cut = fitTexts(texts, shownCharacters)
  const events = chosen.map(({ stamp, text }, at) => ({ stamp, text: cut[at] || text }))
  const recalled = new Set([...spokenOf].map(({ id }) => id))
  return { events, state: { ...state, events: recallEvents(state.events, recalled, now) } }
}

/** Events, workspace and pulled information as injections under these keys (R11, R14, R20, R22). */
function shownContext(
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
