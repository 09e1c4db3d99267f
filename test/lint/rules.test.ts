import { describe, expect, test } from "vitest"
import { lint, lintRules } from "../../src/lint/lint.ts"
import { lintCases } from "./cases.ts"
import { cleanProject, inOneLine, lintProject, readProject } from "./lint-folder.ts"

describe("a project", () => {
  test("without a fault has no problem", async () => {
    expect((await lintProject(cleanProject)).map(inOneLine)).toEqual([])
  })

  test.each(lintCases)("$rule: $name", async ({ rule, files, found }) => {
    const problems = await lintProject({ ...cleanProject, ...files })
    expect(problems.filter((problem) => problem.rule === rule).map(inOneLine)).toEqual(found)
  })

  test("has every problem once, in the order of files and lines, whichever profile leads to it", async () => {
    const files = { ...cleanProject, "profiles/twin.toml": cleanProject["profiles/luna.toml"] ?? "" }
    const broken = { ...files, "prompts/characters/en/luna.md": "x \ny \n" }
    const places = (await lintProject(broken)).map(inOneLine)
    expect(places).toEqual([...new Set(places)])
    expect(places.filter((place) => place.includes("white-space"))).toHaveLength(2)
    const marked = {
      ...files,
      "prompts/characters/en/luna.md": `${cleanProject["prompts/characters/en/luna.md"]}[memory context]\n`,
    }
    expect((await lintProject(marked)).filter(({ rule }) => rule === "marker-lines")).toHaveLength(1)
  })

  test("is told of a prompt's mistake where it stands, not also where it stopped the profile", async () => {
    const files = { ...cleanProject, "prompts/layered/en/rest.md": "---\nseparator: newline\nomitt: [x]\n---\n${content}\n" }
    expect((await lintProject(files)).map(({ rule, line }) => `${rule} ${line}`)).toEqual(["front-matter-keys 3"])
  })

  test("may load any file of its prompts folder; what is loaded is not dead", async () => {
    const files = {
      ...cleanProject,
      "prompts/layered/en/rest.md": "${content}\n${file_load(words.txt)}\n",
      "prompts/layered/en/words.txt": "Some words.\n",
      "prompts/layered/en/other.txt": "Others.\n",
    }
    const dead = (await lintProject(files)).filter(({ rule }) => rule === "dead-file")
    expect(dead.map(({ file }) => file)).toEqual(["prompts/layered/en/other.txt"])
  })

  test("with a prompt that cannot be read says nothing of the slots that its twin has more", async () => {
    const files = {
      "prompts/layered/en/question.md": "${speaker} ${text | nope}\n",
      "prompts/layered/zh-CN/question.md": "${speaker} ${text}\n",
    }
    expect((await lintProject({ ...cleanProject, ...files })).map(({ rule }) => rule)).toEqual(["template-syntax"])
  })

  test("in a script that runs from right to left keeps its marks of direction", async () => {
    const files = {
      ...cleanProject,
      "prompts/characters/en/luna.md": "You are Luna, kind, brief; you call them \u200eשלום\u200e.\n",
    }
    const found = (await lintProject(files)).filter(({ rule }) => rule === "invisible-characters")
    expect(found.map(({ severity, fix }) => ({ severity, fix }))).toEqual([{ severity: "warning" }, { severity: "warning" }])
  })
})

describe("the rules", () => {
  test("have names and descriptions of their own", () => {
    expect(new Set(lintRules.map(({ name }) => name)).size).toBe(lintRules.length)
    expect(lintRules.filter(({ description }) => !/^A.*\.$|^[A-Z].*\.$/.test(description))).toEqual([])
  })

  test("each has a case that it finds", () => {
    const needTraces = ["slow-prestart", "long-results"]
    const covered = new Set([...lintCases.map(({ rule }) => rule), ...needTraces])
    expect(lintRules.map(({ name }) => name).filter((name) => !covered.has(name))).toEqual([])
  })

  test("change nothing they look at", async () => {
    const { context } = await readProject({ ...cleanProject, ...lintCases[0]?.files })
    const before = JSON.stringify(context.files)
    lint(context)
    lint(context)
    expect(JSON.stringify(context.files)).toBe(before)
  })
})
