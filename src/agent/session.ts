import { messageOf, PromptStrataError } from "../core/errors.ts"
import type { ServiceKey, SessionKey, Speaker } from "../core/keys.ts"
import type { Assembly } from "../core/span.ts"
import { PromptStack } from "../stack/prompt-stack.ts"
import type { TurnResult } from "../trace/turn-result.ts"
import type { TurnEvent } from "../turn/events.ts"
import { assembleStep } from "../turn/model-step.ts"
import { prepare } from "../turn/prepare.ts"
import { TurnRun } from "../turn/turn-run.ts"
import type { AgentParts } from "./agent-parts.ts"
import { makeTurnSetup } from "./make-turn-setup.ts"
import { sessionId } from "./session-id.ts"
import { sessionState } from "./session-state.ts"
import { runSessionTurn } from "./session-turn.ts"
import { restoreStack } from "./stack-state.ts"
import { startTurn, type Turn } from "./turn.ts"
import type { TurnInput } from "./turn-input.ts"

/** Options of {@link Session.send}. */
export interface SendOptions {
  /** Who speaks; default: the profile's user. */
  readonly from?: Speaker
  readonly signal?: AbortSignal
}

/** Options of {@link Session.preview}. */
export interface PreviewOptions {
  readonly from?: Speaker
  /** A prompt file of the dialect. Default `planner`. */
  readonly prompt?: string
  readonly signal?: AbortSignal
}

/** A conversation with one or many speakers. Its turns run one after the other; other sessions run beside it. */
export class Session {
  readonly key: SessionKey
  /** Items of this session: `session` ones stay with it, `turn` ones added here go into every turn. */
  readonly stack: PromptStack
  #parts: AgentParts
  #awaited: Promise<AgentParts> | undefined
  #restored = false

  /** `latest` stands in for parts that are still awaited, until the first turn. */
  constructor(parts: AgentParts | Promise<AgentParts>, latest: AgentParts, key: SessionKey) {
    this.key = key
    if (parts instanceof Promise) this.#awaited = parts
    this.#parts = parts instanceof Promise ? latest : parts
    this.stack = this.#parts.stack.fork()
  }

  /** Starts a turn. It runs at once or after the session's earlier ones, whether or not anyone iterates it. */
  send(text: string, { from, signal }: SendOptions = {}): Turn {
    const turnId = this.#parts.ports.ids.next("turn")
    const input = () => this.#input(text, from ?? this.#defaultSpeaker(), turnId)
    return startTurn(turnId, (emit, abortSignal) => this.#run(input, emit, abortSignal), signal)
  }

  /**
   * The request that a turn would begin with: recall, hooks and prestart tools run, no model is called and nothing is
   * committed.
   */
  async preview(text: string, { from, prompt = "planner", signal }: PreviewOptions = {}): Promise<Assembly> {
    const turnId = this.#parts.ports.ids.next("preview")
    return this.#parts.queue.enqueue(this.#queueKey(), async () => {
      const record = await this.#load()
      const input = this.#input(text, from ?? this.#defaultSpeaker(), turnId)
      const run = new TurnRun(makeTurnSetup(this.#parts, input, record), signal ?? new AbortController().signal, () => undefined)
      await prepare(run)
      return assembleStep(run, { prompt, model: this.#parts.models[0], tools: undefined })
    })
  }

  /**
   * Switches the conversation's memory on or off, after the turns that wait (D2). Off, nothing remembered is recalled, read
   * or written. Kept in the session's state.
   */
  setMemory(on: boolean): Promise<void> {
    return this.#parts.queue.enqueue(this.#queueKey(), async () => {
      const record = await this.#load()
      if (sessionState(record).memoryOn === on) return
      const state = { ...record?.state, memoryOn: on }
      await this.#parts.store.commit(this.key, { expectVersion: record?.version ?? 0, append: [], state, jobs: [] })
    })
  }

  /** Whether the conversation's memory is on, as the last commit has it. */
  async memoryOn(): Promise<boolean> {
    return sessionState(await this.#load()).memoryOn
  }

  /** Runs in the session's order; an abort while the turn waits ends it at once. Never rejects. */
  #run(input: () => TurnInput, emit: (event: TurnEvent) => void, signal: AbortSignal): Promise<TurnResult> {
    return new Promise((resolve) => {
      let begun = false
      const fail = (error: unknown): void => resolve(this.#failed(input(), emit, { error, begun }))
      const onAbort = (): void => {
        if (!begun) fail(signal.reason)
      }
      signal.addEventListener("abort", onAbort, { once: true })
      const refusal = this.#refusal(input())
      if (refusal) return fail(refusal)
      void this.#parts.queue
        .enqueue(this.#queueKey(), async () => {
          if (signal.aborted) return fail(signal.reason)
          const record = await this.#load()
          begun = true
          resolve(await runSessionTurn(this.#parts, input(), { record, emit, signal }))
        })
        .catch(fail)
        .finally(() => signal.removeEventListener("abort", onAbort))
    })
  }

  #refusal({ text }: TurnInput): PromptStrataError | undefined {
    if (this.#parts.isClosed())
      return new PromptStrataError("closed", "The agent is closed.", { hint: "Make a new agent with createAgent." })
    if (text.trim() !== "") return undefined
    return new PromptStrataError("empty-question", "expected words to answer; the text is empty.", {
      hint: "Send at least one visible character.",
    })
  }

  /** A turn that failed before its loop began. */
  #failed(input: TurnInput, emit: (event: TurnEvent) => void, { error, begun }: { error: unknown; begun: boolean }): TurnResult {
    // A bare stack: what the session's holds may be what failed.
    const setup = makeTurnSetup(this.#parts, { ...input, stack: new PromptStack() }, undefined)
    const run = new TurnRun(setup, new AbortController().signal, emit)
    if (!begun) emit({ type: "turn-start", turnId: input.turnId, atMs: run.startedMs })
    return run.fail(asSessionError(error))
  }

  async #load() {
    await this.#takeAwaited()
    const record = await this.#parts.store.load(this.key)
    if (!this.#restored) restoreStack(this.stack, record?.state.stack)
    this.#restored = true
    return record
  }

  /** Changes over to the profile that was being read when the session began: before its first turn, and never again. */
  async #takeAwaited(): Promise<void> {
    const parts = await this.#awaited
    this.#awaited = undefined
    if (parts === undefined || parts === this.#parts) return
    this.stack.rebase(parts.stack)
    this.#parts = parts
  }

  #input(text: string, speaker: Speaker, turnId: string): TurnInput {
    const key: ServiceKey = { ...this.key, user: speaker.id }
    return { key, turnId, speaker, text: text.toWellFormed(), stack: this.stack }
  }

  #defaultSpeaker(): Speaker {
    return { id: "user", name: this.#parts.profile.user.name }
  }

  #queueKey(): string {
    return sessionId(this.key)
  }
}

function asSessionError(error: unknown): PromptStrataError {
  if (PromptStrataError.isInstance(error)) return error
  if (error instanceof DOMException || error === undefined)
    return new PromptStrataError("aborted", "The turn was aborted before it began.", { cause: error })
  return new PromptStrataError("session-store", `The session could not be loaded: ${messageOf(error)}`, { cause: error })
}
