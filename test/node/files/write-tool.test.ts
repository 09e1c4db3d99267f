import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { createFileTools } from "../../../src/node/files/create-file-tools.ts"
import { nodeFileSystem } from "../../../src/node/workspace/file-system.ts"
import { openFolder } from "../../../src/node/workspace/open-workspace.ts"
import type { ConfirmRequest } from "../../../src/prompt/tools/tool.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { callTool, fileScene } from "./file-scene.ts"

describe("write", () => {
  test("D10 makes a file without reading, in folders that are made for it", async () => {
    const { call, text, records } = await fileScene()
    expect(await call("write", { path: "notes/2026/today.md", content: "sunny" })).toBe("notes/2026/today.md was created.")
    expect(text("notes/2026/today.md")).toBe("sunny")
    expect(records.map(({ summary }) => summary)).toEqual(["created notes/2026/today.md"])
  })

  test("D10 overwrites only what was read", async () => {
    const { call, text } = await fileScene({ "a.md": "old" })
    expect(await call("write", { path: "a.md", content: "new" })).toBe("! Read a.md with the read tool before you change it.")
    await call("read", { path: "a.md" })
    expect(await call("write", { path: "a.md", content: "old" })).toBe("a.md holds exactly this already; nothing was changed.")
    expect(await call("write", { path: "a.md", content: "new" })).toBe("a.md was overwritten.")
    expect(text("a.md")).toBe("new")
  })

  test("an empty file is overwritten without reading: it hides nothing", async () => {
    const { call } = await fileScene({ "a.md": "" })
    expect(await call("write", { path: "a.md", content: "new" })).toBe("a.md was overwritten.")
  })

  test("D10 a large file counts as read once all its pages were", async () => {
    const lines = Array.from({ length: 6 }, (_, at) => `line ${at + 1}`).join("\n")
    const { call } = await fileScene({ "a.md": lines }, { pageCharacters: 15 })
    for (const offset of [1, 5]) await call("read", { path: "a.md", offset })
    expect(await call("write", { path: "a.md", content: "x" })).toMatch(/^! You have not read all/)
    await call("read", { path: "a.md", offset: 3 })
    expect(await call("write", { path: "a.md", content: "x" })).toBe("a.md was overwritten.")
  })

  test("what is no text is never overwritten", async () => {
    const { call } = await fileScene({ "a.bin": new Uint8Array([0, 1]) })
    expect(await call("write", { path: "a.bin", content: "x" })).toBe(
      "! a.bin is no UTF-8 text and can neither be read nor changed.",
    )
  })

  test.each([
    ["EACCES", "! There is no permission to use a.md that way; tell the user."],
    ["EROFS", "! There is no permission to use a.md that way; tell the user."],
    ["ENOSPC", "! The disk is full and a.md was not written; tell the user."],
    ["EIO", "! a.md could not be used: EIO"],
  ])("what the system says (%s) is told in the tool's words, not in ours for people", async (code, words) => {
    const failing = async () => {
      throw Object.assign(new Error(`${code}: something, link '/home/me/x'`), { code, syscall: "link" })
    }
    const workspace = await openFolder(tempFolder({ "b.md": "x" }), { fs: { ...nodeFileSystem, makeFolder: failing } })
    expect(await callTool(createFileTools(workspace), "write", { path: "a.md", content: "x" })).toBe(words)
  })

  test("content may be blank, but must be there", async () => {
    const { call } = await fileScene()
    expect(await call("write", { path: "a.md", content: "" })).toBe("a.md was created.")
    expect(await call("write", { path: "b.md" })).toBe("! content: expected string, received undefined")
  })
})

describe("asking", () => {
  const rules = { confirmRule: ({ path }: { path: string }) => (path === "SOUL.md" ? "ask" : "free") } as const

  test("D9 a change that must be confirmed is made only when it was; a refusal is told", async () => {
    const { call, text } = await fileScene({ "SOUL.md": "I am Fay.\n" }, rules)
    await call("read", { path: "SOUL.md" })
    const asked: ConfirmRequest[] = []
    const write = (answer: boolean) =>
      call("write", { path: "SOUL.md", content: "I am Foe.\n" }, { confirm: (request) => asked.push(request) > 0 && answer })
    expect(await write(false)).toBe("! This change of SOUL.md was refused; the file is as it was.")
    expect(text("SOUL.md")).toBe("I am Fay.\n")
    expect(await write(true)).toBe("SOUL.md was overwritten.")
    expect(asked).toEqual(
      Array(2).fill({ tool: "write", summary: "change SOUL.md", detail: "@@ -1,1 +1,1 @@\n-I am Fay.\n+I am Foe." }),
    )
  })

  test("D9 where nobody can be asked, it is not made", async () => {
    const { call, text } = await fileScene({ "SOUL.md": "I am Fay." }, rules)
    await call("read", { path: "SOUL.md" })
    expect(await call("edit", { path: "SOUL.md", old_text: "Fay", new_text: "Foe" })).toBe(
      "! Changing SOUL.md needs a confirmation, and there is nobody to ask; nothing was changed.",
    )
    expect(text("SOUL.md")).toBe("I am Fay.")
  })

  test.each(["soul.md", "./SOUL.md", "SOUL.MD", "ＳＯＵＬ.md", "SOUL.md/"])(
    "D12 the spelling %s asks as well, or is refused",
    async (path) => {
      const { call, text } = await fileScene({ "SOUL.md": "I am Fay." }, rules)
      await call("read", { path: "SOUL.md" })
      await call("read", { path })
      expect(await call("write", { path, content: "I am Foe." })).toMatch(/^! /)
      expect(await call("edit", { path, old_text: "Fay", new_text: "Foe" })).toMatch(/^! /)
      expect(text("SOUL.md")).toBe("I am Fay.")
    },
  )

  test("D12 a link to it is not written through", async () => {
    const { call, text, folder } = await fileScene({ "SOUL.md": "I am Fay." }, rules)
    symlinkSync("SOUL.md", join(folder, "alias.md"))
    expect(await call("read", { path: "alias.md" })).toBe("I am Fay.")
    expect(await call("write", { path: "alias.md", content: "I am Foe." })).toMatch(/^! alias\.md is no file/)
    expect(text("SOUL.md")).toBe("I am Fay.")
  })
})

test("a file is written only if both the path that was given and the one on the disk are allowed", async () => {
  const [onDisk, given] = ["cafe\u0301.md", "caf\u00e9.md"]
  for (const forbidden of [onDisk, given]) {
    const allow = (path: string, operation: string) => operation === "read" || path !== forbidden
    const { call, text } = await fileScene({ [onDisk]: "I am Fay." }, { allow })
    expect(await call("read", { path: given })).toBe("I am Fay.")
    expect(await call("write", { path: given, content: "I am Foe." })).toBe(`! ${forbidden} cannot be used.`)
    expect(await call("edit", { path: given, old_text: "Fay", new_text: "Foe" })).toBe(`! ${forbidden} cannot be used.`)
    expect(text(onDisk)).toBe("I am Fay.")
  }
})
