import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { loadSkills, readSkills } from "../../../src/node/skills/load-skills.ts"
import { printProblem } from "../../../src/node/skills/skill-problem.ts"
import { endings } from "../../support/endings.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const skill = (front: string, body = "Do it.") => `---\n${front}\n---\n${body}\n`

test("a skill with a mistake is told in words, with its place, and read as well as it can be", async () => {
  const named = "name: a\ndescription: d\n"
  const folders: Readonly<Record<string, string>> = {
    "no name": skill("description: d"),
    "a name that is a list of lists": skill("name: [[a]]\ndescription: d"),
    "a name of two words": skill("name: [my, skill]\ndescription: d"),
    "a name that is a number": skill("name: 7\ndescription: d"),
    "a name of 64 letters": skill(`name: ${"x".repeat(64)}\ndescription: d`),
    "a name of 65 letters": skill(`name: ${"x".repeat(65)}\ndescription: d`),
    "a name with a capital": skill("name: Pdf\ndescription: d"),
    "a name that is a path": skill("name: ../x\ndescription: d"),
    "no description": skill("name: a"),
    "neither description nor body": skill("name: a", ""),
    "a description that is a table": skill("name: a\ndescription: {b: c}"),
    "a description of 1024 characters": skill(`name: a\ndescription: ${"x".repeat(1_024)}`),
    "a description of 1025 characters": skill(`name: a\ndescription: ${"x".repeat(1_025)}`),
    "no body": skill("name: a\ndescription: d", ""),
    "hidden characters": skill("name: a\ndescription: d", "Do\u202e \u200bit."),
    "front matter that does not end": "---\nname: a\nDo it.",
    "another engine": "---js\nname: a\n---\nDo it.",
    "a value that is no YAML": skill("name: a\ndescription: Use when: needed\nlicense: [MIT"),
    "a key that stands twice": skill("name: a\nname: b"),
    "a compatibility of 500 characters": skill(`${named}compatibility: ${"x".repeat(500)}`),
    "a compatibility of 501 characters": skill(`${named}compatibility: ${"x".repeat(501)}`),
    "a license that is a number": skill(`${named}license: 2`),
    "a license that is a list": skill(`${named}license: [MIT]`),
    "tools that are a number": skill(`${named}allowed-tools: 3`),
    "tools with a number among them": skill(`${named}allowed-tools: [Read, 3]`),
    "metadata that are a list": skill(`${named}metadata: [a]`),
    "another mode": skill(`${named}mode: inlin`),
    "a mode that is a number": skill(`${named}mode: 1`),
    "a priority that is a word": skill(`${named}priority: high`),
    "unknown keys": skill(
      `${named}licence: MIT\n"two words": 1\n${Array.from({ length: 10 }, (_, at) => `other${at}: 1`).join("\n")}`,
    ),
    "a key of 61 letters": skill(`${named}${"k".repeat(61)}: 1`),
  }
  const paths = Object.entries(folders).map(([name, text]) => [`${name.replaceAll(" ", "-")}/SKILL.md`, text] as const)
  const files = Object.entries(folders).map(([name, text]) => [`${name.replaceAll(" ", "-")}.md`, text] as const)
  const folder = tempFolder(Object.fromEntries([...paths, ...files]))
  const tasks = Object.keys(folders).flatMap((name) =>
    [`${name.replaceAll(" ", "-")}/SKILL.md`, `${name.replaceAll(" ", "-")}.md`].map((path) => {
      const read = async () => {
        const { skills, problems } = await readSkills([`./${path}`], { folder, promptFolders: [] })
        const shown = skills.map(({ content: _, source: __, file: ___, ...known }) => JSON.stringify(known))
        const told = problems.map((problem) => `${problem.severity} ${problem.rule}: ${printProblem(problem)}`)
        return [...shown, ...told].join("\n").replaceAll(/x{60,}/g, ({ length }) => `x…(${length})`)
      }
      return [path, read] as const
    }),
  )
  await expect(await endings(Object.fromEntries(tasks), folder)).toMatchFileSnapshot("__snapshots__/problems.txt")
})

test("skills that are not there, or stand twice, are told with those that could be loaded", async () => {
  const good = skill("name: good\ndescription: d")
  const wrong = Object.fromEntries(
    Array.from({ length: 22 }, (_, at) => [`many/${String(at).padStart(2, "0")}.md`, skill("name: ../x")]),
  )
  const goods = Object.fromEntries(
    Array.from({ length: 21 }, (_, at) => [`goods/g${at}/SKILL.md`, skill(`name: g${at}\ndescription: d`)]),
  )
  const folder = tempFolder({
    ...{ "good/SKILL.md": good, "copy/SKILL.md": good, "other/SKILL.md": skill("name: good\ndescription: other") },
    ...{ "empty/readme.txt": "", "a.txt": "words", "linked/inner/SKILL.md": good, "outside.md": good },
    ...{ "deep/1/2/3/SKILL.md": good, "deep/.git/SKILL.md": good, "deep/node_modules/SKILL.md": good },
    ...wrong,
    ...goods,
  })
  symlinkSync(join(folder, "outside.md"), join(folder, "linked/away.md"))
  symlinkSync(join(folder, "good"), join(folder, "linked/away"))
  symlinkSync(join(folder, "outside.md"), join(folder, "linked/inner/notes.md"))
  const load = (...references: string[]) => {
    return async () => (await loadSkills(references, { folder, promptFolders: [] })).map(({ name }) => name)
  }
  const told = (...references: string[]) => {
    return async () => {
      const { skills, problems } = await readSkills(references, { folder, promptFolders: [], modes: { good: "inline" } })
      return [`loaded: ${skills.map(({ name, mode }) => `${name} (${mode})`).join(", ")}`, ...problems.map(printProblem)].join(
        "\n",
      )
    }
  }
  const tasks = {
    one: load("./good"),
    "a name that nobody has": load("dairy"),
    "a path that is not there": load("./nobody/SKILL.md"),
    "a text file": load("./a.txt"),
    "a folder without skills": load("./empty"),
    "a copy": told("./good", "./copy"),
    "two of one name": load("./good", "./other"),
    "twice the same": told("./good", "./good/SKILL.md"),
    "links that lead outside": told("./linked"),
    "a tree": told("./deep"),
    "many mistakes": () => load("./many", "./goods")().catch(({ message }: Error) => message.split("\n").slice(-8).join("\n")),
    "an unknown mode": () => loadSkills("./good", { folder, modes: { goods: "inline" } }),
    "a misspelt option": () => loadSkills("./good", { folders: [] } as object),
  }
  await expect(await endings(tasks, folder)).toMatchFileSnapshot("__snapshots__/not-loaded.txt")
})
