import type { HistoryMessage } from "../../core/conversation.ts"
import { messageOf, PromptStrataError } from "../../core/errors.ts"
import { withLazyMembers } from "../../core/lazy-pattern.ts"
import { memoKind } from "../../core/memo.ts"
import type { LoreDecision } from "../../core/span.ts"
import { whatHappened, within } from "../../core/timers.ts"
import { frozenJson } from "../../memory/services/store/frozen-json.ts"
import type { SessionNote } from "../../memory/services/store/session-store.ts"
import type { BeforeTurnContext } from "../../memory/services/turn-hook.ts"
import { memoOf } from "../../prompt/assemble/assembler.ts"
import type { PromptStack } from "../../prompt/stack/prompt-stack.ts"
import { completeTool } from "../../prompt/tools/define-tool.ts"
import type { Tool } from "../../prompt/tools/tool.ts"
import { createToolSet, isInGroups } from "../../prompt/tools/tool-set.ts"
import { type TurnContext, warn } from "./turn-context.ts"

/**
 * Runs the hooks before a turn in their order. Each works on a fork of its own, so a hook that takes too long changes nothing. The stack
 * of a hook that is done is the turn's until the turn ends.
 */
export async function runHooks(turn: TurnContext): Promise<void> {
  const { ports, profile } = turn.agent
  const { prestartMs } = profile.limits
  for (const hook of turn.hooks) {
    if (!("beforeTurn" in hook)) continue
    const changes = new HookChanges(turn, hook.name)
    const outcome = await within({ timeoutMs: prestartMs, signal: turn.signal, timers: ports.timers }, (signal) =>
      hook.beforeTurn?.(changes.context(signal)),
    )
    if (outcome.status === "done") {
      changes.adopt()
      continue
    }
    changes.discard()
    if (outcome.status !== "aborted") warn(turn, "hook", `The hook ${hook.name} ${whatHappened(outcome, prestartMs)}.`)
  }
}

/** The slots that hold messages. */
const messageSlots: ReadonlySet<string> = new Set(["history", "steps"])

const hookResults = memoKind<object, object>()

/**
 * Collects the changes that one hook makes in a turn, and adopts them as a whole. Everything is checked when the hook passes it, so
 * that a mistake throws in the hook. The hook gets copies only.
 */
class HookChanges {
  readonly #turn: TurnContext
  readonly #name: string
  readonly #stack: PromptStack
  readonly #tools: Tool[] = []
  readonly #withdrawn: string[] = []
  readonly #later: (() => void)[] = []
  readonly #view: HistoryView = { from: undefined, texts: new Map(), words: new Map() }
  readonly #lore: LoreDecision[] = []
  readonly #notes: readonly SessionNote[]
  #state: unknown
  #isAdopted = false
  #isDiscarded = false

  constructor(turn: TurnContext, name: string) {
    this.#turn = turn
    this.#name = name
    this.#stack = turn.stack.fork({ check: (key) => this.#checkKey(key) })
    this.#state = turn.progress.hooks.states.get(name)
    this.#notes = turn.notes.filter(({ owner }) => owner === name).map((note) => frozenJson(note, "note"))
  }

  /** The hook's argument. */
  context(signal: AbortSignal): BeforeTurnContext {
    const { agent, input, session, history, startedMs, messages, budgetTokens, progress, assembler } = this.#turn
    const { profile, ports, memory } = agent
    const { turnId, key, speaker, text, wake, replaces } = input
    const given: Omit<BeforeTurnContext, "history"> = {
      ...this.#firstChanges(),
      turnId,
      ...{ key: { ...key }, agentName: profile.agent.name, speaker: { ...speaker } },
      question: text,
      wake,
      memoryOn: session.memoryOn,
      turn: session.turns,
      startedMs,
      counter: ports.counter,
      budgetTokens,
      messages,
      recall:
        memory && session.memoryOn
          ? async (query, options) => {
              // A person may have switched the memory off since.
              this.#checkTime("a call of recall")
              return memory.recall(query, { ...key }, { ...options, excludeTurns: replaces?.turns ?? [] })
            }
          : undefined,
      notes: this.#notes,
      stack: this.#stack,
      state: { get: () => this.#state, set: (value) => this.#keep(value) },
      cached: (owner, make) => memoOf(assembler).made(hookResults, owner, make) as never,
      signal,
      onRun: (listener) => this.#change("a call of onRun", () => void progress.hooks.runListeners.push(listener)),
      warn: (message, kind = "hook") => this.#warn(messageOf(message), kind),
    }
    return withLazyMembers(given, {
      // Copied for a hook that reads it; most do not.
      history: () => history.map((message) => ({ ...message })),
    })
  }

  /** The functions that make changes for the turn's first request, which later ones repeat. */
  #firstChanges() {
    const { texts, words } = this.#view
    return {
      replaceAnswer: (turnId: string, shown: string) => this.#first("replaceAnswer", () => texts.set(turnId, shown)),
      replaceWords: (turnId: string | undefined, shown: string) => this.#first("replaceWords", () => words.set(turnId, shown)),
      startHistoryAt: (turnId: string) =>
        this.#first("startHistoryAt", () => {
          this.#view.from = turnId
        }),
      explain: (lore: readonly LoreDecision[]) => this.#first("explain", () => this.#lore.push(...lore)),
      addTools: (tools: readonly Tool[]) => this.#first("addTools", () => this.#tools.push(...Array.from(tools, completeTool))),
      withdrawTools: (names: readonly string[]) => this.#first("withdrawTools", () => this.#withdrawn.push(...names)),
    }
  }

  /** Makes a change for the first request. Throws `usage` once the hook is done. */
  #first(name: string, change: () => void): void {
    this.#checkTime(`a call of ${name}`, { isFirst: true, hint: "Call it before beforeTurn returns." })
    change()
  }

  /** Puts the changes into the turn. */
  adopt(): void {
    const { stack, progress } = this.#turn
    stack.adopt(this.#stack)
    this.#isAdopted = true
    if (this.#state !== undefined) progress.hooks.states.set(this.#name, this.#state)
    for (const { id } of this.#notes) progress.hooks.takenNotes.add(id)
    progress.hooks.lore.push(...this.#lore)
    const { from, texts, words } = this.#view
    progress.question = words.get(undefined) ?? progress.question
    if (from !== undefined || texts.size + words.size > 0) progress.shownHistory = shownAs(progress.shownHistory, this.#view)
    for (const change of this.#later) change()
    if (this.#tools.length + this.#withdrawn.length === 0) return
    for (const { name } of changeTools(this.#turn, this.#tools, this.#withdrawn)) {
      warn(this.#turn, "hook", `The hook ${this.#name} adds the tool ${name}, whose name is taken; it was left out.`)
    }
  }

  /** Leaves the changes out, and refuses others. */
  discard(): void {
    this.#isDiscarded = true
  }

  /** Throws `usage` if a change of an item comes too late, or replaces the messages themselves: no prompt could be made of that. */
  #checkKey(key: string): void {
    const item = `the item ${JSON.stringify(key)}`
    if (messageSlots.has(key))
      throw new PromptStrataError("usage", `expected no change of ${item} by a hook, which only the turn may set.`)
    this.#checkTime(`${item} to change`, { hint: "Add session items to the session's stack." })
  }

  /** Throws `usage` if the turn cannot take in a change any more (S11). */
  #checkTime(what: string, { isFirst = false, hint }: { readonly isFirst?: boolean; readonly hint?: string } = {}): void {
    let why: string | undefined
    if (this.#isDiscarded) why = "the hook had failed or taken too long"
    else if (this.#turn.progress.hooks.areOver) why = "the turn had ended"
    else if (isFirst && this.#isAdopted) why = "the turn's first request shows what it changes"
    if (why === undefined) return
    const time = isFirst ? "beforeTurn" : "the turn"
    throw new PromptStrataError("usage", `expected ${what} while ${time} of the hook ${this.#name} runs; ${why}.`, { hint })
  }

  /** Makes a change once the hook is done, or at once if it is. */
  #change(what: string, change: () => void): void {
    this.#checkTime(what)
    if (this.#isAdopted) change()
    else this.#later.push(change)
  }

  #warn(message: string, kind: "hook" | "document"): void {
    const { agent, input } = this.#turn
    this.#change("a call of warn", () => {
      warn(this.#turn, kind, message)
      if (kind === "document") agent.onWarning({ key: input.key, turnId: input.turnId, message })
    })
  }

  #keep(value: unknown): void {
    this.#checkTime("the state to be set")
    this.#state = value === undefined ? undefined : frozenJson(value, "state")
    if (this.#isAdopted) this.#turn.progress.hooks.states.set(this.#name, this.#state)
  }
}

/** Withdraws and then adds tools for this turn. Returns the added tools whose names are taken; they are left out. */
function changeTools(turn: TurnContext, added: readonly Tool[], withdrawn: readonly string[]): readonly Tool[] {
  const { progress, agent } = turn
  const before = progress.tools
  const names = new Set(withdrawn)
  const left = before.tools.filter(({ name }) => !names.has(name))
  const seen = new Set(left.map(({ name }) => name))
  const taken: Tool[] = []
  const placed = new Map<string, Tool>()
  for (const tool of added) {
    if (!isInGroups(tool, agent.profile.tools.groups)) continue
    if (seen.has(tool.name)) taken.push(tool)
    else placed.set(tool.name, asVisibleAs(before.get(tool.name), tool))
    seen.add(tool.name)
  }
  progress.tools = createToolSet(inOrder(before.tools, left, placed))
  return taken
}

/** Puts a tool that replaces another into that one's place, so that the other lines of the printed list stay where they are. */
function inOrder(before: readonly Tool[], left: readonly Tool[], placed: Map<string, Tool>): readonly Tool[] {
  const staying = new Set(left)
  const kept = before.flatMap((tool) => {
    if (staying.has(tool)) return [tool]
    const other = placed.get(tool.name)
    placed.delete(tool.name)
    return other === undefined ? [] : [other]
  })
  return [...kept, ...placed.values()]
}

function asVisibleAs(other: Tool | undefined, tool: Tool): Tool {
  return other === undefined || other.visibility === tool.visibility ? tool : { ...tool, visibility: other.visibility }
}

/** The changes of a hook to the shown history: it begins at a later turn, and answers have other words (R11, R12). What is stored stays. */
interface HistoryView {
  from: string | undefined
  /** Other words for answers, by the id of their turn. */
  readonly texts: Map<string, string>
  /** Other words of users, by the id of their turn; of the question without one. */
  readonly words: Map<string | undefined, string>
}

/** Returns the messages as the view shows them. */
function shownAs(history: readonly HistoryMessage[], { from, texts, words }: HistoryView): readonly HistoryMessage[] {
  const at = from === undefined ? -1 : history.findIndex(({ turnId }) => turnId === from)
  const shown = at > 0 ? history.slice(at) : history
  if (texts.size + words.size === 0) return shown
  return shown.map((message) => inOtherWords(message, (message.role === "assistant" ? texts : words).get(message.turnId)))
}

/** A message in other words is the same object in all turns, so that its entry is made and counted once. */
const rewritten = new WeakMap<HistoryMessage, HistoryMessage>()

function inOtherWords(message: HistoryMessage, text: string | undefined): HistoryMessage {
  if (text === undefined || text === message.text) return message
  const before = rewritten.get(message)
  if (before?.text === text) return before
  const other = { ...message, text }
  rewritten.set(message, other)
  return other
}
