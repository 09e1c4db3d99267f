import type { AttachmentInput, FileAttachment } from "../../core/conversation.ts"
import { isRecord } from "../../core/json-access.ts"
import type { Usage } from "../../core/model/language-model.ts"
import type { ChatMessage } from "../../loop/agent/stateless/past-messages.ts"
import type { TurnResult } from "../../trace/turn-event.ts"
import { questionsOf } from "./approvals/approval-answers.ts"
import type { Answer } from "./exchange.ts"
import { badRequest } from "./http-problem.ts"
import { turnErrorBody } from "./turn-failure.ts"

/** A request to `/v1/chat/completions`, as far as a character follows it. */
export interface CompletionRequest {
  readonly model: string
  readonly messages: readonly ChatMessage[]
  /** The client's own instructions: the texts of messages of role `system` and `developer`. */
  readonly instructions: string
  readonly stream: boolean
  readonly includeUsage: boolean
  /** Fields of the request that mean nothing here. */
  readonly ignored: readonly string[]
}

const understood = new Set(["model", "messages", "stream", "stream_options", "user", "n", "store", "metadata"])
/** Fields that change what an answer is, so that ignoring them would mislead. */
const refused = new Set([
  "tools",
  "tool_choice",
  "functions",
  "function_call",
  "response_format",
  "modalities",
  "audio",
  "prediction",
])

/** Reads the body of a request. Throws {@link HttpProblem} for one that a character cannot follow. */
export function readCompletionRequest(body: Readonly<Record<string, unknown>>): CompletionRequest {
  const { model, messages, stream, stream_options: streamOptions, n } = body
  if (typeof model !== "string") throw badRequest("Expected the name of a model.", "model")
  if (!Array.isArray(messages) || messages.length === 0) throw badRequest("Expected a list of messages.", "messages")
  if (n !== undefined && n !== null && n !== 1) throw badRequest("Only one answer can be asked for.", "n")
  const given = Object.keys(body).filter((name) => isGiven(body[name]))
  const wrong = given.find((name) => refused.has(name) && !isEmptyList(body[name]))
  if (wrong !== undefined)
    throw badRequest(`${wrong} is not supported: a character has its own tools and its own form of answer.`, wrong)
  const read = messages.map(readMessage)
  return {
    model,
    messages: read.flatMap(({ role, content, attachments, name }) =>
      role === "system" ? [] : [{ role, content, attachments: attachments.length > 0 ? attachments : undefined, name }],
    ),
    instructions: read.flatMap(({ role, content }) => (role === "system" ? [content] : [])).join("\n\n"),
    stream: stream === true,
    includeUsage: isRecord(streamOptions) && streamOptions.include_usage === true,
    ignored: [
      ...given.filter((name) => !understood.has(name) && !refused.has(name)),
      ...new Set(read.flatMap(({ ignored }) => ignored.map((name) => `messages.${name}`))),
    ],
  }
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

interface ReadMessage {
  readonly role: "system" | "user" | "assistant"
  readonly content: string
  readonly attachments: readonly AttachmentInput[]
  readonly name: string | undefined
  readonly ignored: readonly string[]
}

const understoodOfMessage = new Set(["role", "content", "name", "images", "files", "tool_calls", "function_call"])

const roles: Readonly<Record<string, ReadMessage["role"]>> = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
}

function readMessage(message: unknown, at: number): ReadMessage {
  const param = `messages[${at}]`
  if (!isRecord(message)) throw badRequest(`${param} is no object.`, param)
  const { role, content, name, images, files, tool_calls: toolCalls, function_call: call } = message
  const known = typeof role === "string" && Object.hasOwn(roles, role) ? roles[role] : undefined
  if (known === undefined || [toolCalls, call].some((value) => isGiven(value) && !isEmptyList(value)))
    throw badRequest(`${param} has ${known ? "tool calls" : `the role ${JSON.stringify(role)}`}, which is not supported.`, param)
  const read = readContent(content, param, known)
  const attachments = [...read.attachments]
  const isUnknown = (field: string): boolean => isGiven(message[field]) && !understoodOfMessage.has(field)
  const ignored = Object.keys(message).filter(isUnknown)
  // Files of an earlier answer, as this server and others give them; some clients send a user's pictures like this, too.
  for (const [field, list] of Object.entries({ images, files }))
    for (const part of Array.isArray(list) ? list : isGiven(list) ? [list] : []) {
      const file = known !== "system" && isRecord(part) ? attachmentOf(part) : undefined
      if (file) attachments.push(file)
      else ignored.push(field)
    }
  return {
    role: known,
    content: read.content,
    attachments,
    name: typeof name === "string" && name !== "" ? name : undefined,
    ignored,
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

function readContent(content: unknown, param: string, role: ReadMessage["role"]): Pick<ReadMessage, "content" | "attachments"> {
  if (typeof content === "string") return { content, attachments: [] }
  if (!Array.isArray(content)) throw badRequest(`${param}.content is no text.`, `${param}.content`)
  const texts: string[] = []
  const attachments: AttachmentInput[] = []
  for (const [at, part] of content.entries()) {
    const attachment = role === "user" && isRecord(part) ? attachmentOf(part) : undefined
    if (attachment) attachments.push(attachment)
    else if (isRecord(part) && part.type === "text" && typeof part.text === "string") texts.push(part.text)
    else {
      const type = isRecord(part) ? JSON.stringify(part.type) : "of another form"
      const supported = role === "user" ? "only text, image_url, input_audio and file with its data are" : "only text is"
      throw badRequest(`${param}.content[${at}] is ${type}; ${supported} supported.`, `${param}.content[${at}]`)
    }
  }
  return { content: texts.join("\n"), attachments }
}

/** A content part that is no text. Its URL, also a `data:` URL, is checked with the turn. */
function attachmentOf({
  type,
  image_url: image,
  input_audio: audio,
  file,
}: Readonly<Record<string, unknown>>): AttachmentInput | undefined {
  if (type === "image_url" && isRecord(image) && typeof image.url === "string") return { url: image.url }
  if (type === "input_audio" && isRecord(audio) && typeof audio.data === "string")
    return { url: `data:audio/${audio.format === "mp3" ? "mpeg" : "wav"};base64,${audio.data}` }
  if (type !== "file" || !isRecord(file) || typeof file.file_data !== "string") return undefined
  return { url: file.file_data, name: typeof file.filename === "string" ? file.filename : undefined }
}

/** The facts that every object of an answer repeats. */
interface Answering {
  readonly id: string
  /** Seconds since 1970. */
  readonly created: number
  readonly model: string
}

/** The answer as one object. */
export function completion({ id, created, model }: Answering, result: TurnResult & { readonly ok: true }, locale: string) {
  const { text, stopReason, usage, attachments = [] } = result
  const asked = askedIn(result, locale)
  const message = {
    role: "assistant",
    content: text + (asked?.content ?? ""),
    refusal: null,
    approvals: asked?.approvals,
    ...mediaOf(attachments),
  }
  const choice = { index: 0, message, logprobs: null, finish_reason: finishReason(stopReason) }
  return { id, object: "chat.completion", created, model, choices: [choice], usage: usageOf(usage) }
}

/** The questions about calls that wait: as words behind the answer, and as data. Undefined if none waits. */
function askedIn(result: TurnResult & { readonly ok: true }, locale: string) {
  const approvals = questionsOf(result, locale)
  const words = approvals.map(({ text }) => text)
  return approvals.length > 0 ? { content: [...(result.text === "" ? [] : [""]), ...words].join("\n\n"), approvals } : undefined
}

/** Files of an answer as other servers of this API give them: pictures as `images`, and the rest as parts that a request could have. */
function mediaOf(attachments: readonly FileAttachment[], imagesBefore = 0): object {
  const images: object[] = []
  const files: object[] = []
  for (const { path, mediaType, base64 } of attachments) {
    const url = `data:${mediaType};base64,${base64}`
    if (mediaType.startsWith("image/"))
      images.push({ index: imagesBefore + images.length, type: "image_url", image_url: { url } })
    else files.push({ type: "file", file: { filename: path, file_data: url } })
  }
  return { images: images.length > 0 ? images : undefined, files: files.length > 0 ? files : undefined }
}

/** The answer as the chunks of a stream. A failed turn ends it with an object `error`, which clients throw. */
export async function* completionChunks(
  { id, created, model }: Answering,
  turn: Answer,
  { includeUsage, locale }: { readonly includeUsage: boolean; readonly locale: string },
): AsyncGenerator<object> {
  const chunk = (delta: object, finish: string | null = null) => ({
    ...{ id, object: "chat.completion.chunk", created, model },
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    usage: includeUsage ? null : undefined,
  })
  let images = 0
  yield chunk({ role: "assistant", content: "" })
  for await (const event of turn) {
    if (event.type === "text-delta") yield chunk({ content: event.delta })
    if (event.type === "thinking-delta") yield chunk({ reasoning_content: event.delta })
    if (event.type === "attachment") {
      yield chunk(mediaOf([event.attachment], images))
      if (event.attachment.mediaType.startsWith("image/")) images++
    }
    if (event.type !== "turn-end") continue
    const { result } = event
    if (!result.ok) {
      yield turnErrorBody(result.error, locale)
      return
    }
    const asked = askedIn(result, locale)
    if (asked) yield chunk(asked)
    yield chunk({}, finishReason(result.stopReason))
    if (includeUsage) yield { id, object: "chat.completion.chunk", created, model, choices: [], usage: usageOf(result.usage) }
  }
}

function finishReason(stopReason: (TurnResult & { readonly ok: true })["stopReason"]): string {
  return stopReason === "truncated" ? "length" : "stop"
}

/** The tokens of all requests of the turn. What a provider did not report counts as 0. */
function usageOf({ inputTokens = 0, outputTokens = 0, inputCacheReadTokens, reasoningTokens }: Usage) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: inputCacheReadTokens === undefined ? undefined : { cached_tokens: inputCacheReadTokens },
    completion_tokens_details: reasoningTokens === undefined ? undefined : { reasoning_tokens: reasoningTokens },
  }
}
