import { messageOf } from "../../../core/errors.ts"
import { parsedJson, recordOf } from "../../../core/json-access.ts"
import { hostTimers } from "../../../core/ports.ts"
import { pause } from "../../../core/timers.ts"
import { ConnectionError, statusFault } from "../fault.ts"
import { readRefusal } from "./answer-body.ts"
import { type Connection, completionsUrl } from "./connection.ts"

/**
 * Sends the body of a chat completion with `fetch`, and returns the response of an accepted request. Throws an error with the server's
 * `status`, `headers` and `error` for a refused one, and {@link ConnectionError} without an answer.
 */
export async function sendRequest(connection: Connection, body: object, signal: AbortSignal): Promise<Response> {
  const { href } = completionsUrl(connection.baseUrl)
  const init = { method: "POST", headers: headersOf(connection), body: JSON.stringify(body), signal }
  for (let retry = 0; ; retry++) {
    try {
      return await accepted(await (connection.fetch ?? fetch)(href, init).catch(unreachable))
    } catch (thrown) {
      const waitMs = retry < connection.maxRetries && !signal.aborted ? waitBefore(retry, thrown) : undefined
      if (waitMs === undefined) throw thrown
      await pause(waitMs, { timers: hostTimers, signal })
      signal.throwIfAborted()
    }
  }
}

/** The owner's headers win over the others. */
function headersOf({ apiKey, organization, project, headers }: Connection): Headers {
  const sent = new Headers({ accept: "application/json", "content-type": "application/json" })
  if (apiKey !== undefined) sent.set("authorization", `Bearer ${apiKey}`)
  if (organization !== undefined) sent.set("openai-organization", organization)
  if (project !== undefined) sent.set("openai-project", project)
  for (const [name, value] of Object.entries(headers)) sent.set(name, value)
  return sent
}

function unreachable(cause: unknown): never {
  throw new ConnectionError("The request got no answer.", { cause })
}

async function accepted(response: Response): Promise<Response> {
  if (response.ok) return response
  const { status, headers } = response
  const text = await readRefusal(response.body).catch(messageOf)
  const told = parsedJson(text)
  throw Object.assign(new Error(text), { status, headers, error: recordOf(told).error ?? told ?? undefined })
}

const firstWaitMs = 500
const longestWaitMs = 8_000
/** A server that asks for longer gets the usual wait. */
const longestAskedMs = 60_000

/** Returns how long to wait before a request is sent again, or `undefined` for an error that would come again. */
function waitBefore(retry: number, thrown: unknown): number | undefined {
  const fault = statusFault(thrown, Date.now())
  const { headers } = recordOf(thrown)
  const advised = headers instanceof Headers ? headers.get("x-should-retry") : undefined
  const isWorthwhile = advised === "true" || (advised !== "false" && (fault?.isRetryable ?? thrown instanceof ConnectionError))
  if (!isWorthwhile) return undefined
  if (fault?.retryAfterMs !== undefined && fault.retryAfterMs <= longestAskedMs) return fault.retryAfterMs
  // Programs that failed together do not come again together.
  return Math.min(firstWaitMs * 2 ** retry, longestWaitMs) * (1 - Math.random() / 4)
}
