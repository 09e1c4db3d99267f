import { messageOf } from "../core/errors.ts"
import { frozenJson } from "../services/frozen-json.ts"
import type { SessionNote } from "../services/session-store.ts"
import type { BeforeTurnContext } from "../services/turn-hook.ts"
import type { PromptStack } from "../stack/prompt-stack.ts"
import { completeTool } from "../tools/complete-tool.ts"
import type { Tool } from "../tools/tool.ts"
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
    const { turnId, key, question, history, memoryOn, turn } = this.#run.setup
    return {
      turnId,
      key: { ...key },
      speaker: { ...question.speaker },
      question: question.text,
      history: history.map((message) => ({ ...message })),
      memoryOn,
      turn,
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
