import { checkOptions } from "../core/check-options.ts"
import type { ServiceKey, SessionKey, Speaker } from "../core/conversation.ts"
import { messageOf, PromptStrataError } from "../core/errors.ts"
import type { Assembly } from "../core/span.ts"
import { orAborted } from "../core/timers.ts"
import type { Injection } from "../core/value.ts"
import type { SessionRecord } from "../services/store/session-store.ts"
import type { InjectionInput } from "../stack/injection.ts"
import { PromptStack } from "../stack/prompt-stack.ts"
import type { TurnEvent, TurnResult } from "../trace/turn-event.ts"
import { abortError, type Deadline, startDeadline } from "../turn/deadline.ts"
import type { AgentContext, ObservedTurn, TurnInput } from "../turn/turn-context.ts"
import type { HistoryOptions, SessionMessage } from "./second-thoughts/session-history.ts"
import type { HearOptions, PreviewOptions, SendOptions, WakeOptions } from "./session-options.ts"
import { restoreStack, sessionId, sessionState, wokenFor } from "./session-state.ts"
import { startTurn, type Turn } from "./turn.ts"
import { unbegunTurn } from "./unbegun-turn.ts"

const sendOptions = { from: true, files: true, inject: true, signal: true }
const wakeOptions = { to: true, trust: true, inject: true, signal: true }
const previewOptions = { ...sendOptions, prompt: true }
const hearOptions = { from: true, atMs: true }

/** A conversation with one or more speakers. Its turns run one after the other, and concurrently with those of other sessions. */
export class Session {
  readonly key: SessionKey
  /**
   * The items of this session. Those of scope `session` are stored with it. Those of scope `turn` live in the next turn only (S9). Those
   * of scope `global` enter all sessions of the agent, until its profile changes or the process ends. An item that is added while a turn
   * runs lands in its next request; if there is none, in the next turn.
   */
  readonly stack: PromptStack
  /** The session's key in the queue of turns. */
  readonly #queueKey: string
  #agent: AgentContext
  #awaited: Promise<AgentContext> | undefined
  #restored = false

  /** `latest` is used until the first turn if `agent` is a promise. */
  constructor(agent: AgentContext | Promise<AgentContext>, latest: AgentContext, key: SessionKey) {
    this.key = key
    this.#queueKey = sessionId(key)
    if (agent instanceof Promise) this.#awaited = agent
    this.#agent = agent instanceof Promise ? latest : agent
    this.stack = this.#agent.stack.fork({ sharesGlobal: true })
  }

  /** Starts a turn. It runs after the session's earlier turns, and it runs whether or not anyone iterates it. Throws `usage` for an unknown option. */
  send(text: string, options: SendOptions = {}): Turn {
    checkOptions("send", options, sendOptions)
    const { from, files, inject, signal } = options
    const given = { files: wellFormed(files), inject: completed(inject) }
    return this.#start((turnId) => ({ ...this.#input(text, from, turnId), ...given }), signal)
  }

  /**
   * Starts a turn in which nobody spoke (R27). `reason` says why; `trust` says whose words these are. The turn runs like any other, in the
   * session's order. Recall and `{{question}}` get the reason, and hooks get it as `wake`. History keeps only the agent's answer.
   * If the agent says nothing, the turn succeeds with an empty text, and history keeps nothing.
   */
  wake(reason: string, options: WakeOptions = {}): Turn {
    checkOptions("wake", options, wakeOptions)
    const { to, trust, inject, signal } = options
    const given = { wake: reason.toWellFormed(), wakeTrust: trust, inject: completed(inject) }
    return this.#start(
      (turnId, record) => ({ ...this.#input("", to ?? wokenFor(this.key, this.#agent.profile, record), turnId), ...given }),
      signal,
    )
  }

  /**
   * Keeps words without answering them, such as those that a group says past the agent. No model is asked and no turn is waited for.
   * Resolves once the words are durable; calls that wait at the same time share one write. The next turns show them as history. Rejects
   * with `closed`, `empty-question` or `usage`, and with `turn-timeout` if the store takes longer than `limits.turnMs`.
   */
  async hear(text: string, options: HearOptions = {}): Promise<void> {
    checkOptions("hear", options, hearOptions)
    const { clock, ids } = this.#agent.ports
    const { from, atMs = clock.nowMs() } = options
    const input = this.#input(text, from, ids.next("heard"))
    const refusal = this.#refusal(input)
    if (refusal) throw refusal
    const { hear } = await loadHearing()
    return hear(this.#agent, input, atMs)
  }

  /**
   * The request that a turn would begin with: recall, hooks and prestart tools run, no model is called and nothing is committed.
   */
  async preview(text: string, options: PreviewOptions = {}): Promise<Assembly> {
    checkOptions("preview", options, previewOptions)
    const { from, files, prompt = "planner", inject, signal } = options
    const turnId = this.#agent.ports.ids.next("preview")
    const given = { files: wellFormed(files), inject: completed(inject) }
    return this.#enqueue(signal, async (record, deadline) => {
      const { previewTurn } = await loadLoop()
      return previewTurn(this.#agent, { ...this.#input(text, from, turnId), ...given }, { record, prompt, deadline })
    })
  }

  /**
   * Switches the conversation's memory on or off, after the turns that wait (D2). While it is off, no memory is recalled, read or
   * written. The switch is stored with the session. Rejects with `turn-timeout` if the store takes longer than `limits.turnMs`;
   * the call can then be repeated.
   */
  setMemory(on: boolean): Promise<void> {
    return this.#enqueue(undefined, async (record, { signal }) => {
      if (sessionState(record).memoryOn === on) return
      // Words that were heard until now, without memory, are never remembered.
      const state = { ...record?.state, memoryOn: on, memorySinceMs: this.#agent.ports.clock.nowMs() }
      const commit = { expectVersion: record?.version ?? 0, append: [], state, jobs: [] }
      await orAborted(this.#agent.store.commit(this.key, commit), signal)
    })
  }

  /**
   * The newest messages of the conversation, oldest first, with the alternatives that were set aside. It waits for no turn. Rejects with
   * `usage` for a `before` that the history does not have.
   */
  history(options: HistoryOptions = {}): Promise<readonly SessionMessage[]> {
    return this.#withRecord(undefined, async (_, { signal }) => {
      const { sessionHistory } = await loadHistory()
      return orAborted(sessionHistory(this.#agent.store, this.key, options), signal)
    })
  }

  /** True if the conversation's memory is on. */
  memoryOn(): Promise<boolean> {
    return this.#withRecord(undefined, async (record) => sessionState(record).memoryOn)
  }

  /** Starts a turn. `makeInput` is called at once, and again with the record once the session is loaded. */
  #start(makeInput: Running["makeInput"], signal: AbortSignal | undefined): Turn {
    const turnId = this.#agent.ports.ids.next("turn")
    const turn: ObservedTurn = { input: makeInput(turnId) }
    const { running } = this.#agent
    const started = startTurn(turnId, (emit, abortSignal) => this.#run(turn, { makeInput, emit, signal: abortSignal }), {
      signal,
      onEvent: (event) => {
        if (event.type === "turn-end") running.delete(started)
        this.#agent.tellObservers?.(turn, event)
      },
    })
    running.add(started)
    return started
  }

  /** Runs a turn after the session's earlier ones. An abort ends a turn that waits at once. Never rejects. */
  #run(turn: ObservedTurn, { makeInput, emit, signal }: Running): Promise<TurnResult> {
    return new Promise((resolve) => {
      let isBegun = false
      let isOver = false
      // A turn ends once. After an abort the task in the queue still runs to its end, and its failure is ignored.
      const fail = (error: unknown): void => {
        if (isOver) return
        isOver = true
        const isAbort = signal.aborted && error === signal.reason
        resolve(this.#failed(turn.input, emit, { error: isAbort ? abortError(error) : error, isBegun }))
      }
      const onAbort = (): void => {
        if (!isBegun) fail(signal.reason)
      }
      signal.addEventListener("abort", onAbort, { once: true })
      const refusal = this.#refusal(turn.input)
      if (refusal) return fail(refusal)
      if (signal.aborted) return fail(signal.reason)
      void this.#enqueue(signal, async (record, deadline) => {
        const { runSessionTurn } = await loadLoop()
        deadline.signal.throwIfAborted()
        isBegun = true
        turn.input = makeInput(turn.input.turnId, record)
        resolve(await runSessionTurn(this.#agent, turn.input, { record, emit, deadline }))
      }).catch(fail)
    })
  }

  #refusal({ text, wake, files, speaker }: TurnInput): PromptStrataError | undefined {
    if (this.#agent.isClosed())
      return new PromptStrataError("closed", "The agent is closed.", { hint: "Make a new agent with createAgent." })
    if (speaker.id.trim() === "")
      return new PromptStrataError("usage", `expected the id of a speaker, found ${JSON.stringify(speaker.id)}.`, {
        hint: "Leave out the speaker, or name one: everyone with a blank id would be the same person.",
      })
    if ((wake ?? text).trim() !== "" || files.length > 0) return undefined
    if (wake !== undefined)
      return new PromptStrataError("empty-question", "expected a reason to begin a turn by itself; the text is empty.", {
        hint: "Say in a sentence why the agent should wake.",
      })
    return new PromptStrataError("empty-question", "expected words; the text is empty.", {
      hint: "Pass at least one visible character; `send` also takes paths in `files`.",
    })
  }

  /** The result of a turn that failed outside its loop. Emits the `turn-start` that the loop would have emitted. */
  #failed(input: TurnInput, emit: Running["emit"], { error, isBegun }: { error: unknown; isBegun: boolean }): TurnResult {
    const atMs = this.#agent.ports.clock.nowMs()
    if (!isBegun) emit({ type: "turn-start", turnId: input.turnId, atMs })
    return unbegunTurn(input, atMs, error)
  }

  /** Does {@link Session.#withRecord} after the session's earlier work. */
  #enqueue<T>(signal: AbortSignal | undefined, work: Work<T>): Promise<T> {
    return this.#agent.turns.enqueue(this.#queueKey, () => this.#withRecord(signal, work))
  }

  /** Reads the session, and does `work` with its record. The time limit of a turn holds for both. */
  async #withRecord<T>(signal = new AbortController().signal, work: Work<T>): Promise<T> {
    signal.throwIfAborted()
    let deadline = this.#deadline(signal)
    try {
      if (this.#awaited !== undefined) {
        await orAborted(this.#takeAwaited(), deadline.signal)
        deadline.close()
        // From here on the limits of the profile that was read hold.
        deadline = this.#deadline(signal)
      }
      const record = await orAborted(this.#agent.store.load(this.key), deadline.signal)
      if (!this.#restored) restoreStack(this.stack, record?.state.stack)
      this.#restored = true
      return await work(record, deadline)
    } finally {
      deadline.close()
    }
  }

  #deadline(signal: AbortSignal): Deadline {
    const { profile, ports } = this.#agent
    return startDeadline(profile.limits.turnMs, ports, signal)
  }

  /** Takes the profile that was still being read when the session began. This happens once, before the first turn. */
  async #takeAwaited(): Promise<void> {
    const agent = await this.#awaited
    this.#awaited = undefined
    if (agent === undefined || agent === this.#agent) return
    this.stack.rebase(agent.stack)
    this.#agent = agent
  }

  /** Without a speaker, somebody speaks who is known by the conversation alone, so that no two conversations share what is remembered. */
  #input(text: string, from: Partial<Speaker> = {}, turnId: string): TurnInput {
    const { conversation, audience } = this.key
    const { id = audience === "private" ? conversation : `#${conversation}`, name = this.#agent.profile.user.name } = from
    const speaker: Speaker = { id, name }
    const key: ServiceKey = { ...this.key, user: id }
    return { key, turnId, speaker, text: text.toWellFormed(), wake: undefined, files: [], inject: [], stack: this.stack }
  }
}

/** Work of a session with its record, which is undefined for a new one. */
type Work<T> = (record: SessionRecord | undefined, deadline: Deadline) => Promise<T>

interface Running {
  readonly makeInput: (turnId: string, record?: SessionRecord) => TurnInput
  readonly emit: (event: TurnEvent) => void
  readonly signal: AbortSignal
}

function wellFormed(paths: readonly string[] = []): readonly string[] {
  return paths.map((path) => path.toWellFormed())
}

/** Checks items at once, so that a mistake throws where it was made. */
function completed(items: readonly InjectionInput[] = []): readonly Injection[] {
  const stack = new PromptStack().fork()
  for (const item of items) stack.add(item)
  return stack.items()
}

/**
 * Loads code when it is first used, so that a program that uses the library for its prompts alone does not load it. Throws
 * `missing-dependency` if that fails. The next use then tries again.
 */
function late<T>(load: () => Promise<T>): () => Promise<T> {
  let code: Promise<T> | undefined
  return () => {
    code ??= load().catch((cause: unknown) => {
      code = undefined
      throw new PromptStrataError("missing-dependency", `The code that runs turns could not be loaded: ${messageOf(cause)}`, {
        cause,
        hint: "If promptstrata was updated or moved while this program ran, start the program again.",
      })
    })
    return code
  }
}

const loadLoop = late(() => import("./session-turn.ts"))
const loadHistory = late(() => import("./second-thoughts/session-history.ts"))
const loadHearing = late(() => import("./hear.ts"))
