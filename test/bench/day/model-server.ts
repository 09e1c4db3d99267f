import { createHash } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { get_encoding } from "tiktoken"
import { toolName } from "./parts.ts"

/**
 * A model server in a process of its own: it streams an answer of chat completions, calls a tool where the newest words say "look up",
 * judges where JSON is asked for, and counts the tokens of what it was sent. The beginning that an earlier request had is counted apart,
 * in blocks, as providers cache it.
 */
const ranks = get_encoding("o200k_base")
const blockCharacters = 512
const seen = new Set<string>()
let sums = { requests: 0, background: 0, plainTokens: 0, cachedTokens: 0, backgroundTokens: 0 }

interface Body {
  readonly model?: string
  readonly stream?: boolean
  readonly tools?: readonly unknown[]
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[]
}

const judgement = JSON.stringify({ importance: 4, profile: {}, keys: {}, facts: [] })
const answer = "That sounds like a day worth a pot of the smoky one. Tell me how it went on, and who was there with you. ".repeat(
  3,
)

/** The characters of the longest beginning, in whole blocks, that an earlier request had. */
function cachedLength(text: string): number {
  let hash = ""
  let cached = 0
  for (let at = 0; at + blockCharacters <= text.length; at += blockCharacters) {
    hash = createHash("sha1")
      .update(hash + text.slice(at, at + blockCharacters))
      .digest("base64")
    if (cached === at && seen.has(hash)) cached = at + blockCharacters
    seen.add(hash)
  }
  return cached
}

function count(body: Body, isBackground: boolean): void {
  const text = JSON.stringify(body.tools ?? []) + JSON.stringify(body.messages)
  const cached = cachedLength(text)
  const tokens = (part: string): number => ranks.encode_ordinary(part).length
  const [cachedTokens, plainTokens] = [tokens(text.slice(0, cached)), tokens(text.slice(cached))]
  sums.requests++
  sums.cachedTokens += cachedTokens
  sums.plainTokens += plainTokens
  if (!isBackground) return
  sums.background++
  sums.backgroundTokens += cachedTokens + plainTokens
}

const textOf = (content: unknown): string => (typeof content === "string" ? content : JSON.stringify(content ?? ""))

/** The deltas of an answer to a request. */
function deltasFor({ messages, tools }: Body, isBackground: boolean): readonly object[] {
  const last = messages.at(-1)
  const asked = messages.findLast(({ role }) => role === "user")
  if (isBackground) return [{ role: "assistant", content: judgement }]
  // The words themselves end a message; what stands before them may be something remembered.
  const words = textOf(asked?.content).trimEnd().split("\n").at(-1) ?? ""
  if (tools?.length && last?.role !== "tool" && /look up/i.test(words)) {
    const call = { index: 0, id: `call_${sums.requests}`, type: "function" }
    return [{ role: "assistant", tool_calls: [{ ...call, function: { name: toolName(3), arguments: '{"subject":"tea"}' } }] }]
  }
  return answer.match(/.{1,16}/gs)?.map((content) => ({ role: "assistant", content })) ?? []
}

const server = createServer(async (request, response) => {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  const body = JSON.parse(Buffer.concat(pieces).toString("utf8")) as Body
  const isBackground = /valid JSON/.test(body.messages.map(({ content }) => textOf(content)).join("\n")) && !body.tools?.length
  count(body, isBackground)
  const deltas = deltasFor(body, isBackground)
  const finish = deltas.some((delta) => "tool_calls" in delta) ? "tool_calls" : "stop"
  const head = { id: "c", object: "chat.completion.chunk", created: 0, model: "m" }
  if (body.stream !== true) {
    const message = { role: "assistant", content: judgement }
    response.setHeader("content-type", "application/json")
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    response.end(
      JSON.stringify({ ...head, object: "chat.completion", choices: [{ index: 0, message, finish_reason: "stop" }], usage }),
    )
    return
  }
  response.setHeader("content-type", "text/event-stream")
  const send = (choice: object): void => {
    response.write(`data: ${JSON.stringify({ ...head, choices: [{ index: 0, finish_reason: null, ...choice }] })}\n\n`)
  }
  for (const delta of deltas) send({ delta })
  send({ delta: {}, finish_reason: finish })
  response.end("data: [DONE]\n\n")
})
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port))
process.on("message", (message) => {
  if (message === "begin") {
    seen.clear()
    sums = { requests: 0, background: 0, plainTokens: 0, cachedTokens: 0, backgroundTokens: 0 }
  }
  process.send?.(sums)
})
