import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import type { ModelFaultKind } from "../../../core/evidence/turns.ts"
import { parsedJson, recordOf, stringOf } from "../../../core/json-access.ts"
import { connectionFault, type Fault, reportedFault, statusFault } from "../fault.ts"
import words from "../fault-words.json" with { type: "json" }
import { headerSecrets, modelError, redactorOf } from "../model-error.ts"
import type { AiSdkLanguageModel } from "./provider-model.ts"

/** The model that a request went to, for error messages. */
export interface AiSdkTarget {
  readonly id: string
  readonly model: AiSdkLanguageModel
  readonly headers: Readonly<Record<string, string>>
}

/** Makes an error of code `model`. `thrown` may hold the address. It is not the `cause`, since it holds the whole request. */
export function aiSdkError(fault: Fault, { id, model, headers }: AiSdkTarget, thrown?: unknown): PromptStrataError {
  // Only origin and path are shown: the rest may hold credentials.
  const address = URL.parse(stringOf(recordOf(thrown).url))
  const url = address === null ? `provider ${model.provider}` : `${address.origin}${address.pathname}`
  // The provider object holds key and address, so that the advice cannot name an option.
  // The provider object keeps its key private, so this hides all values of its headers.
  const redact = redactorOf(headerSecrets([...Object.values(headers), ...providerHeaders(model)]), 8)
  return modelError(fault, { id, url, redact, advice: words.providerAdvice })
}

/** Turns anything that `doStream` or its stream threw into an error. `begun` is true when the answer had started. */
export function asModelError(thrown: unknown, target: AiSdkTarget, begun: boolean): PromptStrataError {
  if (PromptStrataError.isInstance(thrown)) return thrown
  return aiSdkError(thrownFault(thrown, { begun, nowMs: Date.now() }), target, thrown)
}

/** Makes an error of the value of an `error` part. */
export function errorPartError(error: unknown, target: AiSdkTarget): PromptStrataError {
  return aiSdkError(errorPartFault(error, Date.now()), target, error)
}

/** Errors of the AI SDK without a status, by name. An `instanceof` would miss those of another copy of the package. */
const kindByName = new Map(Object.entries(words.errorKinds as Readonly<Record<string, ModelFaultKind>>))

/** Reads anything that `doStream` or its stream threw. `begun` is true when the answer had started. */
export function thrownFault(thrown: unknown, { begun, nowMs }: { readonly begun: boolean; readonly nowMs: number }): Fault {
  const answered = answeredFault(thrown, nowMs)
  if (answered) return answered
  const { name, isRetryable } = recordOf(thrown)
  const kind = kindByName.get(stringOf(name))
  if (kind) return { kind, isRetryable: kind === "broken" || kind === "timeout", said: messageOf(thrown) }
  const fault = connectionFault(thrown, begun)
  // The provider package knows that the connection failed, even if the system gave no error code.
  return fault.kind === "other" && isRetryable === true ? { ...fault, kind: "network", isRetryable: true } : fault
}

/** Reads the value of an `error` part: an error, or an object of the provider in one of its shapes. */
export function errorPartFault(error: unknown, nowMs: number): Fault {
  if (error instanceof Error) return thrownFault(error, { begun: true, nowMs })
  const outer = recordOf(error)
  const inner = recordOf(recordOf(outer.response).error ?? outer.error)
  const details = Object.keys(inner).length > 0 ? inner : typeof error === "string" ? error : outer
  const status = [outer.statusCode, outer.status, recordOf(details).statusCode, recordOf(details).status].find(isErrorStatus)
  const fault = (status === undefined ? undefined : statusFault({ status, error: details }, nowMs)) ?? reportedFault(details)
  return typeof outer.isRetryable === "boolean" ? { ...fault, isRetryable: outer.isRetryable } : fault
}

/** Reads an `APICallError` that has an error status. */
function answeredFault(thrown: unknown, nowMs: number): Fault | undefined {
  const { statusCode, responseHeaders, responseBody, data, message } = recordOf(thrown)
  if (!isErrorStatus(statusCode)) return undefined
  const body = stringOf(responseBody)
  // The body comes first, since `data` holds only the fields that the provider package knows.
  const document = recordOf(parsedJson(body) ?? data)
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

/** Returns the private headers of an `@ai-sdk/*` model, since they hold a key that was given in code. */
function providerHeaders(model: unknown): string[] {
  try {
    const { headers } = recordOf(recordOf(model).config)
    const given: unknown = typeof headers === "function" ? headers() : headers
    // Headers that come as a promise are not awaited.
    if (given instanceof Promise) given.catch(() => undefined)
    return Object.entries(recordOf(given)).flatMap(([name, value]) =>
      publicHeaders.includes(name.toLowerCase()) || typeof value !== "string" ? [] : [value],
    )
  } catch {
    return []
  }
}

const publicHeaders = ["content-type", "user-agent", "anthropic-version"]
