import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, test, vi } from "vitest"
import { printEntry } from "../../../src/node/workspace/change-history.ts"
import { openFolder, openLockable } from "../../../src/node/workspace/open-workspace.ts"
import type { FileWorkspace } from "../../../src/node/workspace/workspace.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { faultyFileSystem } from "./support/faulty-file-system.ts"
import { countingIds, failureOf, judgments } from "./support/workspaces.ts"

// Every change syncs. A file system in memory, if there is one, makes that cheap.
if (existsSync("/dev/shm")) vi.stubEnv("TMPDIR", "/dev/shm")

const by = "test"

/** The entry of the history is written through before the file is, and counts once it is. */
const replaced = "write fsync fsync, write fsync rename fsync, rename"
const removed = "write fsync fsync, unlink fsync, rename"

/** Every method of a workspace: the name and the path that its errors have, and the calls that change something on the disk, in order. */
const methods: readonly {
  readonly name: string
  readonly path: string
  readonly run: (workspace: FileWorkspace) => Promise<unknown>
  readonly changes?: string
}[] = [
  { name: "read", path: "a.md", run: (workspace) => workspace.read("a.md") },
  { name: "read", path: "a.md", run: (workspace) => workspace.readBytes("a.md", { maxBytes: 9 }) },
  { name: "stat", path: "a.md", run: (workspace) => workspace.stat("a.md") },
  { name: "resolve", path: "a.md", run: (workspace) => workspace.resolve("a.md") },
  { name: "list", path: ".", run: (workspace) => workspace.list() },
  { name: "list", path: "notes", run: (workspace) => workspace.list("notes", { depth: 2 }) },
  { name: "search", path: ".", run: (workspace) => workspace.search("one") },
  { name: "search", path: "notes", run: (workspace) => workspace.search("one", { path: "notes" }) },
  { name: "history", path: ".", run: (workspace) => workspace.history() },
  { name: "history", path: "a.md", run: (workspace) => workspace.history({ path: "a.md" }) },
  { name: "write", path: "a.md", run: (workspace) => workspace.write("a.md", "three", { by }), changes: replaced },
  { name: "write", path: "new.md", run: (workspace) => workspace.write("new.md", "new", { by }), changes: replaced },
  { name: "update", path: "a.md", run: (workspace) => workspace.update("a.md", () => "three", { by }), changes: replaced },
  { name: "update", path: "a.md", run: (workspace) => workspace.update("a.md", () => undefined, { by }) },
  { name: "remove", path: "a.md", run: (workspace) => workspace.remove("a.md", { by }), changes: removed },
  { name: "undo", path: ".", run: (workspace) => workspace.undo({ by }), changes: replaced },
  { name: "undo", path: "a.md", run: (workspace) => workspace.undo({ by, path: "a.md" }), changes: replaced },
]

/** A workspace with a change of its past, whose file system fails from the moment on that `failing` says so. */
async function scene({ fs, pathCheck }: (typeof judgments)[number], code = "EIO") {
  const folder = tempFolder({ "a.md": "one", "notes/b.md": "one" })
  await (await openFolder(folder)).write("a.md", "two", { by })
  let isFailing = false
  const faulty = faultyFileSystem(fs, code, () => isFailing)
  const { workspace, whileLocked } = await openLockable(folder, { fs: faulty.fs, ids: countingIds() })
  expect(workspace.pathCheck).toBe(pathCheck)
  return { folder, workspace, whileLocked, faulty, failing: () => (isFailing = true) }
}

const changing = new Set(["write", "mkdir", "link", "rename", "unlink", "fsync", "fchmod", "fchown"])

describe.each(judgments)("a workspace whose paths are judged as $pathCheck", (judgment) => {
  test("is that of this system", async () => {
    const expected = process.platform === "linux" ? "opened" : "named"
    expect((await openFolder(tempFolder())).pathCheck).toBe(expected)
  })

  test.each(methods)("names $name of $path when the disk fails, and leaves no file open", async ({ name, path, run }) => {
    const { workspace, faulty, failing } = await scene(judgment)
    failing()
    const { code, evidence, hint } = await failureOf(run(workspace))
    expect({ code, hint, evidence }).toEqual({
      code: "file",
      hint: "Check the disk before you write to it again.",
      evidence: { path, operation: name, code: "EIO", call: expect.any(String) },
    })
    expect(faulty.openFiles()).toBe(0)
  })

  test("names an update of its folder when the lock fails", async () => {
    const { folder, whileLocked, failing } = await scene(judgment)
    failing()
    const { evidence } = await failureOf(whileLocked(undefined, async () => undefined))
    expect(evidence).toMatchObject({ path: folder, operation: "update" })
  })

  test.each(methods)("changes the disk for $name of $path in this order", async ({ run, changes = "" }) => {
    const { workspace, faulty } = await scene(judgment)
    const before = faulty.calls.length
    await run(workspace)
    const calls = faulty.calls.slice(before).filter((call) => changing.has(call))
    expect(calls).toEqual(changes.split(/,? /).filter((call) => call !== ""))
    expect(faulty.openFiles()).toBe(0)
  })

  test("is opened without its lock, unless a change was interrupted", async () => {
    const folder = tempFolder({ "a.md": "one" })
    await (await openFolder(folder)).write("a.md", "two", { by })
    const other = new DatabaseSync(join(folder, ".promptstrata/lock"))
    other.exec("PRAGMA journal_mode = MEMORY; BEGIN IMMEDIATE")
    const waits: number[] = []
    const timers = {
      set(callback: () => void, delayMs: number) {
        waits.push(delayMs)
        return setImmediate(callback)
      },
      clear() {},
    }
    const open = () => openFolder(folder, { fs: judgment.fs, timers, random: () => 1, lockTimeoutMs: 6 })
    await open()
    expect(waits).toEqual([])
    writeFileSync(join(folder, ".promptstrata/lock-left"), "")
    await open()
    expect(waits, "it waits as long as it may, and opens all the same").toEqual([2, 4])
    other.close()
    await open()
    expect(readdirSync(join(folder, ".promptstrata")).sort()).toEqual(["history", "lock"])
  })

  test.each([
    [".promptstrata-5.tmp", false],
    [".promptstrata-.tmp", false],
    [".promptstrata-5.md", true],
    [".promptstrata-5tmp", true],
    [".promptstrata.tmp", true],
    ["promptstrata-5.tmp", true],
    ["draft.tmp", true],
  ])("D12 when a change was interrupted that names %s as its temporary file, that stays: %s", async (name, stays) => {
    const folder = tempFolder({ "a.md": "one", [name]: "half" })
    const history = join(folder, ".promptstrata/history")
    mkdirSync(history, { recursive: true, mode: 0o700 })
    const record = { id: "1", path: "a.md", by, atMs: 0, diff: "" }
    const bytes = printEntry({ record, before: undefined, temporary: name })
    writeFileSync(join(history, `000000000001-${bytes.length}.pending`), bytes)
    await openFolder(folder, { fs: judgment.fs })
    expect(existsSync(join(folder, name))).toBe(stays)
    expect(readdirSync(history).filter((file) => file.endsWith(".pending"))).toEqual([])
  })

  test("while it is locked, keeps files of its own that are replaced in one step", async () => {
    const { folder, whileLocked, faulty } = await scene(judgment)
    writeFileSync(join(folder, ".promptstrata/plan.json.tmp"), "half")
    const before = faulty.calls.length
    const seen = await whileLocked(undefined, async (locked) => {
      const none = await locked.readOwn("plan.json")
      await locked.writeOwn("plan.json", "first")
      await locked.writeOwn("plan.json", "第二")
      return [none, await locked.readOwn("plan.json"), await locked.readOwn("other.json")]
    })
    expect(seen).toEqual([undefined, "第二", undefined])
    const calls = faulty.calls.slice(before).filter((call) => changing.has(call))
    const once = ["write", "fsync", "rename", "fsync"]
    expect(calls).toEqual(["unlink", ...once, ...once])
    expect(readFileSync(join(folder, ".promptstrata/plan.json"), "utf8")).toBe("第二")
    expect(readdirSync(join(folder, ".promptstrata")).sort()).toEqual(["history", "lock", "plan.json"])
    expect(faulty.openFiles()).toBe(0)
  })

  test("while it is locked, forgets what one file held, in any spelling, and nothing else", async () => {
    const { folder, workspace, whileLocked } = await scene(judgment)
    await workspace.write("notes/b.md", "two", { by })
    await workspace.write("a.md", "three", { by })
    writeFileSync(join(folder, ".promptstrata/history/000000000009-5.entry"), "{}\nab")
    await whileLocked(undefined, (locked) => locked.dropHistory("./A.md"))
    expect((await workspace.history()).map(({ path }) => path)).toEqual(["notes/b.md"])
    expect(readdirSync(join(folder, ".promptstrata/history"))).toHaveLength(1)
    expect((await failureOf(workspace.undo({ by, path: "a.md" }))).code).toBe("file-missing")
  })
})

test("a link that takes a file's place before it is opened by its name is looked at anew", async () => {
  const named = judgments.find(({ pathCheck }) => pathCheck === "named")
  if (named === undefined) throw new Error("expected a judgment by names")
  const folder = tempFolder({ "a.md": "one" })
  let left = 0
  const looping = faultyFileSystem(named.fs, "ELOOP", (_, name) => name === "open" && left-- > 0)
  const workspace = await openFolder(folder, { fs: looping.fs })
  left = 2
  expect((await workspace.read("a.md")).text).toBe("one")
  expect([left < 0, looping.openFiles()]).toEqual([true, 0])
})
