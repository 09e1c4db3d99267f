import { createHash } from "node:crypto"
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { parseEntry, printEntry } from "../../../src/node/workspace/change-history.ts"
import { openFolder } from "../../../src/node/workspace/open-workspace.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { failureOf, outcomeOf } from "./support/workspaces.ts"

const by = "character"

async function open(files: Record<string, string | Uint8Array> = {}, options = {}) {
  const folder = tempFolder({ ".keep": "", ...files })
  let nowMs = 1_000
  const workspace = await openFolder(folder, { clock: { nowMs: () => nowMs++ }, ...options })
  const text = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), "utf8") : undefined)
  const kept = () => readdirSync(join(folder, ".promptstrata/history")).sort()
  return { workspace, folder, text, kept }
}

describe("the history", () => {
  test("tells who changed what, when and how, newest first", async () => {
    const { workspace } = await open({ "SOUL.md": "I am\nkind\n" })
    const { hash } = await workspace.read("SOUL.md")
    const { record, hash: after } = await workspace.update("SOUL.md", (file) => `${file?.text}and calm\n`, { by })
    await workspace.write("notes/a.md", "x", { by: "owner" })
    await workspace.remove("notes/a.md", { by: "owner" })
    const diff = "@@ -1,2 +1,3 @@\n I am\n kind\n+and calm"
    expect(record).toEqual({ id: "1", path: "SOUL.md", by, atMs: 1_000, beforeHash: hash, afterHash: after, diff })
    expect(await workspace.history({ path: "soul.MD" })).toEqual([record])
    const all = await workspace.history()
    expect(all.map((one) => [one.id, one.path, one.by, one.atMs, "beforeHash" in one, "afterHash" in one])).toEqual([
      ["3", "notes/a.md", "owner", 1_002, true, false],
      ["2", "notes/a.md", "owner", 1_001, false, true],
      ["1", "SOUL.md", by, 1_000, true, true],
    ])
    expect(await workspace.history({ limit: 1 })).toEqual(all.slice(0, 1))
  })

  test("undo brings back the former bytes as a change of its own, and undoing that does it again", async () => {
    const bytes = Uint8Array.from([0xef, 0xbb, 0xbf, 0x61, 0x0d, 0x0a, 0xff, 0x00])
    const { workspace, folder } = await open({ "a.md": bytes })
    const { hash } = await workspace.write("a.md", "replaced", { by })
    const undone = await workspace.undo({ by: "owner" })
    expect(new Uint8Array(readFileSync(join(folder, "a.md")))).toEqual(bytes)
    expect(undone.record).toMatchObject({ by: "owner", undoes: "1", beforeHash: hash })
    expect(await workspace.undo({ by })).toMatchObject({ hash, record: { undoes: "2" } })
    expect(readFileSync(join(folder, "a.md"), "utf8")).toBe("replaced")
  })

  test("undo of making removes, undo of removing makes", async () => {
    const { workspace, text } = await open()
    await workspace.write("new/a.md", "fresh", { by })
    expect(await workspace.undo({ by })).toMatchObject({ path: "new/a.md", record: { diff: expect.stringContaining("-fresh") } })
    expect(text("new/a.md")).toBeUndefined()
    await workspace.undo({ by })
    expect(text("new/a.md")).toBe("fresh")
  })

  test("undo takes the last change of a path, or one by its id", async () => {
    const { workspace, text } = await open({ "a.md": "a0" })
    for (const next of ["a1", "a2", "a3"]) await workspace.write("a.md", next, { by })
    await workspace.write("b.md", "b1", { by })
    await workspace.undo({ by, path: "A.md" })
    expect([text("a.md"), text("b.md")]).toEqual(["a2", "b1"])
    await workspace.undo({ by, id: "1" })
    expect(text("a.md")).toBe("a0")
    expect(await outcomeOf(workspace.undo({ by, path: "c.md" }))).toBe("file-missing")
    expect(await outcomeOf(workspace.undo({ by, id: "99" }))).toBe("file-missing")
    expect(await outcomeOf((await open()).workspace.undo({ by }))).toBe("file-missing")
  })

  test("undo is a conflict when the file is not the expected one, though the change is recorded", async () => {
    const { workspace, text } = await open()
    const { hash = "" } = await workspace.write("a.md", "one", { by })
    await workspace.write("a.md", "two", { by })
    expect(await outcomeOf(workspace.undo({ by, id: "1", expect: { hash } }))).toBe("file-conflict")
    expect(await outcomeOf(workspace.undo({ by, expect: "absent" }))).toBe("file-conflict")
    expect(text("a.md")).toBe("two")
    expect((await workspace.history()).map(({ id }) => id)).toEqual(["2", "1"])
    await workspace.undo({ by })
    expect(await workspace.undo({ by, id: "1", expect: { hash } })).not.toHaveProperty("hash")
    expect(await workspace.undo({ by, expect: "absent" })).toMatchObject({ hash })
  })

  test("undo is a conflict when somebody else changed the file since", async () => {
    const { workspace, folder, text } = await open({ "a.md": "one" })
    const { hash } = await workspace.write("a.md", "two", { by })
    writeFileSync(join(folder, "a.md"), "by hand")
    const error = await failureOf(workspace.undo({ by }))
    expect(error).toMatchObject({ code: "file-conflict", evidence: { expectedHash: hash } })
    expect(await outcomeOf(workspace.undo({ by, id: "1" }))).toBe("file-conflict")
    expect(text("a.md")).toBe("by hand")
  })

  test("keeps so many changes and so many bytes, and the newest always", async () => {
    const { workspace, kept } = await open({}, { history: { maxEntries: 3 } })
    for (let round = 0; round < 7; round++) await workspace.write("a.md", `round ${round}`, { by })
    expect((await workspace.history()).map(({ id }) => id)).toEqual(["7", "6", "5"])
    expect(kept()).toHaveLength(3)

    const bounded = await open({}, { history: { maxBytes: 5_000 } })
    for (let round = 0; round < 9; round++) await bounded.workspace.write("a.md", `${round}`.repeat(600), { by })
    const sizes = bounded.kept().map((name) => Number(/-(\d+)\./.exec(name)?.[1]))
    expect(sizes.length).toBeGreaterThan(1)
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(5_000)
    await bounded.workspace.write("a.md", "y".repeat(20_000), { by })
    await bounded.workspace.write("a.md", "z", { by })
    expect(await bounded.workspace.history()).toHaveLength(1)
    await bounded.workspace.undo({ by })
    expect(bounded.text("a.md")).toBe("y".repeat(20_000))
  })

  test("with no entries kept, files are changed as safely and nothing can be undone", async () => {
    const { workspace, kept, text } = await open({ "a.md": "one" }, { history: { maxEntries: 0 } })
    await workspace.write("a.md", "two", { by })
    expect([text("a.md"), kept(), await workspace.history()]).toEqual(["two", [], []])
    expect(await outcomeOf(workspace.undo({ by }))).toBe("file-missing")
  })

  test("what is not ours in the history, or broken, is passed over", async () => {
    const { workspace, folder } = await open({ "a.md": "one" })
    await workspace.write("a.md", "two", { by })
    const put = (name: string, text: string) => writeFileSync(join(folder, ".promptstrata/history", name), text)
    put("notes.txt", "mine")
    put("000000000002-5.entry", "{}\nab")
    put("000000000003-99.entry", "short")
    put("000000000004-0.entry", "more than nothing")
    symlinkSync("/etc/hostname", join(folder, ".promptstrata/history/000000000005-9.entry"))
    expect((await workspace.history()).map(({ id }) => id)).toEqual(["1"])
    await workspace.write("a.md", "three", { by })
    expect(existsSync(join(folder, ".promptstrata/history/notes.txt"))).toBe(true)
  })

  test("D12 a forged entry leads nowhere outside, neither by undo nor by clearing up", async () => {
    const folder = tempFolder({ "ws/a.md": "one", "victim.md": "OUTSIDE", ".promptstrata-1-x.tmp": "OUTSIDE" })
    const ws = join(folder, "ws")
    const workspace = await openFolder(ws)
    await workspace.write("a.md", "two", { by })
    const hash = createHash("sha256").update("OUTSIDE").digest("hex")
    const forge = (id: string, state: string, temporary: string) => {
      const record = { id, path: "../victim.md", by, atMs: 0, diff: "", afterHash: hash }
      const bytes = printEntry({ record, before: new TextEncoder().encode("forged"), temporary })
      writeFileSync(join(ws, `.promptstrata/history/${id.padStart(12, "0")}-${bytes.length}.${state}`), bytes)
    }
    forge("7", "entry", "x")
    forge("8", "pending", ".promptstrata-1-x.tmp")
    forge("9", "pending", ".promptstrata-1/../../.promptstrata-1-x.tmp")
    expect(await outcomeOf(workspace.undo({ by, id: "7" }))).toBe("file-outside")
    await openFolder(ws)
    expect(readFileSync(join(folder, "victim.md"), "utf8")).toBe("OUTSIDE")
    expect(readFileSync(join(folder, ".promptstrata-1-x.tmp"), "utf8")).toBe("OUTSIDE")
  })

  test("an entry comes back as it was printed, and no beginning of it passes for one", () => {
    const record = fc.record({
      id: fc.nat().map(String),
      path: fc.string(),
      by: fc.string(),
      atMs: fc.nat(),
      diff: fc.string(),
      beforeHash: fc.string(),
    })
    fc.assert(
      fc.property(record, fc.option(fc.uint8Array(), { nil: undefined }), fc.nat(), (entry, before, cut) => {
        const bytes = printEntry({ record: entry, before, temporary: "t" })
        expect(parseEntry(bytes)).toEqual({ record: entry, before, temporary: "t" })
        const shorter = parseEntry(bytes.subarray(0, cut % bytes.length))
        expect(shorter).toBeUndefined()
      }),
    )
  })
})
