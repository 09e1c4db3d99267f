import { PromptStrataError } from "../../core/errors.ts"
import type { ModelFaultKind } from "../../core/evidence/turns.ts"
import { hostSecrets } from "../../core/secrets/find-secrets.ts"
import { redactText } from "../../core/secrets/redact.ts"
import { onOneLine } from "../../prompt/encode/line-breaks.ts"
import type { Fault } from "./fault.ts"
import words from "./fault-words.json" with { type: "json" }

/** The model that a request went to, for error messages. */
export interface ErrorTarget {
  /** The model's id, such as `openai:gpt-5-mini`. */
  readonly id: string
  /** The address, without credentials. */
  readonly url: string
  readonly redact: Redact
  /** Advice that names the adapter's own options. For other kinds of fault the common advice is used. */
  readonly advice: TextsByKind
}

type TextsByKind = Readonly<Partial<Record<ModelFaultKind, string>>>

const commonAdvice: TextsByKind = words.commonAdvice

const maxSaidCharacters = 300

/** Makes an error of code `model` with advice. It holds no secret, and no `cause`, since a cause may hold the whole request. */
export function modelError(fault: Fault, { id, url, redact, advice }: ErrorTarget): PromptStrataError {
  const { kind, isRetryable, refused, status, retryAfterMs, requestId } = fault
  const said = shorten(redact(fault.said))
  const hint = advice[kind] ?? commonAdvice[kind]
  return new PromptStrataError("model", headline(fault, id, `(${url})${said === "" ? "." : `: ${said}`}`), {
    evidence: { isRetryable, kind, refused, status, retryAfterMs, requestId: requestId && redact(requestId) },
    hint,
  })
}

function headline({ kind, status }: Fault, id: string, rest: string): string {
  if (status !== undefined) return `${id} answered with status ${status} ${rest}`
  if (kind === "web-page" || kind === "not-streamed") return `${id} did not answer as a model does ${rest}`
  if (kind === "reported") return `${id} reported an error ${rest}`
  if (kind === "broken") return `${id} broke off in the middle of its answer ${rest}`
  return `${id} could not be reached ${rest}`
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
  const hidden = secrets.filter((secret) => secret.length >= minCharacters)
  const find = hostSecrets(hidden, true)
  return (text) => redactText(text, find)
}

/** Returns header values, and each without its scheme: `Bearer abc` and `abc`. */
export function headerSecrets(values: readonly string[]): string[] {
  return values.flatMap((value) => [value, value.slice(value.indexOf(" ") + 1)])
}
