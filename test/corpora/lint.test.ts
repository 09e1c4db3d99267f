import { describe, expect, test } from "vitest"
import { lint } from "../../src/lint/lint.ts"
import { readLintFiles } from "../../src/node/lint/read-lint-files.ts"
import { dataPresent, hostileStrings, readJsonLines, triedOf } from "../support/corpora.ts"
import { tempFolder } from "../support/temp-folder.ts"

/** Lints a project and checks that every problem stands inside its file. */
async function lintAll(files: Readonly<Record<string, string | Uint8Array>>) {
  const folder = tempFolder(files)
  const profiles = Object.keys(files).filter((path) => path.endsWith(".toml"))
  const context = await readLintFiles({
    profiles: profiles.map((path) => `${folder}/${path}`),
    promptFolder: `${folder}/prompts`,
  })
  const problems = lint(context)
  // Of a file that is no text nothing is kept.
  const read = context.files.filter(({ text }) => text !== "")
  const lines = new Map(read.map(({ file, text }) => [file, text.split(/\r\n|\n|\r/).length]))
  const outside = problems.filter(({ file, line, column }) => line < 1 || column < 1 || line > (lines.get(file) ?? Infinity))
  expect(outside).toEqual([])
  return { problems, files: context.files.filter(({ path }) => path.startsWith(folder)).length }
}

describe.skipIf(!dataPresent)("lint over outside material", () => {
  test("every document of toml-test as a profile ends in located problems or in none", async () => {
    const cases = readJsonLines<{ b64: string }>("formats/toml-test-1.0.0.jsonl")
    const { problems, files } = await lintAll(
      Object.fromEntries(cases.map(({ b64 }, at) => [`profiles/p${at}.toml`, Buffer.from(b64, "base64")])),
    )
    expect(files).toBe(cases.length)
    expect(problems.filter(({ rule }) => rule === "profile").length).toBeGreaterThan(300)
  })

  test("every document of the YAML suite as front matter, and every hostile string as a text, is read to its end", async () => {
    const yaml = readJsonLines<Record<string, unknown>>("formats/yaml-test-suite.jsonl").map((line) =>
      String(Object.values(line).find((value) => typeof value === "string" && value.includes("\n")) ?? ""),
    )
    const hostile = triedOf(hostileStrings(), 3, 7)
    const { files } = await lintAll({
      ...Object.fromEntries(yaml.map((text, at) => [`prompts/formats/en/y${at}.md`, `---\n${text}\n---\nwords\n`])),
      ...Object.fromEntries(yaml.map((text, at) => [`prompts/skills/s${at}/SKILL.md`, `---\n${text}\n---\nwords\n`])),
      ...Object.fromEntries(hostile.map((text, at) => [`prompts/characters/en/h${at}.md`, text])),
      ...Object.fromEntries(hostile.map((text, at) => [`prompts/mine/en/h${at}.md`, `${text}\n\${rest}`])),
    })
    expect(files).toBe(2 * (yaml.length + hostile.length))
  })
})
