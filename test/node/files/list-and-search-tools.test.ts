import { describe, expect, test } from "vitest"
import { openFolder } from "../../../src/node/workspace/open-workspace.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { fileScene } from "./file-scene.ts"

const files = {
  "MEMORY.md": "- bake bread\n- ride\n",
  "notes/a.md": "Bread and butter",
  "notes/b.md": "tea",
  bin: new Uint8Array([0]),
}

describe("list", () => {
  test("shows a folder's entries in the order of their names", async () => {
    const { call } = await fileScene(files)
    expect(await call("list", {})).toBe("MEMORY.md (20 bytes)\nbin (1 bytes)\nnotes/")
    expect(await call("list", { path: "notes" })).toBe("notes/a.md (16 bytes)\nnotes/b.md (3 bytes)")
  })

  test("says that a folder is empty, missing, or longer than what is listed", async () => {
    const { call } = await fileScene(Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`many/${at}.md`, ""])))
    expect((await call("list", { path: "many" })).split("\n").at(-1)).toBe("(there are more; these are the first 200)")
    const empty = await fileScene()
    expect(await empty.call("list", {})).toBe('There are no files in ".".')
    expect(await empty.call("list", { path: "nowhere" })).toMatch(/^! There is no file nowhere/)
  })
})

describe("search", () => {
  test("finds lines, case aside, with file and line", async () => {
    const { call } = await fileScene(files)
    expect(await call("search", { query: "bread" })).toBe("MEMORY.md:1: - bake bread\nnotes/a.md:1: Bread and butter")
    expect(await call("search", { query: "bread", path: "notes" })).toBe("notes/a.md:1: Bread and butter")
    expect(await call("search", { query: "b.ead" })).toBe("Nothing was found.")
  })

  test("looks into one file where its path is given", async () => {
    const { call } = await fileScene(files)
    expect(await call("search", { query: "bread", path: "notes/a.md" })).toBe("notes/a.md:1: Bread and butter")
    expect(await call("search", { query: "bread", path: "notes/none.md" })).toMatch(/^! There is no file notes\/none\.md/)
  })

  test("shows what was found in a line that is too long to be shown", async () => {
    const { call } = await fileScene({ "a.md": `${"x".repeat(900)}Needle${"y".repeat(900)}` })
    expect(await call("search", { query: "needle" })).toBe(`a.md:1: …${"x".repeat(50)}Needle${"y".repeat(144)}…`)
  })

  test("is bounded and says so; long lines are cut", async () => {
    const { call } = await fileScene({ "a.md": `${"x".repeat(900)}\n${"x\n".repeat(100)}` })
    const lines = (await call("search", { query: "x" })).split("\n")
    expect(lines).toHaveLength(51)
    expect(lines[0]).toBe(`a.md:1: ${"x".repeat(200)}…`)
    expect(lines.at(-1)).toMatch(/at most 50 are listed/)
  })
})

describe("mounts and what is allowed", () => {
  async function skillScene() {
    const skill = await openFolder(tempFolder({ "SKILL.md": "How to keep a diary", "more/tips.md": "diary tips" }))
    return fileScene(files, { mounts: [{ prefix: "skills/diary", workspace: skill }] })
  }

  test("a mount is read, listed and searched under its prefix, however that is spelled", async () => {
    const { call } = await skillScene()
    expect(await call("read", { path: "skills/diary/SKILL.md" })).toBe("How to keep a diary")
    expect(await call("read", { path: "Skills/./Diary/more/tips.md" })).toBe("diary tips")
    expect(await call("list", {})).toContain("skills/diary/")
    expect(await call("list", { path: "skills/diary" })).toBe("skills/diary/SKILL.md (19 bytes)\nskills/diary/more/")
    expect(await call("search", { query: "diary" })).toBe(
      "skills/diary/SKILL.md:1: How to keep a diary\nskills/diary/more/tips.md:1: diary tips",
    )
  })

  test.each(["skills/diary/SKILL.md", "SKILLS/DIARY/new.md"])("%s in a mount is never written", async (path) => {
    const { call } = await skillScene()
    await call("read", { path })
    expect(await call("write", { path, content: "x" })).toMatch(/is read-only and cannot be changed\.$/)
    expect(await call("edit", { path, old_text: "diary", new_text: "x" })).toMatch(/is read-only and cannot be changed\.$/)
  })

  test("a way out of a mount is a way out of the workspace", async () => {
    const { call } = await skillScene()
    expect(await call("read", { path: "skills/diary/../../MEMORY.md" })).toMatch(/cannot be used/)
  })

  test("what is not allowed is neither read, written, listed nor found", async () => {
    const { call } = await fileScene(files, { allow: (path) => path.startsWith("notes") })
    expect(await call("read", { path: "MEMORY.md" })).toBe("! MEMORY.md cannot be used.")
    expect(await call("write", { path: "new.md", content: "x" })).toBe("! new.md cannot be used.")
    expect(await call("list", {})).toBe("notes/")
    expect(await call("search", { query: "bread" })).toBe("notes/a.md:1: Bread and butter")
    expect(await call("read", { path: "notes/b.md" })).toBe("tea")
  })
})
