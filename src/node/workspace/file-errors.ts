import { type ErrorCode, PromptStrataError } from "../../core/errors.ts"

/** The operating system's code of an error, such as `ENOENT`. */
export function errnoOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined
}

/** True for the error of a name that is not there. */
export function isAbsent(error: unknown): boolean {
  return errnoOf(error) === "ENOENT"
}

/** An error about one file of a workspace; its path is in the evidence. */
export function fileError(
  code: ErrorCode,
  path: string,
  message: string,
  more: { readonly hint?: string; readonly evidence?: Readonly<Record<string, unknown>> } = {},
): PromptStrataError {
  const { hint, evidence } = more
  return new PromptStrataError(code, `${path}: ${message}`, {
    ...(hint === undefined ? {} : { hint }),
    evidence: { path, ...evidence },
  })
}

const words: Readonly<Record<string, readonly [what: string, hint?: string]>> = {
  ENOSPC: ["the disk is full", "Free some space and try again."],
  EDQUOT: ["the disk quota is used up", "Free some space and try again."],
  EIO: ["the disk failed", "Look after the disk before anything else is written to it."],
  EACCES: ["permission was denied", "Give this program's user the right to it."],
  EPERM: ["permission was denied", "Give this program's user the right to it."],
  EROFS: ["the file system is read-only", "Mount it writable, or use another workspace."],
  EMFILE: ["this program has too many files open", "Close some, or raise the limit of open files."],
  ENFILE: ["the system has too many files open", "Close some, or raise the limit of open files."],
  EXDEV: ["it lies on another file system", "Keep a workspace on one file system."],
}

/** What is thrown on about a path: a failure of the operating system as an error of this library, all else as it is. */
export function fileFailure(operation: string, path: string, cause: unknown): unknown {
  const code = errnoOf(cause)
  const isSystems = !PromptStrataError.isInstance(cause) && code !== undefined && /^E[A-Z0-9]+$/.test(code)
  return isSystems ? systemFailure(operation, path, { code, cause }) : cause
}

/**
 * What the operating system refused: `file-missing`, `file-kind` for something that is no file, else `file`. The evidence holds
 * `path`, `operation`, `code` and the system `call`.
 */
function systemFailure(operation: string, path: string, { code, cause }: { code: string; cause: unknown }): PromptStrataError {
  const call = cause instanceof Error && "syscall" in cause && typeof cause.syscall === "string" ? cause.syscall : undefined
  const evidence = { path, operation, code, ...(call === undefined ? {} : { call }) }
  const fail = (kind: ErrorCode, message: string, hint?: string) =>
    new PromptStrataError(kind, `${path}: ${message}`, { cause, evidence, ...(hint === undefined ? {} : { hint }) })
  if (code === "ENOENT") return fail("file-missing", "expected a file, found none.")
  if (code === "ENOTDIR") return fail("file-kind", "expected a folder on the way to it, found a file.")
  if (code === "EISDIR") return fail("file-kind", "expected a file, found a folder.")
  if (code === "ELOOP") return fail("file-kind", "expected a file, found a link that leads nowhere.")
  const [what, hint] = words[code] ?? ["the system refused"]
  return fail("file", `${operation} failed: ${what} (${code}${call === undefined ? "" : ` in ${call}`}).`, hint)
}

/** Throws `aborted` once the signal is. */
export function stopIfAborted(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return
  throw new PromptStrataError("aborted", "The work on the workspace was stopped; no file is half written.", {
    cause: signal.reason,
  })
}
