import { type HistoryMessage, type KeptPrestart, spokenOf } from "../../core/conversation.ts"
import { type Ports, roughCounter } from "../../core/ports.ts"
import { filterMessages, type MessageFilter, type SessionRecord } from "../../memory/services/store/session-store.ts"
import type { HistorySettings } from "../../profile/profile.ts"
import { type Assembler, createAssembler } from "../../prompt/assemble/assembler.ts"
import { dialectNames } from "../../prompt/dialect/dialect.ts"
import { renderNotice } from "../../prompt/dialect/render-notice.ts"
import { encodeInline } from "../../prompt/encode/inline.ts"
import type { PromptStack } from "../../prompt/stack/prompt-stack.ts"
import { createToolSet } from "../../prompt/tools/tool-set.ts"
import type { AnswerLimit } from "../../reply/output/answer-limit.ts"
import { mainProcess, type TurnWarning } from "../../trace/trace.ts"
import type { TurnEvent } from "../../trace/turn-event.ts"
import { fileOpener } from "../turn/answer-files.ts"
import { AnswerOutput } from "../turn/answer-output.ts"
import type { AgentContext, Deadline, SessionState, TurnContext, TurnInput, TurnProgress } from "../turn/turn-context.ts"
import { noteHooks } from "./note-hooks.ts"
import { sessionState } from "./queue/turn-states.ts"

/** Everything that the context of a turn is built from, apart from its agent and its input. */
export interface TurnBeginning {
  readonly record: SessionRecord | undefined
  /** The session's. Absent for a turn without a session, which remembers its own requests. */
  readonly assembler?: Assembler
  readonly emit: (event: TurnEvent) => void
  /** Counts since the session began to be read. Whoever started it closes it. */
  readonly deadline: Deadline
  /** Present for an agent inside a tool call (R25), which has the conversation of its caller and no memory. */
  readonly child?: Pick<TurnContext, "process" | "depth" | "messages">
}

/** Builds the context of a turn. */
export function createTurnContext(agent: AgentContext, input: TurnInput, begin: TurnBeginning): TurnContext {
  const { profile, ports, store } = agent
  const { record, emit, deadline, child, assembler = createAssembler() } = begin
  const { tokens, answerTokens, stepTokens } = profile.budget
  const stored = child ? { ...sessionState(undefined), memoryOn: false } : sessionState(record)
  const isMarked = profile.context.sessionMarkers
  const session =
    isMarked || stored.markerId ? { ...stored, markerId: isMarked ? markerIdOf(input, stored, ports) : undefined } : stored
  const notes = record?.notes ?? []
  const owners = new Set(notes.map(({ owner }) => owner))
  const { groupTokens: _, ...counted } = profile.history
  const shown = input.key.audience === "group" ? profile.history : counted
  // Words that this turn answers stand in the history, and must be seen.
  const contextCount = Math.max(shown.contextCount, input.merged?.back ?? 0)
  const history = historyWindow(record?.history ?? [], { ...shown, contextCount }, record?.earlier)
  const bounds = boundsOf(input)
  const parts = { agent, input, session, history, emit, assembler, signal: deadline.signal }
  return {
    ...parts,
    occasion: input.wake ?? input.text,
    record,
    process: mainProcess,
    depth: 0,
    // Turns that this one replaces are still in the store, and not in the record.
    messages: async (filter: MessageFilter) =>
      input.replaces ? filterMessages(record?.history ?? [], filter) : store.messages(input.key, filter),
    ...child,
    notes,
    hooks: agent.hooks.filter(({ name }) => owners.has(name) || Boolean(session.hooks[name]) || !noteHooks.has(name)),
    stack: turnStack(agent, input, bounds?.behind),
    budgetTokens: tokens === undefined ? undefined : Math.max(0, tokens - answerTokens),
    reserveTokens: tokens === undefined ? 0 : stepTokens,
    startedMs: ports.clock.nowMs(),
    deadline,
    progress: createTurnProgress(parts, { isChild: child !== undefined, bounds }),
  }
}

/**
 * The bounds of the answer, with the text that it goes on with: what came of it before a crash, or what its caller gave. Undefined if it
 * has none. A turn that goes on has those of the call that began it, unless it is given others.
 */
function boundsOf({ control, resumes, journal }: TurnInput): AnswerLimit | undefined {
  const limit = control?.answerLimit ?? resumes?.open.answerLimit
  return journal?.said ? { ...limit, behind: journal.said } : limit
}

/** Of a text that the history has, so many characters of its end are enough. */
const maxShownEnd = 500

/** The items of the session and of the turn, with one about the text that the answer goes on with. */
function turnStack({ dialect }: AgentContext, input: TurnInput, behind = ""): PromptStack {
  input.stack.update()
  const stack = input.stack.fork()
  for (const item of input.inject) stack.add(item)
  if (behind === "") return stack
  const restart = Boolean(input.journal?.said)
  const said = encodeInline(behind.slice(restart ? 0 : -maxShownEnd).toWellFormed())
  stack.add({ key: "answer_cut_off", content: renderNotice(dialect, "answer-cut-off", { restart, said }), scope: "turn" })
  return stack
}

/** The ids of sessions that have no committed turn yet, so that a preview and a turn that fails have the id of the next turn. */
const newMarkerIds = new WeakMap<PromptStack, string>()

function markerIdOf({ stack }: TurnInput, { markerId }: SessionState, { ids }: Ports): string {
  const known =
    markerId ??
    newMarkerIds.get(stack) ??
    ids
      .next("marker")
      .toLowerCase()
      .replace(/[^0-9a-z]/g, "")
      .slice(-8)
  newMarkerIds.set(stack, known)
  return known
}

function createTurnProgress(
  turn: Pick<TurnContext, "agent" | "input" | "session" | "history" | "signal" | "emit">,
  { isChild, bounds }: { readonly isChild: boolean; readonly bounds: AnswerLimit | undefined },
): TurnProgress {
  const { agent, input, session, history, signal, emit } = turn
  // A value is no speech: it has neither bubbles nor emotions nor file references.
  const output = input.control?.output ? { bubbles: false } : agent.profile.output
  const limit = bounds && ([bounds, agent.ports.counter] as const)
  const warnings: TurnWarning[] = []
  const listener = { name: input.speaker.name, audience: input.key.audience }
  // A model reads the answer of an agent that is a tool, and nobody sees it.
  const isShown = input.control?.output === undefined && !isChild
  const display = isShown ? agent.plugins.find((plugin) => plugin.display)?.display?.(listener) : undefined
  const stamps = dialectNames(agent.dialect).byFile.get("history")?.has("time") === true
  const open = output.files && fileOpener(output.files, agent, { key: input.key, signal })
  return {
    answer: new AnswerOutput(output, { emit, warnings, open, stamps, display, limit }),
    output: undefined,
    found: { memories: [], prestartRuns: [], prestart: [], kept: [] },
    hooks: { states: new Map(Object.entries(session.hooks)), takenNotes: new Set(), areOver: false, runListeners: [], lore: [] },
    log: { steps: [], warnings, records: [], unreported: [], children: [], warnedOf: new Set(), lastRequest: undefined },
    files: { bytes: new Map(input.bytes), made: [], madeBytes: new Map() },
    tools: input.tools?.length ? createToolSet([...agent.tools.tools, ...input.tools]) : agent.tools,
    runs: [],
    steps: [],
    step: undefined,
    open: { calls: [], step: undefined },
    heardMs: undefined,
    shownHistory: history,
    question: input.text,
    ...{ shown: undefined, fitting: undefined, cut: undefined, speakers: undefined },
  }
}

/**
 * Returns the messages that a turn shows, without blank ones (T30, S16). A window that slides, or fills the budget, shows `contextCount`. One that moves in
 * steps begins at a multiple of `contextCount`, counted from the conversation's beginning, where `earlier` spoken messages are older
 * than `history`: it shows between `contextCount` and twice as many, and its beginning rarely moves, so that a provider's cache holds
 * in between. With `groupTokens` the same holds for rough tokens instead of messages. The newest message is always shown. Prestart
 * results that were outdated when the window last moved are left out (H5).
 */
export function historyWindow(
  history: readonly HistoryMessage[],
  { contextCount, window, groupTokens }: Pick<HistorySettings, "contextCount" | "window"> & Partial<HistorySettings>,
  earlier = 0,
): readonly HistoryMessage[] {
  if (contextCount <= 0) return []
  const spoken = spokenOf(history)
  let from = Math.max(0, spoken.length - contextCount)
  if (groupTokens !== undefined) {
    from = firstWithin(spoken, groupTokens)
    if (window === "steps") from = roundest(earlier + firstWithin(spoken, 2 * groupTokens), earlier + from) - earlier
  } else if (window === "steps") {
    const begin = Math.max(0, Math.floor((earlier + spoken.length - contextCount) / contextCount)) * contextCount
    from = Math.max(0, begin - earlier)
  }
  // As many messages stood there when the window moved to this beginning. Those that came since have not changed.
  const before = earlier + from === 0 ? 0 : window !== "steps" ? spoken.length : groupTokens === undefined ? contextCount : 0
  return withoutOutdated(spoken.slice(from), before)
}

/** Takes kept prestart results out of the first messages where a later one of the same call stands among these. */
function withoutOutdated(messages: HistoryMessage[], count: number): readonly HistoryMessage[] {
  const newer = new Set<string>()
  for (let at = Math.min(count, messages.length) - 1; at >= 0; at--) {
    const message = messages[at]
    if (!message?.prestart) continue
    const isOld = ({ tool, args, once }: KeptPrestart) => once !== true && newer.has(JSON.stringify([tool, args]))
    if (message.prestart.some(isOld)) messages[at] = { ...message, prestart: message.prestart.filter((one) => !isOld(one)) }
    for (const { tool, args, once } of message.prestart) if (once !== true) newer.add(JSON.stringify([tool, args]))
  }
  return messages
}

/** The index of the first of the newest messages that have at most so many tokens. */
function firstWithin(spoken: readonly HistoryMessage[], tokens: number): number {
  let [left, first] = [tokens, spoken.length]
  while (first > 0) {
    const { text, speaker } = spoken[first - 1] as HistoryMessage
    left -= roughCounter.count(text) + roughCounter.count(speaker.name) + messageTokens
    if (left < 0 && first < spoken.length) break
    first--
  }
  return first
}

/** About the tokens around the words of a message. */
const messageTokens = 4

/** The whole number from `low` to `high` that the highest power of two divides. It stays the same while both move on slowly. */
function roundest(low: number, high: number): number {
  let step = 2 ** 31
  while (Math.ceil(low / step) * step > high) step /= 2
  return Math.ceil(low / step) * step
}
