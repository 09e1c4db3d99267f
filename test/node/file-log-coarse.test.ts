import { mkdirSync, rmSync, type Stats, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test, vi } from "vitest"
import { FileLog } from "../../src/node/file-log.ts"
import { tempFolder } from "../support/temp-folder.ts"

/** A file system with times in steps of two seconds, without inode numbers and without sizes of folders. */
vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>()
  const coarse = (ms: number) => Math.floor(ms / 2_000) * 2_000
  return {
    ...fs,
    statSync: (path: string, options: { throwIfNoEntry: false }) => {
      const stats = fs.statSync(path, options)
      if (!stats) return undefined
      const { mtimeMs, size } = stats
      const seen: Partial<Stats> = {
        mtimeMs: coarse(mtimeMs),
        ctimeMs: coarse(mtimeMs),
        size: stats.isDirectory() ? 0 : size,
        ino: 0,
      }
      return Object.assign(Object.create(stats) as Stats, seen)
    },
  }
})

function logOf(path: string): FileLog {
  const log = new FileLog()
  log.note(path)
  return log
}

test("an edit of the same length in the same moment is seen where a file's time is coarse", () => {
  const path = join(tempFolder({ file: "100" }), "file")
  for (let count = 101; count < 120; count++) {
    const log = logOf(path)
    expect(log.isUnchanged()).toBe(true)
    writeFileSync(path, String(count))
    expect(log.isUnchanged()).toBe(false)
  }
})

test("so is a file that comes into a folder", () => {
  const folder = tempFolder()
  const log = logOf(folder)
  expect(log.isUnchanged()).toBe(true)
  mkdirSync(join(folder, "a"))
  expect(log.isUnchanged()).toBe(false)
  rmSync(join(folder, "a"), { recursive: true })
  expect(log.isUnchanged()).toBe(true)
})

test("a file that changed long ago is judged by its time alone: what is of the same time and length is the same", () => {
  const path = join(tempFolder({ file: "100" }), "file")
  utimesSync(path, 1_000, 1_000)
  const log = logOf(path)
  writeFileSync(path, "101")
  utimesSync(path, 1_000, 1_000)
  expect(log.isUnchanged()).toBe(true)
})
