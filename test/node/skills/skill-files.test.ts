import { describe, expect, test } from "vitest"
import type { Skill } from "../../../src/layers/skills.ts"
import { skillFiles, skillMounts } from "../../../src/node/skills/skill-mounts.ts"
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
  ])("are searched for %d lines with the limit %s", async (count, limit) => {
    const folder = tempFolder({ "a/SKILL.md": "x\n", "a/r.md": "x\n".repeat(count - 1) })
    const [mount] = skillMounts([skill("a/SKILL.md", ["r.md"], folder)])
    const found = await mount?.workspace.search("x", limit === undefined ? {} : { limit })
    const most = limit ?? 100
    expect([found?.matches.length, found?.truncated]).toEqual([Math.min(count, most), count > most])
    expect(found?.matches[0]).toMatchObject({ path: "SKILL.md", line: 1 })
  })
})
