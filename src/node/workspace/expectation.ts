import { fileError } from "./file-errors.ts"
import type { Expectation } from "./workspace.ts"

/** Throws `file-conflict` when a file's hash is not the expected one; no hash stands for no file. */
export function checkExpectation(path: string, expected: Expectation | undefined, found: string | undefined): void {
  if (expected === undefined) return
  const hash = expected === "absent" ? undefined : expected.hash
  if (hash !== found) throw conflict(path, hash, found)
}

/** Hashes are in its evidence. */
function conflict(path: string, expected: string | undefined, found: string | undefined): Error {
  const message =
    expected === undefined
      ? "expected no file, found one."
      : found === undefined
        ? "expected the file as it was read, found none."
        : "expected the file as it was read, found it changed since."
  return fileError("file-conflict", path, message, {
    hint: "Nothing was written. Read it again.",
    evidence: { ...(expected === undefined ? {} : { expected }), ...(found === undefined ? {} : { found }) },
  })
}
