import { isRecord } from "../../../core/json-access.ts"
import { badRequest, HttpProblem } from "../http-problem.ts"
import { type CompletionRequest, readCompletionRequest } from "./read-completion.ts"
import { isGiven } from "./read-messages.ts"

/** The words of an earlier answer by the id of its item. Undefined for one that is not known. */
type SaidBefore = (id: string) => string | undefined

const maxCharacters = 20_000_000

/** The words of the newest answers that nobody else keeps, for clients that send the id of an item in place of it. */
export class SaidAnswers {
  /** By user and id, the oldest first. */
  readonly #words = new Map<string, string>()
  #characters = 0

  keep(user: string, id: string, words: string): void {
    this.#words.set(JSON.stringify([user, id]), words)
    this.#characters += words.length
    for (const [key, { length }] of this.#words) {
      if (this.#words.size <= 1_000 && this.#characters <= maxCharacters) return
      this.#words.delete(key)
      this.#characters -= length
    }
  }

  get(user: string, id: string): string | undefined {
    return this.#words.get(JSON.stringify([user, id]))
  }
}

type Body = Readonly<Record<string, unknown>>

/** A request to `/v1/responses`, and the body of a chat completion that asks the same. */
export interface ResponseRequest extends CompletionRequest {
  readonly body: Body
  readonly previous: unknown
}

const refused: Readonly<Record<string, string>> = {
  conversation: "The server knows the conversation by the key or a header: leave the field out.",
  prompt: "A character has its own prompt: leave the field out.",
  background: "An answer comes with its request: leave the field out.",
}

/** Reads the body of a request to `/v1/responses` as that of a chat completion. Throws {@link HttpProblem}. */
export function readResponseRequest(given: Body, locale: string, said: SaidBefore): ResponseRequest {
  const { input, instructions, text, previous_response_id: previous, ...rest } = given
  const wrong = Object.keys(refused).find((name) => isGiven(rest[name]) && rest[name] !== false)
  if (wrong !== undefined) throw badRequest(`${wrong} is not supported. ${refused[wrong]}`, wrong)
  const items = typeof input === "string" ? [{ role: "user", content: input }] : input
  if (!Array.isArray(items)) throw badRequest("Expected a text or a list.", "input")
  if (isGiven(instructions) && typeof instructions !== "string") throw badRequest("Expected a text.", "instructions")
  const system = instructions ? [{ role: "system", content: instructions }] : []
  const read = items.map((item: unknown, at) => messageOf(item, `input[${at}]`, said))
  const messages = [...system, ...read.flatMap((message) => message ?? [])]
  const format = isRecord(text) ? text.format : undefined
  const body = { ...rest, response_format: format, messages }
  const request = readCompletionRequest(body, locale, { messages: "input", response_format: "text.format" })
  const ignored = read.includes(undefined) ? [...request.ignored, "input.reasoning"] : request.ignored
  return { ...request, ignored, body, previous }
}

/** An item of the input as a message of a chat completion. Undefined for a thought, which the model makes anew. */
function messageOf(item: unknown, param: string, said: SaidBefore): object | undefined {
  const { type = "message", role, content, name, arguments: args, call_id: id, output, id: of } = isRecord(item) ? item : {}
  if (type === "reasoning") return undefined
  if (type === "message" && isRecord(item)) return { role, name, content: partsOf(content) }
  if (type === "function_call")
    return { role: "assistant", content: null, tool_calls: [{ id, function: { name, arguments: args } }] }
  if (type === "function_call_output") return { role: "tool", tool_call_id: id, content: partsOf(output) }
  if (type !== "item_reference") throw badRequest(`${param} is ${JSON.stringify(type)}, which is not supported.`, param)
  const words = said(String(of))
  if (words !== undefined) return { role: "assistant", content: words }
  const what = `${param} names an item that is not known here, or not any more.`
  throw new HttpProblem(400, `${what} Send the item itself, as clients do with \`store: false\`.`, { param })
}

/** The parts of an item as those of a chat completion. Others stay, and are refused by their type. */
function partsOf(content: unknown): unknown {
  if (!Array.isArray(content)) return content
  return content.map((part: unknown) => {
    const { type, text, refusal = text, image_url: url, file_data: data, filename } = isRecord(part) ? part : {}
    if (type === "input_text" || type === "output_text" || type === "refusal") return { type: "text", text: refusal }
    if (type === "input_image" && url) return { type: "image_url", image_url: { url } }
    return type === "input_file" && data ? { type: "file", file: { file_data: data, filename } } : part
  })
}
