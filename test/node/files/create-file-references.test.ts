import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { createFileReferences } from "../../../src/node/files/create-file-references.ts"
import { loadProfile } from "../../../src/node/profile/load-profile.ts"
import { openFolder } from "../../../src/node/workspace/open-workspace.ts"
import type { FileReference } from "../../../src/prompt/encode/file-reference.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const key = { agent: "a", conversation: "c", audience: "private", user: "u" } as const
const options = { key, signal: new AbortController().signal }
const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0])

async function openedIn(files: Record<string, string | Uint8Array>, more: object = {}) {
  const folder = tempFolder({ ...files, "outside.txt": "secret" })
  const workspace = await openFolder(join(folder, "ws"))
  const references = createFileReferences(workspace, { formats: ["TXT", "png"], ...more })
  return {
    folder,
    open: async (reference: FileReference) => {
      const opened = await references.open(reference, options)
      if (!opened.ok) return opened.totalLines === undefined ? opened.fault : [opened.fault, opened.totalLines]
      const { base64, ...rest } = opened.attachment
      return { ...rest, text: Buffer.from(base64, "base64").toString() }
    },
  }
}

describe("R8 D12: what an answer shows is opened by the workspace's rules", () => {
  test("text, pictures and lines", async () => {
    const { open } = await openedIn({ "ws/notes/a.txt": "一\r\n二\n三\n", "ws/b.PNG": png })
    expect(await open({ path: "notes/a.txt" })).toEqual({
      path: "notes/a.txt",
      mediaType: "text/plain",
      bytes: 13,
      text: "一\r\n二\n三\n",
    })
    expect(await open({ path: "b.PNG" })).toMatchObject({ mediaType: "image/png", bytes: 5 })
    expect(await open({ path: "notes/a.txt", lines: { from: 2, to: 3 } })).toMatchObject({
      text: expect.stringMatching(/^二\r?\n三$/),
      lines: { from: 2, to: 3 },
    })
  })

  test.each<[FileReference, unknown]>([
    [{ path: "a.txt", lines: { from: 1, to: 4 } }, ["beyond", 3]],
    [{ path: "a.txt", lines: { from: 0, to: 1 } }, ["beyond", 3]],
    [{ path: "a.txt", lines: { from: 3, to: 2 } }, ["beyond", 3]],
    [{ path: "missing.txt" }, "missing"],
    [{ path: "a.exe" }, "unsupported"],
    [{ path: "txt" }, "unsupported"],
    [{ path: "b.png", lines: { from: 1, to: 1 } }, "unsupported"],
    [{ path: "../outside.txt" }, "refused"],
    [{ path: "C:/example.txt" }, "refused"],
    [{ path: "/etc/hosts.txt" }, "refused"],
    [{ path: ".hidden.txt" }, "refused"],
    [{ path: "folder.txt" }, "refused"],
    [{ path: "big.txt" }, "large"],
    [{ path: "a\0.txt" }, "refused"],
  ])("%j is not shown", async (reference, expected) => {
    const files = { "ws/a.txt": "1\n2\n3\n", "ws/a.exe": "x", "ws/txt": "x", "ws/b.png": png, "ws/.hidden.txt": "x" }
    const { open } = await openedIn({ ...files, "ws/folder.txt/x": "", "ws/big.txt": "x".repeat(100) }, { maxBytes: 99 })
    expect(await open(reference)).toEqual(expected)
  })

  test("a link shows what it leads to by the rules of that: not outside, and no other format", async () => {
    const { folder, open } = await openedIn({ "ws/a.txt": "a", "ws/key.pem": "secret" })
    symlinkSync(join(folder, "outside.txt"), join(folder, "ws/out.txt"))
    symlinkSync(join(folder, "ws/key.pem"), join(folder, "ws/alias.txt"))
    symlinkSync(join(folder, "ws/a.txt"), join(folder, "ws/b.txt"))
    expect(await open({ path: "out.txt" })).toBe("refused")
    expect(await open({ path: "alias.txt" })).toBe("unsupported")
    expect(await open({ path: "b.txt" })).toMatchObject({ path: "a.txt" })
  })

  test("a rule of one's own is asked of the path that was written and of the one it led to", async () => {
    const asked: string[] = []
    const allow = (path: string) => {
      asked.push(path)
      return path !== "a.txt"
    }
    const { folder, open } = await openedIn({ "ws/a.txt": "a" }, { allow })
    symlinkSync(join(folder, "ws/a.txt"), join(folder, "ws/b.txt"))
    expect([await open({ path: "a.txt" }), await open({ path: "b.txt" })]).toEqual(["refused", "refused"])
    expect(asked).toEqual(["a.txt", "b.txt", "a.txt"])
  })

  test("a profile opens files of its own folder, also where that folder is made later", async () => {
    const folder = tempFolder({ "bot.toml": '[output]\nfile_references = true\n[files]\nfolder = "ws"\nformats = ["txt"]\n' })
    const { output } = await loadProfile(`${folder}/bot.toml`, { env: {} })
    expect(await output.files?.open({ path: "a.txt" }, options)).toEqual({ ok: false, fault: "missing" })
    const { mkdirSync, writeFileSync } = await import("node:fs")
    mkdirSync(join(folder, "ws"))
    writeFileSync(join(folder, "ws/a.txt"), "a")
    expect(await output.files?.open({ path: "a.txt" }, options)).toMatchObject({ ok: true })
  })
})
