import { PromptStrataError } from "../../../core/errors.ts"
import { recordOf } from "../../../core/json-access.ts"
import { ConnectionError, connectionFault, type Fault, reportedFault, statusFault } from "../fault.ts"
import words from "../fault-words.json" with { type: "json" }
import { headerSecrets, modelError, redactorOf } from "../model-error.ts"
import type { Connection } from "./connection.ts"

/** The model that a request went to, and its server. */
interface Target extends Connection {
  readonly id: string
  /** The address of requests, for messages. */
  readonly url: string
}

/** Makes an error of a failed request. It hides the key, all header values, and the credentials and query values of the base URL. */
export function failure(fault: Fault, { id, url, apiKey, headers, baseUrl }: Target): PromptStrataError {
  const { password, username, searchParams } = URL.parse(baseUrl) ?? new URL("none:")
  const secrets = [apiKey ?? "", ...headerSecrets(Object.values(headers)), password, username, ...searchParams.values()]
  return modelError(fault, { id, url, redact: redactorOf(secrets, 6), advice: words.openaiAdvice })
}

/** By MiniMax' code of an error, the status that other servers answer with. */
const minimaxStatus = new Map(Object.entries(words.minimaxStatus))

/** Makes an error of one that the server reported in its answer. MiniMax tells a code of its own. */
export function reportedError(error: unknown, target: Target): PromptStrataError {
  const { status_code: code, status_msg: said } = recordOf(error)
  const minimaxError = { code: minimaxStatus.get(String(code)), message: `${said || "no reason was given"} (${code})` }
  return failure(reportedFault(code ? minimaxError : error), target)
}

/** Turns anything that the client or its stream threw into an error. `begun` is true when the answer had started. */
export function asModelError(thrown: unknown, target: Target, begun: boolean): PromptStrataError {
  if (PromptStrataError.isInstance(thrown)) return thrown
  const { error } = recordOf(thrown)
  // A SyntaxError means that an event of the stream was cut or is not JSON.
  const isBroken = begun || thrown instanceof SyntaxError
  const fault =
    statusFault(thrown, Date.now()) ??
    (error === undefined || error === null ? connectionFault(thrown, isBroken) : reportedFault(error))
  return failure(fault, target)
}

const firstWaitMs = 500
const longestWaitMs = 8_000
/** A server that asks for longer gets the usual wait. */
const longestAskedMs = 60_000

/** Returns how long to wait before a request is sent again, or `undefined` for an error that would come again. */
export function waitBefore(retry: number, thrown: unknown): number | undefined {
  const fault = statusFault(thrown, Date.now())
  const { headers } = recordOf(thrown)
  const advised = headers instanceof Headers ? headers.get("x-should-retry") : undefined
  const isWorthwhile = advised === "true" || (advised !== "false" && (fault?.isRetryable ?? thrown instanceof ConnectionError))
  if (!isWorthwhile) return undefined
  if (fault?.retryAfterMs !== undefined && fault.retryAfterMs <= longestAskedMs) return fault.retryAfterMs
  // Programs that failed together do not come again together.
  return Math.min(firstWaitMs * 2 ** retry, longestWaitMs) * (1 - Math.random() / 4)
}
