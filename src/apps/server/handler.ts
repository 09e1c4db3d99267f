import { checkOptions, checkShape, checkType } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"
import { hostTimers } from "../../core/ports.ts"
import { partsOf } from "../../loop/agent/published-agents.ts"
import type { Turn } from "../../loop/agent/turn.ts"
import { approvalQuestion } from "../../trace/approval-question.ts"
import { logError } from "../../trace/log-error.ts"
import type { TurnAnswer } from "../../trace/turn-event.ts"
import { agUiEvents, readAgUiInput } from "./ag-ui.ts"
import { preflight, readable } from "./cors.ts"
import type { Answer, Caller } from "./exchange.ts"
import { spriteResponse } from "./feelings.ts"
import { badRequest, decoded, errorBody, HttpProblem, ignoredHeader, problemResponse } from "./http-problem.ts"
import { type AnswerFacts, completion, completionChunks } from "./openai/chat-completions.ts"
import { itemIdOf, response, responseEvents } from "./openai/responses.ts"
import { readJsonBody } from "./read-body.ts"
import { Repeats } from "./repeats.ts"
import { RequestGate } from "./request-limits.ts"
import { type CompletionRequest, readCompletionRequest } from "./requests/read-completion.ts"
import { isGiven } from "./requests/read-messages.ts"
import { type ResponseRequest, readResponseRequest, SaidAnswers } from "./requests/read-response.ts"
import { agentOf, type HandlerOptions, type Server, type Serving, seconds, startTurn, streamed, watched } from "./serving.ts"
import { effectsOf, failureResponse } from "./turn-failure.ts"
import { resumeChat, stopChat, uiChat } from "./ui-chat.ts"
import { answerAll, keptSession, readReply } from "./waiting-calls.ts"

type Route = (server: Serving, request: Request, caller: Caller) => Response | Promise<Response>

/** The routes, by method and the end of the path. ID stands for any one part of it. */
const routes = Object.entries<Route>({
  "POST /v1/chat/completions": completeChat,
  "POST /v1/responses": createResponse,
  "GET /v1/models": (server) =>
    Response.json({ object: "list", data: Object.keys(server.agents).map((id) => modelOf(id, server)) }),
  "GET /v1/models/ID": oneModel,
  "GET /v1/sprites": sendSprite,
  "GET /v1/sprites/ID": sendSprite,
  "GET /v1/approvals": listApprovals,
  "POST /v1/approvals/ID": answerApproval,
  "GET /v1/memory": tellMemory,
  "POST /v1/memory": switchMemory,
  "POST /api/chat": uiChat,
  "GET /api/chat/ID/stream": resumeChat,
  "DELETE /api/chat/ID/stream": stopChat,
  "POST /ag-ui": agUi,
}).map(([address, route]) => {
  const [method = "", path = ""] = address.split(" ")
  return { method, path, ends: new RegExp(`${path.replace("ID", "[^/]+")}$`, "u"), route }
})

/** A common mistake is a base address without `/v1`. */
const places = [...new Set(routes.map(({ path }) => path))].filter((path) => !path.includes("ID")).join(", ")

/**
 * Makes a handler of HTTP requests for any runtime with `Request` and `Response`: the OpenAI API (`/v1/chat/completions`, `/v1/responses` and
 * `/v1/models`, with `/v1/approvals` for calls that wait for a person, and `/v1/memory` for the memory switch of a conversation), and the AI SDK's UI message stream for `useChat` (`/api/chat`, and `/api/chat/ID/stream` to get it again, or to stop it with `DELETE`), and
 * AG-UI (`/ag-ui`), at any base path. A character keeps its own tools and prompt; a client's system messages become a labelled block of its prompt. The handler never
 * rejects. Throws `usage` for a mistake in the options.
 */
export function createHandler(options: HandlerOptions): (request: Request) => Promise<Response> {
  checkType("options.agents of createHandler", options?.agents, "object")
  checkOptions("createHandler", options, "agents authorize allowedOrigins maxBodyBytes limits locale onError clock timers")
  if (Object.keys(options.agents).length === 0 || typeof options.authorize !== "function")
    throw new PromptStrataError("usage", "createHandler needs at least one agent, and authorize.")
  checkShape("options of createHandler", options, { agents: {}, "onError?": "function", "clock?": { nowMs: "function" } })
  const { allowedOrigins = [], maxBodyBytes = 1_000_000, locale = "en", onError = logError, timers = hostTimers } = options
  const { clock = { nowMs: () => Date.now() } } = options
  const { limits = {} } = options
  const given = { ...options, allowedOrigins, maxBodyBytes, limits, locale, onError, clock, timers }
  const gate = new RequestGate(limits, clock)
  const kept = { repeats: new Repeats(clock), said: new SaidAnswers(), chats: new Set<never>() }
  if (allowedOrigins !== "*") checkType("options.allowedOrigins of createHandler", allowedOrigins, "list")
  const server: Server = { ...given, ...kept, startedSeconds: seconds(clock), gate }
  return async (request) =>
    preflight(request, allowedOrigins) ?? readable(await answerSafely(server, request), { request, allowed: allowedOrigins })
}

async function answerSafely(server: Server, request: Request): Promise<Response> {
  try {
    return await answer(server, request)
  } catch (error) {
    if (error instanceof HttpProblem) return problemResponse(error)
    server.onError(error)
    return Response.json(errorBody("The server failed.", { type: "server_error" }), { status: 500 })
  }
}

async function answer(server: Server, request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  const found = routes.filter(({ ends }) => ends.test(pathname))
  const caller = await server.authorize(request)
  if (caller === undefined || caller === null)
    throw new HttpProblem(401, "The request has no valid key.", { code: "invalid_api_key" })
  checkShape("the caller that authorize gave", caller, { user: "string", "name?": "string", "conversation?": "string" })
  const route = found.find(({ method }) => method === request.method)
  if (route)
    return server.gate.admit(caller.user, request.method, (admission) => route.route({ ...server, admission }, request, caller))
  if (found.length === 0) throw new HttpProblem(404, `There is nothing at ${JSON.stringify(pathname)}. There are ${places}.`)
  throw new HttpProblem(405, `${request.method} is not answered here.`)
}

const modelOf = (id: string, { startedSeconds: created }: Server) => ({ id, object: "model", created, owned_by: "promptstrata" })

function oneModel(server: Server, { url }: Request): Response {
  const id = decoded(new URL(url).pathname.split("/").at(-1) ?? "")
  agentOf(server, id)
  return Response.json(modelOf(id, server))
}

function sendSprite(server: Server, { url }: Request): Promise<Response> {
  const { pathname, searchParams } = new URL(url)
  return spriteResponse(agentOf(server, searchParams.get("model")), /sprites\/([^/]+)$/u.exec(pathname)?.[1])
}

async function completeChat(server: Serving, request: Request, caller: Caller): Promise<Response> {
  const body = await readJsonBody(request, server.maxBodyBytes, server.admission)
  const asked = readCompletionRequest(body, server.locale)
  const start = async () => watched(server, await startTurn(server, caller, asked))
  return completed(server, request, caller, { body, start, ...asked, form: chatForm(server, asked.includeUsage) })
}

const chatForm = ({ locale }: Server, includeUsage = false): AnswerForm => ({
  prefix: "chatcmpl-",
  whole: (answering, result, thoughts) => completion(answering, result, { locale, thoughts }),
  events: (answering, answer) => completionChunks(answering, answer, { includeUsage, locale }),
  end: "[DONE]",
})

async function createResponse(server: Serving, request: Request, caller: Caller): Promise<Response> {
  const { said, locale, maxBodyBytes } = server
  const { user, conversation } = caller
  const store = conversation !== undefined
  const known = (id: string) => (store ? "" : said.get(user, id))
  const asked = readResponseRequest(await readJsonBody(request, maxBodyBytes, server.admission), locale, known)
  const start = async () => {
    if (isGiven(asked.previous)) await checkPrevious(server, caller, asked)
    const turn = watched(server, await startTurn(server, caller, asked))
    if (!store) void turn.result.then((result) => result.ok && said.keep(user, itemIdOf(turn), result.text))
    return turn
  }
  const facts = { locale, store, previous: asked.previous }
  const form: AnswerForm = {
    prefix: "resp_",
    whole: (answering, result) => response({ ...answering, ...facts }, result),
    events: (answering, answer) => responseEvents({ ...answering, ...facts }, answer),
  }
  return completed(server, request, caller, { start, ...asked, form })
}

/** Refuses to go on from an earlier response than the last one of a kept conversation. */
async function checkPrevious(server: Serving, caller: Caller, { model, previous }: ResponseRequest): Promise<void> {
  const param = "previous_response_id"
  if (caller.conversation === undefined)
    throw badRequest("This conversation is not kept, so no earlier response is known. Send all of it as `input`.", param)
  const history = await keptSession(agentOf(server, model), caller).history({ limit: Number.MAX_SAFE_INTEGER })
  const isOf = (turnId?: string) => previous === `resp_${turnId}`
  if (history.some(({ turnId }) => isOf(turnId)) && !isOf(history.at(-1)?.turnId))
    throw badRequest("Only the last answer of a kept conversation can be gone on from.", param)
}

/** The calls that wait for a person in the caller's conversation. */
async function listApprovals(server: Serving, request: Request, caller: Caller): Promise<Response> {
  const agent = agentOf(server, new URL(request.url).searchParams.get("model"))
  const waiting = (await keptSession(agent, caller).approvals()).filter(({ answer }) => answer === undefined)
  const { links } = (await partsOf(agent).current()).profile.output
  const data = waiting.map((approval) => approvalQuestion(approval, server.locale, links))
  return Response.json({ object: "list", data })
}

/** Answers a call that waits, by its id or code. The response is the answer of its turn, as of a chat completion. */
async function answerApproval(server: Serving, request: Request, caller: Caller): Promise<Response> {
  const body = await readJsonBody(request, server.maxBodyBytes, server.admission)
  const id = decoded(new URL(request.url).pathname.split("/").at(-1) ?? "")
  const reply = readReply(id, body, "approved")
  const session = keptSession(agentOf(server, body.model), caller)
  const start = async () => watched(server, await answerAll(session, [reply], caller))
  const model = String(body.model ?? Object.keys(server.agents)[0])
  const form = { model, stream: body.stream === true, ignored: [], form: chatForm(server) }
  return completed(server, request, caller, { body: { ...body, messageId: id }, start, ...form })
}

/** Tells whether the memory of the caller's conversation is on. */
async function tellMemory(server: Serving, { url }: Request, caller: Caller): Promise<Response> {
  const session = keptSession(agentOf(server, new URL(url).searchParams.get("model")), caller)
  return Response.json({ object: "memory", on: await session.memoryOn() })
}

/** Switches it on or off (D2). */
async function switchMemory(server: Serving, request: Request, caller: Caller): Promise<Response> {
  const { on, model } = await readJsonBody(request, server.maxBodyBytes, server.admission)
  if (typeof on !== "boolean") throw badRequest("Expected on: true or false.", "on")
  await keptSession(agentOf(server, model), caller).setMemory(on)
  return Response.json({ object: "memory", on })
}

/** One of the forms in which the OpenAI API gives an answer. */
interface AnswerForm {
  /** The beginning of the answer's id. */
  readonly prefix: string
  readonly whole: (answering: AnswerFacts, result: TurnAnswer, thoughts: string) => object
  readonly events: (answering: AnswerFacts, answer: Answer) => AsyncIterable<object>
  readonly end?: string
}

interface FormedRequest extends Pick<CompletionRequest, "model" | "stream" | "ignored"> {
  readonly form: AnswerForm
  readonly body: Readonly<Record<string, unknown>>
  readonly start: () => Turn | Promise<Turn>
}

/** Runs a turn, and answers as the OpenAI API does. */
async function completed(server: Serving, request: Request, caller: Caller, asked: FormedRequest): Promise<Response> {
  const { model, stream, form, ignored, body, start } = asked
  const { locale } = server
  const agent = agentOf(server, model)
  const { answer, leave, deliver } = await server.repeats.reply(request, caller, { agent, body, start })
  const { links } = (await partsOf(agent).current()).profile.output
  const answering = { id: form.prefix + answer.id, created: seconds(server.clock), model, links }
  const headers = ignoredHeader(ignored)
  if (stream) {
    return deliver(streamed(server, form.events(answering, answer), { onCancel: leave, end: form.end, headers }))
  }
  request.signal.addEventListener("abort", leave, { once: true })
  const result = await answer.result
  request.signal.removeEventListener("abort", leave)
  if (result.ok) {
    let thoughts = ""
    for await (const event of answer) if (event.type === "thinking-delta") thoughts += event.delta
    return deliver(Response.json(form.whole(answering, result, thoughts), { headers }))
  }
  const effects = await effectsOf(answer, caller.conversation !== undefined)
  return deliver(failureResponse(result.error, effects, { locale, headers }))
}

async function agUi(server: Serving, request: Request, caller: Caller): Promise<Response> {
  const body = await readJsonBody(request, server.maxBodyBytes, server.admission)
  const { ignored, threadId, runId, replies, ...asked } = readAgUiInput(body)
  const agent = agentOf(server, asked.model)
  const go = () =>
    replies.length > 0 ? answerAll(keptSession(agent, caller), replies, caller) : startTurn(server, caller, asked)
  const start = async () => watched(server, await go())
  const { answer, leave, deliver } = await server.repeats.reply(request, caller, { agent, body, start })
  const events = agUiEvents(answer, { threadId, runId, locale: server.locale })
  return deliver(streamed(server, events, { onCancel: leave, headers: ignoredHeader(ignored) }))
}
