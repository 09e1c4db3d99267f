import type { ServiceKey, SessionKey, Speaker } from "../core/conversation.ts"
import { messageOf, PromptStrataError } from "../core/errors.ts"
import type { Assembly } from "../core/span.ts"
import type { SessionRecord } from "../services/store/session-store.ts"
import type { PromptStack } from "../stack/prompt-stack.ts"
import type { TurnEvent, TurnResult } from "../trace/turn-event.ts"
import type { AgentContext, ObservedTurn, TurnInput } from "../turn/turn-context.ts"
import { loadLoop } from "./load-loop.ts"
import { restoreStack, sessionId, sessionState } from "./session-state.ts"
import { startTurn, type Turn } from "./turn.ts"
import { unbegunTurn } from "./unbegun-turn.ts"

/** Options of {@link Session.send}. */
export interface SendOptions {
  /** Who speaks; default: the profile's user. */
  readonly from?: Speaker
  /** Paths of files that came with the words, as the file tools know them: the prompt shows each as `%[path]` (R8). */
  readonly files?: readonly string[]
  readonly signal?: AbortSignal
}

/** Options of {@link Session.wake}. */
export interface WakeOptions {
  /** Whom it is for: whose memories and profile the turn may see. Default: who spoke last in a private conversation, nobody in a group. */
  readonly to?: Speaker
  readonly signal?: AbortSignal
}

/** Options of {@link Session.preview}. */
export interface PreviewOptions {
  readonly from?: Speaker
  readonly files?: readonly string[]
  /** A prompt file of the dialect. Default `planner`. */
  readonly prompt?: string
  readonly signal?: AbortSignal
}

/** A conversation with one or many speakers. Its turns run one after the other; other sessions run beside it. */
export class Session {
  readonly key: SessionKey
  /** Items of this session: `session` ones stay with it, `turn` ones added here go into every turn. */
  readonly stack: PromptStack
  #agent: AgentContext
  #awaited: Promise<AgentContext> | undefined
  #restored = false

  /** `latest` stands in for a version of the agent that is still awaited, until the first turn. */
  constructor(agent: AgentContext | Promise<AgentContext>, latest: AgentContext, key: SessionKey) {
    this.key = key
    if (agent instanceof Promise) this.#awaited = agent
    this.#agent = agent instanceof Promise ? latest : agent
    this.stack = this.#agent.stack.fork()
  }

  /** Starts a turn. It runs at once or after the session's earlier ones, whether or not anyone iterates it. */
  send(text: string, { from, files, signal }: SendOptions = {}): Turn {
    const sent = wellFormed(files)
    return this.#start((turnId) => ({ ...this.#input(text, from ?? this.#defaultSpeaker(), turnId), files: sent }), signal)
  }

  /**
   * Starts a turn in which nobody spoke (R27): `reason`, in the author's words, says why. Runs like any other turn, in the
   * session's order; recall and `{{question}}` get the reason, hooks get it as `wake`. History keeps only what the agent said,
   * and nothing where it chose to say nothing: then the turn ends well with an empty text.
   */
  wake(reason: string, { to, signal }: WakeOptions = {}): Turn {
    const wake = reason.toWellFormed()
    return this.#start((turnId, record) => ({ ...this.#input("", to ?? this.#wokenFor(record), turnId), wake }), signal)
  }

  /**
   * The request that a turn would begin with: recall, hooks and prestart tools run, no model is called and nothing is
   * committed.
   */
  async preview(text: string, { from, files, prompt = "planner", signal }: PreviewOptions = {}): Promise<Assembly> {
    const turnId = this.#agent.ports.ids.next("preview")
    return this.#agent.turns.enqueue(this.#queueKey(), async () => {
      const record = await this.#load()
      const input = { ...this.#input(text, from ?? this.#defaultSpeaker(), turnId), files: wellFormed(files) }
      const { previewTurn } = await loadLoop()
      return previewTurn(this.#agent, input, { record, prompt, signal: signal ?? new AbortController().signal })
    })
  }

  /**
   * Switches the conversation's memory on or off, after the turns that wait (D2). Off, nothing remembered is recalled, read
   * or written. Kept in the session's state.
   */
  setMemory(on: boolean): Promise<void> {
    return this.#agent.turns.enqueue(this.#queueKey(), async () => {
      const record = await this.#load()
      if (sessionState(record).memoryOn === on) return
      const state = { ...record?.state, memoryOn: on }
      await this.#agent.store.commit(this.key, { expectVersion: record?.version ?? 0, append: [], state, jobs: [] })
    })
  }

  /** Whether the conversation's memory is on, as the last commit has it. */
  async memoryOn(): Promise<boolean> {
    return sessionState(await this.#load()).memoryOn
  }

  /** `makeInput` is asked again once the session is loaded. */
  #start(makeInput: (turnId: string, record?: SessionRecord) => TurnInput, signal: AbortSignal | undefined): Turn {
    const turnId = this.#agent.ports.ids.next("turn")
    const turn: ObservedTurn = { input: makeInput(turnId) }
    const inputFrom = (record: SessionRecord | undefined): TurnInput => {
      turn.input = makeInput(turnId, record)
      return turn.input
    }
    return startTurn(turnId, (emit, abortSignal) => this.#run(turn.input, { inputFrom, emit, signal: abortSignal }), {
      signal,
      onEvent: (event) => this.#agent.tellObservers(turn, event),
    })
  }

  /** Runs in the session's order; an abort while the turn waits ends it at once. Never rejects. */
  #run(first: TurnInput, { inputFrom, emit, signal }: Running): Promise<TurnResult> {
    return new Promise((resolve) => {
      let isBegun = false
      let isOver = false
      // An abort ends the turn at once; what it waited for comes to its own end later, and no second one is told.
      const fail = (error: unknown): void => {
        if (isOver) return
        isOver = true
        resolve(this.#failed(first, emit, { error, isBegun }))
      }
      const onAbort = (): void => {
        if (!isBegun) fail(signal.reason)
      }
      signal.addEventListener("abort", onAbort, { once: true })
      const refusal = this.#refusal(first)
      if (refusal) return fail(refusal)
      if (signal.aborted) return fail(signal.reason)
      void this.#agent.turns
        .enqueue(this.#queueKey(), async () => {
          if (signal.aborted) return fail(signal.reason)
          const [record, { runSessionTurn }] = await Promise.all([this.#load(), loadLoop()])
          if (signal.aborted) return fail(signal.reason)
          isBegun = true
          resolve(await runSessionTurn(this.#agent, inputFrom(record), { record, emit, signal }))
        })
        .catch(fail)
        .finally(() => signal.removeEventListener("abort", onAbort))
    })
  }

  #refusal({ text, wake }: TurnInput): PromptStrataError | undefined {
    if (this.#agent.isClosed())
      return new PromptStrataError("closed", "The agent is closed.", { hint: "Make a new agent with createAgent." })
    if ((wake ?? text).trim() !== "") return undefined
    if (wake !== undefined)
      return new PromptStrataError("empty-question", "expected a reason to begin a turn by itself; the text is empty.", {
        hint: "Say in a sentence why the agent should wake.",
      })
    return new PromptStrataError("empty-question", "expected words to answer; the text is empty.", {
      hint: "Send at least one visible character.",
    })
  }

  /** A turn that failed before its loop began. */
  #failed(
    input: TurnInput,
    emit: (event: TurnEvent) => void,
    { error, isBegun }: { error: unknown; isBegun: boolean },
  ): TurnResult {
    const atMs = this.#agent.ports.clock.nowMs()
    if (!isBegun) emit({ type: "turn-start", turnId: input.turnId, atMs })
    return unbegunTurn(input, atMs, asSessionError(error))
  }

  async #load() {
    await this.#takeAwaited()
    const record = await this.#agent.store.load(this.key)
    if (!this.#restored) restoreStack(this.stack, record?.state.stack)
    this.#restored = true
    return record
  }

  /** Takes the profile that was still being read when the session began: before the first turn, and never again. */
  async #takeAwaited(): Promise<void> {
    const agent = await this.#awaited
    this.#awaited = undefined
    if (agent === undefined || agent === this.#agent) return
    this.stack.rebase(agent.stack)
    this.#agent = agent
  }

  #input(text: string, speaker: Speaker, turnId: string): TurnInput {
    const key: ServiceKey = { ...this.key, user: speaker.id }
    return { key, turnId, speaker, text: text.toWellFormed(), wake: undefined, files: [], stack: this.stack }
  }

  #defaultSpeaker(): Speaker {
    return { id: "user", name: this.#agent.profile.user.name }
  }

  /** Whose words a private conversation last held; in a group nobody's own memories are seen. */
  #wokenFor(record: SessionRecord | undefined): Speaker {
    const { agent } = this.#agent.profile
    if (this.key.audience === "group") return { id: agent.id, name: agent.name }
    return record?.history.findLast(({ role }) => role === "user")?.speaker ?? this.#defaultSpeaker()
  }

  #queueKey(): string {
    return sessionId(this.key)
  }
}

/** What a turn runs with. */
interface Running {
  readonly inputFrom: (record: SessionRecord | undefined) => TurnInput
  readonly emit: (event: TurnEvent) => void
  readonly signal: AbortSignal
}

function wellFormed(paths: readonly string[] = []): readonly string[] {
  return paths.map((path) => path.toWellFormed())
}

function asSessionError(error: unknown): PromptStrataError {
  if (PromptStrataError.isInstance(error)) return error
  if (error instanceof DOMException || error === undefined)
    return new PromptStrataError("aborted", "The turn was aborted before it began.", { cause: error })
  return new PromptStrataError("session-store", `The session could not be loaded: ${messageOf(error)}`, { cause: error })
}
