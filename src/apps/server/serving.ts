import type { Clock, Timers } from "../../core/ports.ts"
import { didYouMean } from "../../core/suggest.ts"
import type { Agent } from "../../loop/agent/agent.ts"
import { contextOf, partsOf } from "../../loop/agent/published-agents.ts"
import { greetingOf } from "../../loop/agent/second-thoughts/greetings.ts"
import type { ChatMessage } from "../../loop/agent/stateless/past-messages.ts"
import { StartedTurn, type Turn } from "../../loop/agent/turn.ts"
import type { AnswerLimit } from "../../reply/output/answer-limit.ts"
import { answerTyped, readTypedAnswer } from "../../trace/approval-question.ts"
import { emptyTrace } from "../../trace/trace.ts"
import type { AllowedOrigins } from "./cors.ts"
import type { Caller } from "./exchange.ts"
import { badRequest, HttpProblem } from "./http-problem.ts"
import type { Repeats } from "./repeats.ts"
import type { Admission, RequestGate, RequestLimits } from "./request-limits.ts"
import type { ClientTools } from "./requests/client-tools.ts"
import type { SentConversation } from "./requests/read-messages.ts"
import type { SaidAnswers } from "./requests/read-response.ts"
import { answererOf, inOrder } from "./waiting-calls.ts"

/** Headers of a stream of server-sent events. Proxies must not hold pieces back. */
const eventStreamHeaders = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const

/** Proxies cut a connection on which nothing came for a minute, some for half of one. */
const heartbeatMs = 15_000

/** How a stream is sent. */
interface EventStreamOptions {
  /** Data that stands behind the last event. */
  readonly end?: string | undefined
  /** Called if the reader leaves. */
  readonly onCancel?: (() => void) | undefined
  readonly timers: Timers
}

/** Server-sent events with JSON as data. They are made when the reader asks for more. A comment is sent while nothing comes for long. */
export function eventStream(
  events: AsyncIterable<unknown>,
  { end, onCancel, timers }: EventStreamOptions,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = events[Symbol.asyncIterator]()
  let timer: unknown
  return new ReadableStream({
    async pull(controller) {
      const beat = (): void => {
        // One that waits to be read is enough.
        if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(": still here\n\n"))
        timer = timers.set(beat, heartbeatMs)
      }
      timer = timers.set(beat, heartbeatMs)
      try {
        const next = await iterator.next()
        if (next.done !== true) return controller.enqueue(encoder.encode(`data: ${JSON.stringify(next.value)}\n\n`))
        if (end !== undefined) controller.enqueue(encoder.encode(`data: ${end}\n\n`))
        controller.close()
      } finally {
        timers.clear(timer)
      }
    },
    cancel() {
      timers.clear(timer)
      onCancel?.()
    },
  })
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

/** The options with their defaults, as the routes share them. */
export interface Server extends Required<HandlerOptions> {
  readonly startedSeconds: number
  readonly gate: RequestGate
  readonly repeats: Repeats
  readonly said: SaidAnswers
  /** The turns of kept conversations that run or wait, oldest first, each with the key of its chat. */
  readonly chats: Set<{ readonly chat: string; readonly turn: Turn }>
}

/** The server as one request has it. */
export interface Serving extends Server {
  readonly admission: Admission
}

/** The agent of a model's name. The only one needs none. From now on its tools' questions may wait: whoever asks here can answer later. */
export function agentOf({ agents }: Pick<Server, "agents">, asked: unknown): Agent {
  const model = asked ?? (Object.keys(agents).length === 1 ? Object.keys(agents)[0] : undefined)
  const found = typeof model === "string" && Object.hasOwn(agents, model) ? agents[model] : undefined
  if (found) {
    partsOf(found).asking.later = true
    return found
  }
  const names = Object.keys(agents)
  const near = typeof model === "string" ? didYouMean(model, names) : ""
  const what = model === undefined ? "The request names no model" : `There is no model ${modelName(model)}`
  throw new HttpProblem(404, `${what}; there are ${names.join(", ")}.${near}`, { param: "model", code: "model_not_found" })
}

function modelName(model: unknown): string {
  return typeof model === "string" ? JSON.stringify(model.slice(0, 200)) : "of this form"
}

/** A question as a client sends it. */
export interface ChatRequest extends SentConversation, ClientTools {
  readonly model: unknown
  readonly answerLimit?: AnswerLimit | undefined
}

/**
 * Starts the turn of a request. One without messages is greeted. A kept conversation gets the last message alone, which may answer a call
 * that waits, or the results of the client's tools with which the request ends.
 */
export async function startTurn(server: Serving, caller: Caller, question: ChatRequest): Promise<Turn> {
  const { model, messages, instructions, tools, toolChoice, results, answerLimit } = question
  server.admission.weighs(fileBytesOf(messages))
  const agent = agentOf(server, model)
  const character = tools.length > 0 ? (await contextOf(agent)).tools : undefined
  const taken = tools.find((tool) => character?.get(tool.name))
  if (taken) throw badRequest(`The character has a tool named ${taken.name} itself; give yours another name.`, "tools")
  const { user, name, conversation } = caller
  const from = name === undefined ? { id: user } : { id: user, name }
  if (messages.length === 0 && results.length === 0) return greetingTurn(agent, from, caller)
  const by = answererOf(caller)
  const own = results.filter(({ tool }) => tools.some(({ name }) => name === tool))
  if (conversation !== undefined && results.length > 0)
    return inOrder(own.length > 0 ? own : results, ({ id, result }) =>
      agent.session(conversation).answerCall(id, result, { by, tools, answerLimit }),
    )
  const last = messages.at(-1)
  if (last?.role !== "user") throw new HttpProblem(400, "The last message is not the user's.", { param: "messages" })
  if (last.content.trim() === "" && !last.attachments?.length)
    throw new HttpProblem(400, "The last message is empty.", { param: "messages" })
  const inject = instructions.trim() === "" ? [] : [{ key: "instructions", content: instructions, trust: "user" as const }]
  const options = { from, inject, tools, toolChoice, answerLimit }
  if (conversation === undefined) return agent.respond(messages, options)
  const typed = readTypedAnswer(last.content)
  if (typed) return answerTyped(agent.session(conversation), typed, by)
  return agent.session(conversation).send(last.content, { ...options, attachments: last.attachments ?? [] })
}

function fileBytesOf(messages: readonly ChatMessage[]): number {
  const files = messages.flatMap(({ attachments = [] }) => attachments)
  return files.reduce((sum, file) => sum + ("url" in file && file.url.startsWith("data:") ? file.url.length : 0), 0)
}

/**
 * The greeting as the turn of a request that brings no message and so begins a conversation (C34): no model is asked. A kept conversation
 * keeps it. Throws {@link HttpProblem} where nobody greets.
 */
async function greetingTurn(agent: Agent, from: { readonly id: string }, { conversation }: Caller): Promise<Turn> {
  const { ports, profile, plugins } = await contextOf(agent)
  const session = conversation === undefined ? undefined : agent.session(conversation)
  const turnId = ports.ids.next("greeting")
  const key = session?.key ?? { agent: profile.agent.id, conversation: turnId, audience: "private" }
  const text = session ? await session.greet({ from }) : greetingOf({ profile, plugins }, key, { from })
  const why = session ? "this conversation has begun, or the character has no greeting." : "this character has no greeting."
  if (text === undefined) throw new HttpProblem(400, `Expected a message: ${why}`, { param: "messages" })
  const [said] = (await session?.history({ limit: 1 })) ?? []
  const id = said?.turnId ?? turnId
  const startedMs = ports.clock.nowMs()
  return new StartedTurn(id, async (emit) => {
    emit({ type: "turn-start", turnId: id, atMs: startedMs })
    emit({ type: "text-delta", delta: text })
    return { ok: true, text, stopReason: "finish", usage: {}, trace: emptyTrace({ turnId: id, key, startedMs }) }
  })
}

/** Tells the owner if a turn fails, read or not, and gives it the place of its request. */
export function watched({ onError, admission }: Serving, turn: Turn): Turn {
  admission.holds(turn)
  void turn.result.then((result) => {
    if (!result.ok && result.error.code !== "aborted") onError(result.error)
  })
  return turn
}

/** The response that streams events. */
export function streamed(
  { timers }: Pick<Server, "timers">,
  events: AsyncIterable<unknown>,
  { headers, ...options }: Pick<EventStreamOptions, "end" | "onCancel"> & { headers?: Readonly<Record<string, string>> },
): Response {
  return new Response(eventStream(events, { ...options, timers }), { headers: { ...eventStreamHeaders, ...headers } })
}

export function seconds({ nowMs }: Clock): number {
  return Math.floor(nowMs() / 1000)
}
