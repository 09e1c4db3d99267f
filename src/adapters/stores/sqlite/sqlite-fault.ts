import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { faultAdvice } from "../sql/fault-advice.ts"

/** True for SQLITE_BUSY and SQLITE_LOCKED with any extended code: another process uses the file at the moment. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error)
  return code === 5 || code === 6
}

/** Turns an error of SQLite into one with code `store` that says what to do. Other errors stay as they are. */
export function sqliteFault(error: unknown, file: string): unknown {
  if (PromptStrataError.isInstance(error)) return error
  const code = resultCode(error)
  if (code === undefined && !(error instanceof Error && "code" in error && error.code === "ERR_SQLITE_ERROR")) return error
  const hint = faultAdvice.get(isOfOtherSchema(error) ? "missing" : String(code))
  return new PromptStrataError("store", `The store in ${file} failed: ${messageOf(error)}.`, {
    cause: error,
    hint: hint ?? "Nothing was written. Run `promptstrata doctor` to check the store.",
    evidence: { file, code },
  })
}

/** The error for a file that other processes have kept busy for too long. */
export function busyFault(file: string, waitedMs: number): PromptStrataError {
  const message = `Expected the store in ${file} to be free within ${waitedMs} ms, found another process writing.`
  const hint = "Nothing was written. Try again, or look for a process that hangs while it has the file open."
  return new PromptStrataError("store", message, { hint, evidence: { file, waitedMs } })
}

/** The error for a file that is no longer at its place: SQLite would go on writing to what nobody can open again. */
export function goneFault(file: string): PromptStrataError {
  const message = `The store in ${file} is gone: its file was moved, deleted or replaced while it was open.`
  const hint = "Nothing was written. Put the file back, or start the program again, which begins a new store."
  return new PromptStrataError("store", message, { hint, evidence: { file } })
}

/** SQLite's primary result code. */
function resultCode(error: unknown): number | undefined {
  return error instanceof Error && "errcode" in error && typeof error.errcode === "number" ? error.errcode & 0xff : undefined
}

/** True when a table or column is missing: it was there when the file was opened. */
function isOfOtherSchema(error: unknown): boolean {
  return /^(no such (table|column)|table \S+ has no column named)/u.test(messageOf(error))
}
