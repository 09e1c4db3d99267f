import { messageOf } from "../../core/errors.ts"
import { isRecord } from "../../core/json-access.ts"

/** An HTTP status with which a server refused a request. */
interface HttpProblem {
  readonly status: number
  /** `HTTP 401 Unauthorized`. Its words are the server's and untrusted. */
  readonly found: string
  /** The beginning of what the server wrote beside it, as `: no such key`, or `""` for none and for HTML. It is untrusted. */
  readonly body: string
  /** Completes a warning: a person's next step. */
  readonly advice: string
}

const adviceOf: Readonly<Record<number, string>> = {
  400: "check that `url` is the address of an MCP server, and `headers`",
  401: "it wants credentials: check `headers`, such as Authorization, and the variables that fill them",
  403: "these credentials may not do this: ask for access, or use others in `headers`",
  404: "nothing answers at this address: check `url`",
  405: "this address does not take the requests of streamable HTTP: check the path in `url`; the older transport HTTP+SSE is not spoken here",
  429: "it gets too many requests: wait before the next one, or ask for a higher limit",
  503: "it is overloaded or down for a while: try again later",
}

const maxBodyCharacters = 120

/** Returns the words for a warning: an HTTP status with a person's next step, or the message of any other error. */
export function problemOf(error: unknown): string {
  const http = httpProblem(error)
  return http === undefined ? messageOf(error) : `it answers ${http.found}; ${http.advice}${http.body}`
}

/** Reads an error of the client library, whose message holds the answer's body but not its status. */
export function httpProblem(error: unknown): HttpProblem | undefined {
  const data = isRecord(error) ? error.data : undefined
  if (!isRecord(data) || typeof data.status !== "number") return undefined
  const { status, statusText, text } = data
  const name = typeof statusText === "string" && statusText !== "" ? ` ${statusText}` : ""
  const body = typeof text === "string" && !/^\s*(?:<|$)/.test(text) ? `: ${text.trim().slice(0, maxBodyCharacters)}` : ""
  const advice = adviceOf[status] ?? (status >= 500 ? "the fault is the server's: see its log" : "check `url` and `headers`")
  return { status, found: `HTTP ${status}${name}`, body, advice }
}
