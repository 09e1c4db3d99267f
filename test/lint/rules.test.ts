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
    const matching = problems.filter((problem) => problem.rule === rule)
    expect(matching.map(inOneLine)).toEqual(found)
    expect(matching.map(({ hint, endColumn, fix }) => ({ hint, endColumn, fix }))).toMatchSnapshot()
  })

  test.each([
    ["json", "chat", ["planner", "final"]],
    ["native", "planner", ["native", "final"]],
    ["auto", "chat", ["planner", "native", "final"]],
    ["chat", "planner", ["chat", "final"]],
  ])("misses the prompts that turns of mode %s print, if its dialect has %s alone", async (mode, has, names) => {
    const profile = `locale = "en"\n[prompt]\nfolder = "../prompts"\npersona = "luna"\ndialect = "mine"\n[loop]\nmode = "${mode}"\n`
    const files = { ...cleanProject, "profiles/luna.toml": profile, [`prompts/mine/en/${has}.md`]: "${role(user)}\n${rest}\n" }
    const found = (await lintProject(files)).filter(({ rule }) => rule === "missing-file")
    expect(found.map(({ message }) => message.match(/a prompt (\w+)\.md/)?.[1])).toEqual(names)
  })

  test("may print what changes before what stays the same in a prompt that no turn prints", async () => {
    const body = "${role(system)}\n${dialogue}\n${memories}\n${persona}\n${role(user)}\n${rest}\n"
    const files = { ...cleanProject, "prompts/layered/en/importance.md": body }
    expect((await lintProject(files)).filter(({ rule }) => rule === "cache-order")).toEqual([])
  })

  test("is told what to do about a skill's missing tools", async () => {
    const more = '[skills]\nenabled = ["diary"]\n[tools]\nenabled = ["read"]\n'
    const files = { ...cleanProject, "profiles/luna.toml": `${cleanProject["profiles/luna.toml"]}${more}` }
    const found = (await lintProject(files)).filter(({ rule }) => rule === "unknown-tool")
    expect(found.map(({ hint }) => hint)).toEqual(["Enable them in [tools], or pass them to createAgent."])
  })

  test("has a run of characters that nobody sees told once, with its first code", async () => {
    const hidden = "a\u2060\u200b\u200bb\u0007c\u00add\n"
    const files = {
      ...cleanProject,
      "prompts/characters/en/luna.md": `${cleanProject["prompts/characters/en/luna.md"]}${hidden}`,
    }
    const found = (await lintProject(files)).filter(({ rule }) => rule === "invisible-characters")
    expect(found.map(({ message }) => message.split(": ")[1])).toEqual(["U+2060 and 2 more.", "U+0007.", "U+00AD."])
  })

  test("may have skills of 5,000 rough tokens: one for a Chinese character, one for four others", async () => {
    const skill = (body: string) => ({
      ...cleanProject,
      "profiles/luna.toml": `${cleanProject["profiles/luna.toml"]}[skills]\nfolders = ["../skills"]\n`,
      "skills/sewing/SKILL.md": `---\nname: sewing\ndescription: How to sew\n---\n${body}\n`,
    })
    const sizes = async (body: string) =>
      (await lintProject(skill(body)))
        .filter(({ rule }) => rule === "skill-size")
        .map(({ message }) => message.match(/about (\d+) tokens/)?.[1])
    expect(await sizes(`${"针".repeat(4_000)}${"x".repeat(4_000)}`)).toEqual([])
    expect(await sizes(`${"针".repeat(4_000)}${"x".repeat(4_001)}`)).toEqual(["5001"])
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
    const needTraces = ["slow-prestart", "long-results", "window-room"]
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
