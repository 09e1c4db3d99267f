import { recordOf, stringOf } from "./json-access.ts"
import { retryAfterMs } from "./retry-after.ts"

/** What went wrong, sorted by what can be done about it. */
export type FaultKind =
  | "bad-request"
  | "credentials"
  | "forbidden"
  | "not-found"
  | "quota"
  | "rate-limit"
  | "server"
  | "web-page"
  | "not-streamed"
  | "reported"
  | "broken"
  | "refused"
  | "no-such-host"
  | "certificate"
  | "timeout"
  | "network"
  | "other"

/** A failed request as data. `said` is the server's own words, or the system's. */
export interface Fault {
  readonly kind: FaultKind
  readonly isRetryable: boolean
  readonly said: string
  readonly status?: number
  readonly retryAfterMs?: number
  readonly requestId?: string
}

/** A fault that the server answered with a status, from the client's error; `undefined` for any other error. */
export function statusFault(thrown: unknown, nowMs: number): Fault | undefined {
  const { status, headers, error, message } = recordOf(thrown)
  if (typeof status !== "number") return undefined
  const body = error === undefined ? stringOf(message).replace(/^\d{3} /, "") : wordsOf(error)
  const head = headers instanceof Headers ? headers : new Headers()
  const isWebPage = body.trimStart().startsWith("<")
  const kind = statusKind(status, codeOf(error))
  const waitMs = retryAfterMs(head, nowMs)
  const requestId = head.get("x-request-id")
  return {
    kind: isWebPage && status < 500 ? "web-page" : kind,
    isRetryable: kind === "rate-limit" || kind === "server" || kind === "timeout",
    said: isWebPage ? "a web page" : body,
    status,
    ...(waitMs !== undefined && { retryAfterMs: waitMs }),
    ...(requestId !== null && { requestId }),
  }
}

/** A fault that the server reported inside a stream or a body of status 200. */
export function reportedFault(error: unknown): Fault {
  const { code, type } = recordOf(error)
  // OpenRouter gives the status of the provider behind it as the code.
  const status = typeof code === "number" && code >= 400 && code < 600 ? code : undefined
  const kind = status === undefined ? "reported" : statusKind(status, codeOf(error))
  const isFinal = stringOf(type).startsWith("invalid_request") || codeOf(error) === "insufficient_quota"
  return {
    kind,
    isRetryable: status === undefined ? !isFinal : kind === "rate-limit" || kind === "server" || kind === "timeout",
    said: wordsOf(error),
    ...(status !== undefined && { status }),
  }
}

/** The words of an error object in any of the shapes servers use. */
function wordsOf(error: unknown): string {
  if (typeof error === "string") return error
  const { message, detail, error: inner } = recordOf(error)
  return stringOf(message) || stringOf(detail) || stringOf(inner) || (JSON.stringify(error) ?? "")
}

function codeOf(error: unknown): string {
  return stringOf(recordOf(error).code)
}

function statusKind(status: number, code: string): FaultKind {
  if (code === "insufficient_quota" || status === 402) return "quota"
  if (status >= 500 || status === 409) return "server"
  return statusKinds.get(status) ?? "bad-request"
}

const statusKinds: ReadonlyMap<number, FaultKind> = new Map([
  [401, "credentials"],
  [403, "forbidden"],
  [404, "not-found"],
  [408, "timeout"],
  [429, "rate-limit"],
])
