import { withSegments } from "../../../trace/segments.ts"
import type { TurnAnswer } from "../../../trace/turn-event.ts"
import type { Answer } from "../exchange.ts"
import { segmentData } from "../feelings.ts"
import { turnErrorBody } from "../turn-failure.ts"
import { type AnswerFacts, askedIn, finishReason, mediaOf, usageOf } from "./chat-completions.ts"

type Call = NonNullable<TurnAnswer["calls"]>[number]
type Item = ReturnType<typeof messageItem> | ReturnType<typeof callItem>

/** The facts of a response beside its answer. */
export interface ResponseFacts extends AnswerFacts {
  readonly locale: string
  /** True if the conversation is kept, so that a later request can go on from this response. */
  readonly store: boolean
  readonly previous: unknown
}

/** The id of the item that has the words of a response. */
export const itemIdOf = ({ id }: Pick<AnswerFacts, "id">): string => `msg_${id.replace(/^resp_/, "")}`

/** The answer as one object of `/v1/responses`. */
export function response(of: ResponseFacts, result: TurnAnswer) {
  const reason = finishReason(result)
  const cut = { length: "max_output_tokens", content_filter: "content_filter" }[reason]
  const { prompt_tokens, completion_tokens, total_tokens, ...details } = usageOf(result.usage)
  const usage = {
    ...{ input_tokens: prompt_tokens, output_tokens: completion_tokens, total_tokens },
    input_tokens_details: { cached_tokens: 0, ...details.prompt_tokens_details },
    output_tokens_details: { reasoning_tokens: 0, ...details.completion_tokens_details },
  }
  const status = cut ? "incomplete" : "completed"
  return { ...begun(of, status), incomplete_details: cut ? { reason: cut } : null, output: outputOf(of, result), usage }
}

/** A response that has no answer yet. */
function begun({ id, created, model, store, previous = null }: ResponseFacts, status: string) {
  return {
    ...{ id, object: "response", created_at: created, status, model, output: [], error: null, incomplete_details: null },
    ...{ instructions: null, metadata: {}, parallel_tool_calls: true, previous_response_id: previous, store },
    ...{ temperature: null, top_p: null, text: { format: { type: "text" } }, tool_choice: "auto", tools: [], usage: null },
  }
}

/** The items of an answer: its words with its files and questions, and the calls of the client's tools. */
function outputOf(of: ResponseFacts, result: TurnAnswer): readonly Item[] {
  const { content = "", ...questions } = askedIn(result, of) ?? {}
  const { attachments = [], calls = [] } = result
  const text = result.text + content
  const message = { ...messageItem(of, "completed", text), ...questions, ...mediaOf(attachments) }
  const called = calls.map(callItem)
  return text !== "" || attachments.length > 0 || called.length === 0 ? [message, ...called] : called
}

const textPart = (text: string) => ({ type: "output_text", text, annotations: [], logprobs: [] }) as const

function messageItem(of: ResponseFacts, status: string, ...texts: readonly string[]) {
  return { id: itemIdOf(of), type: "message", role: "assistant", status, content: texts.map(textPart) } as const
}

function callItem({ id, tool, args }: Call) {
  const called = { name: tool, arguments: JSON.stringify(args) }
  return { id: `fc_${id}`, type: "function_call", call_id: id, ...called, status: "completed" } as const
}

/** The answer as the events of a stream. A failed turn ends it with `response.failed`. */
export async function* responseEvents(of: ResponseFacts, turn: Answer): AsyncGenerator<object> {
  let next = 0
  for await (const { type, ...fields } of eventsOf(of, turn))
    yield { type: `response.${type}`, sequence_number: next++, ...fields }
}

async function* eventsOf(
  of: ResponseFacts,
  turn: Answer,
): AsyncGenerator<{ readonly type: string; readonly [field: string]: unknown }> {
  const begunOne = begun(of, "in_progress")
  yield* [
    { type: "created", response: begunOne },
    { type: "in_progress", response: begunOne },
  ]
  let said: number | undefined
  for await (const told of withSegments(turn)) {
    if (told.type === "segment" && said !== undefined)
      yield { type: "output_text.delta", ...at(of), delta: "", logprobs: [], segment: segmentData(told.segment) }
    if (told.type === "text-delta") {
      yield* textEvents(of, told.delta, said)
      said = (said ?? 0) + told.delta.length
    }
    if (told.type !== "turn-end") continue
    if (!told.result.ok) {
      const { code, message } = turnErrorBody(told.result.error, of.locale).error
      yield { type: "failed", response: { ...begun(of, "failed"), error: { code, message } } }
      return
    }
    const whole = response(of, told.result)
    for (const [output_index, item] of whole.output.entries()) {
      yield* item.type === "message" ? endEvents(of, item, said) : callEvents(item, output_index)
      yield { type: "output_item.done", output_index, item }
    }
    yield { type: whole.status, response: whole }
  }
}

const at = (of: ResponseFacts) => ({ item_id: itemIdOf(of), output_index: 0, content_index: 0 })

/** The events of a piece of the message, of which so many characters were said; undefined before the first. */
function textEvents(of: ResponseFacts, delta: string, said: number | undefined) {
  const added = { type: "output_item.added", output_index: 0, item: messageItem(of, "in_progress") }
  const opening = [added, { type: "content_part.added", ...at(of), part: textPart("") }]
  const more = delta === "" ? [] : [{ type: "output_text.delta", ...at(of), delta, logprobs: [] }]
  return [...(said === undefined ? opening : []), ...more]
}

function endEvents(of: ResponseFacts, { content }: ReturnType<typeof messageItem>, said: number | undefined) {
  const text = content.map((part) => part.text).join("")
  const done = { type: "output_text.done", ...at(of), text, logprobs: [] }
  return [...textEvents(of, text.slice(said ?? 0), said), done, { type: "content_part.done", ...at(of), part: textPart(text) }]
}

function callEvents(item: ReturnType<typeof callItem>, output_index: number) {
  const { id: item_id, name, arguments: args } = item
  return [
    { type: "output_item.added", output_index, item: { ...item, arguments: "", status: "in_progress" } },
    { type: "function_call_arguments.delta", item_id, output_index, delta: args },
    { type: "function_call_arguments.done", item_id, output_index, name, arguments: args },
  ]
}
