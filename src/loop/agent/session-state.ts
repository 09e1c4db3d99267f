import { checkType } from "../../core/check-options.ts"
import type { Directed, RepliedTo, ServiceKey, SessionKey, Speaker } from "../../core/conversation.ts"
import { spokenOf } from "../../core/conversation.ts"
import { PromptStrataError } from "../../core/errors.ts"
import { orAborted, pause } from "../../core/timers.ts"
import type { Injection } from "../../core/value.ts"
import type { SessionRecord } from "../../memory/services/store/session-store.ts"
import type { PromptStack } from "../../prompt/stack/prompt-stack.ts"
import type { TurnResult } from "../../trace/turn-event.ts"
import { abortError, type Deadline, startDeadline } from "../turn/deadline.ts"
import type { AgentContext, ObservedTurn, SessionState, TurnInput } from "../turn/turn-context.ts"
import { type DirectedOptions, refusalOf, type SendOptions, type SpeakerInput, speakerOf } from "./session-options.ts"
import type { Arrival, Arrivals, Enqueued, Needed, Running, SessionAtRest, Started, Turn, TurnCode, Work } from "./turn.ts"
import { late, startTurn } from "./turn.ts"

/** The record of a session of which nothing is stored. */
export const emptyRecord: SessionRecord = { version: 0, history: [], earlier: 0, state: {}, notes: [] }

/** Reads the agent's part of a record's state. A field that is missing or of another form counts as in a new session. */
export function sessionState(record: SessionRecord | undefined): SessionState {
  const { memoryOn, memorySinceMs, turns, hooks, markerId } = record?.state ?? {}
  const isCount = Number.isSafeInteger(turns) && (turns as number) >= 0
  const isRecord = typeof hooks === "object" && hooks !== null && !Array.isArray(hooks)
  return {
    memoryOn: memoryOn !== false,
    memorySinceMs: typeof memorySinceMs === "number" ? memorySinceMs : undefined,
    turns: isCount ? (turns as number) : 0,
    hooks: isRecord ? (hooks as Readonly<Record<string, unknown>>) : {},
    markerId: typeof markerId === "string" && /^[0-9a-z]+$/.test(markerId) ? markerId : undefined,
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

/** A string that is different for each session. */
export function sessionId({ agent, conversation, audience }: SessionKey): string {
  return JSON.stringify([agent, conversation, audience])
}

/** Words as a caller passes them. The record is absent until the session was read. */
export interface Said {
  readonly text: string
  readonly options?: DirectedOptions & Pick<SendOptions, "from" | "attachments">
  readonly turnId: string
  readonly record?: SessionRecord | undefined
}

/**
 * The input of a turn. Without a speaker, somebody speaks who is known by the conversation alone, so that no two conversations share
 * what is remembered.
 */
export function inputOf(
  agent: AgentContext,
  { key, stack }: Pick<TurnInput, "stack"> & { readonly key: SessionKey },
  { text, options = {}, turnId, record }: Said,
): TurnInput {
  checkType("the words", text, "string")
  const { from, replyTo, mentions, attachments: attached } = options
  // Read later, a function without parameters passes for an empty list.
  if (typeof attached === "function") checkType("`attachments`", attached, "list")
  const { conversation, audience } = key
  const id = from ? from.id : audience === "private" ? conversation : `#${conversation}`
  const speaker = speakerOf({ ...from, id }, agent.profile.user.name)
  const userKey: ServiceKey = { ...key, user: id }
  const to = replyTo !== undefined || mentions ? directed(agent, { key: userKey, turnId }, options, record) : undefined
  const nothing = { wake: undefined, attachments: [], inject: [] }
  return { key: userKey, turnId, speaker, text: text.toWellFormed(), attached: attached ?? [], ...nothing, stack, ...to }
}

/**
 * The people to whom options direct words. The message of an id is looked up in `record`; before that is read, it is left out. Throws
 * `usage` for a person without an id.
 */
export function directed(
  { profile, onWarning }: AgentContext,
  { key, turnId }: Pick<TurnInput, "key" | "turnId">,
  { replyTo, mentions }: DirectedOptions,
  record: SessionRecord | undefined,
): Directed {
  const self = profile.agent
  const named = (person: SpeakerInput | undefined): Speaker => {
    if (typeof person?.id === "string" && person.id.trim() !== "")
      return speakerOf(person, person.id === self.id ? self.name : person.id)
    const message = `expected replyTo and mentions to name people by id, found ${JSON.stringify(person)}.`
    throw new PromptStrataError("usage", message, { hint: 'Such as { mentions: [{ id: "ada", name: "Ada" }] }.' })
  }
  if (typeof replyTo !== "object" && replyTo !== undefined) checkType("`replyTo`", replyTo, "string")
  const people = new Map(mentions?.map((person) => [person?.id, named(person)]))
  const said = typeof replyTo === "string" && record ? messageOfId(record, replyTo) : undefined
  if (typeof replyTo === "string" && record && said === undefined) {
    const message = `The words were kept without \`replyTo\`, because the history has no message ${JSON.stringify(replyTo)}.`
    onWarning({ key, turnId, message })
  }
  return {
    replyTo: typeof replyTo === "object" ? { speaker: named(replyTo?.from) } : said,
    mentions: people.size > 0 ? [...people.values()] : undefined,
  }
}

/** The id of the turn of a message. */
export const turnIdOf = (messageId: string): string => messageId.slice(0, messageId.lastIndexOf(":"))

function messageOfId({ history }: SessionRecord, id: string): RepliedTo | undefined {
  const turnId = turnIdOf(id)
  const said = history.filter((message) => message.turnId === turnId).find((_, at) => `${turnId}:${at}` === id)
  return said && { id, speaker: said.speaker }
}

/** The most messages that one turn answers. Otherwise somebody who goes on writing would never be answered. */
export const maxMessages = 20

/** The work of a session, one piece after the other, with the agent that the session has and the stack that it works on. */
export class SessionQueue {
  readonly stack: PromptStack
  agent: AgentContext
  readonly #key: SessionKey
  readonly #code: TurnCode
  #awaited: Promise<AgentContext> | undefined
  #restored = false
  #hearing: Promise<unknown> | undefined
  readonly #arrivals: Arrivals = { open: new Map(), places: 0 }

  /** `latest` is used until the first turn if `agent` is a promise. */
  constructor(
    agent: AgentContext | Promise<AgentContext>,
    latest: AgentContext,
    { key, code }: { readonly key: SessionKey; readonly code: TurnCode },
  ) {
    this.#key = key
    this.#code = code
    if (agent instanceof Promise) this.#awaited = agent
    this.agent = agent instanceof Promise ? latest : agent
    this.stack = this.agent.stack.fork({ sharesGlobal: true })
  }

  /** Reads the session, and does `work` with its record. The time limit of a turn holds for both. */
  async withRecord<T>(signal: AbortSignal = new AbortController().signal, work: Work<T>, needed?: Needed): Promise<T> {
    signal.throwIfAborted()
    let deadline = this.#deadline(signal)
    try {
      if (this.#awaited !== undefined) {
        await orAborted(this.#takeAwaited(), deadline.signal)
        deadline.close()
        // From here on the limits of the profile that was read hold.
        deadline = this.#deadline(signal)
      }
      const { store, profile } = this.agent
      const { contextCount, groupTokens = 0 } = profile.history
      // The most that a prompt shows, or that one turn answers. In a window of tokens each message takes 4 or more.
      const shown = Math.max(2 * contextCount, 2 * maxMessages, this.#key.audience === "group" ? 1 + groupTokens / 2 : 0)
      const last = Math.ceil(2 * shown)
      let record = await orAborted(store.load(this.#key, needed === "all" ? {} : { last }), deadline.signal)
      // Blank messages are not shown, and what is needed can be older: then everything is read.
      if (record && needed !== "all" && record.history.length === last)
        if (needed?.(record.history) === false || spokenOf(record.history).length < shown)
          record = await orAborted(store.load(this.#key), deadline.signal)
      if (!this.#restored) restoreStack(this.stack, record?.state.stack)
      this.#restored = true
      return await work(record, deadline)
    } finally {
      deadline.close()
    }
  }

  /** Starts a turn. `makeInput` is called at once, and again with the record once the session is loaded. */
  start(makeInput: Running["makeInput"], { signal, replace, canEnd = true, needed = replace && "all" }: Started): Turn {
    const turnId = this.agent.ports.ids.next("turn")
    const turn: ObservedTurn = { input: makeInput(turnId) }
    const { running } = this.agent
    const abort = (reason: unknown): void => started.abort(reason)
    const run = (emit: Running["emit"], signal: AbortSignal) =>
      this.#run(turn, { makeInput, replace, canEnd, needed, emit, signal, abort })
    const started = startTurn(turnId, run, {
      signal,
      onEvent: (event) => {
        if (event.type === "turn-end") {
          running.delete(started)
          this.#arrivals.open.delete(turn)
        }
        this.agent.tellObservers?.(turn, event)
        this.agent.inspection.tell?.(turn, event)
      },
    })
    running.add(started)
    return started
  }

  /** Runs a turn after the session's earlier ones. An abort ends one that waits at once. Never rejects. */
  #run(turn: ObservedTurn, running: Running): Promise<TurnResult> {
    const { replace, emit, signal, needed } = running
    return new Promise((resolve) => {
      let isBegun = false
      let isOver = false
      // A turn ends once. After an abort the task in the queue still runs to its end, and its failure is ignored.
      const fail = (error: unknown): void => {
        if (isOver) return
        isOver = true
        const thrown = signal.aborted && error === signal.reason ? abortError(error) : error
        resolve(unbegun(this.agent, turn.input, { thrown, emit: isBegun ? undefined : emit }))
      }
      const onAbort = (): void => void (isBegun || fail(signal.reason))
      // Outside of the queue, so that the turn that is waited for can run.
      const again = async (ms: number): Promise<void> => {
        await pause(ms, { timers: this.agent.ports.timers, signal })
        signal.removeEventListener("abort", onAbort)
        if (!isOver) resolve(this.#run(turn, running))
      }
      signal.addEventListener("abort", onAbort, { once: true })
      const refusal = refusalOf(turn.input, this.agent.isClosed(), replace !== undefined)
      if (refusal) return fail(refusal)
      if (signal.aborted) return fail(signal.reason)
      const keep = async (error: unknown): Promise<void> => {
        fail(error)
        if (!isBegun && !replace) await (await import("./failed/failed-turn.ts")).keepWords(this.agent, turn.input, error)
      }
      const run: Work<void> = async (record, deadline) => {
        const { beginTurn, runSessionTurn } = await this.#code.loop()
        const at = { agent: this.agent, key: this.#key, stack: this.stack, record, signal: deadline.signal }
        const begun = await beginTurn(at, turn, { ...running, arrival, deadline })
        if ("waitMs" in begun) return void again(begun.waitMs)
        isBegun = true
        resolve(await runSessionTurn(this.agent, turn.input, { record: begun.record, emit, deadline, arrival }))
      }
      const arrival = this.#arrive(turn, running)
      const before = arrival && (async () => (await this.#code.merging()).meet(this.agent, this.#arrivals, arrival))
      this.enqueue(signal, run, { failed: keep, before, needed }).catch(fail)
    })
  }

  /** The arrival of a turn; undefined if each message of this session has its own answer. */
  #arrive(turn: ObservedTurn, running: Running): Arrival | undefined {
    const { profile, ports, isStateless } = this.agent
    const { mergeMs, interrupt } = profile.conversation
    if (isStateless || (mergeMs === 0 && interrupt === "queue")) return undefined
    const { open, places } = this.#arrivals
    const arrival = open.get(turn) ?? { turn, running, atMs: ports.clock.nowMs(), place: places + 1, joined: [] }
    open.set(turn, arrival)
    return arrival
  }

  /** The session with its record, for work that changes it. */
  at(record: SessionRecord | undefined, { signal }: Deadline): SessionAtRest {
    return { agent: this.agent, key: this.#key, stack: this.stack, record, signal }
  }

  /** Does {@link withRecord} after the session's earlier work, and after what was heard before. */
  enqueue<T>(signal: AbortSignal | undefined, work: Work<T>, { failed, before, needed }: Enqueued<T> = {}): Promise<T> {
    this.#arrivals.places++
    this.#arrivals.onArrival?.()
    const heard = this.#hearing
    const read = (): Promise<T> => {
      const done = before ? before().then(() => this.withRecord(signal, work, needed)) : this.withRecord(signal, work, needed)
      return done.catch(failed)
    }
    return this.agent.turns.enqueue(sessionId(this.#key), heard ? () => heard.then(read) : read)
  }

  /** Lets later work wait for words that are being kept. */
  heard(kept: Promise<unknown>): void {
    this.#hearing = Promise.allSettled([this.#hearing, kept]).then(() => undefined)
  }

  #deadline(signal: AbortSignal): Deadline {
    const { profile, ports } = this.agent
    return startDeadline(profile.limits.turnMs, ports, signal)
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

const loadUnbegun = late(() => import("./failed/unbegun-turn.ts"))
type Unbegun = typeof import("./failed/unbegun-turn.ts")["unbegunTurn"]

async function unbegun(...given: Parameters<Unbegun>): Promise<TurnResult> {
  return (await loadUnbegun()).unbegunTurn(...given)
}
