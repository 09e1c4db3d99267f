import { checkOptions } from "../../core/check-options.ts"
import { PromptStrataError } from "../../core/errors.ts"
import { isRecord } from "../../core/json-access.ts"
import { type Clock, hostTimers, type Timers } from "../../core/ports.ts"
import { didYouMean } from "../../core/suggest.ts"
import type { Agent } from "../../loop/agent/agent.ts"
import { contextOf } from "../../loop/agent/published-agents.ts"
import type { ChatMessage } from "../../loop/agent/stateless/past-messages.ts"
import type { Turn } from "../../loop/agent/turn.ts"
import { errorWords } from "../../trace/error-words.ts"
import { logError } from "../../trace/log-error.ts"
import { agUiEvents, readAgUiInput } from "./ag-ui.ts"
import { completion, completionChunks, readCompletionRequest } from "./chat-completions.ts"
import { type AllowedOrigins, preflight, shared } from "./cors.ts"
import { type EventStreamOptions, eventStream, eventStreamHeaders } from "./event-stream.ts"
import { errorBody, HttpProblem, problemResponse } from "./http-problem.ts"
import { ignoredHeader } from "./ignored-header.ts"
import { changeOf } from "./kept-chat.ts"
import { readJsonBody } from "./read-body.ts"
import { type Admission, RequestGate, type RequestLimits } from "./request-limits.ts"
import { keptMessageChunks, uiMessageChunks } from "./ui-message-stream.ts"
import { readUiMessages } from "./ui-messages.ts"

/** Whoever sent a request, as the server's owner knows them. */
export interface Caller {
  /** The person whose memories the answer may use. */
  readonly user: string
  /** The name that prompts show. Default: the name of the profile's user. */
  readonly name?: string | undefined
  /**
   * The conversation that the request belongs to. It is kept by the agent, so only the last message of the request is read. Without it
   * the request's own messages are the whole conversation, and nothing is kept.
   */
  readonly conversation?: string | undefined
}

/** Options of {@link createHandler}. */
export interface HandlerOptions {
  /** The agents that can be asked, each by the name of its model. */
  readonly agents: Readonly<Record<string, Agent>>
  /** Says who sent a request. Undefined refuses it with status 401. Whatever it throws refuses it with 500 and goes to `onError`. */
  readonly authorize: (request: Request) => Caller | undefined | Promise<Caller | undefined>
  /**
   * The origins of web pages that may ask (CORS), such as `["https://app.test"]`, or `"*"` for all. Default: none, so a browser lets only
   * pages of the server's own origin read answers. Cookies are never allowed: a page sends its key in a header.
   */
  readonly allowedOrigins?: AllowedOrigins
  /** The most bytes of a request's body. Default 1,000,000. */
  readonly maxBodyBytes?: number
  /** Bounds on requests and tokens of a user, and on turns at once. Default: none. */
  readonly limits?: RequestLimits
  /** The language of the words for an error in a chat. Default `en`. */
  readonly locale?: string
  /** Gets the error of each turn that failed, of which the client gets only words and a code. Default: `console.error`, without secrets. */
  readonly onError?: (error: unknown) => void
  readonly clock?: Clock
  /** Timers of a test. */
  readonly timers?: Timers
}

const known: { readonly [K in keyof Required<HandlerOptions>]: true } = {
  agents: true,
  authorize: true,
  allowedOrigins: true,
  maxBodyBytes: true,
  limits: true,
  locale: true,
  onError: true,
  clock: true,
  timers: true,
}

/** The options with their defaults, as the routes share them. */
interface Server extends Required<HandlerOptions> {
  readonly startedSeconds: number
  readonly gate: RequestGate
  /** The turns of kept conversations that run or wait, oldest first, each with its {@link chatKey}. */
  readonly chats: Set<{ readonly chat: string; readonly turn: Turn }>
}

/** The server as one request has it. */
interface Serving extends Server {
  readonly admission: Admission
}

type Route = (server: Serving, request: Request, caller: Caller) => Response | Promise<Response>

/** The routes, by method and the end of the path. */
const routes: readonly { readonly method: string; readonly path: RegExp; readonly route: Route }[] = [
  { method: "GET", path: /\/v1\/models$/u, route: listModels },
  { method: "POST", path: /\/v1\/chat\/completions$/u, route: completeChat },
  { method: "POST", path: /\/api\/chat$/u, route: uiChat },
  { method: "GET", path: /\/api\/chat\/[^/]+\/stream$/u, route: resumeChat },
  { method: "DELETE", path: /\/api\/chat\/[^/]+\/stream$/u, route: stopChat },
  { method: "POST", path: /\/ag-ui$/u, route: agUi },
]

/**
 * Makes a handler of HTTP requests for any runtime with `Request` and `Response`: the OpenAI API (`/v1/chat/completions` and
 * `/v1/models`), and the AI SDK's UI message stream for `useChat` (`/api/chat`, and `/api/chat/ID/stream` to get it again, or to stop it with `DELETE`), and
 * AG-UI (`/ag-ui`), at any base path. A character keeps its own tools and prompt; a client's system messages become a labelled block of its prompt. The handler never
 * rejects. Throws `usage` for a mistake in the options.
 */
export function createHandler(options: HandlerOptions): (request: Request) => Promise<Response> {
  checkOptions("createHandler", options, known)
  if (Object.keys(options.agents).length === 0 || typeof options.authorize !== "function")
    throw new PromptStrataError("usage", "createHandler needs at least one agent, and authorize.")
  const { allowedOrigins = [], maxBodyBytes = 1_000_000, locale = "en", onError = logError, timers = hostTimers } = options
  const { clock = { nowMs: () => Date.now() } } = options
  const { limits = {} } = options
  const given = { ...options, allowedOrigins, maxBodyBytes, limits, locale, onError, clock, timers }
  const gate = new RequestGate(limits, clock)
  const server: Server = { ...given, startedSeconds: seconds(clock), gate, chats: new Set() }
  return async (request) =>
    preflight(request, allowedOrigins) ?? shared(await answerSafely(server, request), { request, allowed: allowedOrigins })
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
  const found = routes.filter(({ path }) => path.test(pathname))
  const caller = await server.authorize(request)
  if (caller === undefined) throw new HttpProblem(401, "The request has no valid key.", { code: "invalid_api_key" })
  const route = found.find(({ method }) => method === request.method)
  if (route)
    return server.gate.admit(caller.user, request.method, (admission) => route.route({ ...server, admission }, request, caller))
  if (found.length === 0) throw new HttpProblem(404, `There is nothing at ${JSON.stringify(pathname)}.`)
  throw new HttpProblem(405, `${request.method} is not answered here.`)
}

function listModels({ agents, startedSeconds }: Server): Response {
  const data = Object.keys(agents).map((id) => ({ id, object: "model", created: startedSeconds, owned_by: "promptstrata" }))
  return Response.json({ object: "list", data })
}

async function completeChat(server: Serving, request: Request, caller: Caller): Promise<Response> {
  const { model, messages, instructions, stream, includeUsage, ignored } = readCompletionRequest(
    await readJsonBody(request, server.maxBodyBytes),
  )
  const turn = watched(server, startTurn(server, caller, { model, messages, instructions }))
  const answering = { id: `chatcmpl-${turn.id}`, created: seconds(server.clock), model }
  const headers = ignoredHeader(ignored)
  if (stream) {
    const chunks = completionChunks(answering, turn, { includeUsage, locale: server.locale })
    return streamed(server, chunks, { onCancel: () => leave(turn, caller), end: "[DONE]", headers })
  }
  const abort = (): void => leave(turn, caller)
  request.signal.addEventListener("abort", abort, { once: true })
  const result = await turn.result
  request.signal.removeEventListener("abort", abort)
  if (result.ok) return Response.json(completion(answering, result), { headers })
  const body = errorBody(errorWords(result.error, server.locale), { type: "server_error", code: result.error.code })
  return Response.json(body, { status: statusOf(result.error), headers })
}

async function uiChat(server: Serving, request: Request, caller: Caller): Promise<Response> {
  const body = await readJsonBody(request, server.maxBodyBytes)
  const { conversation } = caller
  const send = () => startTurn(server, caller, { model: body.model, messages: readUiMessages(body), instructions: "" })
  const change = conversation === undefined ? undefined : changeOf(body)
  const turn = watched(server, await (change?.(agentOf(server, body.model).session(conversation ?? ""), send) ?? send()))
  const kept = { chat: chatKey(caller, typeof body.id === "string" ? encodeURIComponent(body.id.toWellFormed()) : ""), turn }
  if (caller.conversation !== undefined) server.chats.add(kept)
  void turn.result.then(() => server.chats.delete(kept))
  return uiStream(server, turn, caller)
}

/**
 * The running turn of a chat from its beginning, of several the newest. If there is none, the answer that `?message=ID` names comes from the store: whole, or as
 * much as was shown before it failed, with an error. One that is not there is told to be lost, also while another process makes it. Status 204 without `message`, as `useChat` expects.
 */
async function resumeChat(server: Server, request: Request, caller: Caller): Promise<Response> {
  const { searchParams } = new URL(request.url)
  const turn = turnsOf(server, request, caller).at(-1)
  if (turn) return uiStream(server, turn, caller)
  const id = searchParams.get("message")
  if (id === null || caller.conversation === undefined) return new Response(null, { status: 204 })
  const agent = agentOf(server, searchParams.get("model") ?? undefined)
  const session = agent.session(caller.conversation)
  const messages = await session.history({ limit: Number.MAX_SAFE_INTEGER })
  const answers = messages.filter(({ turnId, role }) => turnId === id && role === "assistant")
  const { blobs } = await contextOf(agent)
  const chunks = keptMessageChunks(id, answers, { locale: server.locale, bytesOf: (blob) => blobs.get(blob, session.key) })
  return streamed(server, chunks, { onCancel: () => undefined, end: "[DONE]", headers: uiHeaders })
}

/**
 * Stops the running turn of a chat and those that wait behind it: a client that only leaves lets them go on. Their words, and what was
 * shown of an answer, are kept (T20). Status 204 once they have ended, 404 if none runs in this process.
 */
async function stopChat(server: Server, request: Request, caller: Caller): Promise<Response> {
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

function uiStream(server: Server, turn: Turn, caller: Caller): Response {
  const chunks = uiMessageChunks(turn, { locale: server.locale })
  return streamed(server, chunks, { onCancel: () => leave(turn, caller), end: "[DONE]", headers: uiHeaders })
}

async function agUi(server: Serving, request: Request, caller: Caller): Promise<Response> {
  const { ignored, threadId, runId, ...asked } = readAgUiInput(await readJsonBody(request, server.maxBodyBytes))
  const turn = watched(server, startTurn(server, caller, asked))
  const events = agUiEvents(turn, { threadId, runId, locale: server.locale })
  return streamed(server, events, { onCancel: () => leave(turn, caller), headers: ignoredHeader(ignored) })
}

/** The agent of a model's name. The only one needs none. */
function agentOf({ agents }: Server, asked: unknown): Agent {
  const model = asked ?? (Object.keys(agents).length === 1 ? Object.keys(agents)[0] : undefined)
  const found = typeof model === "string" && Object.hasOwn(agents, model) ? agents[model] : undefined
  if (found) return found
  const names = Object.keys(agents)
  const near = typeof model === "string" ? didYouMean(model, names) : ""
  const what = model === undefined ? "The request names no model" : `There is no model ${JSON.stringify(model)}`
  throw new HttpProblem(404, `${what}; there are ${names.join(", ")}.${near}`, { param: "model", code: "model_not_found" })
}

/** A question as a client sends it. */
interface Question {
  readonly model: unknown
  readonly messages: readonly ChatMessage[]
  readonly instructions: string
}

/** Starts the turn of a request. A kept conversation gets the last message alone. */
function startTurn(server: Server, caller: Caller, { model, messages, instructions }: Question): Turn {
  const agent = agentOf(server, model)
  const { user, name, conversation } = caller
  const last = messages.at(-1)
  if (last?.role !== "user") throw new HttpProblem(400, "The last message is not the user's.", { param: "messages" })
  if (last.content.trim() === "" && !last.attachments?.length)
    throw new HttpProblem(400, "The last message is empty.", { param: "messages" })
  const inject = instructions.trim() === "" ? [] : [{ key: "instructions", content: instructions, trust: "user" as const }]
  const from = name === undefined ? { id: user } : { id: user, name }
  if (conversation === undefined) return agent.respond(messages, { from, inject })
  return agent.session(conversation).send(last.content, { from, inject, attachments: last.attachments ?? [] })
}

/** Tells the owner if a turn fails, read or not, and gives it the place of its request. */
function watched({ onError, admission }: Serving, turn: Turn): Turn {
  admission.holds(turn)
  void turn.result.then((result) => {
    if (!result.ok && result.error.code !== "aborted") onError(result.error)
  })
  return turn
}

/** A client that leaves ends a turn of which nothing is kept. A kept one goes on, so that its answer is there later. */
function leave(turn: Turn, { conversation }: Caller): void {
  if (conversation === undefined) turn.abort("The client left.")
}

interface Streaming extends Pick<EventStreamOptions, "end" | "onCancel"> {
  readonly headers: Readonly<Record<string, string>>
}

function streamed({ timers }: Server, events: AsyncIterable<unknown>, { headers, ...options }: Streaming): Response {
  return new Response(eventStream(events, { ...options, timers }), { headers: { ...eventStreamHeaders, ...headers } })
}

function statusOf({ code, evidence }: PromptStrataError): number {
  if (code.startsWith("file")) return 400
  if (code === "model") return isRecord(evidence) && evidence.status === 429 ? 429 : 502
  if (code === "turn-timeout" || code === "model-stall") return 504
  if (code === "closed" || code === "aborted") return 503
  return code === "session-conflict" ? 409 : 500
}

function seconds({ nowMs }: Clock): number {
  return Math.floor(nowMs() / 1000)
}
