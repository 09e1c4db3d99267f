import { expect, test } from "vitest"
import { withFileErrors } from "../../../src/node/workspace/file-errors.ts"

function failing(code: string, syscall?: string): Promise<unknown> {
  const cause = Object.assign(new Error("as the system says it"), { code, syscall })
  const run = withFileErrors("write", "a.txt", () => Promise.reject(cause))
  return run.catch((error: unknown) => error)
}

test.each([
  ["ENOSPC", "the disk is full", "Free some space and try again."],
  ["EDQUOT", "the disk quota is used up", "Free some space and try again."],
  ["EIO", "the disk failed", "Check the disk before you write to it again."],
  ["EACCES", "permission was denied", "Give the user of this program permission."],
  ["EPERM", "permission was denied", "Give the user of this program permission."],
  ["EROFS", "the file system is read-only", "Mount it writable, or use another workspace."],
  ["EMFILE", "this program has too many files open", "Close some, or raise the limit of open files."],
  ["ENFILE", "the system has too many files open", "Close some, or raise the limit of open files."],
  ["EXDEV", "it lies on another file system", "Keep a workspace on one file system."],
  ["EOTHER", "the system refused", undefined],
])("%s says what happened, where and what to do", async (code, what, hint) => {
  expect(await failing(code, "open")).toMatchObject({
    code: "file",
    message: expect.stringContaining(`a.txt: write failed: ${what} (${code} in open).`),
    hint,
    evidence: { path: "a.txt", operation: "write", code, call: "open" },
  })
  expect(await failing(code)).toMatchObject({ message: expect.stringContaining(`${what} (${code}).`) })
})

test.each([
  ["ENOENT", "file-missing", "a.txt: expected a file, found none."],
  ["ENOTDIR", "file-kind", "a.txt: expected a folder on the way to it, found a file."],
  ["EISDIR", "file-kind", "a.txt: expected a file, found a folder."],
  ["ELOOP", "file-kind", "a.txt: expected a file, found a link that leads nowhere."],
])("%s says what was expected and found", async (errno, code, message) => {
  expect(await failing(errno)).toMatchObject({ code, message: expect.stringContaining(message) })
})

test("an error that is none of the system's stays as it is", async () => {
  const ours = new Error("ours")
  const run = withFileErrors("write", "a.txt", () => Promise.reject(ours))
  await expect(run).rejects.toBe(ours)
  expect(await failing("ABORT_ERR")).toMatchObject({ message: "as the system says it" })
})
