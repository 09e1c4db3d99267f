import type { ErrorEvidence } from "./evidence/error-evidence.ts"
import { hostSecrets } from "./secrets/find-secrets.ts"
import { redacted, redactText } from "./secrets/redact.ts"
import { formatSource, type Source } from "./source.ts"

const brand = Symbol.for("promptstrata.error")

/** Every `code` that an error of this library can carry. */
export type ErrorCode = keyof ErrorEvidence

/** The parts of an error beside its code and its message. */
export type ErrorDetails<C extends ErrorCode = ErrorCode> = ErrorContext & EvidenceOf<C>

/** The place, the cause and the advice of an error. */
export interface ErrorContext {
  readonly cause?: unknown
  /** The place of the fault in authored text. */
  readonly source?: Source | undefined
  /** The lines around the fault with a caret. */
  readonly frame?: string | undefined
  /** Advice: how the caller can mend it. */
  readonly hint?: string | undefined
}

/** The evidence may be left out where all of its fields may be. */
type EvidenceOf<C extends ErrorCode> = object extends ErrorEvidence[C]
  ? { readonly evidence?: ErrorEvidence[C] | undefined }
  : { readonly evidence: ErrorEvidence[C] }

type DetailsArgument<C extends ErrorCode> = object extends ErrorEvidence[C] ? [details?: ErrorDetails<C>] : [ErrorDetails<C>]

/** An error with this code, and the evidence of that code. */
export interface PromptStrataErrorOf<C extends ErrorCode> extends Error, Omit<ErrorContext, "cause"> {
  readonly code: C
  /** Facts about the error, as plain data. */
  readonly evidence: ErrorEvidence[C]
}

/**
 * An error of this library. `code` is literal and stable, and tells the type of `evidence`; `message` says what was
 * expected, what was found, where, and what to do. Test with {@link PromptStrataError.isInstance}: it also holds across two
 * copies of the package. Secrets are `[secret]` in all its texts.
 */
export type PromptStrataError = { readonly [C in ErrorCode]: PromptStrataErrorOf<C> }[ErrorCode]

/** The same type under a name that the class below does not hide. */
type AnyError = PromptStrataError

interface PromptStrataErrorClass {
  readonly prototype: PromptStrataErrorOf<ErrorCode>
  new <C extends ErrorCode = ErrorCode>(code: C, message: string, ...details: DetailsArgument<C>): PromptStrataErrorOf<C>
  /** True for an error of this library, also one made by another copy of it. */
  isInstance(error: unknown): error is PromptStrataError
}

/** The class of all errors of this library. */
export const PromptStrataError: PromptStrataErrorClass = class PromptStrataError<C extends ErrorCode>
  extends Error
  implements PromptStrataErrorOf<C>
{
  readonly code: C
  readonly source?: Source | undefined
  readonly frame?: string | undefined
  readonly hint?: string | undefined
  readonly evidence: ErrorEvidence[C]

  constructor(code: C, message: string, details: ErrorContext & { readonly evidence?: ErrorEvidence[C] | undefined } = {}) {
    const { cause, source, frame, hint, evidence = {} } = details
    const find = hostSecrets()
    super(redactText(fullMessage(message, details), find), cause === undefined ? undefined : { cause })
    this.name = "PromptStrataError"
    this.code = code
    this.source = source
    this.frame = redacted(frame, find)
    this.hint = redacted(hint, find)
    this.evidence = redacted(evidence, find) as ErrorEvidence[C]
    Object.defineProperty(this, brand, { value: true })
  }

  static isInstance(error: unknown): error is AnyError {
    try {
      return typeof error === "object" && error !== null && brand in error
    } catch {
      return false
    }
  }
}

/** A message with its place, and below it the lines around that and what to do. */
export function fullMessage(message: string, { source, frame, hint }: ErrorContext): string {
  const where = source ? `${formatSource(source)}: ` : ""
  return [`${where}${message}`, frame, hint].filter((part) => part !== undefined && part !== "").join("\n")
}

/** The result of work, or something else where it throws. For a failure that says no more than that there is nothing to use. */
export function attempt<T>(work: () => T, otherwise: T): T {
  try {
    return work()
  } catch {
    return otherwise
  }
}

/** Any thrown thing in words for people, without secrets: an Error's message, else its text. Never throws, whatever was thrown. */
export function messageOf(thrown: unknown): string {
  return redactText(wordsOf(thrown), hostSecrets())
}

/** An error of this library as it is; any other thrown thing as the cause of one with this code, which says what failed. */
export function asOurError<C extends ErrorCode>(
  thrown: unknown,
  code: C,
  failed: string,
  ...[details]: DetailsArgument<C>
): AnyError {
  if (PromptStrataError.isInstance(thrown)) return thrown
  const given = [{ ...details, cause: thrown }] as unknown as DetailsArgument<C>
  return new PromptStrataError(code, `${failed}: ${messageOf(thrown)}`, ...given) as AnyError
}

function wordsOf(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return String(thrown.message) || String(thrown.name)
    if (typeof thrown === "string") return thrown
    return JSON.stringify(thrown) ?? String(thrown)
  } catch {
    return kindOf(thrown)
  }
}

function kindOf(thrown: unknown): string {
  return attempt(() => Object.prototype.toString.call(thrown), "unknown")
}

/** Throws when our own reasoning is wrong: a bug here, never the caller's mistake. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`promptstrata invariant broken: ${message}. Please report this as a bug.`)
}
