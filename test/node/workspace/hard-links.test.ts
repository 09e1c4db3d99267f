import { linkSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type FileStats, type FileSystem, nodeFileSystem } from "../../../src/node/workspace/file-system.ts"
import { openFolder } from "../../../src/node/workspace/open-workspace.ts"
import { amount } from "../../support/size.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { startChild } from "./support/children.ts"
import { faultyFileSystem } from "./support/faulty-file-system.ts"
import { judgments, outcomeOf } from "./support/workspaces.ts"

const secret = "OUTSIDE"

/** A file outside, and a workspace in which it has a second name. */
function scene() {
  const folder = tempFolder({ "outside.md": secret, "ws/other.md": "inside" })
  const name = join(folder, "ws/file.md")
  return { outside: join(folder, "outside.md"), workspace: join(folder, "ws"), name }
}

/** A file system that does something before its call of this number. */
function interrupted(inner: FileSystem, at: number, act: () => void) {
  return faultyFileSystem(inner, "EIO", (number) => {
    if (number === at) act()
    return false
  })
}

/** Linux adds these words to the path of a removed file. */
const names = ["file.md", "file.md (deleted)"]

test.each(judgments)(
  "D12 a second name of a file outside that comes or goes between any two calls is never read, checked as $pathCheck",
  async ({ fs }) => {
    let calls = 1
    for (let at = 1; at <= calls; at++) {
      for (const back of [undefined, ...names]) {
        const { outside, workspace, name } = scene()
        linkSync(outside, name)
        const { root } = await openFolder(workspace)
        const counted = interrupted(fs, 0, () => undefined)
        const opening = await openFolder(root, { fs: counted.fs })
        const offset = counted.calls.length
        expect(await outcomeOf(opening.read("file.md"))).toBe("file-kind")
        calls = Math.max(calls, counted.calls.length - offset + 2)
        // The name goes before one call, and a name comes back before the next.
        let turns = 0
        const inner = interrupted(fs, offset + at, () => unlinkSync(name))
        const { fs: attacked } = faultyFileSystem(inner.fs, "EIO", () => {
          turns += 1
          if (turns === offset + at + 1 && back !== undefined) linkSync(outside, join(workspace, back))
          return false
        })
        const read = await outcomeOf((await openFolder(root, { fs: attacked })).read("file.md"))
        expect(read, `gone before call ${at}, back as ${back}`).toBeTypeOf("string")
      }
    }
  },
)

/**
 * A file system that is removing a name as soon as its file is touched: the file counts one name less, and the name is there until
 * the system must look up another one in the folder.
 */
function removing(inner: FileSystem, name: string): FileSystem {
  let state: "there" | "half removed" | "removed" = "there"
  const isTouched = (path: string): boolean => {
    const isName = path.endsWith("/file.md")
    if (isName && state === "there") state = "half removed"
    return isName
  }
  const finish = (path: string): void => {
    if (state !== "half removed" || path.length > 4095) return
    unlinkSync(name)
    state = "removed"
  }
  const shown = (stats: FileStats): FileStats => ({ ...stats, links: stats.links - (state === "half removed" ? 1 : 0) })
  return {
    ...inner,
    async open(path, flags, mode) {
      const isName = isTouched(path)
      const file = await inner.open(path, flags, mode)
      return isName ? { ...file, stat: async () => shown(await file.stat()) } : file
    },
    async stat(path) {
      if (isTouched(path)) return shown(await inner.stat(path))
      finish(path)
      return inner.stat(path)
    },
    async readFolder(path, limit) {
      finish(path)
      return inner.readFolder(path, limit)
    },
  }
}

test.runIf(nodeFileSystem.descriptors).each([
  ["a short", "ws"],
  ["a long", `ws/${Array.from({ length: 15 }, () => "x".repeat(255)).join("/")}`],
])("D12 a file outside whose second name is half removed is never read, in a folder with %s path", async (_, place) => {
  const folder = tempFolder({ "outside.md": secret, [`${place}/other.md`]: "inside" })
  const name = join(folder, place, "file.md")
  linkSync(join(folder, "outside.md"), name)
  const workspace = await openFolder(join(folder, place), { fs: removing(nodeFileSystem, name) })
  expect(await outcomeOf(workspace.read("file.md"))).toBe("file-missing")
})

test.runIf(nodeFileSystem.descriptors)("D12 a change never sees a file outside whose second name is half removed", async () => {
  const { workspace, outside, name } = scene()
  linkSync(outside, name)
  const opened = await openFolder(workspace, { fs: removing(nodeFileSystem, name) })
  const seen: unknown[] = []
  const keep = (current: { readonly text: string } | undefined): undefined => {
    seen.push(current?.text)
  }
  const change = opened.update("file.md", keep, { by: "test" })
  expect({ outcome: await outcomeOf(change), seen }).toEqual({ outcome: "file-missing", seen: [] })
})

test.each(judgments)(
  `D12 ${amount("LINK_TRIES")} reads while another process links a file outside and unlinks it, checked as $pathCheck`,
  async ({ pathCheck, fs }) => {
    const { outside, workspace, name } = scene()
    writeFileSync(name, "inside")
    const opened = await openFolder(workspace, { fs })
    const child = startChild("link-child", [workspace, outside])
    for await (const line of child.lines) if (line === "linking") break
    const read: string[] = []
    let refused = 0
    const tries = pathCheck === "opened" ? amount("LINK_TRIES") : Math.ceil(amount("LINK_TRIES") / 10)
    for (let at = 0; at < tries; at++) {
      const found = await outcomeOf(opened.read("file.md"))
      if (typeof found === "string") refused += 1
      else read.push(found.text)
    }
    child.process.kill("SIGKILL")
    await child.ended
    console.log(`${tries} tries: ${refused} refused`)
    expect(read.filter((text) => text.includes(secret))).toEqual([])
  },
)
