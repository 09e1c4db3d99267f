import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, test } from "vitest"
import { createAgent } from "../../../src/loop/agent/agent.ts"
import { loadProfile } from "../../../src/node/profile/load-profile.ts"
import { expectScriptsDone, scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish } from "../../support/agents.ts"
import { tempFolder } from "../../support/temp-folder.ts"

afterEach(expectScriptsDone)

function project(profile: string): string {
  const folder = tempFolder()
  mkdirSync(join(folder, "kitchen/baking/steps"), { recursive: true })
  writeFileSync(
    join(folder, "kitchen/baking/SKILL.md"),
    "---\nname: baking\ndescription: How to bake bread.\n---\nMix, wait, bake.\n",
  )
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

  test("L5 from folders of one name each have a path of their own, which leads to their own text and files", async () => {
    const folder = tempFolder({
      "a/doc/SKILL.md": "---\nname: doc-a\ndescription: The first.\n---\nText of A.\n",
      "a/doc/more.md": "More of A.\n",
      "b/Doc/SKILL.md": "---\nname: doc-b\ndescription: The second.\n---\nText of B.\n",
      "b/Doc/more.md": "More of B.\n",
      "b/doc.md": "---\nname: doc-c\ndescription: A file.\n---\nText of C.\n",
      "c/doc.md": "---\nname: doc-d\ndescription: Another.\n---\nText of D.\n",
      "bot.toml": 'locale = "en"\n[skills]\nfolders = ["a", "b", "c"]\n',
    })
    const profile = await loadProfile(join(folder, "bot.toml"), { env: {} })
    const paths = profile.skills.map(({ path = "" }) => path)
    expect(paths).toEqual(["skills/doc/SKILL.md", "skills/Doc-2/SKILL.md", "skills/doc.md", "skills/doc-2.md"])
    const asked = [...paths, "skills/doc/more.md", "skills/Doc-2/more.md"]
    const model = scriptedModel([...asked.map((path) => callTool("read", { path })), finish("ok")])
    const { trace } = await createAgent({ profile, model }).session("s").send("how?").result
    const words = ["Text of A.", "Text of B.", "Text of C.", "Text of D.", "More of A.", "More of B."]
    expect(trace.runs.map(({ result }) => result)).toEqual(words.map((text) => expect.stringContaining(text)))
  })

  test("L5 is itself whatever its name: one called constructor has the mode it declares", async () => {
    const folder = tempFolder({
      "skills/constructor/SKILL.md": "---\nname: constructor\ndescription: Builds.\n---\nBuild.\n",
      "bot.toml": 'locale = "en"\n[skills]\nfolders = ["skills"]\n',
    })
    const profile = await loadProfile(join(folder, "bot.toml"), { env: {} })
    expect(profile.skills.map(({ mode }) => mode)).toEqual(["outline"])
  })

  test("L11 the diary is words and the ordinary file tools: nothing that was written in it comes into a prompt by itself", async () => {
    const folder = tempFolder({
      "files/diary/20260101.md": "A secret of mine.\n",
      "bot.toml":
        'locale = "en"\n[skills]\nenabled = ["diary"]\n[tools]\nenabled = ["list", "read", "write", "edit"]\n[files]\nfolder = "files"\n',
    })
    const profile = await loadProfile(join(folder, "bot.toml"), { env: {} })
    expect(profile.skills.map(({ allowedTools }) => allowedTools)).toEqual([["list", "read", "write", "edit"]])
    expect(profile.plugins).toEqual([])
    const entry = { path: "diary/20260102.md", content: "## Evening\nWe spoke.\n" }
    const model = scriptedModel([callTool("read", { path: "diary/20260101.md" }), callTool("write", entry), finish("ok")])
    const session = createAgent({ profile, model }).session("s")
    const { trace } = await session.send("How was it?").result
    expect(trace.runs).toMatchObject([{ status: "ok", result: expect.stringContaining("A secret of mine.") }, { status: "ok" }])
    expect(readFileSync(join(folder, "files/diary/20260102.md"), "utf8")).toBe(entry.content)
    const prompt = JSON.stringify((await session.preview("And today?")).messages)
    expect(prompt).toContain("- diary: ")
    expect(prompt).not.toMatch(/A secret of mine|We spoke/)
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
