import { existsSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { describe, expect, test, vi } from "vitest"
import { PromptStrataError } from "../../../src/core/errors.ts"
import { type FileSystem, nodeFileSystem } from "../../../src/node/workspace/file-system.ts"
import { openFolder } from "../../../src/node/workspace/open-workspace.ts"
import type { FileWorkspace } from "../../../src/node/workspace/workspace.ts"
import { size } from "../../support/size.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { faultyFileSystem } from "./support/faulty-file-system.ts"
import { countingIds, judgments, leftovers } from "./support/workspaces.ts"

// These tests sync thousands of times. A file system in memory, if there is one, makes that cheap.
if (existsSync("/dev/shm")) vi.stubEnv("TMPDIR", "/dev/shm")

const by = "test"
/** A quick run lets every fourth call fail, that of `.ci/run` every third, a long one each. */
const stride = size === "quick" ? 4 : size === "ci" ? 3 : 1
const errnos = ["ENOSPC", "EIO", "EACCES", "EROFS", "EMFILE", "EDQUOT"]
const [oldText, newText] = ["old ".repeat(500), "new ".repeat(700)]

/** An operation on `notes/a.md`, which holds `oldText` and was changed once before. */
interface Operation {
  readonly name: string
  readonly run: (workspace: FileWorkspace) => Promise<unknown>
  /** The content of the file afterwards; `undefined` for no file. */
  readonly after: string | undefined
}

const operations: readonly Operation[] = [
  { name: "write", run: (workspace) => workspace.write("notes/a.md", newText, { by }), after: newText },
  { name: "update", run: (workspace) => workspace.update("notes/a.md", () => newText, { by }), after: newText },
  { name: "undo", run: (workspace) => workspace.undo({ by }), after: "first" },
  { name: "remove", run: (workspace) => workspace.remove("notes/a.md", { by }), after: undefined },
  { name: "read", run: (workspace) => workspace.read("NOTES/a.md"), after: oldText },
  { name: "list", run: (workspace) => workspace.list(".", { depth: 3 }), after: oldText },
  { name: "history", run: (workspace) => workspace.history(), after: oldText },
]

async function prepared(): Promise<string> {
  const folder = tempFolder({ "notes/a.md": "first" })
  await (await openFolder(folder)).write("notes/a.md", oldText, { by })
  return folder
}

function textIn(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, "notes/a.md"), "utf8")
  } catch {
    return undefined
  }
}

/** The number of calls of an operation when nothing fails, with those of opening the workspace. */
async function callsOf(operation: Operation, inner: FileSystem): Promise<number> {
  const faulty = faultyFileSystem(inner, "none")
  await operation.run(await openFolder(await prepared(), { fs: faulty.fs, ids: countingIds() }))
  return faulty.calls.length
}

async function doWithFault(
  operation: Operation,
  inner: FileSystem,
  code: string,
  fails: (call: number, name: string) => boolean,
) {
  const folder = await prepared()
  const faulty = faultyFileSystem(inner, code, fails)
  const error = await openFolder(folder, { fs: faulty.fs, ids: countingIds() })
    .then(operation.run)
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
  return { folder, faulty, error }
}

/** Whatever failed: the file is complete, the error has all its evidence, and a workspace opened next works. */
async function checkAftermath(
  operation: Operation,
  code: string,
  { folder, faulty, error }: Awaited<ReturnType<typeof doWithFault>>,
) {
  expect([oldText, operation.after]).toContain(textIn(folder))
  if (error === undefined) expect(textIn(folder)).toBe(operation.after)
  else {
    expect(PromptStrataError.isInstance(error) && error.code).toBe("file")
    const expected = ["open", operation.name]
    expect(PromptStrataError.isInstance(error) && error.evidence).toEqual({
      path: expect.any(String),
      operation: expect.toSatisfy((name: string) => expected.includes(name)),
      code,
      call: expect.any(String),
    })
  }
  expect(faulty.openFiles()).toBe(0)
  const changed = textIn(folder)
  const workspace = await openFolder(folder)
  expect(leftovers(folder)).toEqual([])
  expect(textIn(folder)).toBe(changed)
  const [last] = await workspace.history()
  expect(last?.afterHash).toBe(changed === undefined ? undefined : (await workspace.read("notes/a.md")).hash)
  await workspace.write("notes/a.md", "alive", { by })
  expect(textIn(folder)).toBe("alive")
}

describe.each(judgments)("D11 I/O faults, paths checked as $pathCheck", ({ fs, pathCheck }) => {
  const some = pathCheck === "opened" ? operations : operations.filter(({ name }) => name === "write" || name === "remove")
  const cases = some.flatMap((operation) =>
    (operation.name === "write" && pathCheck === "opened" ? errnos : ["EIO"]).map((code) => ({
      operation,
      name: operation.name,
      code,
    })),
  )

  test.each(cases)("$code at every call of $name, one after another", async ({ operation, code }) => {
    const calls = await callsOf(operation, fs)
    expect(calls).toBeGreaterThan(8)
    const unseen: string[] = []
    // Each code begins at another call, so that together they leave out none.
    for (let at = 1 + (errnos.indexOf(code) % stride); at <= calls; at += stride) {
      const outcome = await doWithFault(operation, fs, code, (call) => call === at)
      if (outcome.error === undefined) unseen.push(outcome.faulty.calls[at - 1] ?? "")
      await checkAftermath(operation, code, outcome)
    }
    // Only cleaning up before and after a change, and closing a file that was only read, may fail without an error.
    expect(unseen.filter((name) => ["write", "fsync", "mkdir", "read", "fstat", "fchmod"].includes(name))).toEqual([])
    expect(unseen.filter((name) => name === "rename").length).toBeLessThanOrEqual(1)
    expect(unseen.length).toBeLessThan(calls * 0.8)
  })

  test.each(["ENOSPC", "EIO"])("%s at every changing call from one on: not even clearing up succeeds", async (code) => {
    const changing = ["write", "fsync", "rename", "unlink", "mkdir", "link", "fchmod"]
    for (const operation of operations.slice(0, 4)) {
      for (let from = 1; from <= 9; from += stride) {
        let seen = 0
        const outcome = await doWithFault(operation, fs, code, (_, name) => changing.includes(name) && ++seen >= from)
        await checkAftermath(operation, code, outcome)
      }
    }
  })
})

describe("a workspace whose disk fails at its first change ever", () =>
  test("is usable afterwards, whichever call failed", async () => {
    const first = async (fails: (call: number) => boolean) => {
      const folder = tempFolder({ "notes/a.md": oldText })
      const faulty = faultyFileSystem(judgments[0]?.fs as FileSystem, "ENOSPC", fails)
      const workspace = await openFolder(folder, { fs: faulty.fs }).catch(() => undefined)
      await workspace?.write("new/b.md", newText, { by }).catch(() => undefined)
      return { folder, faulty }
    }
    const calls = (await first(() => false)).faulty.calls.length
    for (let at = 1; at <= calls; at += stride) {
      const { folder, faulty } = await first((call) => call === at)
      const workspace = await openFolder(folder)
      expect([leftovers(folder), faulty.openFiles()]).toEqual([[], 0])
      writeFileSync(join(folder, "notes/a.md"), oldText)
      await workspace.write("new/b.md", "alive", { by })
      expect((await workspace.read("new/b.md")).text).toBe("alive")
    }
  }))

describe("a folder that becomes a link to the outside after it was found", () => {
  /** The names that are opened, and how often is written, after the folder was exchanged at the opening of a name with this end. */
  async function exchangedAt(end: string) {
    const folder = tempFolder({ "ws/notes/a.md": oldText, "outside/keep.md": "" })
    const [notes, after] = [join(folder, "ws/notes"), { opened: [] as string[], writes: 0 }]
    let isExchanged = false
    const exchange = (): void => {
      renameSync(notes, join(folder, "ws/moved"))
      symlinkSync(join(folder, "outside"), notes)
      isExchanged = true
    }
    const open: FileSystem["open"] = async (path, flags, mode) => {
      if (isExchanged) after.opened.push(basename(path))
      if (!isExchanged && path.endsWith(end)) {
        exchange()
        after.opened.push(basename(path))
      }
      const file = await nodeFileSystem.open(path, flags, mode)
      const write: typeof file.write = (source, offset) => {
        if (path.endsWith(".tmp")) after.writes += 1
        return file.write(source, offset)
      }
      const sync = () => file.sync().then(() => (end === "synced" && path.endsWith(".tmp") ? exchange() : undefined))
      return { ...file, write, sync }
    }
    const workspace = await openFolder(join(folder, "ws"), { fs: { ...nodeFileSystem, descriptors: undefined, open } })
    const error = await workspace.write("notes/a.md", newText, { by }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: "file-outside" })
    expect(readdirSync(join(folder, "outside"))).toEqual(["keep.md"])
    return { ...after, opened: after.opened.filter((name) => name.endsWith(".tmp")).length }
  }

  test("gets no file when that is seen before one is made, and no bytes when it is seen then", async () => {
    expect(await exchangedAt(".pending")).toEqual({ opened: 0, writes: 0 })
    expect(await exchangedAt(".tmp")).toEqual({ opened: 1, writes: 0 })
    // The file was written in the folder, which then moved away with it.
    expect(await exchangedAt("synced")).toEqual({ opened: 0, writes: 1 })
  })
})
