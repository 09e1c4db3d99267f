import { isRecord } from "../../../core/json-access.ts"
import type { AnswerLimit } from "../../../reply/output/answer-limit.ts"
import { badRequest } from "../http-problem.ts"
import { type ClientTools, readTools } from "./client-tools.ts"
import { conversationOf, isGiven, type ReadMessage, readMessage, type SentConversation } from "./read-messages.ts"

/** A request to `/v1/chat/completions`, as far as a character follows it. */
export interface CompletionRequest extends SentConversation, ClientTools {
  readonly model: string
  readonly stream: boolean
  readonly includeUsage: boolean
  readonly answerLimit: AnswerLimit | undefined
  /** Fields of the request that mean nothing here. */
  readonly ignored: readonly string[]
}

const understood = new Set(
  "model messages tools tool_choice stream stream_options user n store metadata stop max_tokens max_completion_tokens max_output_tokens".split(
    " ",
  ),
)
const older = "Send `tools` in its place."
const ownForm = "A character has its own form of answer: leave the field out."

/** Fields that change what an answer is, so that ignoring them would mislead, each with the reason of its refusal. */
const refused: Readonly<Record<string, string>> = {
  ...{ functions: older, function_call: older },
  ...{ response_format: ownForm, modalities: ownForm, audio: ownForm, prediction: ownForm },
}

/** True for a value of such a field that asks for nothing but what a character gives. */
function asksForNothing(name: string, body: Readonly<Record<string, unknown>>): boolean {
  const value = body[name]
  if (Array.isArray(value) && value.length === 0) return true
  if (name === "function_call") return value === "auto" || value === "none"
  if (name === "functions") return body.function_call === "none"
  if (name === "modalities") return Array.isArray(value) && value.every((each) => each === "text")
  return name === "response_format" && isRecord(value) && value.type === "text"
}

/**
 * Reads the body of a request. Throws {@link HttpProblem} for one that a character cannot follow. `names` has the names under which the
 * client knows fields.
 */
export function readCompletionRequest(
  body: Readonly<Record<string, unknown>>,
  locale = "en",
  names: Readonly<Record<string, string>> = {},
): CompletionRequest {
  const { model, messages, stream, stream_options: streamOptions, n } = body
  if (typeof model !== "string") throw badRequest("Expected the name of a model.", "model")
  if (!Array.isArray(messages)) throw badRequest("Expected a list of messages.", "messages")
  if (n !== undefined && n !== null && n !== 1) throw badRequest("Only one answer can be asked for.", "n")
  const given = Object.keys(body).filter((name) => isGiven(body[name]))
  const wrong = given.find((name) => Object.hasOwn(refused, name) && !asksForNothing(name, body))
  if (wrong !== undefined) throw badRequest(`${names[wrong] ?? wrong} is not supported. ${refused[wrong]}`, names[wrong] ?? wrong)
  const sent = messages.map((message, at) => readMessage(message, `${names.messages ?? "messages"}[${at}]`))
  const read = asked(sent, locale)
  const behind = (read.length > sent.length && sent.at(-1)?.content.trim()) || undefined
  return {
    model,
    ...conversationOf(read),
    ...readTools(body.tools, body.tool_choice),
    stream: stream === true,
    answerLimit: readLimit(body, ["max_output_tokens", "max_completion_tokens", "max_tokens"], behind),
    includeUsage: isRecord(streamOptions) && streamOptions.include_usage === true,
    ignored: [
      ...given.filter((name) => !understood.has(name) && !Object.hasOwn(refused, name)),
      ...new Set(read.flatMap(({ ignored = [] }) => ignored.map((name) => `messages.${name}`))),
    ],
  }
}

const maxStops = 100
const maxStopLength = 1_000

/** Reads where the answer, which goes on with `behind`, ends at the latest; the first of `names` that is given counts. Throws {@link HttpProblem}. */
function readLimit(body: Readonly<Record<string, unknown>>, names: readonly string[], behind?: string): AnswerLimit | undefined {
  const { stop: given } = body
  const stop: readonly unknown[] = Array.isArray(given) ? given : isGiven(given) ? [given] : []
  if (stop.length > maxStops || !stop.every((each) => typeof each === "string" && each.length <= maxStopLength))
    throw badRequest(`Expected a text or at most ${maxStops}, each of at most ${maxStopLength} characters.`, "stop")
  const name = names.find((each) => isGiven(body[each])) ?? ""
  const maxTokens = body[name] ?? undefined
  if (maxTokens !== undefined && !(Number.isInteger(maxTokens) && Number(maxTokens) >= 1))
    throw badRequest("Expected a whole number of tokens, from 1.", name)
  if (stop.length === 0 && maxTokens === undefined && behind === undefined) return undefined
  return { stop: stop.map(String), maxTokens: maxTokens === undefined ? undefined : Number(maxTokens), behind }
}

/**
 * The messages with a question at their end. Clients ask for more of an answer by ending with that, and for other things, such as a
 * first message or a summary, by ending with a system message, which then is the question. Behind a tool's result the turn goes on.
 */
function asked(read: readonly ReadMessage[], locale: string): readonly ReadMessage[] {
  const spoken = read.findLast(({ role }) => role !== "system")
  const last = read.at(-1)
  if (last === undefined || spoken?.role === "user" || spoken?.role === "tool") return read
  if (last.role === "system") return [...read.slice(0, -1), { ...last, role: "user" }]
  const content = locale.toLowerCase().startsWith("zh") ? "接着说。" : "Go on."
  return [...read, { role: "user", content, attachments: [] }]
}
