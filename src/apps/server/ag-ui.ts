import type { AttachmentInput } from "../../core/conversation.ts"
import { isRecord } from "../../core/json-access.ts"
import type { ChatMessage } from "../../loop/agent/stateless/past-messages.ts"
import { errorWords } from "../../trace/error-words.ts"
import { guardLinks } from "../../trace/guard-links.ts"
import type { TurnResult } from "../../trace/turn-event.ts"
import { type ApprovalReply, agUiReplies, questionsOf } from "./approvals/approval-answers.ts"
import type { Answer } from "./exchange.ts"
import { badRequest } from "./http-problem.ts"

/** A request to `/ag-ui` (`RunAgentInput` of AG-UI 1), as far as a character follows it. */
interface AgUiInput {
  readonly threadId: string
  readonly runId: string
  readonly messages: readonly ChatMessage[]
  /** The client's own instructions: messages of role `system` and `developer`, and its context. */
  readonly instructions: string
  /** The agent that is asked: `forwardedProps.model`. */
  readonly model: unknown
  /** The answers to calls that waited. */
  readonly replies: readonly ApprovalReply[]
  /** Fields of the request that mean nothing here. */
  readonly ignored: readonly string[]
}

/** Reads the body of a request. Tool calls, their results and thoughts of earlier answers are left out. Throws {@link HttpProblem}. */
export function readAgUiInput(body: Readonly<Record<string, unknown>>): AgUiInput {
  const { threadId, runId, messages, tools, context, forwardedProps } = body
  if (typeof threadId !== "string") throw badRequest("Expected the id of a thread.", "threadId")
  if (typeof runId !== "string") throw badRequest("Expected the id of a run.", "runId")
  if (!Array.isArray(messages)) throw badRequest("Expected a list of messages.", "messages")
  if (Array.isArray(tools) && tools.length > 0)
    throw badRequest("tools is not supported: a character has its own tools.", "tools")
  const read = messages.map(readMessage)
  const facts = Array.isArray(context) ? context.filter(isRecord) : []
  return {
    threadId,
    runId,
    messages: read.flatMap(({ role, content, attachments }) =>
      role === "instructions" || (content === "" && !attachments) ? [] : [{ role, content, attachments }],
    ),
    instructions: [
      ...read.flatMap(({ role, content }) => (role === "instructions" ? [content] : [])),
      ...facts.map(({ description, value }) => `${description}: ${value}`),
    ].join("\n\n"),
    model: isRecord(forwardedProps) ? forwardedProps.model : undefined,
    replies: agUiReplies(body),
    ignored: ["state"].filter((name) => isFilled(body[name])),
  }
}

function isFilled(value: unknown): boolean {
  return typeof value === "object" && value !== null ? Object.keys(value).length > 0 : value !== undefined && value !== null
}

const roles: Readonly<Record<string, "instructions" | "user" | "assistant" | "left out">> = {
  system: "instructions",
  developer: "instructions",
  user: "user",
  assistant: "assistant",
  tool: "left out",
  reasoning: "left out",
  activity: "left out",
}

interface ReadMessage {
  readonly role: "instructions" | "user" | "assistant"
  readonly content: string
  readonly attachments?: readonly AttachmentInput[] | undefined
}

function readMessage(message: unknown, at: number): ReadMessage {
  const param = `messages[${at}]`
  if (!isRecord(message)) throw badRequest(`${param} is no object.`, param)
  const { role, content } = message
  const known = typeof role === "string" && Object.hasOwn(roles, role) ? roles[role] : undefined
  if (known === undefined) throw badRequest(`${param} has the role ${JSON.stringify(role)}, which AG-UI does not have.`, param)
  // An assistant's message without text only called tools.
  if (known === "left out" || (known === "assistant" && typeof content !== "string")) return { role: "assistant", content: "" }
  const texts: string[] = []
  const attachments: AttachmentInput[] = []
  for (const part of Array.isArray(content) ? content : [{ type: "text", text: content }]) {
    const attachment = known === "user" && isRecord(part) ? attachmentOf(part) : undefined
    if (attachment) attachments.push(attachment)
    else if (isRecord(part) && part.type === "text" && typeof part.text === "string") texts.push(part.text)
    else {
      const supported = known === "user" ? "only text and files with their data or URL are" : "only text is"
      throw badRequest(`${param}.content is no text; ${supported} supported.`, `${param}.content`)
    }
  }
  return { role: known, content: texts.join("\n"), attachments: attachments.length > 0 ? attachments : undefined }
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
 * A turn as the events of AG-UI. Every message that is begun is ended. A file comes as `CUSTOM` of the name `file`, because AG-UI has no
 * event for it. A failed turn ends with `RUN_ERROR`.
 */
export async function* agUiEvents(
  turn: Answer,
  { threadId, runId, locale }: { readonly threadId: string; readonly runId: string; readonly locale: string },
): AsyncGenerator<AgUiEvent> {
  const parts = new OpenMessage(turn.id)
  yield { type: "RUN_STARTED", threadId, runId }
  for await (const event of guardLinks(turn)) {
    if (event.type === "text-delta") yield* parts.add("text", event.delta)
    else if (event.type === "thinking-delta") yield* parts.add("reasoning", event.delta)
    else if (event.type === "attachment") {
      const { mediaType, base64 } = event.attachment
      yield { type: "CUSTOM", name: "file", value: { mediaType, url: `data:${mediaType};base64,${base64}` } }
    } else if (event.type === "tool-start") {
      yield* parts.end()
      const toolCallId = event.id
      yield { type: "TOOL_CALL_START", toolCallId, toolCallName: event.tool }
      yield { type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(event.args) ?? "{}" }
      yield { type: "TOOL_CALL_END", toolCallId }
    } else if (event.type === "tool-end") {
      yield* parts.end()
      const { id: toolCallId, result: content } = event.run
      yield { type: "TOOL_CALL_RESULT", messageId: parts.nextId(), toolCallId, content, role: "tool" }
    } else if (event.type === "turn-end") {
      yield* parts.end()
      const { result } = event
      if (result.ok) yield { type: "RUN_FINISHED", threadId, runId, outcome: interruptOf(result, locale) }
      else yield { type: "RUN_ERROR", message: errorWords(result.error, locale), code: result.error.code }
    }
  }
}

/** The outcome of a run whose calls wait for a person. Undefined for any other: it succeeded. */
function interruptOf(result: TurnResult, locale: string): object | undefined {
  const interrupts = questionsOf(result, locale).map(({ id, callId, question, untilMs, ...metadata }) => ({
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

  *add(kind: "text" | "reasoning", delta: string): Generator<AgUiEvent> {
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
