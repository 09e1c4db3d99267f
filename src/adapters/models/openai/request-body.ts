import type { OpenAI } from "openai"
import { checkOptions, checkType } from "../../../core/check-options.ts"
import { invariant } from "../../../core/errors.ts"
import { listOf, parsedJson, recordOf, stringOf } from "../../../core/json-access.ts"
import type { ModelCapabilities, ModelRequest, ToolChoice } from "../../../core/model/language-model.ts"
import type { Assembly, Message } from "../../../core/span.ts"
import { providerDataOf } from "../answer-parts.ts"
import { withGivenBytes } from "../message-pieces.ts"
import { userContent, withResultParts } from "./media.ts"

type Body = OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming
type WireMessage = OpenAI.Chat.Completions.ChatCompletionMessageParam

/** Settings of the model that shape every request. */
export interface RequestForm {
  readonly model: string
  readonly capabilities: ModelCapabilities
  readonly includeUsage: boolean
  /** Whose data of earlier calls goes back. */
  readonly provider?: string
  readonly outputLimitName: "max_tokens" | "max_completion_tokens"
  /** True if the model refuses a temperature. */
  readonly fixedTemperature: boolean
  readonly systemRole: "system" | "developer"
  /** Loaded for a request with pictures or files. */
  readonly media?: { readonly userContent: typeof userContent; readonly withResultParts: typeof withResultParts } | undefined
  /** Fields of the server's own. They win over the others. */
  readonly extraBody: Readonly<Record<string, unknown>>
}

/** Makes the body of a chat completions request. Tools and formats that the model does not support are left out. */
export function requestBody(request: ModelRequest, form: RequestForm): Body {
  const tools = form.capabilities.tools ? (request.tools ?? []) : []
  return {
    model: form.model,
    messages: takingTurns(wireMessages(request.messages, form)),
    stream: true,
    ...(form.includeUsage && { stream_options: { include_usage: true } }),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema }) => ({
        type: "function" as const,
        function: { name, description, parameters: { ...inputSchema } },
      })),
      ...(request.toolChoice !== undefined && { tool_choice: wireChoice(request.toolChoice) }),
    }),
    ...responseFormat(request.responseFormat, form),
    ...(request.maxOutputTokens !== undefined && { [form.outputLimitName]: request.maxOutputTokens }),
    ...(request.temperature !== undefined && !form.fixedTemperature && { temperature: request.temperature }),
    ...form.extraBody,
  }
}

/** Says what a request asks for and its body leaves out. */
export function leftOut({ responseFormat, temperature }: ModelRequest, form: RequestForm): readonly (string | false)[] {
  const isJsonLost = responseFormat === "json" && !form.capabilities.jsonMode
  return [
    isJsonLost && "was asked for JSON, but its server is not known to take that, so it is not sent: set `jsonMode` if it does.",
    temperature !== undefined && form.fixedTemperature && "takes no temperature, so none is sent.",
  ]
}

/** A schema of an object goes to a model that keeps to one; another model that has a JSON mode is asked for JSON. */
function responseFormat(asked: ModelRequest["responseFormat"], { capabilities }: RequestForm): Partial<Body> {
  if (typeof asked === "object" && capabilities.jsonSchema && asked.schema.type === "object") {
    const strict = strictForm(asked.schema)
    const json_schema = { name: "answer", schema: strict ?? { ...asked.schema }, strict: strict !== undefined }
    return { response_format: { type: "json_schema", json_schema } }
  }
  return capabilities.jsonMode && asked !== undefined && asked !== "text" ? { response_format: { type: "json_object" } } : {}
}

/** Keywords of schemas that OpenAI's strict mode knows. It refuses a request with any other. */
const strictKeywords = new Set(
  "type properties required additionalProperties items enum const anyOf description title $ref $defs".split(" "),
)

/**
 * The schema with closed objects, which the strict mode demands; undefined if that mode cannot say the same: if members may be left out,
 * if objects have other members, or for other keywords.
 */
function strictForm(schema: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  if (Object.keys(schema).some((key) => !strictKeywords.has(key))) return undefined
  const strict: Record<string, unknown> = { ...schema }
  if (schema.type === "object") {
    const { properties = {}, additionalProperties = false } = schema
    const required = listOf(schema.required)
    if (additionalProperties !== false || Object.keys(recordOf(properties)).some((name) => !required.includes(name)))
      return undefined
    Object.assign(strict, { properties, required, additionalProperties })
  }
  for (const key of ["properties", "$defs", "anyOf", "items"]) {
    if (strict[key] === undefined) continue
    const inner = Object.entries(key === "items" ? { items: strict.items } : (strict[key] as object))
    const parts = inner.map(([name, part]) => [name, strictForm(recordOf(part))] as const)
    if (parts.some(([, part]) => part === undefined)) return undefined
    strict[key] = key === "items" ? parts[0]?.[1] : key === "anyOf" ? parts.map(([, part]) => part) : Object.fromEntries(parts)
  }
  return strict
}

function wireChoice(choice: ToolChoice): NonNullable<Body["tool_choice"]> {
  return typeof choice === "string" ? choice : { type: "function", function: { name: choice.tool } }
}

/** Joins messages of the user that follow each other, as in a group: some servers refuse a request in which roles do not alternate. */
function takingTurns(messages: readonly WireMessage[]): WireMessage[] {
  const joined: WireMessage[] = []
  for (const message of messages) {
    const before = joined.at(-1)
    if (before?.role === "user" && message.role === "user")
      joined[joined.length - 1] = { ...before, content: joinedContent(before.content, message.content) }
    else joined.push(message)
  }
  return joined
}

type UserContent = OpenAI.Chat.Completions.ChatCompletionUserMessageParam["content"]

function joinedContent(a: UserContent, b: UserContent): UserContent {
  if (typeof a === "string" && typeof b === "string") return `${a}\n\n${b}`
  return [...contentParts(a), ...contentParts(b)]
}

function contentParts(content: UserContent): OpenAI.Chat.Completions.ChatCompletionContentPart[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content
}

type WireForm = Partial<Pick<RequestForm, "provider" | "systemRole" | "media">> & {
  readonly capabilities: Pick<ModelCapabilities, "developerRole">
}

/**
 * The messages as a server takes them. DeepSeek, and a server that gave `reasoning_content` with a call, wants that field on each message
 * of the model from the first call on: also if the thought was empty, or another model's.
 */
function wireMessages(messages: readonly Message[], form: WireForm): WireMessage[] {
  const namesThoughts = ({ toolCalls: [first] = [] }: Message) =>
    first !== undefined &&
    (form.provider?.includes("deepseek") || "reasoning_content" in recordOf(providerDataOf(first, form.provider).message))
  const isNamed = messages.some(namesThoughts)
  return (form.media?.withResultParts(messages) ?? messages).map((message) => {
    const wire = wireMessage(message, form)
    const isOtherwise = "reasoning" in wire || "reasoning_details" in wire
    return isNamed && wire.role === "assistant" && !isOtherwise ? { reasoning_content: "", ...wire } : wire
  })
}

function wireMessage(message: Message, { capabilities, provider, systemRole = "system", media }: WireForm): WireMessage {
  // UTF-8 cannot hold half a surrogate pair; servers answer one with status 400 or worse.
  const content = message.content.toWellFormed()
  const isSystem = message.role === "system" || (message.role === "developer" && !capabilities.developerRole)
  const role = isSystem ? systemRole : message.role
  invariant(!message.parts || media, "a message has pictures, and what writes them is not loaded")
  if (role === "user" && message.parts) return { role, content: media?.userContent(message.content, message.parts) ?? content }
  if (role === "tool") return { role, content, tool_call_id: message.toolCallId ?? "" }
  if (role !== "assistant" || !message.toolCalls?.length) return { role, content }
  const { message: thoughts, think } = providerDataOf(message.toolCalls[0], provider)
  return {
    role,
    content: stringOf(think) + content,
    ...recordOf(thoughts),
    tool_calls: message.toolCalls.map((made) => {
      const { id, name, args } = made
      const { extraContent } = providerDataOf(made, provider)
      const call = { id, type: "function" as const, function: { name, arguments: sentArguments(args) } }
      return extraContent === undefined ? call : { ...call, extra_content: extraContent }
    }),
  }
}

/** Many servers refuse arguments that are no object, which is what a call has that broke off. Its result says so instead. */
function sentArguments(args: string): string {
  const parsed = parsedJson(args)
  return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) ? args.toWellFormed() : "{}"
}

/**
 * Returns an assembly as the `messages` of a chat completions request of the package `openai`. Roles stay as they are: there
 * is a developer message only if `assemble` was told that the model has this role. Throws `usage` for an unknown option, and for a
 * picture or file without a URL whose bytes are not among `bytes`, by their ids in the store.
 */
export function toOpenaiMessages(
  assembly: Pick<Assembly, "messages">,
  options: { readonly bytes?: ReadonlyMap<string, Uint8Array> } = {},
): OpenAI.Chat.Completions.ChatCompletionMessageParam[] {
  checkType("assembly.messages of toOpenaiMessages", assembly?.messages, "list")
  checkOptions("toOpenaiMessages", options, "bytes")
  const messages = withGivenBytes(assembly.messages, "toOpenaiMessages", options.bytes)
  return wireMessages(messages, { capabilities: { developerRole: true }, media: { userContent, withResultParts } })
}
