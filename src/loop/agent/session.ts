import type { StandardSchemaV1 } from "@standard-schema/spec"
import { checkType } from "../../core/check-options.ts"
import type { SessionKey } from "../../core/conversation.ts"
import type { Assembly } from "../../core/span.ts"
import { orAborted } from "../../core/timers.ts"
import type { ExplainedMemory } from "../../memory/services/memory/explain-memories.ts"
import type { ForgottenMemories } from "../../memory/services/store/records.ts"
import type { SessionRecord } from "../../memory/services/store/session-store.ts"
import type { ScheduledWake } from "../../memory/services/wakes.ts"
import type { PromptStack } from "../../prompt/stack/prompt-stack.ts"
import type { Approval, ApprovalAnswer } from "../../prompt/tools/tool.ts"
import type { AgentContext, TurnInput } from "../turn/turn-context.ts"
import type { AgentOptions } from "./agent-options.ts"
import { loadWork } from "./borders/load-session-work.ts"
import type { HeardMessage } from "./hear.ts"
import { SessionQueue, type Work } from "./queue/session-queue.ts"
import { hasWordsOfUser, type SessionAtRest, sessionState, type TurnCall, turnOf } from "./queue/turn-states.ts"
import type { BegunAnswers, ReceiveResult } from "./receive.ts"
import { greet, greetingsOf } from "./second-thoughts/greetings.ts"
import type { HistoryOptions, SessionMessage } from "./second-thoughts/session-history.ts"
import type {
  AnswerOptions,
  ChangeOptions,
  ExplainMemoriesOptions,
  ForgetMemoryOptions,
  HearOptions,
  PreviewOptions,
  ReceiveOptions,
  SendOptions,
  WakeAtOptions,
  WakeOptions,
  WakesOptions,
} from "./session-options.ts"
import { checkSessionOptions, completed, inputOf, optionsOf, wokenFor } from "./session-options.ts"
import type { StructuredTurn, Turn } from "./turn.ts"

/** A conversation with one or more speakers. Its turns run one after the other, and concurrently with those of other sessions. */
export class Session {
  readonly key: SessionKey
  /**
   * The items of this session. Those of scope `session` are stored with it. Those of scope `turn` live in the next turn only (S9). Those
   * of scope `global` enter all sessions of the agent, until its profile changes or the process ends. An item that is added while a turn
   * runs lands in its next request; if there is none, in the next turn.
   */
  readonly stack: PromptStack
  readonly #queue: SessionQueue
  readonly #shouldAnswer: AgentOptions["shouldAnswer"]
  readonly #begunAnswers: BegunAnswers = { running: 0, agents: 0, runningAgents: 0 }
  /** Resolves once the decision about the words that were received last is made. */
  #received: Promise<void> | undefined

  /** Until the first turn, `latest` stands for an `agent` that is a promise. */
  constructor(
    agent: AgentContext | Promise<AgentContext>,
    latest: AgentContext,
    key: SessionKey,
    shouldAnswer?: AgentOptions["shouldAnswer"],
  ) {
    this.#shouldAnswer = shouldAnswer
    this.key = key
    this.#queue = new SessionQueue(agent, latest, key)
    this.stack = this.#queue.stack
  }

  /** Starts a turn. It runs after the session's earlier turns, and it runs whether or not anyone iterates it. Throws `usage` for an unknown option. */
  send<S extends StandardSchemaV1>(text: string, options: SendOptions & { readonly output: S }): StructuredTurn<S>
  send(text: string, options?: SendOptions): Turn
  send(text: string, options: SendOptions = {}): Turn {
    checkSessionOptions("send", options, optionsOf.send)
    const { inject, tools, runs, toolChoice, stopWhen, prepareStep, output, answerLimit } = options
    const control = toolChoice || stopWhen || prepareStep || output || answerLimit ? options : undefined
    return this.#answerWords(text, options, { inject: completed(inject), tools, runs, control })
  }

  /**
   * Starts a turn in which nobody spoke (R27). `reason` says why; `trust` says whose words these are. The turn runs like any other, in the
   * session's order. Recall and `{{question}}` get the reason, and hooks get it as `wake`. History keeps only the agent's answer.
   * If the agent says nothing, the turn succeeds with an empty text, and history keeps nothing.
   */
  wake(reason: string, options: WakeOptions = {}): Turn {
    checkSessionOptions("wake", options, optionsOf.wake)
    checkType("the reason of wake", reason, "string")
    const { to, trust, inject, signal } = options
    const given = { wake: reason.toWellFormed(), wakeTrust: trust, inject: completed(inject) }
    const makeInput = (turnId: string, record?: SessionRecord) => {
      const from = to ?? wokenFor(this.key, this.#queue.agent.profile, record)
      return { ...inputOf(this.#queue, { text: "", options: from ? { from } : {}, turnId }), ...given }
    }
    const needed = to || this.key.audience === "group" ? undefined : hasWordsOfUser
    return this.#queue.start({ kind: "wake", makeInput, signal, needed })
  }

  /** Keeps a {@link Session.wake} for a moment (T49); {@link WakeAtOptions} says more. Rejects with `usage` if it cannot ring. */
  wakeAt(at: number | string, reason: string, options: WakeAtOptions = {}): Promise<ScheduledWake> {
    return this.#queue.withRecord(async (rest) => (await loadWork()).wakeAt(rest, { ...options, at, reason }))
  }

  /** The wakes that wait for a person, soonest first: in private all of theirs, in a group those of that group. */
  wakes(options: WakesOptions = {}): Promise<readonly ScheduledWake[]> {
    return this.#queue.withRecord(async (rest) => (await loadWork()).wakesOf(rest, options))
  }

  /** Drops a wake of a person. False if none of {@link Session.wakes} has this id. */
  dropWake(id: string, options: WakesOptions = {}): Promise<boolean> {
    return this.#queue.withRecord(async (rest) => (await loadWork()).dropWake(rest, id, options))
  }

  /**
   * Keeps words without answering them, such as those that a group says past the agent. No model is asked and no turn is waited for.
   * Resolves with the message's id once the words are durable; calls that wait at the same time share one write. Turns that begin later
   * show them. Rejects with `closed`, `empty-question` or `usage`, and with `turn-timeout` if the store takes longer than `limits.turnMs`.
   */
  async hear(text: string, options: HearOptions = {}): Promise<HeardMessage> {
    checkSessionOptions("hear", options, optionsOf.hear)
    return this.#queue.hear(text, options)
  }

  /** The greetings that can begin the conversation, as the person reads them (C8). */
  greetings(options: WakesOptions = {}): readonly string[] {
    return greetingsOf(this.#queue.agent, this.key, options)
  }

  /** Says the profile's greeting as the agent's words if the conversation is empty, after the turns that wait, and resolves with it (C8). */
  greet(options: WakesOptions = {}): Promise<string | undefined> {
    return this.#queue.enqueue(({ record }) => greet(this.#queue, record, options))
  }

  /**
   * Answers words, or keeps them without an answer, as `createAgent({ shouldAnswer })` decides, in the order of the calls. Waits for no
   * turn. Other agents are answered at most `conversation.agentAnswers` times in a row. Rejects as `hear` does. The event
   * `answer-decision` and the turn's trace tell the reason.
   */
  async receive(text: string, options: ReceiveOptions = {}): Promise<ReceiveResult> {
    checkSessionOptions("receive", options, optionsOf.receive)
    const [before, { promise, resolve: decided }] = [this.#received, Promise.withResolvers<void>()]
    this.#received = promise
    const session = {
      ...{ begun: this.#begunAnswers, decided },
      hear: (words: string, said: HearOptions) => this.#queue.hear(words, said, options.journal?.turnId),
      send: (words: string, { journal, ...asked }: Omit<ReceiveOptions, "atMs">, received: string) =>
        this.#answerWords(words, asked, { inject: completed(asked.inject), received, journal, kept: journal?.kept }),
    }
    try {
      const { receive } = await loadWork()
      await before
      const work: Work<ReceiveResult> = ({ record, signal }) =>
        receive(this.#queue, session, { text, options, record, signal, shouldAnswer: this.#shouldAnswer })
      return await this.#queue.withRecord(work, { signal: options.signal, needed: "all" })
    } finally {
      decided()
    }
  }

  /** The request that a turn would begin with. Recall, hooks and prestart tools run; no model is called and nothing is kept. */
  async preview(text: string, options: PreviewOptions = {}): Promise<Assembly> {
    checkSessionOptions("preview", options, optionsOf.preview)
    const { prompt = "planner", signal, replyTo } = options
    const words = { text, options, turnId: this.#queue.agent.ports.ids.next("preview"), inject: completed(options.inject) }
    const work: Work<Assembly> = async (at, deadline) => (await loadWork()).previewTurn(at, words, { prompt, deadline })
    return this.#queue.enqueue(work, { signal, needed: turnOf(replyTo) })
  }

  /**
   * Switches the conversation's memory on or off, after the turns that wait (D2). While it is off, no memory is recalled, read or written.
   * The switch is stored. Rejects with `turn-timeout` if the store takes longer than `limits.turnMs`; the call can then be repeated.
   */
  setMemory(on: boolean): Promise<void> {
    return this.#change(({ setMemory }, at) => setMemory(at, on))
  }

  /**
   * The newest messages of the conversation, oldest first, with the alternatives that were set aside. It waits for no turn. Rejects with
   * `usage` for a `before` that the history does not have.
   */
  history(options: HistoryOptions = {}): Promise<readonly SessionMessage[]> {
    const messages = async () => (await loadWork()).sessionHistory(this.#queue.agent.store, this.key, options)
    return this.#queue.withRecord(({ signal }) => orAborted(messages(), signal))
  }

  /**
   * The memories that answer a question, best first, with the signals, sources and receipts behind each. It waits for no turn. Rejects
   * with `usage` if the agent has no memory.
   */
  explainMemories(question: string, options: ExplainMemoriesOptions = {}): Promise<readonly ExplainedMemory[]> {
    checkSessionOptions("explainMemories", options, optionsOf.explainMemories)
    checkType("the question of explainMemories", question, "string")
    const work: Work<readonly ExplainedMemory[]> = async (at) => (await loadWork()).explain(at, question, options)
    return this.#queue.withRecord(work, { signal: options.signal })
  }

  /**
   * Forgets a memory of the speaker by id, after the turns that wait, with all that was drawn with it ({@link MemoryRecords.forget}).
   * The messages stay. Rejects with `usage` if the speaker has no memory of this id.
   */
  forgetMemory(id: string, options: ForgetMemoryOptions = {}): Promise<ForgottenMemories> {
    checkSessionOptions("forgetMemory", options, optionsOf.person)
    return this.#queue.enqueue(async (at) => (await loadWork()).forget(at, id, options))
  }

  /** The tool calls that wait for an answer of a person. */
  approvals(): Promise<readonly Approval[]> {
    return this.#queue.withRecord(async (at) => (await loadWork()).approvalsOf(at))
  }

  /** Allows a tool call that waits, by its id or code, and goes on with its turn, also after a restart. The turn fails with `approval` if nothing waits under this id. */
  approve(id: string, options: AnswerOptions = {}): Turn {
    return this.#answer("approve", { id, approved: true }, options)
  }

  /** Refuses a tool call that waits, and goes on with its turn. The model reads the reason. */
  deny(id: string, reason = "", options: AnswerOptions = {}): Turn {
    checkType("the reason of deny", reason, "string")
    return this.#answer("deny", { id, approved: false, reason: reason.toWellFormed() }, options)
  }

  /**
   * Gives the result of a call of a tool that runs outside, by the id in `TurnResult.calls`, and goes on with its turn, which wants the
   * tools of that turn again. With several calls, each but the last gives a turn that still waits. Fails like {@link approve}.
   */
  answerCall(id: string, result: string, options: AnswerOptions = {}): Turn {
    checkType("the result of answerCall", result, "string")
    return this.#answer("answerCall", { id, approved: true, result: result.toWellFormed() }, options)
  }

  /** Ends the conversation behind the turn of a message or turn id, after the turns that wait. What followed is set aside, not deleted. */
  rewind(to: string): Promise<void> {
    return this.#change(({ rewind }, at) => rewind(at, to))
  }

  /** Begins the conversation anew, after the turns that wait. Its turns are set aside, not deleted. */
  clear(): Promise<void> {
    return this.#change(({ rewind }, at) => rewind(at, null))
  }

  /** Answers the last words again. The turn before stays as an alternative, and so does the history if the new turn fails. */
  regenerate(options: ChangeOptions = {}): Turn {
    return this.#again("regenerate", options, async (at) => (await loadWork()).regenerated(at))
  }

  /** Brings a turn back that was set aside, with the turns that last followed it, in the place of what stands there. */
  choose(turnId: string): Promise<void> {
    return this.#change(({ choose }, at) => choose(at, turnId))
  }

  /**
   * Puts other words in the place of a message. What followed is set aside. A user's message is answered anew, and the turn is returned;
   * an answer is replaced without a turn, and undefined is returned. Rejects with `usage` for an id that the history does not have.
   */
  async edit(messageId: string, text: string, options: ChangeOptions = {}): Promise<Turn | undefined> {
    checkType("the words of edit", text, "string")
    const { edited, editAnswer, roleOf } = await loadWork()
    const role = await this.#queue.withRecord((at) => roleOf(at, messageId), { needed: "all" })
    if (role === "user") return this.#again("edit", options, (at) => edited(at, messageId, text))
    await this.#change((_, at) => editAnswer(at, messageId, text))
  }

  /** Copies the history, after the turns that wait, into a new conversation of the same audience. What is set aside is not copied. */
  fork(conversation: string): Promise<void> {
    return this.#change(({ fork }, at) => fork(at, conversation))
  }

  /** True if the conversation's memory is on. */
  memoryOn(): Promise<boolean> {
    return this.#queue.withRecord(async ({ record }) => sessionState(record).memoryOn)
  }

  /** Starts a turn that answers words. */
  #answerWords(text: string, options: SendOptions, given: Partial<TurnInput>): Turn {
    const { signal, replyTo } = options
    const makeInput = (turnId: string, record?: SessionRecord) => ({
      ...inputOf(this.#queue, { text, options, turnId, record }),
      ...given,
    })
    const needed = replyTo === undefined ? undefined : turnOf(replyTo)
    return this.#queue.start({ kind: "message", makeInput, signal, needed, turnId: given.journal?.turnId })
  }

  #answer(name: string, answer: ApprovalAnswer & { readonly id: string }, options: AnswerOptions): Turn {
    checkSessionOptions(name, options, optionsOf.answer)
    const { by, tools, signal } = options
    const replace: TurnCall["replace"] = async (at) => (await loadWork()).answered(at, { ...answer, by })
    return this.#replace("answer", { control: options, tools }, { signal, replace })
  }

  #again(name: string, options: ChangeOptions, replace: TurnCall["replace"]): Turn {
    checkSessionOptions(name, options, optionsOf.change)
    return this.#replace("again", { inject: completed(options.inject) }, { signal: options.signal, replace })
  }

  /** Starts a turn in the place of others. Its words become known once the session is loaded. */
  #replace(kind: TurnCall["kind"], given: Partial<TurnInput>, options: Pick<TurnCall, "signal" | "replace">): Turn {
    const makeInput = (turnId: string) => ({ ...inputOf(this.#queue, { text: "", turnId }), ...given })
    return this.#queue.start({ ...options, kind, makeInput, needed: "all" })
  }

  /** Changes the conversation after the session's earlier work. */
  #change(change: (code: typeof import("./borders/session-work.ts"), at: SessionAtRest) => Promise<void>): Promise<void> {
    return this.#queue.enqueue(async (at) => change(await loadWork(), at), { needed: "all" })
  }
}
