import { symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { type LoadSkillsOptions, readSkills } from "../../../src/node/skills/load-skills.ts"
import { near } from "../../support/error-formulas.ts"
import { tempFolder } from "../../support/temp-folder.ts"

/** A `SKILL.md` with this front matter. */
const skillMd = (frontMatter: string, body = "Do this."): string => `---\n${frontMatter}\n---\n${body}\n`

/** The names that load from a folder, and its problems as `severity rule`. */
async function outcome(folder: string, options: LoadSkillsOptions = {}) {
  const { skills, problems } = await readSkills(folder, options)
  return { names: skills.map(({ name }) => name), problems: problems.map(({ severity, rule }) => `${severity} ${rule}`) }
}

describe("a skill in the open form", () => {
  test("L5: loads unchanged, its files listed and not run", async () => {
    const folder = tempFolder({
      "pdf-forms/SKILL.md": skillMd(
        [
          "name: pdf-forms",
          "description: >-",
          "  Fill PDF forms.",
          "  Use it for forms.",
          "license: Apache-2.0",
          "compatibility: Needs python3",
          "allowed-tools: Bash(python:*) Read",
          "metadata:",
          "  author: example-org",
          '  version: "1.0"',
        ].join("\n"),
        "\n# Forms\n\nSee references/FORMS.md.\n",
      ),
      "pdf-forms/references/FORMS.md": "x",
      "pdf-forms/scripts/fill.py": "raise SystemExit",
      "pdf-forms/assets/a/b.png": new Uint8Array([0]),
      "pdf-forms/.cache/x": "x",
      "pdf-forms/node_modules/x/y.js": "x",
    })
    const { skills, problems } = await readSkills(join(folder, "pdf-forms"))
    const file = join(folder, "pdf-forms/SKILL.md")
    expect(problems).toEqual([])
    expect(skills).toEqual([
      {
        name: "pdf-forms",
        description: "Fill PDF forms. Use it for forms.",
        mode: "outline",
        priority: 100,
        content: { text: "# Forms\n\nSee references/FORMS.md.", trust: "author", source: { file, line: 14 } },
        path: "skills/pdf-forms/SKILL.md",
        file,
        allowedTools: ["Bash(python:*)", "Read"],
        resources: ["assets/a/b.png", "references/FORMS.md", "scripts/fill.py"],
        scripts: ["scripts/fill.py"],
        license: "Apache-2.0",
        compatibility: "Needs python3",
        metadata: { author: "example-org", version: "1.0" },
        source: { file, line: 1 },
      },
    ])
  })

  test.each<[string, string | Uint8Array, string]>([
    ["a byte order mark and Windows line ends", "\ufeff---\r\nname: s\r\ndescription: d\r\n---\r\nb\r\n", ""],
    ["blank lines above", "\n\n---\nname: s\ndescription: d\n---\nb", ""],
    ["a colon in the description", skillMd("name: s\ndescription: Use when: a: b"), "warning front-matter"],
    ["tabs", skillMd("name: s\ndescription: d\nmetadata:\n\ta: b"), "warning front-matter"],
    ["unknown keys", skillMd("name: s\ndescription: d\nversion: 1\ntags: [a]\nuser-invocable: true"), "warning unknown-key"],
    ["no name", skillMd("description: d"), "warning name"],
    ["no description", skillMd("name: s"), "warning description"],
    ["no front matter", "# Title\n\nDo this.\n", "warning name, warning description"],
    ["an upper-case name", skillMd("name: My Skill\ndescription: d"), "warning name"],
    ["the name of another folder", skillMd("name: t\ndescription: d"), "warning name"],
    ["a long name", skillMd(`name: ${"s".repeat(65)}\ndescription: d`), "warning name, warning name"],
    ["a long description", skillMd(`name: s\ndescription: ${"d".repeat(1025)}`), "warning description"],
    ["a long compatibility", skillMd(`name: s\ndescription: d\ncompatibility: ${"c".repeat(501)}`), "warning compatibility"],
    ["a mode of another reader", skillMd("name: s\ndescription: d\nmode: true"), "warning mode"],
    ["a priority of another reader", skillMd("name: s\ndescription: d\npriority: high"), "warning priority"],
    ["tools that are none", skillMd("name: s\ndescription: d\nallowed-tools: {a: b}"), "warning allowed-tools"],
    ["metadata that is none", skillMd("name: s\ndescription: d\nmetadata: x"), "warning metadata"],
    ["a licence that is no text", skillMd("name: s\ndescription: d\nlicense: [MIT]"), "warning license"],
    ["no body", skillMd("name: s\ndescription: d", ""), "warning content"],
    ["characters nobody sees", skillMd("name: s\ndescription: d\u{e0041}\u202e"), "warning hidden-characters"],
    ["an anchor", skillMd("name: &n s\ndescription: *n"), ""],
    ["null where text may stand", skillMd("name: s\ndescription: d\nlicense:\nmetadata:\nallowed-tools:"), ""],
  ])("loads with %s", async (_name, content, problems) => {
    const found = await outcome(tempFolder({ "s/SKILL.md": content }))
    expect(found.names).toHaveLength(1)
    expect(found.problems.join(", ")).toBe(problems)
  })

  test("a description that is missing is the body's first paragraph", async () => {
    const { skills } = await readSkills(tempFolder({ "s/SKILL.md": "# Title\n\nDo\nthis.\n\nThen that." }))
    expect(skills[0]).toMatchObject({ name: "s", description: "Do this." })
  })

  test.each<[string, string | Uint8Array, RegExp]>([
    ["a name that is a path", skillMd("name: ../../etc\ndescription: d"), /name: expected a name, found the path/],
    ["a name that is no text", skillMd("name: {a: b}\ndescription: d"), /name: expected text/],
    ["a description that is no text", skillMd("name: s\ndescription: {a: b}"), /description: expected text/],
    ["a key twice", skillMd("name: s\nname: t\ndescription: d"), /keys must be unique/],
    [
      "a bomb",
      skillMd(`name: s\na: &a [${"x,".repeat(9)}]\nb: &b [${"*a,".repeat(20)}]\nc: [${"*b,".repeat(20)}]`),
      /Excessive alias count/,
    ],
    ["a prototype", skillMd("name: s\n__proto__: {a: b}"), /__proto__ is not allowed/],
    ["code", "---js\nprocess.exit(1)\n---\nb", /found the engine "js"; nothing of it was run/],
    ["front matter without an end", "---\nname: s\ndescription: d\n\nbody", /expected a line --- that ends/],
    ["nothing in it", "", /neither a description nor instructions/],
    ["bytes that are no text", new Uint8Array([0x2d, 0xe9, 0x0a]), /expected UTF-8/],
    ["10 MB", `${skillMd("name: s")}${"x".repeat(10_000_000)}`, /at most 1,048,576 bytes, found 10,000,0/],
  ])("L12: refuses %s, with the place", async (_name, content, message) => {
    const folder = tempFolder({ "good/SKILL.md": skillMd("name: good\ndescription: d"), "s/SKILL.md": content })
    const { skills, problems } = await readSkills(folder)
    expect(skills.map(({ name }) => name)).toEqual(["good"])
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatchObject({ severity: "error", reference: folder, source: { file: join(folder, "s/SKILL.md") } })
    expect(problems[0]?.message).toMatch(message)
    expect(problems[0]?.message).not.toContain("\n")
  })

  test("an error shows the line with a caret", async () => {
    const { problems } = await readSkills(tempFolder({ "s/SKILL.md": skillMd("description: d\nname: a/b") }))
    expect(problems[0]).toMatchObject({
      source: { line: 3, column: 1 },
      frame: "2 | description: d\n3 | name: a/b\n  | ^\n4 | ---",
    })
  })
})

describe("a Markdown file of our own form", () => {
  test("L5: has a mode and a priority", async () => {
    const folder = tempFolder({
      "skills/greet.md": skillMd("name: greet\ndescription: d\nmode: inline\npriority: 5", "Say hello."),
    })
    const { skills, problems } = await readSkills(join(folder, "skills/greet.md"))
    expect(problems).toEqual([])
    expect(skills[0]).toMatchObject({
      name: "greet",
      mode: "inline",
      priority: 5,
      content: { text: "Say hello." },
      resources: [],
    })
  })

  test.each([
    ["mode: inlin", /mode: expected inline or outline, found "inlin"\. .* "inline"\?/],
    ["priority: high", /priority: expected a number, found "high"/],
  ])("refuses %s", async (line, message) => {
    const { skills, problems } = await readSkills(tempFolder({ "a.md": skillMd(`name: a\ndescription: d\n${line}`) }))
    expect(skills).toEqual([])
    expect(problems[0]?.message).toMatch(message)
    expect(problems[0]?.source?.line).toBe(4)
  })

  test("a description that is written as a list is one line", async () => {
    const { skills } = await readSkills(tempFolder({ "a.md": skillMd("name: a\ndescription:\n  - Write daily.\n  - Be brief.") }))
    expect(skills[0]?.description).toBe("Write daily. Be brief.")
  })

  test("its name need not be that of the file, and an unknown key has a suggestion", async () => {
    const { skills, problems } = await readSkills(
      tempFolder({ "a.md": skillMd("name: write_it\ndescriptoin: d\ndescription: e") }),
    )
    expect(skills[0]?.name).toBe("write_it")
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^expected only name, description, .*, found descriptoin /),
    ])
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringContaining('found descriptoin (did you mean "description"?); they are not used.'),
    ])
  })
})

describe("a folder of skills", () => {
  test("collections are found wherever their SKILL.md lie; other Markdown is none", async () => {
    const md = (name: string) => skillMd(`name: ${name}\ndescription: d`)
    const folder = tempFolder({
      "README.md": "# Skills",
      "docs.md": "---\ntitle: Docs\n---\n",
      "single.md": md("single"),
      "deep/notes.md": md("notes"),
      "skills/a/SKILL.md": md("a"),
      "skills/a/examples/nested/SKILL.md": md("nested"),
      ".claude/skills/b/skill.md": md("b"),
      "plugins/p/skills/c/SKILL.md": md("c"),
      "node_modules/x/SKILL.md": md("x"),
      ".git/SKILL.md": md("g"),
    })
    expect(await outcome(folder)).toEqual({ names: ["b", "c", "single", "a"], problems: [] })
  })

  test("two of one name are an error, two copies of one text are not", async () => {
    const md = (body: string) => skillMd("name: a\ndescription: d", body)
    const folder = tempFolder({ "1/a/SKILL.md": md("x"), "2/a/SKILL.md": md("x"), "3/a/SKILL.md": md("y") })
    expect(await outcome(folder)).toEqual({ names: ["a"], problems: ["warning collision", "error collision"] })
  })

  test("a folder without skills says so", async () => {
    const { problems } = await readSkills(tempFolder({ "README.md": "# x" }))
    expect(problems[0]).toMatchObject({ severity: "error", message: expect.stringContaining("expected skills in") })
  })

  test("links lead nowhere outside", async () => {
    const outside = tempFolder({ "s/SKILL.md": skillMd("name: s\ndescription: d"), secret: "x" })
    const folder = tempFolder({ "in/SKILL.md": skillMd("name: in\ndescription: d"), "in/a.txt": "x", "linked/x": "x" })
    symlinkSync(join(outside, "s"), join(folder, "out"))
    symlinkSync(join(outside, "s/SKILL.md"), join(folder, "linked/SKILL.md"))
    symlinkSync(join(outside, "secret"), join(folder, "in/secret"))
    symlinkSync("a.txt", join(folder, "in/b.txt"))
    symlinkSync("..", join(folder, "in/up"))
    symlinkSync("nowhere", join(folder, "in/broken"))
    const { skills, problems } = await readSkills(folder)
    expect(skills.map(({ name, resources }) => [name, resources])).toEqual([["in", ["a.txt", "b.txt"]]])
    expect(problems.map(({ rule, severity }) => `${severity} ${rule}`).sort()).toEqual([
      "warning outside",
      "warning outside",
      "warning outside",
      "warning outside",
    ])
  })

  test("a skill with too many files lists as many as may be", async () => {
    const files = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [`s/${at}.txt`, ""]))
    const { skills, problems } = await readSkills(tempFolder({ "s/SKILL.md": skillMd("name: s\ndescription: d"), ...files }))
    expect(skills[0]?.resources).toHaveLength(1_000)
    expect(problems.map(({ rule }) => rule)).toEqual(["too-many-files"])
  })
})

describe("references", () => {
  test("L11: the shipped skills are found by name, in each language, without a problem", async () => {
    for (const locale of ["en", "zh-CN"]) {
      const { skills, problems } = await readSkills(["diary", "file-navigation"], { locale, promptFolders: [] })
      expect(problems).toEqual([])
      expect(skills.map(({ name, path, mode }) => [name, path, mode])).toEqual([
        ["diary", `skills/${locale}/diary.md`, "outline"],
        ["file-navigation", `skills/${locale}/file-navigation.md`, "outline"],
      ])
      for (const tool of ["`read`", "`list`", "`write`", "`edit`"]) expect(skills[0]?.content.text).toContain(tool)
    }
  })

  test("a user's skill of a shipped name takes its place, in the locale asked for first", async () => {
    const md = (text: string) => skillMd("name: diary\ndescription: d", text)
    const folder = tempFolder({
      "prompts/skills/diary.md": md("any"),
      "prompts/skills/zh-CN/diary/SKILL.md": md("zh"),
    })
    const read = async (locale: string) =>
      (await readSkills("diary", { locale, promptFolders: [join(folder, "prompts")] })).skills[0]?.content.text
    expect(await read("zh-CN")).toBe("zh")
    expect(await read("en")).toBe("any")
  })

  test("paths are relative to the folder given, and nothing loads twice", async () => {
    const folder = tempFolder({ "s/a.md": skillMd("name: a\ndescription: d"), "s/b.md": skillMd("name: b\ndescription: d") })
    const { skills, problems } = await readSkills(["s/b.md", "./s", "s"], { folder })
    expect([skills.map(({ name }) => name), problems]).toEqual([["b", "a"], []])
  })

  test.each([
    ["dairy", /expected a skill, found none called "dairy"\. .* "diary"\?/],
    ["./nowhere", /expected a skill, found none called ".\/nowhere"./],
    ["a\u0000b", /./],
  ])("%j is not there", async (reference, message) => {
    const { skills, problems } = await readSkills(reference, { promptFolders: [] })
    expect(skills).toEqual([])
    expect(problems).toEqual([
      expect.objectContaining({ severity: "error", rule: "missing", reference, message: expect.stringMatching(message) }),
    ])
  })

  test("a file that is no Markdown is refused", async () => {
    const folder = tempFolder({ "a.txt": "x" })
    expect((await readSkills("a.txt", { folder })).problems[0]?.message).toBe(
      'expected a Markdown file or a folder, found "a.txt".',
    )
  })

  test("L5: the profile's mode goes before the skill's own; a mode for no skill is an error", async () => {
    const { skills, problems } = await readSkills(["diary", "file-navigation"], { modes: { diary: "inline", dairy: "inline" } })
    expect(skills.map(({ mode }) => mode)).toEqual(["inline", "outline"])
    expect(problems).toEqual([
      {
        severity: "error",
        rule: "mode",
        message: `expected the name of a skill that is loaded, found "dairy".${near("diary")}`,
      },
    ])
  })

  test("who wrote the skills can be said", async () => {
    expect((await readSkills("diary", { trust: "tool" })).skills[0]?.content.trust).toBe("tool")
  })
})
