import { type SessionKey, spokenOf } from "../../../core/conversation.ts"
import { late } from "../../../core/late.ts"
import { orAborted, pause } from "../../../core/timers.ts"
import type { Injection } from "../../../core/value.ts"
import { sessionRowId } from "../../../memory/services/store/rows/row-tables.ts"
import type { SessionRecord } from "../../../memory/services/store/session-store.ts"
import { createAssembler } from "../../../prompt/assemble/assembler.ts"
import type { PromptStack } from "../../../prompt/stack/prompt-stack.ts"
import type { TurnEvent, TurnResult } from "../../../trace/turn-event.ts"
import type { AgentContext, Deadline } from "../../turn/turn-context.ts"
import { loadAside } from "../borders/load-aside.ts"
import type { HeardMessage } from "../hear.ts"
import { type HearOptions, inputOf, refusalOf } from "../session-options.ts"
import { abortError, notKept, StartedTurn, startDeadline, type Turn, unbegunTurn } from "../turn.ts"
import {
  type HistoryNeed,
  hasBegun,
  type LiveSession,
  maxMessages,
  move,
  type QueuedTurn,
  type SessionAtRest,
  signalsOf,
  type TurnCall,
  turnKinds,
  type UnsettledCommit,
} from "./turn-states.ts"

/** Work of a session with its record. The time limit of a turn holds for it. */
export type Work<T> = (at: SessionAtRest, deadline: Deadline) => Promise<T>

/** The options of work in the queue: `needed` are the messages that it needs. */
interface WorkOptions {
  readonly signal?: AbortSignal | undefined
  readonly needed?: HistoryNeed | undefined
}

/** The work of a session, one piece after the other, with the agent that the session has and the stack that it works on. */
export class SessionQueue implements LiveSession {
  readonly key: SessionKey
  readonly stack: PromptStack
  readonly assembler = createAssembler()
  agent: AgentContext
  readonly open = new Set<QueuedTurn>()
  places = 0
  onCall: (() => void) | undefined
  readonly unsettled = new Set<UnsettledCommit>()
  late: number | undefined
  #awaited: Promise<AgentContext> | undefined
  #restored = false
  #hearing: Promise<unknown> | undefined

  /** `latest` is used until the first turn if `agent` is a promise. */
  constructor(agent: AgentContext | Promise<AgentContext>, latest: AgentContext, key: SessionKey) {
    this.key = key
    if (agent instanceof Promise) this.#awaited = agent
    this.agent = agent instanceof Promise ? latest : agent
    this.stack = this.agent.stack.fork({ sharesGlobal: true })
  }

  /** Starts a turn. */
  start(call: TurnCall): Turn {
    const { ports, running } = this.agent
    const turnId = call.turnId ?? ports.ids.next("turn")
    const input = call.makeInput(turnId)
    const given = { session: this, call, input, inject: input.inject, place: this.places + 1, atMs: ports.clock.nowMs() }
    let turn: QueuedTurn
    const abort = (reason: unknown): void => started.abort(reason)
    const run = (emit: QueuedTurn["emit"], signal: AbortSignal): Promise<TurnResult> => {
      turn = { ...given, emit, signal, abort, state: "queued", meets: false, joined: [] }
      return this.#run(turn)
    }
    const onEvent = (event: TurnEvent): void => {
      const signal = signalsOf[event.type]
      if (signal !== undefined) move(turn, signal)
      if (event.type === "turn-end") {
        running.delete(started)
        this.open.delete(turn)
      }
      this.agent.tellObservers?.(turn, event)
      this.agent.inspection.tell?.(turn, event)
    }
    const started = new StartedTurn(turnId, run, { signal: call.signal, onEvent })
    running.add(started)
    return started
  }

  /** Runs a turn after the session's earlier ones. An abort ends one that waits at once. Never rejects. */
  #run(turn: QueuedTurn): Promise<TurnResult> {
    const { signal } = turn
    const { promise, resolve } = Promise.withResolvers<TurnResult>()
    // A turn ends once. After an abort the task in the queue still runs to its end, and its failure is ignored.
    const fail = (error: unknown): void => {
      const emit = hasBegun(turn) ? undefined : turn.emit
      const thrown = signal.aborted && error === signal.reason ? abortError(error) : error
      if (move(turn, "fail")) resolve(unbegunTurn(this.agent, turn.input, { thrown, emit }))
    }
    signal.addEventListener("abort", () => void (hasBegun(turn) || fail(signal.reason)), { once: true })
    this.#look(turn, { resolve, fail })
    return promise
  }

  /** Takes a turn to its place in the queue, and begins it there. If it has to wait, it does so outside of the queue, and looks again. */
  #look(turn: QueuedTurn, { resolve, fail }: { resolve: (result: TurnResult) => void; fail: (error: unknown) => void }): void {
    const { signal, call } = turn
    const refusal = refusalOf(turn.input, this.agent.closed.aborted, call.replace !== undefined)
    if (refusal || signal.aborted) {
      fail(refusal ?? signal.reason)
      return
    }
    const { mergeMs, interrupt } = this.agent.profile.conversation
    turn.meets = this.agent.isStateless !== true && (mergeMs > 0 || interrupt !== "queue")
    this.open.add(turn)
    const lookAgain = async (waitMs: number): Promise<void> => {
      await pause(waitMs, { timers: this.agent.ports.timers, signal })
      if (move(turn, "look")) this.#look(turn, { resolve, fail })
    }
    const begin: Work<void> = async (at, deadline) => {
      const begun = await (await loadLoop()).runQueuedTurn(turn, at, deadline)
      if ("waitMs" in begun) void lookAgain(begun.waitMs)
      else resolve(begun)
    }
    const inPlace = async (): Promise<void> => {
      try {
        move(turn, "place")
        if (turn.meets) await (await loadAside()).gather(turn)
        await this.withRecord(begin, { signal, needed: call.needed })
      } catch (error) {
        const keepsWords = !hasBegun(turn) && turnKinds[call.kind].keepsWords
        fail(error)
        const notLoaded = (thrown: unknown) => this.agent.onWarning(notKept(turn.input, thrown))
        if (keepsWords) await loadAside().then(({ keepWords }) => keepWords(this.agent, turn.input, error), notLoaded)
      }
    }
    this.#enqueue(inPlace).catch(fail)
  }

  /** Does {@link withRecord} after the session's earlier work, and after what was heard before. */
  enqueue<T>(work: Work<T>, options: WorkOptions = {}): Promise<T> {
    return this.#enqueue(() => this.withRecord(work, options))
  }

  #enqueue<T>(task: () => Promise<T>): Promise<T> {
    this.places++
    this.onCall?.()
    const [heard, id] = [this.#hearing, sessionRowId(this.key)]
    this.agent.keptAlive.pauses.get(id)?.abort()
    return this.agent.turns.enqueue(id, heard ? () => heard.then(task) : task)
  }

  /** Reads the session, and does `work` with its record. The time limit of a turn holds for both. */
  async withRecord<T>(work: Work<T>, { signal = new AbortController().signal, needed }: WorkOptions = {}): Promise<T> {
    signal.throwIfAborted()
    let deadline = startDeadline(this.agent, signal)
    try {
      if (this.#awaited !== undefined) {
        await orAborted(this.#takeAwaited(), deadline.signal)
        deadline.close()
        // From here on the limits of the profile that was read hold.
        deadline = startDeadline(this.agent, signal)
      }
      const record = await this.#load(deadline.signal, needed)
      if (!this.#restored) restoreStack(this.stack, record?.state.stack)
      this.#restored = true
      return await work({ session: this, record, signal: deadline.signal }, deadline)
    } finally {
      deadline.close()
    }
  }

  async #load(signal: AbortSignal, needed: HistoryNeed | undefined): Promise<SessionRecord | undefined> {
    const { store, profile } = this.agent
    const { contextCount, groupTokens = 0 } = profile.history
    // The most that a prompt shows, or that one turn answers. In a window of tokens each message takes 4 or more.
    const shown = Math.max(2 * contextCount, 2 * maxMessages, this.key.audience === "group" ? 1 + groupTokens / 2 : 0)
    const last = Math.ceil(2 * shown)
    const record = await orAborted(store.load(this.key, needed === "all" ? {} : { last }), signal)
    // Blank messages are not shown, and what is needed can be older: then everything is read.
    if (record && needed !== "all" && record.history.length === last)
      if (needed?.(record.history) === false || spokenOf(record.history).length < shown)
        return orAborted(store.load(this.key), signal)
    return record
  }

  /** Keeps words without answering them. Later work waits for that. */
  hear(text: string, options: HearOptions, turnId = this.agent.ports.ids.next("heard")): Promise<HeardMessage> {
    const { atMs = this.agent.ports.clock.nowMs() } = options
    const input = inputOf(this, { text, options, turnId })
    const refusal = refusalOf(input, this.agent.closed.aborted)
    if (refusal) throw refusal
    const kept = loadAside().then(({ hear }) => hear(this.agent, input, { ...options, atMs }))
    this.#hearing = Promise.allSettled([this.#hearing, kept]).then(() => undefined)
    return kept
  }

  /** Takes the profile that was still being read when the session began. This happens once, before the first turn. */
  async #takeAwaited(): Promise<void> {
    const agent = await this.#awaited
    this.#awaited = undefined
    if (agent === undefined || agent === this.agent) return
    this.stack.rebase(agent.stack)
    this.agent = agent
  }
}

/**
 * Adds the session items of a stored state to a stack, apart from those that were added again meanwhile. A turn item of the same key
 * stays in their place until it ends. A state that is not a list is ignored.
 */
function restoreStack(stack: PromptStack, state: unknown): void {
  if (!Array.isArray(state)) return
  const known = new Set<string>()
  for (const { key } of stack.items("session")) known.add(key)
  for (const injection of state as readonly Injection[]) {
    if (known.has(injection.key)) continue
    const shown = stack.get(injection.key)
    stack.add(injection)
    if (shown?.scope === "turn") stack.add(shown)
  }
}

const loadLoop = late(() => import("../session-turn.ts"))
