import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "vitest"
import { PromptStrataError } from "../../../../src/core/errors.ts"
import type { FileSystem } from "../../../../src/node/workspace/file-system.ts"
import { openFolder } from "../../../../src/node/workspace/open-workspace.ts"
import type { FileWorkspace } from "../../../../src/node/workspace/workspace.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
import { startChild } from "./children.ts"
import { snapshot } from "./workspaces.ts"

const secret = "OUTSIDE"
const by = "test"
/** The number of tries that run at the same time. */
const lanes = 6

/** The calls to try one after another. Each returns the text it read, if any. */
const tries: readonly ((workspace: FileWorkspace, at: number) => Promise<unknown>)[] = [
  async (workspace) => (await workspace.read("file.md")).text,
  async (workspace) => (await workspace.read("folder/a.md")).text,
  async (workspace) => (await workspace.list("folder")).entries,
  async (workspace) => (await workspace.read("FOLDER/a.md")).text,
  async (workspace) => workspace.stat("folder/only-outside.md"),
  async (workspace) => (await workspace.read("folder/only-outside.md")).text,
  async (workspace) => (await workspace.readBytes("file.md", { maxBytes: 99 })).bytes.length,
]

const changes: typeof tries = [
  async (workspace, at) => workspace.write("folder/new.md", `${at}`, { by }),
  async (workspace, at) => workspace.update("file.md", (current) => `${current?.text}${at}`.slice(-50), { by }),
  async (workspace) => workspace.remove("folder/new.md", { by }),
]

/**
 * Reads and writes while another process swaps a folder, a file and the workspace's own folder for links to the outside.
 * `escapes` lists everything outside that was read or changed. `refused` counts how often a swap was noticed.
 */
export async function checkSwaps({
  tries: count,
  fs,
}: {
  readonly tries: number
  readonly fs: FileSystem
}): Promise<{ readonly escapes: readonly string[]; readonly refused: number; readonly naive: number }> {
  const folder = tempFolder({
    "outside/secret.md": secret,
    "outside/folder/a.md": secret,
    "outside/folder/only-outside.md": secret,
    "ws/file.md": "inside",
    "ws/folder/a.md": "inside",
  })
  const before = snapshot(join(folder, "outside"))
  const workspace = await openFolder(join(folder, "ws"), { fs, lockTimeoutMs: 1_000 })
  await workspace.write("file.md", "inside", { by })
  const child = startChild("swap-child", [join(folder, "ws"), join(folder, "outside"), "folder", ".promptstrata"])
  for await (const line of child.lines) if (line === "swapping") break
  const escapes: string[] = []
  let [refused, naive] = [0, 0]
  let next = 0
  const lane = async () => {
    for (let at = next++; at < count; at = next++) {
      const task = at % 50 === 0 ? changes[(at / 50) % changes.length] : tries[at % tries.length]
      try {
        const found = JSON.stringify(await task?.(workspace, at))
        if (found?.includes(secret) || found?.includes("only-outside")) escapes.push(`${at}: ${found}`)
      } catch (error) {
        if (!PromptStrataError.isInstance(error)) throw error
        expect(error.code).toMatch(/^file/)
        refused += 1
      }
      if (readsOutside(join(folder, "ws/file.md"))) naive += 1
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  child.process.kill("SIGKILL")
  await child.ended
  const after = snapshot(join(folder, "outside"))
  for (const [name, text] of Object.entries({ ...before, ...after })) {
    if (before[name] !== text || after[name] !== text) escapes.push(`outside, ${name}: ${after[name]}`)
  }
  expect(refused).toBeGreaterThan(0)
  return { escapes, refused, naive }
}

/** The text that a program without these checks reads. */
function readsOutside(path: string): boolean {
  try {
    return readFileSync(path, "utf8").includes(secret)
  } catch {
    return false
  }
}
