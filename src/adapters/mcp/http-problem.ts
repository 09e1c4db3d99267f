import { messageOf } from "../../core/errors.ts"
import { isRecord } from "../../core/json-access.ts"
import table from "./status-advice.json" with { type: "json" }

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

const adviceOf: Readonly<Record<string, string>> = table

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
