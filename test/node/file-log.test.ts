import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { FileLog, fileExists, noteFile, noteFolders, withFileLog } from "../../src/node/file-log.ts"
import { tempFolder } from "../support/temp-folder.ts"

/** A log that has noted some paths. */
function logOf(...paths: readonly string[]): FileLog {
  const log = new FileLog()
  for (const path of paths) log.note(path)
  return log
}

describe("FileLog", () => {
  test("sees files that come, go and change kind, and what comes into a folder", () => {
    const folder = tempFolder({ a: "a", "sub/b": "b" })
    const changed = (path: string, change: () => void) => {
      const log = logOf(join(folder, path))
      expect(log.isUnchanged()).toBe(true)
      change()
      return !log.isUnchanged()
    }
    expect(changed("none", () => writeFileSync(join(folder, "none"), ""))).toBe(true)
    expect(changed("a", () => rmSync(join(folder, "a")))).toBe(true)
    expect(changed("a", () => mkdirSync(join(folder, "a")))).toBe(true)
    expect(changed("sub", () => writeFileSync(join(folder, "sub/c"), ""))).toBe(true)
    expect(changed("sub", () => rmSync(join(folder, "sub/b")))).toBe(true)
    expect(changed("a/under/nothing", () => undefined)).toBe(false)
  })

  test("what changes while it is noted twice counts as changed", () => {
    const path = join(tempFolder({ file: "one" }), "file")
    const log = logOf(path)
    writeFileSync(path, "three")
    log.note(path)
    expect(log.isUnchanged()).toBe(false)
  })

  test("an old file is judged by its times alone; nothing is read", () => {
    const path = join(tempFolder({ file: "one" }), "file")
    const log = logOf(path)
    readFileSync(path)
    expect(log.isUnchanged()).toBe(true)
    utimesSync(path, 1, 1)
    expect(log.isUnchanged()).toBe(false)
    expect(logOf(path).isUnchanged()).toBe(true)
  })

  test("is kept for one task, through what it awaits, and not for others beside it", async () => {
    const folder = tempFolder({ a: "", b: "", "deep/er/c": "", "node_modules/x/d": "" })
    const [one, two] = [new FileLog(), new FileLog()]
    await Promise.all([
      withFileLog(one, async () => {
        await Promise.resolve()
        expect(fileExists(join(folder, "a"))).toBe(true)
      }),
      withFileLog(two, async () => {
        await Promise.resolve()
        noteFolders(folder)
      }),
    ])
    noteFile(join(folder, "b"))
    expect(one.paths).toEqual([join(folder, "a")])
    expect(two.paths).toEqual(["", "deep", "deep/er"].map((path) => join(folder, path)))
  })
})
