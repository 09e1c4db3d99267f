import { checkOptions } from "../../../core/check-options.ts"
import type { HistoryMessage, SessionKey } from "../../../core/conversation.ts"
import { PromptStrataError } from "../../../core/errors.ts"
import type { SessionStore, StoredTurn } from "../../../memory/services/store/session-store.ts"

/** Options of `Session.history`. */
export interface HistoryOptions {
  /** The id of a message: only messages before it. */
  readonly before?: string
  /** At most this many, the newest. Default 50. */
  readonly limit?: number
}

/** A message of a conversation, for people. */
export interface SessionMessage
  extends Pick<HistoryMessage, "role" | "text" | "speaker" | "turnId" | "atMs" | "replyTo" | "mentions" | "prestart"> {
  /** Stays the same as long as the message exists: the id of its turn, and its place there, counted from 0. */
  readonly id: string
  readonly attachments?: HistoryMessage["attachments"] | undefined
  /** True on an answer that was cut off. */
  readonly interrupted?: true | undefined
  /** True on words that were not answered: the agent only heard them. */
  readonly unanswered?: true | undefined
  /** On the first message of a turn: the turns that were set aside in its place, in the order in which they were written. */
  readonly alternatives?: readonly SessionAlternative[] | undefined
}

/** A turn that was set aside, in whose place another one stands. */
export interface SessionAlternative {
  readonly turnId: string
  readonly messages: readonly SessionMessage[]
}

/** The messages of a session's history, oldest first. Throws `usage` for an unknown message in `before` or a bad `limit`. */
export async function sessionHistory(
  store: SessionStore,
  key: SessionKey,
  options: HistoryOptions,
): Promise<readonly SessionMessage[]> {
  checkOptions("history", options, { before: true, limit: true })
  const { before, limit = 50 } = options
  if (!Number.isSafeInteger(limit) || limit < 0)
    throw new PromptStrataError("usage", `history expected limit as a whole number from 0 on, found ${String(limit)}.`)
  const turns = await store.branches(key)
  const setAside = turns.filter(({ isAside }) => isAside)
  const asideByParent = Map.groupBy(setAside, ({ parent }) => parent)
  const messages = turns
    .filter(({ isAside }) => !isAside)
    .flatMap((turn) => {
      const [first, ...rest] = sessionMessages(turn)
      const aside = asideByParent.get(turn.parent)
      if (first === undefined || aside === undefined) return sessionMessages(turn)
      const alternatives = aside.map((other) => ({ turnId: other.turnId, messages: sessionMessages(other) }))
      return [{ ...first, alternatives }, ...rest]
    })
  const end = before === undefined ? messages.length : messages.findIndex(({ id }) => id === before)
  if (end < 0) throw unknownMessage(key, before)
  return messages.slice(Math.max(0, end - limit), end)
}

function sessionMessages({ turnId, messages }: StoredTurn): readonly SessionMessage[] {
  return messages.map(({ role, text, speaker, atMs, attachments, interrupted, unanswered, replyTo, mentions, prestart }, at) => {
    const message = { id: messageId(turnId, at), turnId, role, text, speaker, atMs }
    if ((attachments ?? interrupted ?? unanswered ?? replyTo ?? mentions ?? prestart) === undefined) return message
    return { ...message, attachments, interrupted, unanswered, replyTo, mentions, ...(prestart && { prestart }) }
  })
}

/** The id of a turn's message, which `at` counts from 0. */
export function messageId(turnId: string, at: number): string {
  return `${turnId}:${at}`
}

/** The error for an id that names nothing in a session's history. */
export function unknownMessage({ agent, conversation }: SessionKey, id: unknown): PromptStrataError {
  const message = `expected the id of a message or turn in the history of session ${JSON.stringify(conversation)} of agent ${JSON.stringify(agent)}, found ${JSON.stringify(id)}.`
  const hint = "`history` lists the messages with their ids. A turn that was set aside comes back with `choose`."
  return new PromptStrataError("usage", message, { hint, evidence: { turnId: String(id) } })
}
