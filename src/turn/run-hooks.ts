import type { HistoryMessage } from "../core/conversation.ts"
import { messageOf } from "../core/errors.ts"
import { whatHappened, within } from "../core/timers.ts"
import { frozenJson } from "../services/store/frozen-json.ts"
import type { SessionNote } from "../services/store/session-store.ts"
import type { BeforeTurnContext, TurnHook } from "../services/turn-hook.ts"
import type { PromptStack } from "../stack/prompt-stack.ts"
import { completeTool } from "../tools/define-tool.ts"
import type { Tool, ToolRun } from "../tools/tool.ts"
import { type TurnContext, warn } from "./turn-context.ts"
import { changeTools } from "./turn-progress.ts"

/** Runs hooks in their order, each on a fork of its own, so that a hook that answers too late changes nothing. */
export async function runHooks(turn: TurnContext): Promise<void> {
  for (const hook of turn.hooks) if ("beforeTurn" in hook) await runHook(turn, hook)
}

async function runHook(turn: TurnContext, hook: TurnHook): Promise<void> {
  const { ports, profile } = turn.agent
  const { prestartMs } = profile.limits
  const changes = new HookChanges(turn, hook.name)
  const outcome = await within({ timeoutMs: prestartMs, signal: turn.signal, timers: ports.timers }, (signal) =>
    hook.beforeTurn?.(changes.context(signal)),
  )
  if (outcome.status === "done") changes.adopt()
  else if (outcome.status !== "aborted") warn(turn, "hook", `The hook ${hook.name} ${whatHappened(outcome, prestartMs)}.`)
}

/** The slots that hold messages. */
const messageSlots = ["history", "steps"] as const

/**
 * The changes of one hook in a turn, until they are adopted as a whole. Everything is checked when the hook hands it over, so
 * that a mistake is the hook's and not the turn's. Everything that the hook is given is its own copy.
 */
class HookChanges {
  readonly #turn: TurnContext
  readonly #name: string
  readonly #stack: PromptStack
  readonly #tools: Tool[] = []
  readonly #withdrawn: string[] = []
  readonly #warnings: string[] = []
  readonly #runListeners: ((run: ToolRun) => void)[] = []
  readonly #view: HistoryView = { from: undefined, texts: new Map() }
  readonly #notes: readonly SessionNote[]
  #state: unknown
  #isAdopted = false

  constructor(turn: TurnContext, name: string) {
    this.#turn = turn
    this.#name = name
    this.#stack = turn.stack.fork()
    this.#state = turn.progress.hookStates.get(name)
    this.#notes = turn.notes.filter(({ owner }) => owner === name).map((note) => frozenJson(note, "note"))
  }

  context(signal: AbortSignal): BeforeTurnContext {
    const { agent, input, session, history, startedMs, messages } = this.#turn
    const { memory } = agent
    const { turnId, key, speaker, text, wake } = input
    return {
      turnId,
      key: { ...key },
      speaker: { ...speaker },
      question: text,
      ...(wake === undefined ? {} : { wake }),
      history: history.map((message) => ({ ...message })),
      memoryOn: session.memoryOn,
      turn: session.turns,
      startedMs,
      messages,
      ...(memory && session.memoryOn ? { recall: (query, options) => memory.recall(query, { ...key }, options) } : {}),
      replaceAnswer: (turnId, shown) => void this.#view.texts.set(turnId, shown),
      startHistoryAt: (turnId) => {
        this.#view.from = turnId
      },
      onRun: (listener) => void this.#runListeners.push(listener),
      notes: this.#notes,
      stack: this.#stack,
      state: { get: () => this.#state, set: (value) => this.#keep(value) },
      signal,
      addTools: (tools) => void this.#tools.push(...Array.from(tools, completeTool)),
      withdrawTools: (names) => void this.#withdrawn.push(...names),
      warn: (message) => void this.#warnings.push(messageOf(message)),
    }
  }

  /** Takes nothing of a hook that replaced the conversation itself: no prompt could be made of that. */
  adopt(): void {
    const { stack, progress } = this.#turn
    const taken = messageSlots.find((key) => this.#stack.get(key) !== stack.get(key))
    if (taken !== undefined) {
      warn(this.#turn, "hook", `The hook ${this.#name} adds ${taken}, which is the turn's own; nothing of the hook was taken.`)
      return
    }
    stack.adopt(this.#stack)
    this.#isAdopted = true
    if (this.#state !== undefined) progress.hookStates.set(this.#name, this.#state)
    for (const { id } of this.#notes) progress.takenNotes.add(id)
    progress.runListeners.push(...this.#runListeners)
    progress.shownHistory = shownAs(progress.shownHistory, this.#view)
    for (const message of this.#warnings) warn(this.#turn, "hook", message)
    for (const { name } of changeTools(this.#turn, this.#tools, this.#withdrawn)) {
      warn(this.#turn, "hook", `The hook ${this.#name} adds the tool ${name}, whose name is taken; it was left out.`)
    }
  }

  #keep(value: unknown): void {
    this.#state = value === undefined ? undefined : frozenJson(value, "state")
    if (this.#isAdopted) this.#turn.progress.hookStates.set(this.#name, this.#state)
  }
}

/** The window as a hook wants it shown: from a turn on, and answers in other words (R11, R12). The conversation itself stays. */
interface HistoryView {
  from: string | undefined
  /** Other words for the answer of a turn, by the turn's id. */
  readonly texts: Map<string, string>
}

/** The messages as the view shows them; users' words stay as they are. */
function shownAs(history: readonly HistoryMessage[], { from, texts }: HistoryView): readonly HistoryMessage[] {
  const at = from === undefined ? -1 : history.findIndex(({ turnId }) => turnId === from)
  const shown = at > 0 ? history.slice(at) : history
  return texts.size === 0 ? shown : shown.map((message) => inOtherWords(message, texts.get(message.turnId)))
}

/** A message in other words is one object over all turns, so that its entry is made and counted once. */
const rewritten = new WeakMap<HistoryMessage, HistoryMessage>()

function inOtherWords(message: HistoryMessage, text: string | undefined): HistoryMessage {
  if (message.role !== "assistant" || text === undefined || text === message.text) return message
  const before = rewritten.get(message)
  if (before?.text === text) return before
  const other = { ...message, text }
  rewritten.set(message, other)
  return other
}
