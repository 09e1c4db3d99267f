import { PromptStrataError } from "../../core/errors.ts"
import type { ModelFaultKind } from "../../core/evidence/turns.ts"
import { hostSecrets } from "../../core/secrets/find-secrets.ts"
import { redactText } from "../../core/secrets/redact.ts"
import { onOneLine } from "../../prompt/encode/line-breaks.ts"
import type { Fault } from "./fault.ts"

/** The model that a request went to, for error messages. */
export interface ErrorTarget {
  /** The model's id, such as `openai:gpt-5-mini`. */
  readonly id: string
  /** The address, without credentials. */
  readonly url: string
  readonly redact: Redact
  /** Advice that names the adapter's own options. For other kinds of fault the common advice is used. */
  readonly advice: Advice
}

/** Advice to a person, by the kind of fault. */
export type Advice = Readonly<Partial<Record<ModelFaultKind, string>>>

const commonAdvice: Advice = {
  "bad-request": "The server did not accept the request. Check the model's context length and the options you set for it.",
  forbidden: "The key is valid but may not use this model. Check the account's access to it.",
  quota: "The account's quota is used up. Check its plan and billing.",
  "rate-limit": "Too many requests: wait and try again, or lower the rate.",
  server: "The server failed on its side. Try again later.",
  reported: "The provider reported this while it was answering.",
  broken: "The connection broke in the middle of the answer. Try again.",
  certificate: "The server's TLS certificate was not accepted. Check the base URL's scheme and the certificate.",
  timeout: "The server took too long to answer. Try again, or check its load.",
  network: "The request did not get through. Check the network and any proxy.",
}

const maxSaidCharacters = 300

/** Makes an error of code `model` with advice. It holds no secret, and no `cause`, since a cause may hold the whole request. */
export function modelError(fault: Fault, { id, url, redact, advice }: ErrorTarget): PromptStrataError {
  const { kind, isRetryable, refused, status, retryAfterMs, requestId } = fault
  const said = shorten(redact(fault.said))
  const what = status === undefined ? headline(kind) : `answered with status ${status}`
  const hint = advice[kind] ?? commonAdvice[kind]
  return new PromptStrataError("model", `${id} ${what} (${url})${said === "" ? "." : `: ${said}`}`, {
    evidence: {
      isRetryable,
      kind,
      refused,
      status,
      retryAfterMs,
      requestId: requestId === undefined ? undefined : redact(requestId),
    },
    hint,
  })
}

function headline(kind: ModelFaultKind): string {
  if (kind === "web-page" || kind === "not-streamed") return "did not answer as a model does"
  if (kind === "reported") return "reported an error"
  if (kind === "broken") return "broke off in the middle of its answer"
  return "could not be reached"
}

function shorten(said: string): string {
  const line = onOneLine(said.toWellFormed())
  const characters = [...line.slice(0, 2 * maxSaidCharacters + 2)]
  return characters.length > maxSaidCharacters ? `${characters.slice(0, maxSaidCharacters).join("")}…` : line
}

/** Replaces secrets in a text by `[secret]`. */
export type Redact = (text: string) => string

/** Makes a function that hides these secrets and all that looks like one. Shorter ones stay: they are words, and hiding them makes messages unreadable. */
export function redactorOf(secrets: readonly string[], minCharacters: number): Redact {
  const find = hostSecrets(
    secrets.filter((secret) => secret.length >= minCharacters),
    true,
  )
  return (text) => redactText(text, find)
}

/** Returns header values, and each without its scheme: `Bearer abc` and `abc`. */
export function headerSecrets(values: readonly string[]): string[] {
  return values.flatMap((value) => [value, value.slice(value.indexOf(" ") + 1)])
}
