import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { InspectedDocuments, ShownDocuments } from "../../../../src/apps/server/inspector/documents/documents.ts"
import { openFolder } from "../../../../src/node/workspace/open-workspace.ts"
import { runs, seedOf } from "../../../support/size.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
import { inspected } from "./inspected.ts"

/** The page of a folder with documents. */
async function folderPage(files: Readonly<Record<string, string>> = {}) {
  const folder = tempFolder({ ".keep": "", ...files })
  let nowMs = 1_000
  const workspace = await openFolder(folder, { clock: { nowMs: () => nowMs++ } })
  const page = inspected([], { documents: workspace })
  const shown = () => page.get<ShownDocuments>("api/documents")
  const document = async (path: string) => (await shown()).files.find((file) => file.path === path)
  const undo = (id: string, hash: string | null | undefined) => page.post("api/documents/undo", { id, hash: hash ?? null })
  const text = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : undefined)
  const edit = (name: string, words: string) => writeFileSync(join(folder, name), words)
  return { ...page, folder, workspace, shown, document, undo, text, edit }
}

test("a failure that is no refusal is told with its words, as the server's own fault", async () => {
  const read = () => Promise.reject(new Error("The disk is gone."))
  const { fetch } = inspected([], { documents: { read, history: read, undo: read } })
  const response = await fetch("api/documents")
  expect([response.status, (await response.json()) as unknown]).toMatchObject([500, { error: { message: "The disk is gone." } }])
})

describe("the documents of an agent", () => {
  test("are shown with their changes, newest first: who, when and how; also files that were removed", async () => {
    const { workspace, shown } = await folderPage({ "SOUL.md": "I am kind.\n" })
    await workspace.write("MEMORY.md", "Ann likes tea.\n", { by: "fay" })
    await workspace.write("MEMORY.md", "Ann likes tea.\nShe lives in Oslo.\n", { by: "fay" })
    await workspace.write("notes/a.md", "x\n", { by: "user" })
    await workspace.remove("notes/a.md", { by: "job" })
    const { files, more, canUndo } = await shown()
    expect({ more, canUndo }).toEqual({ more: false, canUndo: true })
    expect(
      files.map(({ path, text, changes }) => [path, text, changes.map(({ id, by, kind }) => `${id} ${by} ${kind}`)]),
    ).toEqual([
      ["SOUL.md", "I am kind.\n", []],
      ["USER.md", undefined, []],
      ["MEMORY.md", "Ann likes tea.\nShe lives in Oslo.\n", ["2 fay changed", "1 fay created"]],
      ["notes/a.md", undefined, ["4 job removed", "3 user created"]],
    ])
    expect(files[2]?.changes[0]).toEqual({
      id: "2",
      by: "fay",
      atMs: 1_001,
      kind: "changed",
      isAfterEdit: false,
      diff: "@@ -1,1 +1,2 @@\n Ann likes tea.\n+She lives in Oslo.",
    })
    expect(files.map(({ isEdited }) => isEdited)).toEqual([false, false, false, false])
  })

  test("tell of changes that nobody recorded: since the newest one, and between two", async () => {
    const { workspace, document, edit } = await folderPage()
    await workspace.write("USER.md", "one", { by: "fay" })
    edit("USER.md", "by hand")
    expect(await document("USER.md")).toMatchObject({ isEdited: true, text: "by hand" })
    await workspace.write("USER.md", "two", { by: "fay" })
    const after = await document("USER.md")
    expect(after?.isEdited).toBe(false)
    expect(after?.changes.map(({ id, isAfterEdit }) => [id, isAfterEdit])).toEqual([
      ["2", true],
      ["1", false],
    ])
  })

  test("are bounded, and say why one cannot be read", async () => {
    const { workspace, document, shown } = await folderPage({ "SOUL.md": "\uFFFD", "USER.md": "u".repeat(30_000) })
    writeFileSync(join(workspace.root, "SOUL.md"), new Uint8Array([0xff, 0xfe, 0x00]))
    expect(await document("USER.md")).toMatchObject({ text: "u".repeat(20_000), characters: 30_000 })
    const soul = await document("SOUL.md")
    expect(soul?.problem).toContain("SOUL.md")
    expect(soul).not.toHaveProperty("hash")
    for (let at = 0; at < 201; at++) await workspace.write("MEMORY.md", String(at), { by: "fay" })
    expect((await shown()).more).toBe(false)
    const many = Array.from({ length: 201 }, (_, at) => ({ id: String(at), path: "a.md", by: "fay", atMs: at, diff: "" }))
    const folder: InspectedDocuments = { read: workspace.read, history: async ({ limit }) => many.slice(0, limit) }
    const long = await inspected([], { documents: folder }).get<ShownDocuments>("api/documents")
    expect({ ...long, files: long.files.map(({ changes }) => changes.length) }).toEqual({
      files: [0, 0, 0, 200],
      more: true,
      canUndo: false,
    })
  })

  test("show no keys", async () => {
    const { workspace, get } = await folderPage()
    await workspace.write("USER.md", "My key is sk-abcdefghijklmnop1234.", { by: "fay" })
    const all = JSON.stringify(await get("api/documents"))
    expect(all).toContain("My key is [secret].")
    expect(all).not.toContain("abcdefghijklmnop")
  })
})

describe("undo", () => {
  test("takes back the newest change as a person's change, which can be undone as well", async () => {
    const { workspace, document, undo, text } = await folderPage({ "SOUL.md": "I am kind.\n" })
    await workspace.write("SOUL.md", "I am rude.\n", { by: "fay" })
    const before = await document("SOUL.md")
    const answer = await undo("1", before?.hash)
    expect(answer.status).toBe(200)
    expect(text("SOUL.md")).toBe("I am kind.\n")
    const { files } = (await answer.json()) as ShownDocuments
    expect(files[0]?.changes[0]).toMatchObject({ id: "2", by: "user", undoes: "1" })
    await undo("2", files[0]?.hash)
    expect(text("SOUL.md")).toBe("I am rude.\n")
  })

  test("takes back a change and all later ones; one that made the file, and one that removed it", async () => {
    const { workspace, document, undo, text } = await folderPage()
    for (const words of ["one", "two", "three"]) await workspace.write("MEMORY.md", words, { by: "fay" })
    await undo("2", (await document("MEMORY.md"))?.hash)
    expect(text("MEMORY.md")).toBe("one")
    await undo("1", (await document("MEMORY.md"))?.hash)
    expect(text("MEMORY.md")).toBeUndefined()
    expect((await undo("5", null)).status).toBe(200)
    expect(text("MEMORY.md")).toBe("one")
  })

  test("is refused with words if the file is no longer the one that was shown, whoever changed it", async () => {
    const { workspace, document, undo, text, edit } = await folderPage()
    await workspace.write("MEMORY.md", "one", { by: "fay" })
    const seen = (await document("MEMORY.md"))?.hash
    await workspace.write("MEMORY.md", "two", { by: "fay" })
    const late = await undo("1", seen)
    expect(late.status).toBe(409)
    expect(((await late.json()) as { error: { message: string } }).error.message).toMatch(
      /MEMORY\.md: expected the file as it was read, found it changed since\./u,
    )
    edit("MEMORY.md", "by hand")
    const edited = await undo("2", (await document("MEMORY.md"))?.hash)
    expect(edited.status).toBe(409)
    expect(((await edited.json()) as { error: { message: string } }).error.message).toContain("found it changed since")
    expect((await undo("2", null)).status).toBe(409)
    expect(text("MEMORY.md")).toBe("by hand")
    expect((await undo("99", null)).status).toBe(404)
    expect(await workspace.history()).toHaveLength(2)
  })

  test("brings back what was there byte for byte, or changes nothing, whatever else happens to the file", async () => {
    const words = fc.constantFrom("", "a", "a\r\nb", "\uFEFFc", "展厅\n")
    const act = fc.oneof(
      { weight: 4, arbitrary: fc.record({ type: fc.constant("write" as const), words }) },
      { weight: 1, arbitrary: fc.record({ type: fc.constant("edit" as const), words }) },
      { weight: 1, arbitrary: fc.record({ type: fc.constant("remove" as const) }) },
      { weight: 2, arbitrary: fc.record({ type: fc.constant("look" as const) }) },
      { weight: 4, arbitrary: fc.record({ type: fc.constant("undo" as const), back: fc.nat(4) }) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 6, maxLength: 16 }), async (acts) => {
        const { workspace, document, undo, text, edit } = await folderPage()
        // What the file held before each recorded change; what the last one left; what the page showed last.
        const before: (string | undefined)[] = []
        let left: string | undefined
        let seen: Awaited<ReturnType<typeof document>>
        const changed = (was: string | undefined): void => {
          if (was !== text("MEMORY.md")) before.push(was)
          left = was === text("MEMORY.md") ? left : text("MEMORY.md")
        }
        for (const one of acts) {
          const was = text("MEMORY.md")
          if (one.type === "write") await workspace.write("MEMORY.md", one.words, { by: "fay" })
          if (one.type === "edit") edit("MEMORY.md", one.words)
          if (one.type === "remove" && was !== undefined) await workspace.remove("MEMORY.md", { by: "fay" })
          if (one.type === "look") seen = await document("MEMORY.md")
          if (one.type !== "undo") {
            if (one.type !== "edit") changed(was)
            continue
          }
          const shown = seen?.changes[one.back]
          if (!shown) continue
          const isSeen = was === (seen?.hash === undefined ? undefined : seen.text)
          const { status } = await undo(shown.id, seen?.hash)
          expect(status).toBe(isSeen && was === left ? 200 : 409)
          expect(text("MEMORY.md")).toBe(status === 200 ? before[Number(shown.id) - 1] : was)
          changed(was)
        }
        expect((await workspace.history()).length).toBe(before.length)
      }),
      { numRuns: runs(15), seed: seedOf(20) },
    )
  })

  test("is refused without a folder that can, and for a request that is not one", async () => {
    const { post, workspace } = await folderPage()
    const none = inspected([])
    expect([(await none.fetch("api/documents")).status, (await none.post("api/documents/undo", {})).status]).toEqual([404, 404])
    const { read, history } = workspace
    const readOnly = inspected([], { documents: { read, history } })
    expect((await readOnly.post("api/documents/undo", { id: "1", hash: null })).status).toBe(403)
    for (const body of [{}, { id: 1, hash: null }, { id: "1" }, { id: "1", hash: 1 }])
      expect((await post("api/documents/undo", body)).status).toBe(400)
  })
})
