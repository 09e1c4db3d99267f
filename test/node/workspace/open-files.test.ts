import { truncateSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import type { FileStats, FileSystem, OpenFile } from "../../../src/node/workspace/file-system.ts"
import { nodeFileSystem } from "../../../src/node/workspace/file-system.ts"
import { openFolder } from "../../../src/node/workspace/open-workspace.ts"
import { readBytes } from "../../../src/node/workspace/read-file.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { faultyFileSystem } from "./support/faulty-file-system.ts"
import { judgments } from "./support/workspaces.ts"

const by = "test"

test("a search reads at most 32 MiB", async () => {
  const folder = tempFolder({ "a.bin": "", "b.md": "x" })
  const workspace = await openFolder(folder)
  truncateSync(join(folder, "a.bin"), 32 * 1024 * 1024 - 1)
  expect(await workspace.search("x")).toMatchObject({ matches: [{ path: "b.md" }], truncated: false })
  truncateSync(join(folder, "a.bin"), 32 * 1024 * 1024)
  expect(await workspace.search("x")).toMatchObject({ matches: [], truncated: true })
})

test("a read that was aborted looks at nothing", async () => {
  const handle = { stat: () => Promise.reject(new Error("looked")) } as unknown as OpenFile
  await expect(readBytes(handle, "a.md", { maxBytes: 9, signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "aborted" })
})

describe.each(judgments)("paths checked as $pathCheck", ({ fs }) => {
  test("opening a workspace that was written closes what it opens, and so does every change", async () => {
    const folder = tempFolder({ "a.md": "a" })
    await (await openFolder(folder, { fs })).write("a.md", "b", { by })
    const faulty = faultyFileSystem(fs, "none")
    const workspace = await openFolder(folder, { fs: faulty.fs })
    expect(faulty.openFiles()).toBe(0)
    await workspace.write("a.md", "c", { by })
    await workspace.undo({ by })
    expect(faulty.openFiles()).toBe(0)
  })
})

test("an undo of whatever came last that fails names the folder", async () => {
  const folder = tempFolder({ "a.md": "a" })
  await (await openFolder(folder)).write("a.md", "b", { by })
  let isFull = false
  const faulty = faultyFileSystem(nodeFileSystem, "ENOSPC", () => isFull)
  const workspace = await openFolder(folder, { fs: faulty.fs })
  isFull = true
  await expect(workspace.undo({ by })).rejects.toThrow(/^\.: undo failed: the disk is full/)
})

test.each(["EPERM", "EINVAL", "ENOSYS"])("a file whose owner cannot be kept (%s) is written all the same", async (code) => {
  const fs: FileSystem = {
    ...nodeFileSystem,
    async open(...given) {
      const handle = await nodeFileSystem.open(...given)
      const stat = async (): Promise<FileStats> => {
        const stats = await handle.stat()
        return given[2] === undefined ? { ...stats, owner: { user: 1, group: 1 } } : stats
      }
      const setOwner = () => Promise.reject(Object.assign(new Error("no"), { code }))
      return new Proxy(handle, {
        get: (target, name) => {
          const own = name === "stat" ? stat : name === "setOwner" ? setOwner : Reflect.get(target, name)
          return typeof own === "function" ? own.bind(target) : own
        },
      })
    },
  }
  const folder = tempFolder({ "a.md": "a" })
  const workspace = await openFolder(folder, { fs })
  await workspace.write("a.md", "b", { by })
  expect((await workspace.read("a.md")).text).toBe("b")
})
