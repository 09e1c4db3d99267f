import { codeFrame, formatSource, type Position, type Source } from "./source.ts"

const brand = Symbol.for("promptstrata.error")

/** The `code` of an error of this library. */
export type ErrorCode =
  | "template"
  | "front-matter"
  | "prompt-missing"
  | "prompt"
  | "injection"
  | "encoding"
  | "budget"
  | "profile"
  | "profile-missing"
  | "plugin"
  | "file"
  | "file-missing"
  | "file-path"
  | "file-outside"
  | "file-kind"
  | "file-size"
  | "file-encoding"
  | "file-conflict"
  | "file-busy"
  | "tool-definition"
  | "tool-collision"
  | "tool-arguments"
  | "tool-timeout"
  | "model"
  | "model-stall"
  | "model-empty"
  | "turn-timeout"
  | "aborted"
  | "empty-question"
  | "session-conflict"
  | "version-conflict"
  | "store"
  | "store-missing"
  | "background"
  | "closed"
  | "decision"
  | "usage"
  | "session-store"
  | "skill"
  | "missing-dependency"
  | "mcp"
  | "test"

/** Details of an error, beside its code and message. */
export interface ErrorDetails {
  readonly cause?: unknown
  /** The place of the mistake in an authored file. */
  readonly source?: Source | undefined
  /** The lines around the mistake, with a caret. */
  readonly frame?: string
  /** Advice to the caller. */
  readonly hint?: string | undefined
  /** The evidence, as plain data. */
  readonly evidence?: Readonly<Record<string, unknown>>
}

/**
 * The base of every error that this library throws. `code` is literal and stable. `message` says what was expected, what was
 * found, where, and what to do. Test with {@link PromptStrataError.isInstance}: it also works across two copies of the package.
 */
export class PromptStrataError extends Error {
  readonly code: ErrorCode
  readonly source?: Source
  readonly frame?: string
  readonly hint?: string
  readonly evidence: Readonly<Record<string, unknown>>

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(fullMessage(message, details), details.cause === undefined ? undefined : { cause: details.cause })
    this.name = "PromptStrataError"
    this.code = code
    if (details.source) this.source = details.source
    if (details.frame !== undefined) this.frame = details.frame
    if (details.hint !== undefined) this.hint = details.hint
    this.evidence = details.evidence ?? {}
    Object.defineProperty(this, brand, { value: true })
  }

  /** True for an error of this library, also for one of another copy of it. */
  static isInstance(error: unknown): error is PromptStrataError {
    try {
      return typeof error === "object" && error !== null && brand in error
    } catch {
      return false
    }
  }
}

function fullMessage(message: string, { source, frame, hint }: ErrorDetails): string {
  const where = source ? `${formatSource(source)}: ` : ""
  return [`${where}${message}`, frame, hint].filter((part) => part !== undefined && part !== "").join("\n")
}

/** An error about authored text, with file, line, column and a caret. */
export function locatedError(
  code: ErrorCode,
  message: string,
  at: {
    readonly file: string
    readonly text: string
    readonly position: Position
    readonly hint?: string | undefined
    readonly cause?: unknown
  },
): PromptStrataError {
  const { file, text, position, hint, cause } = at
  return new PromptStrataError(code, message, { source: { file, ...position }, frame: codeFrame(text, position), hint, cause })
}

/** The message of a thrown value, for people: an Error's message, else the value as text. Never throws. */
export function messageOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return String(thrown.message) || String(thrown.name)
    if (typeof thrown === "string") return thrown
    return JSON.stringify(thrown) ?? String(thrown)
  } catch {
    return kindOf(thrown)
  }
}

function kindOf(thrown: unknown): string {
  try {
    return Object.prototype.toString.call(thrown)
  } catch {
    return "unknown"
  }
}

/** Throws if a condition does not hold that this library guarantees: a bug here, never the caller's mistake. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`promptstrata invariant broken: ${message}. Please report this as a bug.`)
}
