import type { AttachmentInput } from "../../core/conversation.ts"
import { isRecord } from "../../core/json-access.ts"
import type { TypedAnswer } from "../../trace/approval-question.ts"
import { errorWords } from "../../trace/error-words.ts"
import { guardLinks } from "../../trace/guard-links.ts"
import { withSegments } from "../../trace/segments.ts"
import type { Answer } from "./exchange.ts"
import { progressData, segmentData } from "./feelings.ts"
import { badRequest } from "./http-problem.ts"
import { type ClientTools, readTools } from "./requests/client-tools.ts"
import { conversationOf, type ReadMessage, readMessage, type SentConversation } from "./requests/read-messages.ts"
import { agUiReplies, questionsOf } from "./waiting-calls.ts"

/** A request to `/ag-ui` (`RunAgentInput` of AG-UI 1), as far as a character follows it. Its context is among the instructions. */
interface AgUiInput extends SentConversation, ClientTools {
  readonly threadId: string
  readonly runId: string
  /** The agent that is asked: `forwardedProps.model`. */
  readonly model: unknown
  /** The answers to calls that waited. */
  readonly replies: readonly TypedAnswer[]
  /** Fields of the request that mean nothing here. */
  readonly ignored: readonly string[]
}

/** Reads the body of a request. Thoughts of earlier answers are left out. Throws {@link HttpProblem}. */
export function readAgUiInput(body: Readonly<Record<string, unknown>>): AgUiInput {
  const { threadId, runId, messages, tools, context, forwardedProps } = body
  if (typeof threadId !== "string") throw badRequest("Expected the id of a thread.", "threadId")
  if (typeof runId !== "string") throw badRequest("Expected the id of a run.", "runId")
  if (!Array.isArray(messages)) throw badRequest("Expected a list of messages.", "messages")
  const facts = (Array.isArray(context) ? context.filter(isRecord) : []).map(
    ({ description, value }): ReadMessage => ({ role: "system", content: `${description}: ${value}`, attachments: [] }),
  )
  const read = messages.flatMap((message: unknown, at) => {
    if (!isRecord(message)) return readMessage(message, `messages[${at}]`)
    const { role, toolCalls, toolCallId, ...rest } = message
    if (role === "reasoning" || role === "activity") return []
    const said = readMessage({ ...rest, role, tool_calls: toolCalls, tool_call_id: toolCallId }, `messages[${at}]`, attachmentOf)
    return said.role === "user" && said.content === "" && said.attachments.length === 0 ? [] : [said]
  })
  return {
    ...{ threadId, runId, ...conversationOf([...read, ...facts]), ...readTools(tools) },
    model: isRecord(forwardedProps) ? forwardedProps.model : undefined,
    replies: agUiReplies(body),
    ignored: ["state"].filter((name) => isFilled(body[name])),
  }
}

function isFilled(value: unknown): boolean {
  return typeof value === "object" && value !== null ? Object.keys(value).length > 0 : value !== undefined && value !== null
}

const fileParts: readonly unknown[] = ["image", "audio", "video", "document"]

/** A file of a message, by its data or its address. The data is checked with the turn. */
function attachmentOf({ type, source }: Readonly<Record<string, unknown>>): AttachmentInput | undefined {
  if (!fileParts.includes(type) || !isRecord(source) || typeof source.value !== "string") return undefined
  const { value, mimeType } = source
  const look = typeof mimeType === "string" ? { mediaType: mimeType } : {}
  if (source.type === "url") return { url: value, ...look }
  return source.type === "data" ? { url: `data:${look.mediaType ?? ""};base64,${value}`, ...look } : undefined
}

/** An event of AG-UI. Its fields depend on its type. */
type AgUiEvent = { readonly type: string } & Readonly<Record<string, unknown>>

/**
 * A turn as the events of AG-UI. Each bubble is a message, and every message that is begun is ended. Files, segments (H11) and the progress of
 * tools come as `CUSTOM` of the names `file`, `segment` and `tool-progress`, because AG-UI has no event for them. A failed turn ends with `RUN_ERROR`.
 */
export async function* agUiEvents(
  turn: Answer,
  { threadId, runId, locale }: { readonly threadId: string; readonly runId: string; readonly locale: string },
): AsyncGenerator<AgUiEvent> {
  const parts = new OpenMessage(turn.id)
  yield { type: "RUN_STARTED", threadId, runId }
  let links: readonly string[] = []
  for await (const event of withSegments(guardLinks(turn))) {
    if (event.type === "turn-start") links = event.links ?? []
    else if (event.type === "text-delta") yield* parts.add("text", event.delta)
    else if (event.type === "thinking-delta") yield* parts.add("reasoning", event.delta)
    else if (event.type === "bubble") yield* parts.end()
    else if (event.type === "segment") yield { type: "CUSTOM", name: "segment", value: segmentData(event.segment) }
    else if (event.type === "tool-progress") yield { type: "CUSTOM", name: "tool-progress", value: progressData(event, links) }
    else if (event.type === "attachment") {
      const { mediaType, base64 } = event.attachment
      yield { type: "CUSTOM", name: "file", value: { mediaType, url: `data:${mediaType};base64,${base64}` } }
    } else if (event.type === "tool-start") {
      yield* parts.end()
      yield* callEvents(event.id, event.tool, event.args)
    } else if (event.type === "tool-end") {
      yield* parts.end()
      const { id: toolCallId, result: content } = event.run
      yield { type: "TOOL_CALL_RESULT", messageId: parts.nextId(), toolCallId, content, role: "tool" }
    } else if (event.type === "turn-end") {
      yield* parts.end()
      const { result } = event
      for (const { id, tool, args } of (result.ok && result.calls) || []) yield* callEvents(id, tool, args)
      if (result.ok) yield { type: "RUN_FINISHED", threadId, runId, outcome: interruptOf(questionsOf(result, locale, links)) }
      else yield { type: "RUN_ERROR", message: errorWords(result.error, locale), code: result.error.code }
    }
  }
}

function* callEvents(toolCallId: string, toolCallName: string, args: unknown): Generator<AgUiEvent> {
  yield { type: "TOOL_CALL_START", toolCallId, toolCallName }
  yield { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(args) ?? "{}" }
  yield { type: "TOOL_CALL_END", toolCallId }
}

/** The outcome of a run whose calls wait for a person. Undefined for any other: it succeeded. */
function interruptOf(questions: ReturnType<typeof questionsOf>): object | undefined {
  const interrupts = questions.map(({ id, callId, question, untilMs, ...metadata }) => ({
    ...{ id, reason: "tool_call", message: question, toolCallId: callId, responseSchema: answerSchema },
    ...{ expiresAt: new Date(untilMs).toISOString(), metadata },
  }))
  return interrupts.length > 0 ? { type: "interrupt", interrupts } : undefined
}

const answerSchema = {
  type: "object",
  properties: { approved: { type: "boolean" }, reason: { type: "string" } },
  required: ["approved"],
}

/** The message that is open in a run. One is ended before another is begun. */
class OpenMessage {
  readonly #turnId: string
  #kind: "text" | "reasoning" | undefined
  #count = 0
  constructor(turnId: string) {
    this.#turnId = turnId
  }

  nextId(): string {
    this.#count++
    return this.#id()
  }

  *add(kind: "text" | "reasoning", said: string): Generator<AgUiEvent> {
    // A blank line between two bubbles stands between two messages.
    const delta = this.#kind === kind ? said : said.replace(/^\n+/, "")
    if (delta === "") return
    if (this.#kind !== kind) {
      yield* this.end()
      this.#kind = kind
      const messageId = this.nextId()
      if (kind === "reasoning") yield { type: "REASONING_START", messageId }
      yield { type: `${prefix[kind]}_START`, messageId, role: kind === "text" ? "assistant" : "reasoning" }
    }
    yield { type: `${prefix[kind]}_CONTENT`, messageId: this.#id(), delta }
  }

  *end(): Generator<AgUiEvent> {
    if (!this.#kind) return
    yield { type: `${prefix[this.#kind]}_END`, messageId: this.#id() }
    if (this.#kind === "reasoning") yield { type: "REASONING_END", messageId: this.#id() }
    this.#kind = undefined
  }

  #id(): string {
    return `${this.#turnId}-${this.#count}`
  }
}

const prefix = { text: "TEXT_MESSAGE", reasoning: "REASONING_MESSAGE" } as const
