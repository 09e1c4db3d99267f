import { messageOf } from "../core/errors.ts"
import { frozenJson } from "../services/store/frozen-json.ts"
import type { SessionNote } from "../services/store/session-store.ts"
import { filterMessages } from "../services/store/session-store.ts"
import type { BeforeTurnContext } from "../services/turn-hook.ts"
import type { PromptStack } from "../stack/prompt-stack.ts"
import { completeTool } from "../tools/complete-tool.ts"
import type { Tool, ToolRun } from "../tools/tool.ts"
import { HistoryView } from "./history-view.ts"
import type { TurnRun } from "./turn-run.ts"

/** The slots that hold messages. */
const messageSlots = ["history", "steps"] as const

/**
 * What one hook changes in a turn, until it is adopted as a whole. Everything is checked where the hook hands it over, so that a
 * mistake is the hook's and not the turn's; what it is handed is its own copy.
 */
export class HookChanges {
  readonly #run: TurnRun
  readonly #name: string
  readonly #stack: PromptStack
  readonly #tools: Tool[] = []
  readonly #withdrawn: string[] = []
  readonly #warnings: string[] = []
  readonly #runListeners: ((run: ToolRun) => void)[] = []
  readonly #view = new HistoryView()
  readonly #notes: readonly SessionNote[]
  #state: unknown
  #isAdopted = false

  constructor(run: TurnRun, name: string) {
    this.#run = run
    this.#name = name
    this.#stack = run.setup.stack.fork()
    this.#state = run.hookStates.get(name)
    this.#notes = run.setup.notes.filter(({ owner }) => owner === name).map((note) => frozenJson(note, "note"))
  }

  context(signal: AbortSignal): BeforeTurnContext {
    const { turnId, key, question, wake, history, memoryOn, turn, memory, messages } = this.#run.setup
    return {
      turnId,
      key: { ...key },
      speaker: { ...question.speaker },
      question: question.text,
      ...(wake === undefined ? {} : { wake }),
      history: history.map((message) => ({ ...message })),
      memoryOn,
      turn,
      startedMs: this.#run.startedMs,
      messages: async (filter) => messages?.(filter) ?? filterMessages(history, filter),
      ...(memory && memoryOn ? { recall: (query, options) => memory.recall(query, { ...key }, options) } : {}),
      showAs: (turnId, text) => this.#view.showAs(turnId, text),
      showFrom: (turnId) => this.#view.showFrom(turnId),
      onRun: (listener) => void this.#runListeners.push(listener),
      notes: this.#notes,
      stack: this.#stack,
      state: { get: () => this.#state, set: (value) => this.#keep(value) },
      signal,
      addTools: (tools) => {
        this.#tools.push(...Array.from(tools, completeTool))
      },
      withdrawTools: (names) => {
        this.#withdrawn.push(...names)
      },
      warn: (message) => {
        this.#warnings.push(messageOf(message))
      },
    }
  }

  /** Nothing of it where the hook took the place of the conversation itself: no prompt could be made of that. */
  adopt(): void {
    const taken = messageSlots.find((key) => this.#stack.get(key) !== this.#run.setup.stack.get(key))
    if (taken !== undefined) {
      this.#run.warn("hook", `The hook ${this.#name} adds ${taken}, which is the turn's own; nothing of the hook was taken.`)
      return
    }
    this.#run.setup.stack.adopt(this.#stack)
    this.#isAdopted = true
    if (this.#state !== undefined) this.#run.hookStates.set(this.#name, this.#state)
    for (const { id } of this.#notes) this.#run.taken.add(id)
    this.#run.runListeners.push(...this.#runListeners)
    this.#run.shownHistory = this.#view.of(this.#run.shownHistory)
    for (const message of this.#warnings) this.#run.warn("hook", message)
    for (const { name } of this.#run.changeTools(this.#tools, this.#withdrawn)) {
      this.#run.warn("hook", `The hook ${this.#name} adds the tool ${name}, whose name is taken; it was left out.`)
    }
  }

  #keep(value: unknown): void {
    this.#state = value === undefined ? undefined : frozenJson(value, "state")
    if (this.#isAdopted) this.#run.hookStates.set(this.#name, this.#state)
  }
}
