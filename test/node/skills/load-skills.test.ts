import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { loadSkills } from "../../../src/node/skills/load-skills.ts"
import { skillFiles } from "../../../src/node/skills/skill-mounts.ts"
import { near } from "../../support/error-formulas.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const good = "---\nname: good\ndescription: d\n---\nb\n"

describe("loadSkills", () => {
  test("hands back skills with mere warnings", async () => {
    const folder = tempFolder({ "Good/SKILL.md": good })
    expect((await loadSkills(folder)).map(({ name }) => name)).toEqual(["good"])
  })

  test("nothing half-loaded: one error says what is wrong with each, where, and which could be loaded", async () => {
    const folder = tempFolder({
      "a/SKILL.md": "---\nname: a\nname: b\n---\nx\n",
      "good/SKILL.md": good,
      "z/SKILL.md": "---\ndescription: d\nname: x/y\n---\nx\n",
    })
    const error = await loadSkills([folder, "dairy"], { promptFolders: [] }).catch((thrown) => thrown)
    expect(error).toMatchObject({
      code: "skill",
      source: { file: join(folder, "a/SKILL.md"), line: 3, column: 1 },
      evidence: { count: 3, loaded: ["good"] },
    })
    expect(error.message.replaceAll(folder, "")).toContain(
      [
        "/a/SKILL.md:3:1: expected YAML: Map keys must be unique",
        "2 | name: a",
        "3 | name: b",
        "  | ^",
        "4 | ---",
        '/z/SKILL.md:3:1: name: expected a name, found the path "x/y".',
        "2 | description: d",
        "3 | name: x/y",
        "  | ^",
        "4 | ---",
        "Write one word, such as pdf-forms.",
        `expected a skill, found none called "dairy".${near("diary")}`,
      ].join("\n"),
    )
    expect(error.message).toMatch(/\nSkills that could be loaded: good\.$/)
  })
})

describe("skillFiles", () => {
  test("L5: what the outline lists, and what lies beside it, by the paths that the model is told", async () => {
    const folder = tempFolder({ "good/SKILL.md": good, "good/scripts/a.py": "x", "b.md": "---\nname: b\nmode: inline\n---\nb" })
    const skills = await loadSkills(["good", "b.md"], { folder })
    const shown = skills[0]?.path ?? ""
    expect([...skillFiles(skills)]).toEqual([
      [shown, join(folder, "good/SKILL.md")],
      [shown.replace("SKILL.md", "scripts/a.py"), join(folder, "good/scripts/a.py")],
    ])
  })
})
