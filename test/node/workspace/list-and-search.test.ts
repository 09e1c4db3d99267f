import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { type FileSystem, nodeFileSystem } from "../../../src/node/workspace/file-system.ts"
import { openFolder } from "../../../src/node/workspace/open-workspace.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { judgments, outcomeOf } from "./support/workspaces.ts"

describe.each(judgments)("looking around, paths checked as $pathCheck", ({ fs }) => {
  const open = (files: Record<string, string | Uint8Array>, options = {}) => openFolder(tempFolder(files), { fs, ...options })
  const files = {
    "b.md": "b",
    "a/2.md": "two",
    "a/1.md": "one",
    "a/deep/er/x.md": "x",
    "B/y.md": "y",
    ".env": "k",
    "a/.git/c": "c",
  }

  test("lists files and folders in the order of their names, so deep and so many, and no hidden ones", async () => {
    const workspace = await open(files)
    const paths = async (...args: Parameters<typeof workspace.list>) =>
      (await workspace.list(...args)).entries.map(({ path }) => path)
    expect(await paths()).toEqual(["B", "a", "b.md"])
    expect(await paths(".", { depth: 2 })).toEqual(["B", "B/y.md", "a", "a/1.md", "a/2.md", "a/deep", "b.md"])
    expect(await paths("a/", { depth: 9 })).toEqual(["a/1.md", "a/2.md", "a/deep", "a/deep/er", "a/deep/er/x.md"])
    expect(await paths("A/DEEP")).toEqual(["a/deep/er"])
    expect((await workspace.list("a")).entries[0]).toEqual({
      path: "a/1.md",
      kind: "file",
      sizeBytes: 3,
      modifiedAtMs: expect.any(Number),
    })
    expect(await workspace.list(".", { depth: 9, limit: 3 })).toMatchObject({ truncated: true, entries: { length: 3 } })
    expect(await workspace.list(".", { limit: 3 })).toMatchObject({ truncated: false, entries: { length: 3 } })
    expect(await outcomeOf(workspace.list("none"))).toBe("file-missing")
    expect(await outcomeOf(workspace.list("b.md"))).toBe("file-kind")
    expect(await outcomeOf(workspace.list("../"))).toBe("file-outside")
  })

  test("shows hidden files where they are let in, and nothing whose name could not be opened", async () => {
    const workspace = await open({ ...files, "two\nlines.md": "x", "back\\slash": "x", "con.md": "x" }, { hidden: "allow" })
    expect((await workspace.list()).entries.map(({ path }) => path)).toEqual([".env", "B", "a", "b.md"])
    expect((await workspace.read("a/.git/c")).text).toBe("c")
  })

  test("finds lines that hold a text literally, file by file", async () => {
    const workspace = await open({
      "a.md": "one\r\nTWO $& (x)*\r\nthree",
      "b/c.md": "no\ntwo $& (x)*\n",
      "big.md": "x".repeat(2_000),
      binary: Uint8Array.from([0xff, 0]),
      ".env": "two $& (x)*",
    })
    expect(await workspace.search("two $& (x)*")).toEqual({
      matches: [{ path: "b/c.md", line: 2, text: "two $& (x)*" }],
      skipped: ["binary"],
      truncated: false,
    })
    const { matches } = await workspace.search("TWO $&", { ignoreCase: true })
    expect(matches).toEqual([
      { path: "a.md", line: 2, text: "TWO $& (x)*" },
      { path: "b/c.md", line: 2, text: "two $& (x)*" },
    ])
    expect((await workspace.search("t", { path: "b" })).matches.map(({ path }) => path)).toEqual(["b/c.md"])
    expect((await workspace.search("t", { path: "B/c.md" })).matches.map(({ path }) => path)).toEqual(["b/c.md"])
    expect(await outcomeOf(workspace.search("t", { path: "none.md" }))).toBe("file-missing")
    expect(await outcomeOf(workspace.search(""))).toBe("usage")
    expect(await outcomeOf(workspace.search("x", { path: ".." }))).toBe("file-outside")
  })

  test("stops at so many lines, and shows so much of a long one, whole characters only", async () => {
    const long = `${"😀".repeat(1_000)}needle${"😀".repeat(1_000)}`
    const workspace = await open({ "a.md": `needle\n${long}\nneedle\n` })
    expect(await workspace.search("needle", { limit: 2 })).toMatchObject({ truncated: true, matches: { length: 2 } })
    const { matches, truncated } = await workspace.search("needle")
    expect([matches.map(({ line }) => line), truncated]).toEqual([[1, 2, 3], false])
    const shown = matches[1]?.text ?? ""
    expect([shown.includes("needle"), shown.length <= 500, shown.isWellFormed()]).toEqual([true, true, true])
    const ends = await open({ "a.md": `needle${"x".repeat(1_000)}\n${"x".repeat(1_000)}needle` })
    const cut = (await ends.search("needle")).matches.map(({ text }) => text)
    expect(cut).toEqual([`needle${"x".repeat(494)}`, `${"x".repeat(494)}needle`])
    const at = async (before: number, length: number) => {
      const line = `${"x".repeat(before)}needle`.padEnd(length, "y")
      const found = await (await open({ "a.md": line })).search("needle")
      return found.matches.map(({ text }) => `${text.indexOf("needle")} of ${text.length}`).join()
    }
    // Up to 250 characters before the hit, and more where the line has no more behind it.
    expect([
      await at(250, 900),
      await at(251, 900),
      await at(600, 900),
      await at(649, 900),
      await at(651, 900),
      await at(3, 500),
    ]).toEqual(["250 of 500", "250 of 500", "250 of 500", "250 of 500", "251 of 500", "3 of 500"])
  })

  test("opens as many files as it closes", async () => {
    const { faultyFileSystem } = await import("./support/faulty-file-system.ts")
    const faulty = faultyFileSystem(fs, "none")
    const workspace = await openFolder(tempFolder(files), { fs: faulty.fs })
    await workspace.list(".", { depth: 9, limit: 2 })
    await workspace.search("o", { limit: 1 })
    await workspace.read("a/1.md")
    await workspace.stat(join("a", "1.md"))
    expect(faulty.openFiles()).toBe(0)
  })
})

test.each([
  ["", "."],
  ["a/b", "a/b"],
])("a folder of more than 100,000 names is neither listed nor searched for another spelling: %j", async (path, named) => {
  let names: readonly string[] = []
  let asked: number[] = []
  const fs: FileSystem = {
    ...nodeFileSystem,
    async readFolder(folder, limit) {
      asked.push(limit)
      const found = await nodeFileSystem.readFolder(folder, limit)
      return found.includes("here.md") ? [...found, ...names].slice(0, limit) : found
    },
  }
  const at = path === "" ? "" : `${path}/`
  const workspace = await openFolder(tempFolder({ [`${at}here.md`]: "x" }), { fs })
  names = Array.from({ length: 99_999 }, (_, at) => `con.${at}`)
  expect((await workspace.list(path || ".")).entries.map((entry) => entry.path)).toEqual([`${at}here.md`])
  names = [...names, "con.more"]
  asked = []
  // One after the other: a second one that fails first would be nobody's yet.
  for (const outcome of [() => workspace.list(path || "."), () => workspace.read(`${at}HERE.md`)])
    await expect(outcome()).rejects.toMatchObject({
      code: "file-size",
      message: `${named}: expected at most 100000 names in a folder, found more.`,
    })
  expect(new Set(asked)).toEqual(new Set([100_001]))
})
