import { isRecord } from "../../core/json-access.ts"
import type { Session } from "../../loop/agent/session.ts"
import type { Turn } from "../../loop/agent/turn.ts"
import { answerAll, uiReplies } from "./approvals/approval-answers.ts"
import type { Caller } from "./exchange.ts"
import { badRequest } from "./http-problem.ts"
import { pageResults, readUiMessages } from "./ui-messages.ts"

/** Changes a kept conversation, and starts the turn that answers. `send` sends the last message of the request. */
type Change = (session: Session, send: () => Promise<Turn>, caller: Caller) => Turn | Promise<Turn>

/**
 * How a request of `useChat` changes a conversation that the agent keeps: it makes the last answer again, answers calls that wait, or
 * puts other words in the place of a message. Undefined for words that come behind all others.
 */
export function changeOf(body: Readonly<Record<string, unknown>>): Change | undefined {
  const { trigger, messageId, messages } = body
  // The question is in the store already, and would be there twice.
  if (trigger === "regenerate-message") return (session) => regenerated(session, messageId)
  const replies = uiReplies(body)
  if (replies.length > 0) return (session, _, caller) => answerAll(session, replies, caller)
  if (pageResults(Array.isArray(messages) ? messages.at(-1) : undefined).length > 0) return undefined
  if (typeof messageId !== "string" || !Array.isArray(messages)) return undefined
  return (session, send) => edited(session, body, { messageId, before: messages.slice(0, -1).filter(isRecord), send })
}

/** Makes the last answer again. */
async function regenerated(session: Session, messageId: unknown): Promise<Turn> {
  const [last] = await session.history({ limit: 1 })
  if (last === undefined || (messageId !== undefined && messageId !== last.id && messageId !== last.turnId))
    throw badRequest("Only the last answer of a kept conversation can be made again.", "messageId")
  return session.regenerate()
}

interface Edit {
  readonly messageId: string
  /** The messages of the page before the edited one. */
  readonly before: readonly Readonly<Record<string, unknown>>[]
  readonly send: () => Promise<Turn>
}

/**
 * Puts the last message in the place of one that the page edited; what followed is set aside. The page's own id of a message is not
 * known here: then it is the one behind the answer that stands before it on the page, or the only one. Files stay, unless it has others.
 */
async function edited(
  session: Session,
  body: Readonly<Record<string, unknown>>,
  { messageId, before, send }: Edit,
): Promise<Turn> {
  const words = readUiMessages(body).messages.at(-1)
  const history = await session.history({ limit: Number.MAX_SAFE_INTEGER })
  const asked = history.filter(({ role, unanswered }) => role === "user" && unanswered !== true)
  const answer = before.findLast(({ role }) => role === "assistant")?.id
  const from = history.findLastIndex(({ id, turnId }) => id === answer || turnId === answer)
  const behind = from < 0 ? undefined : asked.find((message) => history.indexOf(message) > from)
  const only = before.length === 0 && asked.length === 1 ? asked[0] : undefined
  const found = asked.find(({ id }) => id === messageId) ?? behind ?? only
  if (words?.role !== "user" || found === undefined)
    throw badRequest(
      "The message to edit is not known here. Give the page messages with their ids of session.history.",
      "messageId",
    )
  if (!words.attachments?.length) {
    const turn = await session.edit(found.id, words.content)
    if (turn) return turn
  }
  const parent = history[history.findIndex(({ turnId }) => turnId === found.turnId) - 1]
  await (parent ? session.rewind(parent.id) : session.clear())
  return send()
}
