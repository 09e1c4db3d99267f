import { checkType } from "../core/check-options.ts"
import type { ErrorCode } from "../core/errors.ts"
import { PromptStrataError } from "../core/errors.ts"
import words from "./error-words.json" with { type: "json" }

/** Says what a person who writes to a bot can do. The words of each are in `error-words.json`. */
type Advice = keyof typeof words.en

const adviceByCode: Readonly<Record<ErrorCode, Advice>> = {
  template: "owner",
  "front-matter": "owner",
  "prompt-missing": "owner",
  prompt: "owner",
  injection: "owner",
  encoding: "owner",
  profile: "owner",
  script: "owner",
  "profile-missing": "owner",
  skill: "owner",
  budget: "too-long",
  "tool-definition": "owner",
  "tool-collision": "owner",
  "tool-arguments": "again",
  "tool-timeout": "too-long",
  model: "broken-model",
  "model-stall": "too-long",
  "model-empty": "silent-model",
  "output-schema": "broken-model",
  approval: "settled",
  "turn-timeout": "too-long",
  aborted: "stopped",
  "empty-question": "empty",
  decision: "silent-model",
  "session-conflict": "changed",
  "version-conflict": "changed",
  "session-store": "again",
  store: "again",
  background: "again",
  closed: "owner",
  file: "file",
  "file-missing": "file",
  "file-path": "file",
  "file-outside": "file",
  "file-kind": "file",
  "file-size": "file",
  "file-encoding": "file",
  "file-conflict": "file",
  "file-busy": "file",
  plugin: "owner",
  mcp: "owner",
  usage: "owner",
  "missing-dependency": "owner",
  test: "owner",
}

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
    if (kind === "rate-limit" || status === 429) return "busy"
    if (kind === "credentials" || kind === "forbidden" || kind === "not-found" || kind === "quota") return "owner"
    if (kind === undefined && (status === 401 || status === 403)) return "owner"
  }
  if (error.code === "approval") return adviceByFault[error.evidence.fault] ?? "settled"
  if (error.code === "model-empty" && error.evidence.finishReason === "content-filter") return "filtered"
  // An error of a newer copy of the package can have a code that is unknown here.
  return adviceByCode[error.code] ?? "again"
}

/** A sentence behind the words for an error of a turn that did something. */
export function doneWords(locale: string): string {
  return locale.toLowerCase().startsWith("zh")
    ? "有些事可能已经做了，再问之前请先看一看。"
    : "Something may be done already: look before you ask again."
}
