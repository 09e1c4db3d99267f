import { PromptStrataError, type PromptStrataErrorOf } from "../../core/errors.ts"
import type { ErrorEvidence } from "../../core/evidence/error-evidence.ts"
import type { FileErrors } from "../../core/evidence/files.ts"
import messages from "./system-messages.json" with { type: "json" }

type FileErrorCode = keyof FileErrors

/** An error about one file of a workspace. Its evidence holds the path and the fields that are given. */
export function fileError<C extends FileErrorCode>(
  code: C,
  path: string,
  message: string,
  { hint, evidence }: { readonly hint?: string | undefined; readonly evidence?: ErrorEvidence[C] | undefined } = {},
): PromptStrataErrorOf<C> {
  const details = { hint, evidence: { path, ...evidence } }
  return new PromptStrataError<FileErrorCode>(code, `${path}: ${message}`, details) as PromptStrataErrorOf<C>
}

/** The `file-size` error of a file over a limit. */
export function tooLarge(path: string, sizeBytes: number, maxBytes: number): PromptStrataErrorOf<"file-size"> {
  const [found, limit] = [sizeBytes.toLocaleString("en"), maxBytes.toLocaleString("en")]
  return fileError("file-size", path, `expected at most ${limit} bytes, found ${found}.`, { evidence: { sizeBytes, maxBytes } })
}

/** The system's code of an error, such as `ENOENT`. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined
}

/** True for the system's error about a name that does not exist. */
export function isAbsent(error: unknown): boolean {
  return errnoOf(error) === "ENOENT"
}

/** Makes a handler for `catch` that ignores errors with these codes. It throws all others. */
export function ignoring(...codes: readonly string[]): (error: unknown) => undefined {
  return (error) => {
    if (!codes.includes(errnoOf(error) ?? "")) throw error
  }
}

/** Throws `aborted` when the signal is aborted. */
export function stopIfAborted(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return
  throw new PromptStrataError("aborted", "The work on the workspace was stopped. No file is half written.", {
    cause: signal.reason,
  })
}

/** Runs a task about a path. A failure of the operating system becomes an error of this library; any other passes unchanged. */
export async function withFileErrors<T>(operation: string, path: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task()
  } catch (cause) {
    const code = errnoOf(cause)
    const isSystemError =
      !PromptStrataError.isInstance(cause) && code !== undefined && /^(?:E[A-Z0-9]+|ERR_INVALID_ARG_VALUE)$/.test(code)
    throw isSystemError ? systemFailure(operation, path, { code, cause }) : cause
  }
}

const systemMessages: Readonly<Record<string, readonly string[]>> = messages

/**
 * A failure of the operating system: `file-missing`, `file-kind` for something that is not a file, else `file`. The evidence
 * holds `path`, `operation`, `code` and the system `call`.
 */
function systemFailure(operation: string, path: string, { code, cause }: { code: string; cause: unknown }): PromptStrataError {
  const call = cause instanceof Error && "syscall" in cause && typeof cause.syscall === "string" ? cause.syscall : undefined
  const details = { cause, evidence: { path, operation, code, call } }
  const fail = <C extends "file-missing" | "file-kind">(kind: C, message: string) =>
    new PromptStrataError(kind, `${path}: ${message}`, details)
  if (code === "ENOENT") return fail("file-missing", "expected a file, found none.")
  if (code === "ENOTDIR") return fail("file-kind", "expected a folder on the way to it, found a file.")
  if (code === "EISDIR") return fail("file-kind", "expected a file, found a folder.")
  if (code === "ELOOP") return fail("file-kind", "expected a file, found a link that leads nowhere.")
  const [what, hint] = systemMessages[code] ?? ["the system refused"]
  const where = call === undefined ? "" : ` in ${call}`
  return new PromptStrataError("file", `${path}: ${operation} failed: ${what} (${code}${where}).`, { ...details, hint })
}
