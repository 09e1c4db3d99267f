import { messageOf } from "../../core/errors.ts"
import type { ModelFailure, ModelFaultKind } from "../../core/evidence/turns.ts"
import { recordOf, stringOf } from "../../core/json-access.ts"
import words from "./fault-words.json" with { type: "json" }

type RefusalReason = "context-length" | "content-filter"

/** A failed request as data. `said` is the message of the server or of the operating system. */
export interface Fault extends Pick<ModelFailure, "refused" | "status" | "retryAfterMs" | "requestId"> {
  readonly kind: ModelFaultKind
  readonly isRetryable: boolean
  readonly said: string
}

/** Reads an error that has the server's status. Returns `undefined` for any other error. */
export function statusFault(thrown: unknown, nowMs: number): Fault | undefined {
  const { status, headers, error, message } = recordOf(thrown)
  if (typeof status !== "number") return undefined
  const body = error === undefined ? stringOf(message).replace(/^\d{3} /, "") : errorText(error)
  const head = headers instanceof Headers ? headers : new Headers()
  const isWebPage = body.trimStart().startsWith("<")
  const kind = statusKind(status, codeOf(error))
  return {
    kind: isWebPage && status < 500 ? "web-page" : kind,
    isRetryable: isRetryableStatus(kind),
    said: isWebPage ? "a web page" : body,
    refused: kind === "bad-request" && !isWebPage ? refusedFor(error, body) : undefined,
    status,
    retryAfterMs: retryAfterMs(head, nowMs),
    requestId: head.get("x-request-id") ?? undefined,
  }
}

/** Reads an error that the server reported inside a stream or in a body with status 200. */
export function reportedFault(error: unknown): Fault {
  const { code, type } = recordOf(error)
  // OpenRouter's code is the status of the provider behind it.
  const status = typeof code === "number" && code >= 400 && code < 600 ? code : undefined
  const kind = status === undefined ? "reported" : statusKind(status, codeOf(error))
  const isFinal = stringOf(type).startsWith("invalid_request") || codeOf(error) === "insufficient_quota"
  const said = errorText(error)
  return {
    kind,
    isRetryable: status === undefined ? !isFinal : isRetryableStatus(kind),
    ...{ said, status, refused: isFinal || kind === "bad-request" ? refusedFor(error, said) : undefined },
  }
}

/** The reason of a refusal, by its code, or by its words at servers that have no code for it. */
function refusedFor(error: unknown, said: string): RefusalReason | undefined {
  const { type } = recordOf(error)
  const code = `${codeOf(error)} ${stringOf(type)}`
  if (/content_(?:filter|policy)|ResponsibleAI/i.test(code)) return "content-filter"
  const isTooLong = /context_length|string_above_max_length/i.test(code) || tooLong.test(said.slice(0, 2_000))
  return isTooLong ? "context-length" : undefined
}

const tooLong =
  /context (?:length|window|size)|prompt is too long|input is too long|maximum (?:number of tokens|prompt length)|too many tokens|input token count|`inputs` tokens/i

/** Returns the message of an error object in any of the shapes that servers use. */
function errorText(error: unknown): string {
  if (typeof error === "string") return error
  const { message, detail, error: inner } = recordOf(error)
  return stringOf(message) || stringOf(detail) || stringOf(inner) || (JSON.stringify(error) ?? "")
}

function codeOf(error: unknown): string {
  return stringOf(recordOf(error).code)
}

function statusKind(status: number, code: string): ModelFaultKind {
  if (code === "insufficient_quota" || status === 402) return "quota"
  if (status >= 500 || status === 409) return "server"
  return statusKinds[status] ?? "bad-request"
}

const statusKinds: Readonly<Record<number, ModelFaultKind>> = words.statusKinds as Record<number, ModelFaultKind>

function isRetryableStatus(kind: ModelFaultKind): boolean {
  return kind === "rate-limit" || kind === "server" || kind === "timeout"
}

/** Returns how long the server asks to wait, in milliseconds, or `undefined` when it names no valid time. */
function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const milliseconds = validWait(Number.parseFloat(headers.get("retry-after-ms") ?? ""))
  if (milliseconds !== undefined) return milliseconds
  const header = headers.get("retry-after")?.trim() ?? ""
  if (header === "") return undefined
  const seconds = Number(header)
  if (!Number.isNaN(seconds)) return validWait(seconds * 1000)
  // The server's clock is used when it sends its time, since the clock here may be wrong.
  const sentMs = Date.parse(headers.get("date") ?? "")
  return validWait(Date.parse(header) - (Number.isNaN(sentMs) ? nowMs : sentMs))
}

function validWait(milliseconds: number): number | undefined {
  return Number.isFinite(milliseconds) && milliseconds >= 0 ? Math.ceil(milliseconds) : undefined
}

/** A request that got no answer. The error of `fetch` is its cause. */
export class ConnectionError extends Error {}

/** Reads an error without an answer: no connection, or one that broke. `begun` is true when the answer had started. */
export function connectionFault(thrown: unknown, begun: boolean): Fault {
  const chain = causesOf(thrown)
  const code = chain.map(codeOf).find((word) => word !== "") ?? ""
  const kind = begun ? "broken" : connectionKind(code, thrown)
  return {
    kind,
    isRetryable: ["broken", "refused", "timeout", "network"].includes(kind),
    said: [messageOf(chain.at(-1)), code].filter((word) => word !== "").join(" "),
  }
}

function connectionKind(code: string, thrown: unknown): ModelFaultKind {
  if (code === "ECONNREFUSED") return "refused"
  if (code === "ENOTFOUND") return "no-such-host"
  if (code.includes("CERT") || code.includes("SELF_SIGNED") || code.includes("SSL")) return "certificate"
  if (code.includes("TIMEOUT") || code === "ETIMEDOUT" || messageOf(thrown).includes("timed out")) return "timeout"
  // The `openai` client wraps the errors of `fetch` in such a class. Other errors are about wrong calls.
  const isOfNetwork =
    thrown instanceof ConnectionError || (thrown instanceof Error && thrown.constructor.name.startsWith("APIConnection"))
  return isOfNetwork ? "network" : "other"
}

/** Returns the error and its causes, at most eight. Of an AggregateError the first member counts as the cause. */
function causesOf(thrown: unknown): readonly unknown[] {
  const chain: unknown[] = [thrown]
  for (let depth = 0; depth < 8; depth++) {
    const error = chain.at(-1)
    const inner: unknown = error instanceof AggregateError ? error.errors[0] : recordOf(error).cause
    if (inner === undefined || inner === null) break
    chain.push(inner)
  }
  return chain
}
