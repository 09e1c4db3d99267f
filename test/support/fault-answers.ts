import { chatChunk, eventStream } from "./chat-server.ts"
import type { Dice } from "./dice.ts"
import type { Deed, Misbehaviour } from "./misbehaviour.ts"

/** The key of every client; some servers repeat it in what they say. */
export const clientKey = "sk-very-secret-key-123"

const json = { "content-type": "application/json" }
const html = { "content-type": "text/html; charset=utf-8" }
const page = "<!doctype html><html><body><h1>Bad Gateway</h1></body></html>"
const words = JSON.stringify({ error: { message: "that did not work", type: "error" } })

/** An answer that is an error, or no chat completion at all. */
export function faultAnswer(dice: Dice): Misbehaviour {
  return dice.pick<() => Misbehaviour>(
    () => fault("401", { status: 401, headers: json, body: JSON.stringify({ error: `Bad key: ${clientKey}` }) }, false),
    () => fault("404", { status: 404, headers: json, body: '{"error":"model \'x\' not found"}' }, false),
    () => fault("404 as a web page", { status: 404, headers: html, body: page }, false),
    () => limited(dice),
    () => fault("429 for a quota", { status: 429, headers: json, body: '{"error":{"code":"insufficient_quota"}}' }, false),
    () => fault("500", { status: 500, headers: json, body: words }, true),
    () => fault("500", { status: 500, headers: json, body: words }, true),
    () => fault("502 as a web page", { status: 502, headers: html, body: page }, true),
    () => fault("503 without a body", { status: 503, headers: {}, body: "" }, true),
    () => fault("200 as a web page", { status: 200, headers: html, body: page }, false),
    () => fault("200 as an error document", { status: 200, headers: json, body: words }, true),
    () => fault("200 as some document", { status: 200, headers: json, body: '{"hello":1}' }, false),
    () => cutAtOnce(dice),
    () => errorEvent(dice),
  )()
}

interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

function fault(name: string, { status, headers, body }: Reply, isRetryable: boolean, retryAfterMs?: number): Misbehaviour {
  return {
    name,
    status,
    headers,
    deeds: [...written(body), { type: "end" }],
    outcome: { type: "fault", text: "", isRetryable, ...(retryAfterMs !== undefined && { retryAfterMs }) },
  }
}

function limited(dice: Dice): Misbehaviour {
  const seconds = dice.below(40)
  const date = new Date(Date.UTC(2026, 0, 1))
  const later = new Date(date.getTime() + seconds * 1_000)
  const wait = dice.pick<Readonly<Record<string, string>> | undefined>(
    { "retry-after": String(seconds) },
    { "retry-after-ms": String(seconds * 1_000), "retry-after": "1" },
    { "retry-after": later.toUTCString(), date: date.toUTCString() },
    undefined,
  )
  const reply = { status: 429, headers: { ...json, ...wait }, body: words }
  return fault("429", reply, true, wait === undefined ? undefined : seconds * 1_000)
}

function cutAtOnce(dice: Dice): Misbehaviour {
  const head: readonly Deed[] = dice.chance(0.5) ? [{ type: "head" }] : []
  return { name: "cut at once", deeds: [...head, { type: "cut" }], outcome: { type: "fault", text: "", isRetryable: true } }
}

/** An error reported in the middle of the stream. */
function errorEvent(dice: Dice): Misbehaviour {
  const text = dice.pick("", "half")
  const isRetryable = dice.chance(0.5)
  const error = { message: "worker died", type: isRetryable ? "server_error" : "invalid_request_error" }
  const body = eventStream([...(text === "" ? [] : [chatChunk({ content: text })]), { error }])
  return {
    name: "error event",
    deeds: [...written(body), { type: "end" }],
    outcome: { type: "fault", text, isRetryable },
  }
}

function written(body: string): readonly Deed[] {
  return body === "" ? [] : [{ type: "write", bytes: Buffer.from(body), packetBytes: 1_000 }]
}
