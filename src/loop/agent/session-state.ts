import { checkType } from "../../core/check-options.ts"
import type { Directed, RepliedTo, ServiceKey, SessionKey, Speaker } from "../../core/conversation.ts"
import { PromptStrataError } from "../../core/errors.ts"
import type { SessionRecord } from "../../memory/services/store/session-store.ts"
import type { AgentContext, SessionState, TurnInput } from "../turn/turn-context.ts"
import type { LiveSession } from "./queue/turn-states.ts"
import { type DirectedOptions, type SendOptions, type SpeakerInput, speakerOf } from "./session-options.ts"

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

/** A string that is different for each session. */
export function sessionId({ agent, conversation, audience }: SessionKey): string {
  return JSON.stringify([agent, conversation, audience])
}

/** Words as a caller passes them. The record is absent until the session was read. */
export interface Utterance {
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
  { agent, key, stack }: Pick<LiveSession, "agent" | "key" | "stack">,
  { text, options = {}, turnId, record }: Utterance,
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
