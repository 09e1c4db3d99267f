import { existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { PromptStrataError } from "../../src/core/errors.ts"
import { openFolder } from "../../src/node/workspace/open-workspace.ts"
import { judgments, outcomeOf, snapshot } from "../node/workspace/support/workspaces.ts"
import { dataPresent, readJsonLines, triedOf } from "../support/corpora.ts"
import { tempFolder } from "../support/temp-folder.ts"

const by = "test"
// Most of this is syncing: a file system of memory, where there is one, takes that for nothing.
const inMemory = () => {
  if (existsSync("/dev/shm")) vi.stubEnv("TMPDIR", "/dev/shm")
  onTestFinished(() => {
    vi.unstubAllEnvs()
  })
}

/** A path as it is, and as somebody would have it who decodes it once or twice. */
function spellings(path: string): readonly string[] {
  const found = [path]
  for (let round = 0; round < 2; round++) {
    try {
      found.push(decodeURIComponent(found.at(-1) ?? ""))
    } catch {
      break
    }
  }
  return [...new Set([...found, path.replaceAll("\\", "/"), `notes/${path}`])]
}

describe.skipIf(!dataPresent).each(judgments)("D12 path traversals, checked as $pathCheck", ({ pathCheck, fs }) => {
  const paths = dataPresent ? readJsonLines<{ path: string }>("paths/path-traversal.jsonl").map(({ path }) => path) : []

  test("none of them reads, makes, changes or shows anything outside", async () => {
    inMemory()
    expect(paths.length).toBeGreaterThan(1_000)
    const folder = tempFolder({ "secret.md": "OUTSIDE", "ws/notes/a.md": "inside" })
    const ws = join(folder, "ws")
    mkdirSync(join(folder, "etc"))
    symlinkSync("../../etc", join(ws, "notes/etc"))
    const workspace = await openFolder(ws, { fs, history: { maxEntries: 5 } })
    let [refused, made] = [0, 0]
    for (const spelling of new Set(triedOf(paths, pathCheck === "opened" ? 0 : 1, 3).flatMap(spellings))) {
      const read = await outcomeOf(workspace.readBytes(spelling, { maxBytes: 1_000 }))
      expect(typeof read === "string" ? read : read.path).toMatch(/^(file|notes\/a\.md)/)
      await outcomeOf(workspace.list(spelling))
      const written = await outcomeOf(workspace.write(spelling, "x", { by, expect: "absent" }))
      if (typeof written === "string") refused += 1
      else {
        made += 1
        expect((await workspace.read(written.path)).text).toBe("x")
        rmSync(join(ws, written.path))
      }
    }
    expect(refused).toBeGreaterThan(made)
    const outside = Object.keys(snapshot(folder)).filter((name) => !name.startsWith("ws/"))
    expect(outside).toEqual(["etc", "secret.md", "ws"])
  })
})

describe("the outcome of a try", () => {
  test("an error that is not ours is not taken for a refusal", async () => {
    await expect(outcomeOf(Promise.reject(new Error("a bug")))).rejects.toThrow("a bug")
    expect(await outcomeOf(Promise.reject(new PromptStrataError("file", "x")))).toBe("file")
  })
})
