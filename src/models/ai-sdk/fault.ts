import { messageOf } from "../../core/errors.ts"
import { connectionFault } from "../openai/connection-fault.ts"
import { type Fault, type FaultKind, reportedFault, statusFault } from "../openai/fault.ts"
import { recordOf, stringOf } from "../openai/json-access.ts"

/** Errors of the AI SDK by name, apart from those with a status. They are told by name: there may be several copies of it. */
const byName: ReadonlyMap<string, FaultKind> = new Map([
  ["AI_LoadAPIKeyError", "credentials"],
  ["AI_LoadSettingError", "bad-request"],
  ["AI_NoSuchModelError", "not-found"],
  ["AI_InvalidPromptError", "bad-request"],
  ["AI_InvalidArgumentError", "bad-request"],
  ["AI_UnsupportedFunctionalityError", "bad-request"],
  ["AI_EmptyResponseBodyError", "broken"],
  ["AI_InvalidResponseDataError", "broken"],
  ["AI_JSONParseError", "broken"],
  ["AI_TypeValidationError", "broken"],
  ["TimeoutError", "timeout"],
])

/** Anything that `doStream` or its stream threw, as data. `begun` says that the answer had started. */
export function thrownFault(thrown: unknown, { begun, nowMs }: { readonly begun: boolean; readonly nowMs: number }): Fault {
  const answered = answeredFault(thrown, nowMs)
  if (answered) return answered
  const { name, isRetryable } = recordOf(thrown)
  const kind = byName.get(stringOf(name))
  if (kind) return { kind, isRetryable: kind === "broken" || kind === "timeout", said: messageOf(thrown) }
  const fault = connectionFault(thrown, begun)
  // A connection that failed in a way the system has no code for; the provider package knows it was the connection.
  return fault.kind === "other" && isRetryable === true ? { ...fault, kind: "network", isRetryable: true } : fault
}

/** The value of an `error` part: an error, or what the provider sent in one of its shapes. */
export function errorPartFault(error: unknown, nowMs: number): Fault {
  if (error instanceof Error) return thrownFault(error, { begun: true, nowMs })
  const outer = recordOf(error)
  const inner = recordOf(recordOf(outer.response).error ?? outer.error)
  const details = Object.keys(inner).length > 0 ? inner : typeof error === "string" ? error : outer
  const status = [outer.statusCode, outer.status, recordOf(details).statusCode, recordOf(details).status].find(isErrorStatus)
  const fault = (status === undefined ? undefined : statusFault({ status, error: details }, nowMs)) ?? reportedFault(details)
  return typeof outer.isRetryable === "boolean" ? { ...fault, isRetryable: outer.isRetryable } : fault
}

/** An `APICallError` with an error's status. */
function answeredFault(thrown: unknown, nowMs: number): Fault | undefined {
  const { statusCode, responseHeaders, responseBody, data, message } = recordOf(thrown)
  if (!isErrorStatus(statusCode)) return undefined
  const body = stringOf(responseBody)
  // The body first: provider packages keep only the fields of it that they know.
  const document = recordOf(parsed(body) ?? data)
  const error = document.error ?? (Object.keys(document).length > 0 ? document : undefined)
  return statusFault({ status: statusCode, headers: headersOf(responseHeaders), error, message: body || message }, nowMs)
}

function isErrorStatus(value: unknown): value is number {
  return typeof value === "number" && value >= 400 && value < 600
}

function headersOf(wire: unknown): Headers {
  const headers = new Headers()
  for (const name of ["retry-after", "retry-after-ms", "date", "x-request-id"]) {
    const value = stringOf(recordOf(wire)[name])
    if (value !== "") headers.set(name, value)
  }
  const requestId = stringOf(recordOf(wire)["request-id"])
  if (requestId !== "" && !headers.has("x-request-id")) headers.set("x-request-id", requestId)
  return headers
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
