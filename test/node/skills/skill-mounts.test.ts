import { readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { createAgent } from "../../../src/loop/agent/agent.ts"
import { loadProfile } from "../../../src/node/profile/load-profile.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish } from "../../support/agents.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const skill = "---\nname: diary\ndescription: keeps a diary\n---\nSee references/how.md\n"
const files = {
  "skills/diary/SKILL.md": skill,
  "skills/diary/references/how.md": "Write every day.",
  "skills/plain.md": "---\nname: plain\ndescription: stands in the prompt\nmode: inline\n---\nInline words.\n",
  "secret.md": "OUTSIDE",
}
const [own, reference] = ["skills/diary/SKILL.md", "skills/diary/references/how.md"]

/** The results of one turn's calls, for a profile with these skills. */
async function told(
  profile: string,
  calls: readonly (readonly [tool: string, args: Record<string, unknown>])[],
  { memoryOn = true, more = {} }: { readonly memoryOn?: boolean; readonly more?: Readonly<Record<string, string>> } = {},
): Promise<{ readonly results: readonly string[]; readonly folder: string }> {
  const skills = '[skills]\nfolders = ["skills"]\nmodes = { diary = "outline" }\n'
  const folder = tempFolder({ ...files, ...more, "bot.toml": `${profile}\n${skills}` })
  symlinkSync("../../secret.md", join(folder, "skills/diary/out.md"))
  const loaded = await loadProfile(join(folder, "bot.toml"), { locale: "en", dataFolder: join(folder, "data") })
  const model = scriptedModel([...calls.map(([tool, args]) => callTool(tool, args)), finish("done")])
  const session = createAgent({ profile: loaded, model }).session("c")
  if (!memoryOn) await session.setMemory(false)
  const { trace } = await session.send("hello").result
  return { results: trace.runs.map(({ result }) => result), folder }
}

describe("the files of outline skills", () => {
  test.each([
    ["a profile without file tools", ""],
    ["a profile with documents", 'extends = "soul"'],
  ])("L5 are read under the paths the model is told, by %s", async (_, profile) => {
    const { results } = await told(profile, [
      ["read", { path: own }],
      ["read", { path: "./Skills/DIARY/references/how.md" }],
    ])
    expect(results).toEqual([skill, "Write every day."])
  })

  test("L5 D2 are read with memory off, and nothing else is", async () => {
    const calls = [own, "MEMORY.md", "skills/diary/../../MEMORY.md"].map((path) => ["read", { path }] as const)
    const options = { memoryOn: false, more: { "data/workspace/MEMORY.md": "private" } }
    const { results } = await told('extends = "soul"', calls, options)
    expect(results[0]).toBe(skill)
    expect(results.join("\n")).not.toContain("private")
  })

  test("L5 D12 are all there is below their folder: no other skill, no link out, and what the workspace has there is hidden", async () => {
    const paths = ["skills/plain.md", "skills/diary/out.md", "skills/diary/mine.md", "skills/diary"]
    const options = { more: { "data/workspace/skills/diary/mine.md": "mine" } }
    const { results } = await told(
      'extends = "soul"',
      paths.map((path) => ["read", { path }] as const),
      options,
    )
    expect(results).toHaveLength(4)
    for (const result of results) expect(result).toMatch(/^Tool error: |no file|cannot be used/)
    expect(results.join("\n")).not.toMatch(/OUTSIDE|Inline words|mine$/m)
  })

  test("L5 are listed and searched with the workspace's own, and never written", async () => {
    const profile = 'extends = "soul"\n[tools]\nenabled = ["list", "search"]'
    const { results, folder } = await told(
      profile,
      [
        ["search", { query: "every day" }],
        ["search", { query: "every day", path: reference }],
        ["list", { path: "skills/diary" }],
        ["read", { path: own }],
        ["write", { path: own, content: "x" }],
        ["edit", { path: reference, old_text: "day", new_text: "week" }],
      ],
      { more: { "data/workspace/MEMORY.md": "- every day a bath\n" } },
    )
    expect(results.slice(0, 2)).toEqual([
      `MEMORY.md:1: - every day a bath\n${reference}:1: Write every day.`,
      `${reference}:1: Write every day.`,
    ])
    expect(results[2]?.split("\n").map((line) => line.split(" ")[0])).toEqual([own, reference])
    for (const refused of results.slice(4)) expect(refused).toContain("is read-only and cannot be changed")
    expect(readFileSync(join(folder, own), "utf8")).toBe(skill)
  })
})
