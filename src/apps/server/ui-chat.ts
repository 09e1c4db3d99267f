import { isRecord } from "../../core/json-access.ts"
import { contextOf } from "../../loop/agent/published-agents.ts"
import type { Turn } from "../../loop/agent/turn.ts"
import { uiReplies } from "./approvals/approval-answers.ts"
import { type Answer, type Caller, leaveOf } from "./exchange.ts"
import { HttpProblem } from "./http-problem.ts"
import { changeOf } from "./kept-chat.ts"
import { readJsonBody } from "./read-body.ts"
import { readTools } from "./requests/client-tools.ts"
import { agentOf, type Server, type Serving, startTurn, streamed, watched } from "./serving.ts"
import { keptMessageChunks, uiMessageChunks } from "./ui-message-stream.ts"
import { pageResults, readUiMessages } from "./ui-messages.ts"

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
  const agent = agentOf(server, searchParams.get("model") ?? undefined)
  const session = agent.session(caller.conversation)
  const messages = await session.history({ limit: Number.MAX_SAFE_INTEGER })
  const answers = messages.filter(({ turnId, role }) => turnId === id && role === "assistant")
  const { blobs, profile } = await contextOf(agent)
  const { links } = profile.output
  const bytesOf = (blob: string) => blobs.get(blob, session.key)
  const chunks = keptMessageChunks(id, answers, { locale: server.locale, links, bytesOf })
  return streamed(server, chunks, { onCancel: () => undefined, end: "[DONE]", headers: uiHeaders })
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
  readonly onCancel: () => void
  readonly messageId?: string | undefined
}

function uiStream(server: Server, answer: Answer, { onCancel, messageId }: UiStreaming): Response {
  const chunks = uiMessageChunks(answer, { locale: server.locale, messageId })
  return streamed(server, chunks, { onCancel, end: "[DONE]", headers: uiHeaders })
}
