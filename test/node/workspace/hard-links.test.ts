import { linkSync, unlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { FileSystem } from "../../../src/node/workspace/file-system.ts"
import { openWorkspace } from "../../../src/node/workspace/open-workspace.ts"
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
        const { root } = await openWorkspace(workspace)
        const counted = interrupted(fs, 0, () => undefined)
        const opening = await openWorkspace(root, { fs: counted.fs })
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
        const read = await outcomeOf((await openWorkspace(root, { fs: attacked })).read("file.md"))
        expect(read, `gone before call ${at}, back as ${back}`).toBeTypeOf("string")
      }
    }
  },
)

test.each(judgments)(
  `D12 ${amount("LINK_TRIES")} reads while another process links a file outside and unlinks it, checked as $pathCheck`,
  async ({ pathCheck, fs }) => {
    const { outside, workspace, name } = scene()
    writeFileSync(name, "inside")
    const opened = await openWorkspace(workspace, { fs })
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
