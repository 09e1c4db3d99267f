import { PromptStrataError } from "../../core/errors.ts"
import { advice } from "./advice.ts"
import type { Fault, FaultKind } from "./fault.ts"
import type { Redact } from "./secrets.ts"

/** Where a request went, for messages. */
export interface Target {
  /** The model's id, such as `openai:gpt-5-mini`. */
  readonly id: string
  /** Without credentials. */
  readonly url: string
  readonly redact: Redact
  /** What to do about a fault, where it differs from what a user of `openaiModel` can do. */
  readonly advice?: Readonly<Record<FaultKind, string>>
}

const maxSaidCharacters = 300

/** A fault as an error of code `model`, with advice a person can act on. Holds no secret, and therefore no cause. */
export function modelError(fault: Fault, { id, url, redact, ...target }: Target): PromptStrataError {
  const said = shorten(redact(fault.said))
  const what = fault.status === undefined ? headline(fault) : `answered with status ${fault.status}`
  const hint = (target.advice ?? advice)[fault.kind]
  return new PromptStrataError("model", `${id} ${what} (${url})${said === "" ? "." : `: ${said}`}`, {
    evidence: {
      isRetryable: fault.isRetryable,
      kind: fault.kind,
      ...(fault.status !== undefined && { status: fault.status }),
      ...(fault.retryAfterMs !== undefined && { retryAfterMs: fault.retryAfterMs }),
      ...(fault.requestId !== undefined && { requestId: redact(fault.requestId) }),
    },
    ...(hint !== "" && { hint }),
  })
}

function headline({ kind }: Fault): string {
  if (kind === "web-page" || kind === "not-streamed") return "did not answer as a model does"
  if (kind === "reported") return "reported an error"
  if (kind === "broken") return "broke off in the middle of its answer"
  return "could not be reached"
}

function shorten(said: string): string {
  const line = said.toWellFormed().replace(/\s+/g, " ").trim()
  const characters = [...line.slice(0, 2 * maxSaidCharacters)]
  return characters.length > maxSaidCharacters ? `${characters.slice(0, maxSaidCharacters).join("")}…` : line
}
