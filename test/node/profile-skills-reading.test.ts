import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, test } from "vitest"
import { createAgent } from "../../src/agent/agent.ts"
import { loadProfile } from "../../src/node/load-profile.ts"
import { expectScriptsDone, scriptedModel } from "../../src/testing/index.ts"
import { callTool, finish } from "../support/agents.ts"
import { tempFolder } from "../support/temp-folder.ts"

afterEach(expectScriptsDone)

function project(profile: string): string {
  const folder = tempFolder()
  mkdirSync(join(folder, "kitchen/baking/steps"), { recursive: true })
  writeFileSync(join(folder, "kitchen/baking/SKILL.md"), "---\nname: baking\ndescription: How to bake bread.\n---\nMix, wait, bake.\n")
  writeFileSync(join(folder, "kitchen/baking/steps/dough.md"), "Knead for ten minutes.\n")
  writeFileSync(join(folder, "kitchen/secret.md"), "not listed\n")
  writeFileSync(join(folder, "bot.toml"), profile)
  return folder
}

async function reading(profile: string, paths: readonly string[]): Promise<{ results: string[]; prompt: string }> {
  const folder = project(profile)
  const model = scriptedModel([...paths.map((path) => callTool("read", { path })), finish("ok")])
  const loaded = await loadProfile(join(folder, "bot.toml"), { dataFolder: join(folder, "data"), locale: "en" })
  const agent = createAgent({ profile: loaded, model })
  const { trace } = await agent.session("s").send("how?").result
  return { results: trace.runs.map(({ result }) => result), prompt: model.requests[0]?.messages[0]?.content ?? "" }
}

const skills = '[skills]\nfolders = ["./kitchen"]\nenabled = ["diary"]\n'

describe("an outline skill of a profile (L5)", () => {
  test("is listed with a path that the model can read, and so are the files beside it", async () => {
    const { results, prompt } = await reading(skills, ["skills/baking/SKILL.md", "skills/baking/steps/dough.md"])
    expect(prompt).toContain("- baking: How to bake bread. -> skills/baking/SKILL.md")
    expect(results).toEqual([expect.stringContaining("Mix, wait, bake."), expect.stringContaining("Knead for ten minutes.")])
  })

  test("of the package is read by its name, whatever folder it lies in", async () => {
    const { results, prompt } = await reading(skills, ["skills/en/diary.md"])
    expect(prompt).toContain("-> skills/en/diary.md")
    expect(results[0]).toMatch(/diary/i)
  })

  test("opens nothing else: no file beside it that is not listed, no workspace, no way out", async () => {
    const { results } = await reading(skills, ["skills/secret.md", "skills/baking/../secret.md", "notes.md", "/etc/passwd"])
    for (const result of results) expect(result).not.toMatch(/not listed|root:/)
  })

  test("stands beside the workspace where the profile enables read itself", async () => {
    const folder = `${skills}[tools]\nenabled = ["read", "write"]\n`
    const { results } = await reading(folder, ["skills/baking/SKILL.md", "notes.md"])
    expect(results[0]).toContain("Mix, wait, bake.")
    expect(results[1]).not.toContain("Mix")
  })

  test("stands beside the living documents too", async () => {
    const { results } = await reading(`extends = "soul"\n${skills}`, ["skills/baking/SKILL.md", "SOUL.md"])
    expect(results[0]).toContain("Mix, wait, bake.")
  })
})
