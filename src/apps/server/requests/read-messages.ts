import type { AttachmentInput } from "../../../core/conversation.ts"
import { isRecord, parsedJson } from "../../../core/json-access.ts"
import { filled } from "../../../core/value.ts"
import type { ChatMessage, ChatRun } from "../../../loop/agent/stateless/past-messages.ts"
import { badRequest } from "../http-problem.ts"

/** A message of a request, whatever its protocol. */
export interface ReadMessage {
  readonly role: "system" | "user" | "assistant" | "tool"
  readonly content: string
  readonly attachments: readonly AttachmentInput[]
  readonly name?: string | undefined
  /** The calls of tools that an earlier answer made. */
  readonly calls?: readonly Pick<ChatRun, "id" | "tool" | "args">[]
  /** The id of the call that a tool's result answers. */
  readonly answers?: string | undefined
  readonly ignored?: readonly string[]
}

/** A conversation as a client sends it. */
export interface SentConversation {
  readonly messages: readonly ChatMessage[]
  /** The client's own instructions. */
  readonly instructions: string
  /** The results of tools with which it ends. */
  readonly results: readonly ChatRun[]
}

/**
 * The conversation, with the results of tools beside the words of the user that they belong to. If it ends with results, the last
 * message is those words: the turn goes on with them. Where several people or characters have names, these stand before their words.
 */
export function conversationOf(sent: readonly ReadMessage[]): SentConversation {
  const areNamed = (speaker: ReadMessage["role"]): boolean =>
    new Set(sent.flatMap(({ role, name }) => (role === speaker && name !== undefined ? [name] : []))).size > 1
  // A system message with a name is a line of an example dialogue.
  const shows = { system: true, user: areNamed("user"), assistant: areNamed("assistant"), tool: false }
  const read = sent.map((message) => {
    const { role, name, content } = message
    return name !== undefined && shows[role] && content.trim() !== "" ? { ...message, content: `${name}: ${content}` } : message
  })
  const messages: ChatMessage[] = []
  const calls = new Map(read.flatMap((message) => (message.calls ?? []).map((call) => [call.id, call] as const)))
  let runs: ChatRun[] = []
  let results: ChatRun[] = []
  let question = 0
  for (const { role, content, attachments, name, answers = "" } of read) {
    if (role === "tool") {
      const run = { id: answers, tool: name ?? "tool", args: {}, ...calls.get(answers), result: content }
      runs.push(run)
      results.push(run)
    } else if (role !== "system") {
      results = []
      if (role === "user") runs = []
      if (role === "user" || content !== "" || attachments.length > 0)
        messages.push({ role, content, attachments: filled(attachments), name, runs: role === "user" ? runs : undefined })
      if (role === "user") question = messages.length
    }
  }
  const shown = results.length > 0 ? messages.slice(0, question) : messages
  return {
    messages: shown.map(({ runs: ran = [], ...message }) => (ran.length > 0 ? { ...message, runs: ran } : message)),
    instructions: read.flatMap(({ role, content }) => (role === "system" && content !== "" ? [content] : [])).join("\n\n"),
    results,
  }
}

const roles: Readonly<Record<string, ReadMessage["role"]>> = {
  ...{ system: "system", developer: "system", user: "user", assistant: "assistant", tool: "tool", function: "tool" },
}

/** Reads a part of a message that is no text. Undefined for one that is no file. */
type ReadPart = (part: Readonly<Record<string, unknown>>) => AttachmentInput | undefined

const understoodOfMessage = new Set(
  "role content name images files tool_calls function_call tool_call_id refusal annotations".split(" "),
)

/** Reads a message of the chat completions API. Throws {@link HttpProblem}. */
export function readMessage(message: unknown, param: string, readPart: ReadPart = attachmentOf): ReadMessage {
  if (!isRecord(message)) throw badRequest(`${param} is no object.`, param)
  const { role, content, name, images, files, tool_calls: toolCalls, function_call: call, tool_call_id: answers } = message
  const known = typeof role === "string" && Object.hasOwn(roles, role) ? roles[role] : undefined
  if (known === undefined) throw badRequest(`${param} has the role ${JSON.stringify(role)}, which is not supported.`, param)
  const calls = callsOf(toolCalls, call, param)
  const isBare = !isGiven(content) && known === "assistant"
  const read = isBare ? { content: "", attachments: [] } : readContent(content, param, { role: known, readPart })
  const attachments = [...read.attachments]
  const isUnknown = (field: string): boolean => isGiven(message[field]) && !understoodOfMessage.has(field)
  const ignored = Object.keys(message).filter(isUnknown)
  // Files of an earlier answer, as this server and others give them; some clients send a user's pictures like this, too.
  for (const [field, list] of Object.entries({ images, files }))
    for (const part of Array.isArray(list) ? list : isGiven(list) ? [list] : []) {
      const file = known !== "system" && isRecord(part) ? readPart(part) : undefined
      if (file) attachments.push(file)
      else ignored.push(field)
    }
  return {
    ...{ role: known, content: read.content, attachments, calls, ignored },
    name: typeof name === "string" && name !== "" ? name : undefined,
    answers: typeof answers === "string" ? answers : typeof name === "string" ? name : undefined,
  }
}

/** The calls of an earlier answer, also in the older form, in which a call has no id but its name. */
function callsOf(toolCalls: unknown, call: unknown, param: string): NonNullable<ReadMessage["calls"]> {
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

/** True for a field that has a value. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

function readContent(
  content: unknown,
  param: string,
  { role, readPart }: { readonly role: ReadMessage["role"]; readonly readPart: ReadPart },
): Pick<ReadMessage, "content" | "attachments"> {
  if (typeof content === "string") return { content, attachments: [] }
  if (!Array.isArray(content)) throw badRequest(`${param}.content is no text.`, `${param}.content`)
  const texts: string[] = []
  const attachments: AttachmentInput[] = []
  for (const [at, part] of content.entries()) {
    const attachment = role === "user" && isRecord(part) ? readPart(part) : undefined
    if (attachment) attachments.push(attachment)
    else if (isRecord(part) && part.type === "text" && typeof part.text === "string") texts.push(part.text)
    else {
      const type = isRecord(part) ? JSON.stringify(part.type) : "of another form"
      const supported = role === "user" ? "only text and files with their data or URL are" : "only text is"
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
