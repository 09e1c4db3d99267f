import { describe, expect, test } from "vitest"
import { skillFiles, skillMounts } from "../../../src/node/skills/skill-mounts.ts"
import type { Skill } from "../../../src/prompt/layers/skills.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const skill = (path: string, resources: readonly string[] = [], folder = "/s", more: Partial<Skill> = {}): Skill =>
  ({ mode: "outline", path, file: `${folder}/${path}`, resources, ...more }) as Skill
const listed = async (skills: readonly Skill[]) =>
  Promise.all(
    skillMounts(skills).map(async ({ prefix, workspace }) => [
      prefix,
      (await workspace.list("", { depth: 9 })).entries.map(({ path }) => path),
    ]),
  )

describe("the files of outline skills", () => {
  test.each<[string, readonly Skill[], Record<string, string>]>([
    ["none", [], {}],
    [
      "its own and its resources",
      [skill("a/SKILL.md", ["r.md", "b/c.md"])],
      { "a/SKILL.md": "a/SKILL.md", "a/r.md": "a/r.md", "a/b/c.md": "a/b/c.md" },
    ],
    ["beside others", [skill("SKILL.md", ["r.md"])], { "SKILL.md": "SKILL.md", "r.md": "r.md" }],
    ["not of an inline one", [skill("a/SKILL.md", ["r.md"], "/s", { mode: "inline" })], {}],
  ])("are %s", (_, skills, expected) => {
    expect(Object.fromEntries([...skillFiles(skills)].map(([path, file]) => [path, file.replace("/s/", "")]))).toEqual(expected)
  })

  test("are mounted once for each outermost folder of a skill, whose letters another folder's may begin with", async () => {
    const folder = tempFolder({
      "a/SKILL.md": "",
      "a/b/c.md": "",
      "a/b/SKILL.md": "",
      "ab/x.md": "",
      "ab/y/z.md": "",
      "top.md": "",
    })
    const skills = [
      skill("a/b/SKILL.md", ["c.md"], folder),
      skill("a/SKILL.md", ["b/c.md"], folder),
      skill("ab/x.md", ["y/z.md"], folder),
    ]
    expect(await listed(skills)).toEqual([
      ["a", ["SKILL.md", "b/SKILL.md", "b/c.md"]],
      ["ab", ["x.md", "y/z.md"]],
    ])
  })

  test.each([
    [99, undefined],
    [100, undefined],
    [101, undefined],
    [3, 2],
    [2, 2],
    [150, 200],
    [201, 200],
  ])("are searched for %d lines with the limit %s", async (count, limit) => {
    const folder = tempFolder({ "a/SKILL.md": "x\n", "a/r.md": "x\n".repeat(count - 1) })
    const [mount] = skillMounts([skill("a/SKILL.md", ["r.md"], folder)])
    const found = await mount?.workspace.search("x", limit === undefined ? {} : { limit })
    const most = limit ?? 100
    expect([found?.matches.length, found?.truncated]).toEqual([Math.min(count, most), count > most])
    expect(found?.matches[0]).toMatchObject({ path: "SKILL.md", line: 1 })
  })

  test("are read, looked at, listed and searched by their path below the mount, in any letters, and nothing else is", async () => {
    const folder = tempFolder({ "a/SKILL.md": "tea\n", "a/b/c.md": "Tea\ntea\n", "a/bc.md": "tea", "a/hidden.md": "tea" })
    const [{ workspace, prefix } = { workspace: undefined, prefix: "" }] = skillMounts([
      skill("a/SKILL.md", ["b/c.md", "bc.md", "gone.md"], folder),
    ])
    expect(prefix).toBe("a")
    expect(await workspace?.read("B/c.md")).toMatchObject({ path: "b/c.md", text: "Tea\ntea\n" })
    await expect(workspace?.read("hidden.md")).rejects.toThrow("expected a file of a skill, found none.")
    await expect(workspace?.read("b")).rejects.toMatchObject({ code: "file-missing" })
    const kindOf = async (path: string) => (await workspace?.stat(path))?.kind
    expect(await Promise.all(["", "b", "b/c.md", "SKILL.md", "hidden.md", "gone.md", "x"].map(kindOf))).toEqual([
      "folder",
      "folder",
      "file",
      "file",
      undefined,
      undefined,
      undefined,
    ])
    expect(await workspace?.stat("b")).toEqual({ path: "b", kind: "folder", sizeBytes: 0, modifiedAtMs: 0 })
    const names = async (path?: string, limit?: number) => {
      const found = await workspace?.list(path, limit === undefined ? {} : { limit })
      return [found?.entries.map((entry) => entry.path), found?.truncated]
    }
    expect(await names()).toEqual([["SKILL.md", "b/c.md", "bc.md"], false])
    expect(await names("b")).toEqual([["b/c.md"], false])
    expect(await names("bc.md")).toEqual([["bc.md"], false])
    expect(await names("", 3)).toEqual([["SKILL.md", "b/c.md", "bc.md"], false])
    expect(await names("", 2)).toEqual([["SKILL.md", "b/c.md"], true])
    const found = async (options: object) =>
      (await workspace?.search("tea", options))?.matches.map(({ path, line }) => `${path}:${line}`)
    expect(await found({})).toEqual(["SKILL.md:1", "b/c.md:2", "bc.md:1"])
    expect(await found({ ignoreCase: true, path: "b" })).toEqual(["b/c.md:1", "b/c.md:2"])
    expect((await workspace?.search("tea"))?.skipped).toEqual(["gone.md"])
  })

  test("that hold no text are told by a search", async () => {
    const folder = tempFolder({ "a/SKILL.md": "tea\n", "a/picture.png": Uint8Array.of(0x89, 0, 0xff) })
    const [mount] = skillMounts([skill("a/SKILL.md", ["picture.png"], folder)])
    expect(await mount?.workspace.search("tea")).toMatchObject({ matches: [{ path: "SKILL.md" }], skipped: ["picture.png"] })
  })

  test.each([
    [999, false],
    [1_000, false],
    [1_001, true],
  ])("are listed up to a thousand: %d", async (count, truncated) => {
    const names = Array.from({ length: count - 1 }, (_, at) => `f${String(at).padStart(4, "0")}`)
    const folder = tempFolder(Object.fromEntries(["SKILL.md", ...names].map((name) => [`a/${name}`, ""])))
    const [mount] = skillMounts([skill("a/SKILL.md", names, folder)])
    const found = await mount?.workspace.list()
    expect([found?.entries.length, found?.truncated]).toEqual([Math.min(1_000, count), truncated])
  })
})
