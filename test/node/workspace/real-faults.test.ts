import { execFileSync } from "node:child_process"
import { chmodSync, chownSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { openFolder } from "../../../src/node/workspace/open-workspace.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { outputOf, startChild } from "./support/children.ts"
import { failureOf, leftovers } from "./support/workspaces.ts"

const by = "test"

/** Mounts a small file system in memory for one test; `undefined` when mounting is not allowed. */
function mountTmpfs(size: string): string | undefined {
  const folder = join(tempFolder({ "disk/.keep": "" }), "disk")
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder], { stdio: "pipe" })
  } catch {
    return undefined
  }
  onTestFinished(() => {
    execFileSync("umount", ["-l", folder])
  })
  return folder
}

const isRoot = process.platform === "linux" && process.getuid?.() === 0
if (!isRoot) console.log("skipped: only root on Linux mounts a small disk and starts a child of another user")

describe.skipIf(!isRoot)("a real disk", () => {
  test("D11 that is full keeps what was there, says so, and takes the change once there is room", async (context) => {
    const folder = mountTmpfs("256k")
    if (folder === undefined) {
      console.log("skipped: this root may not mount")
      return context.skip()
    }
    const workspace = await openFolder(folder, { history: { maxEntries: 2 } })
    const old = "old\n".repeat(10_000)
    await workspace.write("MEMORY.md", old, { by })
    writeFileSync(join(folder, "ballast"), new Uint8Array(120 * 1024))
    const error = await failureOf(workspace.write("MEMORY.md", "new\n".repeat(25_000), { by }))
    expect([error.code, error.evidence]).toEqual([
      "file",
      { path: "MEMORY.md", operation: "write", code: "ENOSPC", call: expect.any(String) },
    ])
    expect(error.message).toContain("the disk is full (ENOSPC")
    expect([readFileSync(join(folder, "MEMORY.md"), "utf8"), leftovers(folder)]).toEqual([old, []])
    rmSync(join(folder, "ballast"))
    await workspace.write("MEMORY.md", "new", { by })
    expect(readFileSync(join(folder, "MEMORY.md"), "utf8")).toBe("new")
  })

  test("D11 that is read-only can be read, and a change is refused", async (context) => {
    const folder = mountTmpfs("256k")
    if (folder === undefined) return context.skip()
    await (await openFolder(folder)).write("MEMORY.md", "old", { by })
    execFileSync("mount", ["-o", "remount,ro", folder])
    const workspace = await openFolder(folder)
    expect((await workspace.read("MEMORY.md")).text).toBe("old")
    expect(await workspace.history()).toHaveLength(1)
    expect((await failureOf(workspace.write("MEMORY.md", "new", { by }))).code).toBe("file")
    expect((await workspace.read("MEMORY.md")).text).toBe("old")
  })
})

describe.skipIf(!isRoot)("another user", () => {
  const nobody = 65534

  /** A workspace that belongs to the user `nobody`, with files that this user may not write, read or enter. */
  function setUp() {
    const folder = tempFolder({
      "ws/mine.md": "old",
      "ws/theirs.md": "old",
      "ws/read-only.md": "old",
      "ws/secret.md": "old",
      "ws/closed/a.md": "old",
    })
    chmodSync(folder, 0o755)
    const ws = join(folder, "ws")
    chownSync(ws, nobody, nobody)
    chownSync(join(ws, "mine.md"), nobody, nobody)
    chmodSync(join(ws, "theirs.md"), 0o666)
    chmodSync(join(ws, "read-only.md"), 0o444)
    chmodSync(join(ws, "secret.md"), 0o600)
    chmodSync(join(ws, "closed"), 0o700)
    return ws
  }

  test("D11 may change what it may, and is refused the rest with everything as it was", async () => {
    const ws = setUp()
    const child = startChild("nobody-child", [ws, String(nobody)])
    expect(JSON.parse((await outputOf(child)).join("\n"))).toEqual({
      "write mine.md": "done",
      "write new.md": "done",
      // Only root may give the new file to the owner of the old one. It becomes that of the user who wrote.
      "write theirs.md": "done",
      "write read-only.md": ["file", "EACCES"],
      "write secret.md": ["file", "EACCES"],
      "read read-only.md": "done",
      "read secret.md": ["file", "EACCES"],
      "read closed/a.md": ["file", "EACCES"],
      "write closed/a.md": ["file", "EACCES"],
      list: ["closed", "mine.md", "new.md", "read-only.md", "secret.md", "theirs.md"],
    })
    expect(["mine.md", "read-only.md", "secret.md", "closed/a.md"].map((name) => readFileSync(join(ws, name), "utf8"))).toEqual([
      "new",
      "old",
      "old",
      "old",
    ])
    const { uid, mode } = statSync(join(ws, "theirs.md"))
    expect([readFileSync(join(ws, "theirs.md"), "utf8"), uid, mode & 0o777]).toEqual(["new", nobody, 0o666])
    expect(leftovers(ws)).toEqual([])
  })

  test("D11 in a folder where it may not write, reads all the same", async () => {
    const ws = setUp()
    chownSync(ws, 0, 0)
    const child = startChild("nobody-child", [ws, String(nobody)])
    expect(JSON.parse((await outputOf(child)).join("\n"))).toMatchObject({
      "write mine.md": ["file", "EACCES"],
      "read read-only.md": "done",
    })
    expect(readFileSync(join(ws, "mine.md"), "utf8")).toBe("old")
  })
})
