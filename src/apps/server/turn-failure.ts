import type { PromptStrataError } from "../../core/errors.ts"
import { doneWords, errorWords } from "../../trace/error-words.ts"
import type { TurnFailure } from "../../trace/turn-event.ts"
import type { Answer } from "./exchange.ts"
import { errorBody } from "./http-problem.ts"

/** Statuses after which common clients send a request again, whatever `x-should-retry` says, end at this one. */
const finalStatus = 400

/** Failures that the operator has to mend: a repeated request fails in the same way. */
const operatorKinds: readonly unknown[] = ["credentials", "forbidden", "not-found", "quota"]

/** Codes of turns that were refused before anything of them was kept. */
const refusals: readonly unknown[] = ["usage", "file", "file-size", "file-missing", "empty-question", "closed"]

/** Failures of calls whose tool did not begin. */
const idle: readonly unknown[] = ["unknown-tool", "invalid-arguments", "denied"]

/** Effects of a turn that a repeated request would have once more. */
export interface Effects {
  /** True if a tool began its work. */
  readonly ran: boolean
  /** True if the conversation has the words. */
  readonly kept: boolean
}

/** The effects of a turn, once it has ended. */
export async function effectsOf(answer: Answer, isConversationKept: boolean): Promise<Effects> {
  const result = await answer.result
  let ran = 0
  for await (const event of answer)
    ran += Number(event.type === "tool-start") - Number(event.type === "tool-end" && idle.includes(event.run.failure))
  return { ran: ran > 0, kept: isConversationKept && (result.ok || !(refusals.includes(result.error.code) || isUnspent(result))) }
}

/** True for a turn that was refused before its first request to a model: of it nothing is kept, either. */
function isUnspent({ error, trace }: TurnFailure): boolean {
  return error.code === "spending-limit" && trace.steps.length === 0
}

/** The error of a failed turn as the OpenAI API has it: words for the client, a type and a code. */
export function turnErrorBody(error: PromptStrataError, locale: string) {
  const status = statusOf(error)
  const type = status === 429 ? "rate_limit_error" : status === 400 ? "invalid_request_error" : "server_error"
  return errorBody(errorWords(error, locale), { type, code: codeOf(error) })
}

/**
 * The response to a turn that failed. One that did something has a status that no client takes for a reason to ask again: a second run would
 * do it once more.
 */
export function failureResponse(
  error: PromptStrataError,
  { ran, kept }: Effects,
  { locale, headers }: { readonly locale: string; readonly headers: Readonly<Record<string, string>> },
): Response {
  const own = statusOf(error)
  const isLimited = own === 429 && !ran && !kept
  const status = ran || kept ? finalStatus : own
  const body = turnErrorBody(error, locale)
  if (ran) body.error.message += ` ${doneWords(locale)}`
  const waitMs = isLimited && "retryAfterMs" in error.evidence ? error.evidence.retryAfterMs : undefined
  const isFinal = ran || kept || isOperators(error)
  return Response.json(body, {
    status,
    headers: {
      ...headers,
      ...(isFinal && { "x-should-retry": "false" }),
      ...(waitMs !== undefined && { "retry-after": String(Math.max(1, Math.ceil(waitMs / 1000))) }),
    },
  })
}

function isOperators(error: PromptStrataError): boolean {
  if (error.code !== "model") return false
  return operatorKinds.includes(error.evidence.kind) || [401, 403].includes(error.evidence.status ?? 0)
}

function statusOf(error: PromptStrataError): number {
  const { code } = error
  if (code === "spending-limit" && error.evidence.retryAfterMs !== undefined) return 429
  if (code.startsWith("file") || code === "usage" || code === "empty-question") return 400
  if (code === "model") {
    const { kind, status, refused } = error.evidence
    if (kind === "rate-limit" || (status === 429 && kind !== "quota")) return 429
    if (kind === "bad-request" || refused !== undefined) return 400
    return isOperators(error) ? 500 : 502
  }
  if (code === "model-empty" && error.evidence.finishReason === "content-filter") return 400
  if (code === "turn-timeout" || code === "model-stall") return 504
  if (code === "closed" || code === "aborted") return 503
  return code === "session-conflict" ? 409 : 500
}

/** The code of the OpenAI API where it has one, else ours. */
function codeOf(error: PromptStrataError): string {
  const refused = error.code === "model" ? error.evidence.refused : undefined
  if (refused === "context-length") return "context_length_exceeded"
  if (refused !== undefined || (error.code === "model-empty" && statusOf(error) === 400)) return "content_filter"
  return statusOf(error) === 429 ? "rate_limit_exceeded" : error.code
}
