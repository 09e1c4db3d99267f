import { checkType } from "../core/check-options.ts"
import { PromptStrataError } from "../core/errors.ts"
import words from "./error-words.json" with { type: "json" }

/** Says what a person who writes to a bot can do. The words of each are in `error-words.json`. */
type Advice = keyof typeof words.en

/** The codes of errors, each with what a person can do about it; those of other codes are asked again. */
const adviceByCode = new Map(
  Object.entries(words.codes).flatMap(([advice, codes]) => codes.map((code) => [code, advice as Advice])),
)

const adviceByFault: Readonly<Record<string, Advice>> = {
  expired: "expired",
  "not-asked": "not-asked",
  "tool-gone": "another-tool",
  "tool-changed": "another-tool",
}

/**
 * One or two sentences about an error for the person who writes to a bot: no code, no path, nothing of the provider's answer. Chinese
 * for a locale `zh…`, else English. Log the error itself for the person who runs the bot. Any thrown value is accepted.
 */
export function errorWords(error: unknown, locale: string): string {
  checkType("the locale of errorWords", locale, "string")
  return words[locale.toLowerCase().startsWith("zh") ? "zh" : "en"][adviceOf(error)]
}

function adviceOf(error: unknown): Advice {
  if (!PromptStrataError.isInstance(error)) return "again"
  if (error.code === "model") {
    const { kind, status, refused } = error.evidence
    if (refused !== undefined) return refused === "context-length" ? "too-much" : "filtered"
    if (kind === "credentials" || kind === "forbidden" || kind === "not-found" || kind === "quota") return "owner"
    if (kind === "rate-limit" || status === 429) return "busy"
    if (kind === undefined && (status === 401 || status === 403)) return "owner"
  }
  if (error.code === "spending-limit" && error.evidence.used === undefined) return "owner"
  if (error.code === "spending-limit" && error.evidence.retryAfterMs !== undefined) return "used-up"
  if (error.code === "approval") return adviceByFault[error.evidence.fault] ?? "settled"
  if (error.code === "model-empty" && error.evidence.finishReason === "content-filter") return "filtered"
  // An error of a newer copy of the package can have a code that is unknown here.
  return adviceByCode.get(error.code) ?? "again"
}

/** A sentence behind the words for an error of a turn that did something. */
export function doneWords(locale: string): string {
  return locale.toLowerCase().startsWith("zh")
    ? "有些事可能已经做了，再问之前请先看一看。"
    : "Something may be done already: look before you ask again."
}
