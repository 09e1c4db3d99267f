import type { Directed, RepliedTo, ServiceKey, SessionKey, Speaker } from "../core/conversation.ts"
import { PromptStrataError } from "../core/errors.ts"
import { orAborted } from "../core/timers.ts"
import type { Injection } from "../core/value.ts"
import type { Profile } from "../profile/profile.ts"
import type { SessionCommit, SessionRecord } from "../services/store/session-store.ts"
import type { PromptStack } from "../stack/prompt-stack.ts"
import { type Deadline, startDeadline } from "../turn/deadline.ts"
import type { AgentContext, SessionState, TurnInput } from "../turn/turn-context.ts"
import type { DirectedOptions, SendOptions, SpeakerInput } from "./session-options.ts"
import type { Work } from "./turn.ts"

const directedOptions = { replyTo: true, mentions: true }
const previewed = { from: true, attachments: true, inject: true, signal: true, ...directedOptions }
const control = { toolChoice: true, stopWhen: true, prepareStep: true, output: true }

/** The names of the options of a session's methods, and advice for those that are gone. */
export const optionsOf = {
  send: { ...previewed, ...control },
  receive: previewed,
  wake: { to: true, trust: true, inject: true, signal: true },
  preview: { ...previewed, prompt: true },
  answer: { signal: true, ...control },
  change: { inject: true, signal: true },
  gone: { files: "Write `attachments: [{ path }]`, with an object for each path." },
  hear: { from: true, attachments: true, atMs: true, ...directedOptions },
}

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

/** The commit that switches a conversation's memory, unless it is so. Words that were heard until now are then never remembered. */
export function memorySwitch(
  record: SessionRecord | undefined,
  memoryOn: boolean,
  memorySinceMs: number,
): SessionCommit | undefined {
  if (sessionState(record).memoryOn === memoryOn) return undefined
  const state = { ...record?.state, memoryOn, memorySinceMs }
  return { expectVersion: record?.version ?? 0, append: [], state, jobs: [] }
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
  const { from, replyTo, mentions, attachments: attached = [] } = options
  const { conversation, audience } = key
  const id = from?.id ?? (audience === "private" ? conversation : `#${conversation}`)
  const speaker = speakerOf({ ...from, id }, agent.profile.user.name)
  const userKey: ServiceKey = { ...key, user: id }
  const to = replyTo || mentions ? directed(agent, { key: userKey, turnId }, options, record) : undefined
  const nothing = { wake: undefined, attachments: [], inject: [] }
  return { key: userKey, turnId, speaker, text: text.toWellFormed(), attached, ...nothing, stack, ...to }
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
  const people = new Map(mentions?.map((person) => [person.id, named(person)]))
  const said = typeof replyTo === "string" && record ? messageOfId(record, replyTo) : undefined
  if (typeof replyTo === "string" && record && said === undefined) {
    const message = `The words were kept without \`replyTo\`, because the history has no message ${JSON.stringify(replyTo)}.`
    onWarning({ key, turnId, message })
  }
  return {
    replyTo: typeof replyTo === "object" ? { speaker: named(replyTo.from) } : said,
    mentions: people.size > 0 ? [...people.values()] : undefined,
  }
}

/** A speaker as it is stored. */
function speakerOf(person: SpeakerInput, defaultName: string): Speaker {
  const { id, name = defaultName, isAgent }: Partial<Speaker> & Pick<Speaker, "id"> = person
  return isAgent === true ? { id, name, isAgent } : { id, name }
}

function messageOfId({ history }: SessionRecord, id: string): RepliedTo | undefined {
  const turnId = id.slice(0, id.lastIndexOf(":"))
  const said = history.filter((message) => message.turnId === turnId).find((_, at) => `${turnId}:${at}` === id)
  return said && { id, speaker: said.speaker }
}

/** The speaker of a turn in which nobody spoke. In a group it is the agent, so that no person's memories are seen. */
export function wokenFor(key: SessionKey, { agent }: Profile, record: SessionRecord | undefined): Speaker | undefined {
  if (key.audience === "group") return { id: agent.id, name: agent.name }
  return record?.history.findLast(({ role }) => role === "user")?.speaker
}

/** Reads a session's record, with the agent that the session has and the stack that it works on. */
export class SessionReader {
  readonly stack: PromptStack
  agent: AgentContext
  readonly #key: SessionKey
  #awaited: Promise<AgentContext> | undefined
  #restored = false

  /** `latest` is used until the first turn if `agent` is a promise. */
  constructor(agent: AgentContext | Promise<AgentContext>, latest: AgentContext, key: SessionKey) {
    this.#key = key
    if (agent instanceof Promise) this.#awaited = agent
    this.agent = agent instanceof Promise ? latest : agent
    this.stack = this.agent.stack.fork({ sharesGlobal: true })
  }

  /** Reads the session, and does `work` with its record. The time limit of a turn holds for both. */
  async withRecord<T>(signal: AbortSignal = new AbortController().signal, work: Work<T>): Promise<T> {
    signal.throwIfAborted()
    let deadline = this.#deadline(signal)
    try {
      if (this.#awaited !== undefined) {
        await orAborted(this.#takeAwaited(), deadline.signal)
        deadline.close()
        // From here on the limits of the profile that was read hold.
        deadline = this.#deadline(signal)
      }
      const record = await orAborted(this.agent.store.load(this.#key), deadline.signal)
      if (!this.#restored) restoreStack(this.stack, record?.state.stack)
      this.#restored = true
      return await work(record, deadline)
    } finally {
      deadline.close()
    }
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
