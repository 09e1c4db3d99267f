import { describe, expect, test } from "vitest"
import { cleanProject, lintProject } from "./lint-folder.ts"

/** The message of a rule about a project with these files, if there is one. */
async function messageOf(rule: string, files: Readonly<Record<string, string>>): Promise<string | undefined> {
  const found = (await lintProject({ ...cleanProject, ...files })).filter((problem) => problem.rule === rule)
  return found[0]?.message
}

const persona = (text: string) =>
  messageOf("persona-length", { "prompts/characters/en/luna.md": `---\nname: Luna\n---\n${text}\n` })

describe("a persona may have", () => {
  test.each([
    ["800 letters", "a".repeat(800), undefined],
    ["no more", "a".repeat(801), "at most 800 characters, found 801."],
    ["200 Chinese characters", "字".repeat(200), undefined],
    ["no more of them", "字".repeat(201), "at most 200 characters, found 201."],
    ["as many letters with a quarter of Chinese characters", "字".repeat(60) + "a".repeat(180), undefined],
    ["fewer with more than a quarter", "字".repeat(61) + "a".repeat(179), "at most 200 characters, found 240."],
    ["Japanese and Korean ones, which count alike", "かカ한".repeat(67), "at most 200 characters, found 201."],
    ["pairs of surrogates, which are one character", "😀".repeat(800), undefined],
  ])("%s", async (_, text, message) => {
    const found = await persona(text)
    expect(found).toEqual(message === undefined ? undefined : expect.stringContaining(message))
  })
})

describe("a skill may have", () => {
  const skill = (body: string) =>
    messageOf("skill-size", {
      "profiles/luna.toml": `${cleanProject["profiles/luna.toml"]}\n[skills]\nfolders = ["../skills"]\n`,
      "skills/tea/SKILL.md": `---\nname: tea\ndescription: Makes tea.\n---\n${body}\n`,
    })

  test.each([
    ["500 lines", "a\n".repeat(500), undefined],
    ["no more", "a\n".repeat(501), "found 501 lines."],
    ["5,000 tokens of four letters", "a".repeat(20_000), undefined],
    ["no more of them", "a".repeat(20_001), "found about 5001 tokens."],
    ["5,000 Chinese characters", "字".repeat(5_000), undefined],
    ["no more of those", "字".repeat(5_001), "found about 5001 tokens."],
    ["neither too many lines nor tokens", `${"字\n".repeat(5_001)}`, "found 5001 lines and about 6251 tokens."],
  ])("%s", async (_, body, message) => {
    const found = await skill(body)
    expect(found).toEqual(message === undefined ? undefined : expect.stringContaining(message))
  })
})
