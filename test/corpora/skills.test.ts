import { Buffer } from "node:buffer"
import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import { readSkills } from "../../src/node/skills/load-skills.ts"
import { buildSystemPrompt } from "../../src/prompt/assemble/build-prompts.ts"
import { dataPresent, hostileStrings, readJsonLines } from "../support/corpora.ts"
import { tempFolder } from "../support/temp-folder.ts"

/** Loads each text as the SKILL.md of a folder of its own: every one is a skill or a located error. */
function outcomes(texts: readonly string[]): { loaded: number; errors: number } {
  const folder = tempFolder(Object.fromEntries(texts.map((text, at) => [`s${at}/SKILL.md`, text])))
  const { skills, problems } = readSkills([folder], {})
  const errors = problems.filter(({ severity }) => severity === "error")
  expect(skills.length + errors.length).toBe(texts.length)
  for (const { source, message } of problems) {
    expect(source?.line).toBeGreaterThan(0)
    expect(message).not.toMatch(/\n/)
  }
  expect(() => JSON.stringify(skills)).not.toThrow()
  return { loaded: skills.length, errors: errors.length }
}

describe.skipIf(!dataPresent)("anything as a skill", () => {
  const suite = dataPresent ? readJsonLines<{ id: string; src: string }>("formats/yaml-test-suite.jsonl") : []
  const yamls = suite.flatMap(({ src }) =>
    (parse(src, { logLevel: "silent" }) as { yaml?: string }[]).map(({ yaml = "" }) => yaml.replaceAll("␣", " ")),
  )

  test("L5 L12: every document of the YAML test suite is a skill or a located error", () => {
    const { loaded, errors } = outcomes(yamls.map((yaml, at) => `---\nname: s${at}\n${yaml}\n---\nDo this.\n`))
    expect(loaded).toBeGreaterThan(50)
    expect(errors).toBeGreaterThan(10)
  })

  test("so is every TOML document", () => {
    const tomls = readJsonLines<{ b64: string }>("formats/toml-test-1.0.0.jsonl").map(({ b64 }) =>
      Buffer.from(b64, "base64").toString("utf8"),
    )
    outcomes(tomls.map((toml) => `---\n${toml}\n---\nDo this.\n`))
  })

  test("hostile strings as descriptions load unchanged but for white space, and stay on one line of the list", () => {
    const texts = hostileStrings()
      .filter((text) => text.trim() !== "" && text.length < 5_000)
      .filter((_, at) => at % 8 === 0)
    const folder = tempFolder(
      Object.fromEntries(
        texts.map((text, at) => [`s${at}/SKILL.md`, `---\nname: s${at}\ndescription: ${JSON.stringify(text)}\n---\nDo this.\n`]),
      ),
    )
    const { skills } = readSkills([folder], { trust: "tool" })
    expect(skills.length).toBeGreaterThan(0.9 * texts.length)
    const lines = buildSystemPrompt({ persona: "", skills, locale: "zh-CN" })
      .render("", { heading: "none" })
      .split(/[\n\r\u2028\u2029\u0085\v\f]/)
    expect(lines).toHaveLength(skills.length + 2)
    expect(lines.slice(1, -1).every((line) => line.startsWith("- "))).toBe(true)
  })

  test("a name or reference that leads up or to the root of a disk is refused", () => {
    const payloads = readJsonLines<{ path: string }>("paths/path-traversal.jsonl")
      .map(({ path }) => path)
      .filter((_, at) => at % 4 === 0)
    const folder = tempFolder(
      Object.fromEntries(
        payloads.map((path, at) => [`s${at}/SKILL.md`, `---\nname: ${JSON.stringify(path)}\ndescription: d\n---\nx\n`]),
      ),
    )
    const { skills } = readSkills([folder], {})
    expect(skills.filter(({ name }) => /(?:^|[\\/])\.\.[\\/]|^[\\/]/.test(name))).toEqual([])
    const read = readSkills(payloads, { folder, promptFolders: [] })
    expect(read.skills).toEqual([])
  })
})
