import type { AttachmentInput } from "../../../core/conversation.ts"
import { isRecord, parsedJson } from "../../../core/json-access.ts"
import type { ChatMessage, ChatRun } from "../../../loop/agent/stateless/past-messages.ts"
import { badRequest } from "../http-problem.ts"

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
const ownTools = "A character calls its own tools and cannot call a client's: switch tools off in the client for this model."
const ownForm = "A character has its own form of answer: leave the field out."

/** Fields that change what an answer is, so that ignoring them would mislead, each with the reason of its refusal. */
const refused: Readonly<Record<string, string>> = {
  ...{ tools: ownTools, tool_choice: ownTools, functions: ownTools, function_call: ownTools },
  ...{ response_format: ownForm, modalities: ownForm, audio: ownForm, prediction: ownForm },
}

/** True for a value of such a field that asks for nothing but what a character gives. */
function asksForNothing(name: string, body: Readonly<Record<string, unknown>>): boolean {
  const value = body[name]
  if (isEmptyList(value)) return true
  if (name === "tool_choice" || name === "function_call") return value === "auto" || value === "none"
  if (name === "tools") return body.tool_choice === "none"
  if (name === "functions") return body.function_call === "none"
  if (name === "modalities") return Array.isArray(value) && value.every((each) => each === "text")
  return name === "response_format" && isRecord(value) && value.type === "text"
}

/** Reads the body of a request. Throws {@link HttpProblem} for one that a character cannot follow. */
export function readCompletionRequest(body: Readonly<Record<string, unknown>>, locale = "en"): CompletionRequest {
  const { model, messages, stream, stream_options: streamOptions, n } = body
  if (typeof model !== "string") throw badRequest("Expected the name of a model.", "model")
  if (!Array.isArray(messages)) throw badRequest("Expected a list of messages.", "messages")
  if (n !== undefined && n !== null && n !== 1) throw badRequest("Only one answer can be asked for.", "n")
  const given = Object.keys(body).filter((name) => isGiven(body[name]))
  const wrong = given.find((name) => Object.hasOwn(refused, name) && !asksForNothing(name, body))
  if (wrong !== undefined) throw badRequest(`${wrong} is not supported. ${refused[wrong]}`, wrong)
  const read = asked(messages.map(readMessage), locale)
  return {
    model,
    messages: conversationOf(read),
    instructions: read.flatMap(({ role, content }) => (role === "system" ? [content] : [])).join("\n\n"),
    stream: stream === true,
    includeUsage: isRecord(streamOptions) && streamOptions.include_usage === true,
    ignored: [
      ...given.filter((name) => !understood.has(name) && !Object.hasOwn(refused, name)),
      ...new Set(read.flatMap(({ ignored }) => ignored.map((name) => `messages.${name}`))),
    ],
  }
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/**
 * The messages with a question at their end. Clients ask for more of an answer by ending with that, and for other things, such as a
 * first message or a summary, by ending with a system message, which then is the question. A tool's result is none.
 */
function asked(read: readonly ReadMessage[], locale: string): readonly ReadMessage[] {
  const spoken = read.findLast(({ role }) => role !== "system")
  const last = read.at(-1)
  if (spoken?.role === "tool")
    throw badRequest(`The last message is a tool's result, which answers no call of this model. ${ownTools}`, "messages")
  if (last === undefined || spoken?.role === "user") return read
  if (last.role === "system") return [...read.slice(0, -1), { ...last, role: "user" }]
  const content = locale.toLowerCase().startsWith("zh") ? "接着说。" : "Go on."
  return [...read, { ...last, role: "user", content, attachments: [], calls: [], ignored: [] }]
}

/** The conversation, with the results of tools beside the words of the user that they belong to. */
function conversationOf(read: readonly ReadMessage[]): readonly ChatMessage[] {
  const messages: ChatMessage[] = []
  const calls = new Map(read.flatMap((message) => message.calls.map((call) => [call.id, call] as const)))
  let runs: ChatRun[] = []
  for (const { role, content, attachments, name, answers = "" } of read) {
    if (role === "tool") runs.push({ id: answers, tool: name ?? "tool", args: {}, ...calls.get(answers), result: content })
    if (role === "user") runs = []
    if (role === "user" || (role === "assistant" && (content !== "" || attachments.length > 0)))
      messages.push({
        ...{ role, content, attachments: attachments.length > 0 ? attachments : undefined, name },
        ...(role === "user" && { runs }),
      })
  }
  return messages.map(({ runs: ran = [], ...message }) => (ran.length > 0 ? { ...message, runs: ran } : message))
}

interface ReadMessage {
  readonly role: "system" | "user" | "assistant" | "tool"
  readonly content: string
  readonly attachments: readonly AttachmentInput[]
  readonly name: string | undefined
  /** The calls of tools that an earlier answer made. */
  readonly calls: readonly Pick<ChatRun, "id" | "tool" | "args">[]
  /** The id of the call that a tool's result answers. */
  readonly answers: string | undefined
  readonly ignored: readonly string[]
}

const understoodOfMessage = new Set(
  "role content name images files tool_calls function_call tool_call_id refusal annotations".split(" "),
)

const roles: Readonly<Record<string, ReadMessage["role"]>> = {
  system: "system",
  developer: "system",
  user: "user",
  assistant: "assistant",
  tool: "tool",
  function: "tool",
}

function readMessage(message: unknown, at: number): ReadMessage {
  const param = `messages[${at}]`
  if (!isRecord(message)) throw badRequest(`${param} is no object.`, param)
  const { role, content, name, images, files, tool_calls: toolCalls, function_call: call, tool_call_id: answers } = message
  const known = typeof role === "string" && Object.hasOwn(roles, role) ? roles[role] : undefined
  if (known === undefined) throw badRequest(`${param} has the role ${JSON.stringify(role)}, which is not supported.`, param)
  const calls = callsOf(toolCalls, call, param)
  const read = !isGiven(content) && known === "assistant" ? { content: "", attachments: [] } : readContent(content, param, known)
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
    calls,
    answers: typeof answers === "string" ? answers : typeof name === "string" ? name : undefined,
    ignored,
  }
}

/** The calls of an earlier answer, also in the older form, in which a call has no id but its name. */
function callsOf(toolCalls: unknown, call: unknown, param: string): ReadMessage["calls"] {
  const listed = isGiven(toolCalls) ? toolCalls : []
  if (!Array.isArray(listed)) throw badRequest(`${param}.tool_calls is no list.`, `${param}.tool_calls`)
  const older = isRecord(call) ? [{ id: call.name, function: call }] : []
  return [...listed, ...older].map((each: unknown) => {
    const { id, function: called } = isRecord(each) ? each : {}
    if (!isRecord(called) || typeof called.name !== "string")
      throw badRequest(`${param} has a tool call without the name of a function.`, `${param}.tool_calls`)
    return { id: String(id), tool: called.name, args: argumentsOf(called.arguments) }
  })
}

function argumentsOf(text: unknown): Readonly<Record<string, unknown>> {
  const args = parsedJson(String(text))
  if (args === undefined) return { arguments: String(text) }
  return isRecord(args) ? args : { value: args }
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
