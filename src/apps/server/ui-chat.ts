import type { AttachmentInput } from "../../core/conversation.ts"
import { isRecord, recordOf, stringOf } from "../../core/json-access.ts"
import type { Session } from "../../loop/agent/session.ts"
import type { ChatRun } from "../../loop/agent/stateless/past-messages.ts"
import type { Turn } from "../../loop/agent/turn.ts"
import { type Answer, type Caller, leaveOf, seenEvents } from "./exchange.ts"
import { badRequest, HttpProblem } from "./http-problem.ts"
import { keptAnswer } from "./kept-answer.ts"
import { readJsonBody } from "./read-body.ts"
import { readTools } from "./requests/client-tools.ts"
import { conversationOf, type ReadMessage, type SentConversation } from "./requests/read-messages.ts"
import { agentOf, type Server, type Serving, startTurn, streamed, watched } from "./serving.ts"
import { failedChunks, uiMessageChunks } from "./ui-message-stream.ts"
import { answerAll, uiReplies } from "./waiting-calls.ts"

/** Reads the messages that `useChat` sends: texts, files, and the calls of tools with their results. Throws {@link HttpProblem}. */
export function readUiMessages({ messages }: Readonly<Record<string, unknown>>): SentConversation {
  if (!Array.isArray(messages)) throw badRequest("Expected a list of messages.", "messages")
  return conversationOf(messages.flatMap((message: unknown, at) => readMessage(message, at, at === messages.length - 1)))
}

function readMessage(message: unknown, at: number, isLast: boolean): readonly ReadMessage[] {
  const param = `messages[${at}]`
  if (!isRecord(message) || !Array.isArray(message.parts)) throw badRequest(`${param} has no parts.`, param)
  const { role } = message
  if (role !== "user" && role !== "assistant")
    throw badRequest(`${param} has the role ${JSON.stringify(role)}; expected user or assistant.`, param)
  const parts: readonly unknown[] = message.parts
  const texts = parts.flatMap((part) => (isRecord(part) && part.type === "text" ? [String(part.text)] : []))
  const attachments = parts.flatMap((part, index) => fileOf(part, `${param}.parts[${index}]`))
  if (role === "user") return [{ role, content: texts.join("\n"), attachments }]
  const runs = runsOf(parts)
  const results = runs.map(({ id, result }): ReadMessage => ({ role: "tool", content: result, attachments: [], answers: id }))
  const said: ReadMessage = { role, content: texts.join("\n"), attachments, calls: runs }
  // The page ran them, and wants the answer to go on.
  return isLast && pageResults(message).length > 0 ? [said, ...results] : [...results, said]
}

/** The results of tools that the page ran in the last step of a message. */
function pageResults(message: unknown): readonly ChatRun[] {
  const { role, parts } = recordOf(message)
  if (role !== "assistant" || !Array.isArray(parts)) return []
  const step = parts.slice(parts.findLastIndex((part) => isRecord(part) && part.type === "step-start") + 1)
  return runsOf(step.filter((part) => isRecord(part) && part.providerExecuted !== true))
}

function runsOf(parts: readonly unknown[]): readonly ChatRun[] {
  return parts.filter(isRecord).flatMap(({ type, toolName, toolCallId, state, input, output, errorText }) => {
    const [, named = ""] = /^tool-(.+)$/su.exec(stringOf(type)) ?? []
    const tool = type === "dynamic-tool" ? stringOf(toolName) : named
    if (tool === "" || (state !== "output-available" && state !== "output-error")) return []
    const result = state === "output-error" ? errorText : output
    const text = typeof result === "string" ? result : (JSON.stringify(result) ?? "")
    return [{ id: stringOf(toolCallId), tool, args: recordOf(input), result: text }]
  })
}

function fileOf(part: unknown, param: string): AttachmentInput[] {
  if (!isRecord(part) || part.type !== "file") return []
  const { url, mediaType, filename } = part
  if (typeof url !== "string") throw badRequest(`${param} is a file without a URL.`, param)
  return [{ url, mediaType: textIn(mediaType), name: textIn(filename) }]
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined
}

/** Answers `useChat` of the AI SDK. */
export async function uiChat(server: Serving, request: Request, caller: Caller): Promise<Response> {
  const body = await readJsonBody(request, server.maxBodyBytes, server.admission)
  const { conversation } = caller
  const agent = agentOf(server, body.model)
  const change = conversation === undefined ? undefined : changeOf(body)
  const tools = readTools(body.tools)
  const send = () => startTurn(server, caller, { model: body.model, ...readUiMessages(body), ...tools })
  const start = async () => {
    const turn = watched(server, await (change?.(agent.session(conversation ?? ""), send, caller) ?? send()))
    const kept = { chat: chatKey(caller, typeof body.id === "string" ? encodeURIComponent(body.id.toWellFormed()) : ""), turn }
    if (conversation !== undefined) server.chats.add(kept)
    void turn.result.then(() => server.chats.delete(kept))
    return turn
  }
  const { answer, leave, deliver } = await server.repeats.reply(request, caller, { agent, body, start })
  return deliver(uiStream(server, answer, { onCancel: leave, messageId: goesOnIn(body) }))
}

/** The id of the message that goes on with answers to calls that waited, or with results of the page's tools, so that the page does not begin another one. */
function goesOnIn(body: Readonly<Record<string, unknown>>): string | undefined {
  const last: unknown = Array.isArray(body.messages) ? body.messages.at(-1) : undefined
  const goesOn = uiReplies(body).length > 0 || pageResults(last).length > 0
  return goesOn && isRecord(last) && typeof last.id === "string" ? last.id : undefined
}

/**
 * The running turn of a chat from its beginning, of several the newest. If there is none, the answer that `?message=ID` names comes from the store: whole, or as
 * much as was shown before it failed, with an error. One that is not there is told to be lost, also while another process makes it. Status 204 without `message`, as `useChat` expects.
 */
export async function resumeChat(server: Server, request: Request, caller: Caller): Promise<Response> {
  const { searchParams } = new URL(request.url)
  const turn = turnsOf(server, request, caller).at(-1)
  if (turn) return uiStream(server, turn, { onCancel: leaveOf(turn, caller) })
  const id = searchParams.get("message")
  if (id === null || caller.conversation === undefined) return new Response(null, { status: 204 })
  const agent = agentOf(server, searchParams.get("model"))
  const answer = await keptAnswer(agent, caller.conversation, id)
  if (answer && ((await answer.result).ok || (await seenEvents(answer)).length > 2)) return uiStream(server, answer)
  return streamed(server, failedChunks(server.locale), { end: "[DONE]", headers: uiHeaders })
}

/**
 * Stops the running turn of a chat and those that wait behind it: a client that only leaves lets them go on. Their words, and what was
 * shown of an answer, are kept (T20). Status 204 once they have ended, 404 if none runs in this process.
 */
export async function stopChat(server: Server, request: Request, caller: Caller): Promise<Response> {
  const turns = turnsOf(server, request, caller)
  const why = "it has ended, or another process runs it, which alone can stop it."
  if (turns.length === 0)
    throw new HttpProblem(404, `No turn of this chat runs in this process: ${why}`, { code: "no_running_turn" })
  for (const turn of turns) turn.abort("The user stopped it.")
  await Promise.all(turns.map(({ result }) => result))
  return new Response(null, { status: 204 })
}

function turnsOf({ chats }: Server, { url }: Request, caller: Caller): readonly Turn[] {
  const asked = chatKey(caller, new URL(url).pathname.split("/").at(-2) ?? "")
  return [...chats].flatMap(({ chat, turn }) => (chat === asked ? turn : []))
}

const uiHeaders = { "x-vercel-ai-ui-message-stream": "v1" }

/** A chat of the page: its id is the client's word, so it counts only together with what `authorize` said. */
function chatKey({ user, conversation }: Caller, encodedId: string): string {
  return JSON.stringify([user, conversation, encodedId])
}

interface UiStreaming {
  readonly onCancel?: (() => void) | undefined
  readonly messageId?: string | undefined
}

function uiStream(server: Server, answer: Answer, { onCancel, messageId }: UiStreaming = {}): Response {
  const chunks = uiMessageChunks(answer, { locale: server.locale, messageId })
  return streamed(server, chunks, { onCancel, end: "[DONE]", headers: uiHeaders })
}

/** Changes a kept conversation, and starts the turn that answers. `send` sends the last message of the request. */
type Change = (session: Session, send: () => Promise<Turn>, caller: Caller) => Turn | Promise<Turn>

/**
 * How a request of `useChat` changes a conversation that the agent keeps: it makes the last answer again, answers calls that wait, or
 * puts other words in the place of a message. Undefined for words that come behind all others.
 */
function changeOf(body: Readonly<Record<string, unknown>>): Change | undefined {
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
