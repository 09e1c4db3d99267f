import type { OpenAI } from "openai"
import { reportedFault } from "./fault.ts"
import { listOf, recordOf } from "./json-access.ts"
import { modelError, type Target } from "./model-error.ts"

type Body = OpenAI.Chat.Completions.ChatCompletionCreateParamsStreaming

/** Sends the request and gives its chunks; an answer that came as one JSON document is given as one chunk. */
export async function openStream(
  client: OpenAI,
  body: Body,
  { signal, target }: { readonly signal: AbortSignal; readonly target: Target },
): Promise<AsyncIterable<unknown> | Iterable<unknown>> {
  const { data, response } = await client.chat.completions.create(body, { signal }).withResponse()
  const type = response.headers.get("content-type") ?? ""
  if (type.includes("text/html")) {
    data.controller.abort()
    throw modelError({ kind: "web-page", isRetryable: false, said: "a web page", status: response.status }, target)
  }
  return type.includes("application/json") ? [wholeAnswer(await response.text(), target)] : data
}

/** A server that ignores `stream: true` answers with a whole message: its shape differs from a chunk's by one name. */
function wholeAnswer(text: string, target: Target): unknown {
  const document = parsed(text)
  if (document.error !== undefined && document.error !== null) throw modelError(reportedFault(document.error), target)
  const choices = listOf(document.choices).map(recordOf)
  if (choices.length === 0) throw modelError({ kind: "not-streamed", isRetryable: false, said: text }, target)
  return { ...document, choices: choices.map(({ message, ...choice }) => ({ ...choice, delta: message })) }
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    return recordOf(JSON.parse(text))
  } catch {
    return {}
  }
}
