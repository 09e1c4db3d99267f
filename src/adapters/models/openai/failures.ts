import { PromptStrataError } from "../../../core/errors.ts"
import { recordOf } from "../../../core/json-access.ts"
import { ConnectionError, connectionFault, type Fault, reportedFault, statusFault } from "../fault.ts"
import words from "../fault-words.json" with { type: "json" }
import { headerSecrets, modelError, type Redact, redactorOf } from "../model-error.ts"
import { type Connection, shownUrl } from "./connection.ts"

export { ConnectionError }

/** The model that a request went to, and its server. */
type Target = Connection & { readonly id: string }

/** Makes an error of a failed request. */
export function failure(fault: Fault, target: Target): PromptStrataError {
  const { id, baseUrl } = target
  return modelError(fault, { id, url: shownUrl(baseUrl), redact: connectionRedactor(target), advice: words.openaiAdvice })
}

/** Makes an error of one that the server reported in its answer. */
export function reportedError(error: unknown, target: Target): PromptStrataError {
  return failure(reportedFault(asTold(error)), target)
}

/** By MiniMax' code of an error, the status that other servers answer with. */
const minimaxStatus = new Map(Object.entries(words.minimaxStatus))

/** The error of MiniMax, which tells its own code. Any other error stays as it is. */
function asTold(error: unknown): unknown {
  const { status_code: code, status_msg: said } = recordOf(error)
  if (!code) return error
  return { code: minimaxStatus.get(String(code)), message: `${said || "no reason was given"} (${code})` }
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

/** Hides the key, all header values, and the credentials and query values of the base URL. */
function connectionRedactor({ apiKey, headers, baseUrl }: Connection): Redact {
  return redactorOf([apiKey ?? "", ...headerSecrets(Object.values(headers)), ...urlSecrets(baseUrl)], 6)
}

function urlSecrets(baseUrl: string): readonly string[] {
  const url = URL.parse(baseUrl)
  return url === null ? [] : [url.password, url.username, ...url.searchParams.values()]
}
