import { existsSync, readdirSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { describe, expect, test } from "vitest"
import { characterId } from "../../../src/apps/cli/commands/scaffold.ts"
import { createAgent } from "../../../src/loop/agent/agent.ts"
import { loadProfile } from "../../../src/node/profile/load-profile.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { root } from "../../support/source-files.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { run, start } from "./run.ts"

const read = (path: string) => readFileSync(path, "utf8")

const files = (id: string, locale: string) => [
  ".gitignore",
  "README.md",
  "package.json",
  `profiles/${id}.toml`,
  `prompts/characters/${locale}/${id}.md`,
  `prompts/formats/${locale}/spoken.md`,
  "prompts/skills/comforting/SKILL.md",
  "src/character.mjs",
  "src/main.mjs",
  "src/offline-model.mjs",
  "test/prompt.md",
  "test/prompt.test.mjs",
  "tools/dice.mjs",
]

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(folder.length + 1))
    .sort()
}

describe("promptstrata init", () => {
  test.each([
    ["en", "Luna", "luna"],
    ["zh-CN", "小月", "moon"],
  ])("writes a whole character in %s, which loads and lints clean", async (locale, name, id) => {
    const folder = `${tempFolder()}/moon`
    const { code, stderr } = await run(["init", folder, "--name", name, "--locale", locale])
    expect(code).toBe(0)
    expect(stderr).toContain("npm install")
    expect(filesIn(folder)).toEqual(files(id, locale))
    expect(filesIn(folder).filter((file) => /__[A-Z]+__/.test(read(`${folder}/${file}`)))).toEqual([])
    const profile = await loadProfile(`${folder}/profiles/${id}.toml`, { env: {} })
    expect(profile).toMatchObject({
      locale,
      agent: { name },
      skills: [{ name: "comforting" }],
      plugins: [{ name: "memory" }, { name: "dice" }],
    })
    expect(await run(["lint", `${folder}/profiles/${id}.toml`, "--strict"])).toMatchObject({ code: 0 })
  })

  test.each([
    ["en", '(offline) "hi" — set OPENAI_API_KEY'],
    ["zh-CN", "（离线）“hi”——请设置 OPENAI_API_KEY"],
  ])("N25 without a model the project answers in the character's language: %s", async (locale, answer) => {
    const folder = `${tempFolder()}/luna`
    await run(["init", folder, "--locale", locale])
    const { offlineModel } = await import(`${folder}/src/offline-model.mjs`)
    const agent = createAgent({ profile: await loadProfile(`${folder}/profiles/luna.toml`, { env: {} }), model: offlineModel() })
    expect(await agent.session("test").send("hi").result).toMatchObject({ ok: true, text: expect.stringContaining(answer) })
    await agent.close()
  })

  test("its snapshot is the prompt that its own test asks for", async () => {
    const folder = `${tempFolder()}/luna`
    await run(["init", folder, "--locale", "en"])
    const profile = await loadProfile(`${folder}/profiles/luna.toml`, { env: {} })
    const { messages } = await createAgent({ profile, model: scriptedModel([]) })
      .session("test")
      .preview("Roll two dice for me!")
    expect(read(`${folder}/test/prompt.md`)).toBe(messages.map(({ role, content }) => `# ${role}\n\n${content}\n`).join("\n"))
    expect(read(`${folder}/test/prompt.md`)).toContain("You are Luna")
    expect(read(`${folder}/test/prompt.test.mjs`)).toContain('.preview("Roll two dice for me!")')
  })

  test("its character remembers, which it says", async () => {
    const folder = `${tempFolder()}/luna`
    const { stderr } = await run(["init", folder, "--locale", "en"])
    expect(stderr).toContain("The character remembers")
    const { memory } = await loadProfile(`${folder}/profiles/luna.toml`, { env: {} })
    expect(memory.enabled).toBe(true)
    expect(read(`${folder}/src/main.mjs`)).toContain('openStore("./data")')
  })

  test("says the language that nothing named", async () => {
    const told = async (more: readonly string[], LANG: string) =>
      (await run(["init", `${tempFolder()}/luna`, ...more], { env: { LANG } })).stderr.includes("speaks English, because neither")
    expect(await told([], "C.UTF-8")).toBe(true)
    expect(await told([], "en_US.UTF-8")).toBe(false)
    expect(await told(["--locale", "en"], "")).toBe(false)
  })

  test("a character with a Chinese name keeps it in its files, and speaks Chinese where nothing says otherwise", async () => {
    const folder = `${tempFolder()}/宠物`
    const { stderr } = await run(["init", folder], { env: { LANG: "C.UTF-8" } })
    expect(stderr).toContain("角色说中文")
    expect(filesIn(folder)).toEqual(files("宠物", "zh-CN").sort())
    const profile = await loadProfile(`${folder}/profiles/宠物.toml`, { env: {} })
    expect(profile).toMatchObject({ name: "宠物", locale: "zh-CN", agent: { name: "宠物" } })
    expect(await run(["lint", `${folder}/profiles/宠物.toml`, "--strict"])).toMatchObject({ code: 0 })
    expect(await run(["render", `${folder}/profiles/宠物.toml`])).toMatchObject({ code: 0 })
    const english = await run(["init", `${tempFolder()}/宠物`], { env: { LANG: "en_US.UTF-8" } })
    expect(english.stderr).toContain("Next steps:")
  })

  test("run from a clone, its project takes promptstrata from there, which it says", async () => {
    const folder = `${tempFolder()}/bots/luna`
    const { stderr } = await run(["init", folder, "--locale", "en"])
    const { dependencies } = JSON.parse(read(`${folder}/package.json`)) as { dependencies: { promptstrata: string } }
    expect(dependencies.promptstrata).toMatch(/^file:\.\./)
    expect(resolve(folder, dependencies.promptstrata.slice("file:".length))).toBe(resolve(root))
    expect(stderr).toContain("not from the npm registry")
  })

  test("overwrites nothing, and then writes nothing", async () => {
    const folder = tempFolder({ "src/main.mjs": "mine" })
    const { code, stderr } = await run(["init", folder, "--name", "Luna"])
    expect(code).toBe(2)
    expect(stderr).toContain("found src/main.mjs")
    expect(filesIn(folder)).toEqual(["src/main.mjs"])
    expect(read(`${folder}/src/main.mjs`)).toBe("mine")
    expect(await run(["init", `${folder}/src/main.mjs`, "--name", "Luna"])).toMatchObject({ code: 2 })
  })

  test("goes beside other files of a folder", async () => {
    const folder = tempFolder({ "notes.txt": "mine" })
    expect((await run(["init", folder, "--name", "Luna"])).code).toBe(0)
    expect(filesIn(folder)).toContain("notes.txt")
  })

  test.each([['Lu"na'], ["Lu\nna"], ["\\"], [" "], [""], ["x".repeat(41)], ["${a}"], ["<Luna>"]])(
    "takes no name that would break a file: %j",
    async (name) => {
      const folder = `${tempFolder()}/luna`
      const { code, stderr } = await run(["init", folder, "--name", name])
      expect({ code, made: existsSync(folder) }).toEqual({ code: 2, made: false })
      expect(stderr).toContain("expected a name")
    },
  )

  test.each(["No", "1", "O'Neil", "Dr. Who", "null", "Ann-Marie", "Ève"])(
    "takes the name %j everywhere as text",
    async (name) => {
      const folder = `${tempFolder()}/bot`
      expect((await run(["init", folder, "--name", name])).code).toBe(0)
      const profile = await loadProfile(`${folder}/profiles/${characterId(name, folder)}.toml`, { env: {} })
      expect(profile.agent.name).toBe(name)
    },
  )

  test("without a terminal asks nothing: a folder has to be given, a language has to be one of two", async () => {
    expect(await run(["init"])).toMatchObject({ code: 2, stdout: "" })
    const folder = `${tempFolder()}/luna`
    const { code, stderr } = await run(["init", folder, "--locale", "fr"])
    expect({ code, made: existsSync(folder) }).toEqual({ code: 2, made: false })
    expect(stderr).toContain("expected one of en, zh-CN")
  })

  test("at a terminal asks for folder and name, and an empty answer takes the proposal", async () => {
    const folder = `${tempFolder()}/my-luna`
    const session = start(["init"], { terminal: true })
    await session.shows("Folder for the new character: ")
    session.type(`${folder}\n`)
    await session.shows("Name of the character (My Luna): ")
    session.type("\n")
    expect(await session.code).toBe(0)
    expect(read(`${folder}/profiles/my-luna.toml`)).toContain('name = "My Luna"')
    // A terminal that is still read would keep the program from ending.
    expect(session.io.stdin.isPaused()).toBe(true)
  })

  test("at a terminal asks for the language where neither the option nor the machine names one", async () => {
    const folder = `${tempFolder()}/宠物`
    const session = start(["init", folder, "--name", "团团"], { terminal: true, env: { LANG: "C.UTF-8" } })
    await session.shows("Language / 语言: en, zh-CN (zh-CN): ")
    session.type("deutsch\n")
    await session.shows("Language / 语言: en, zh-CN (zh-CN): ", 2)
    session.type("en\n")
    expect(await session.code).toBe(0)
    expect(read(`${folder}/profiles/团团.toml`)).toContain('locale = "en"')
  })

  test.each([
    ["en", "Juno", "workspace/SOUL.md says who the companion is"],
    ["zh-CN", "团团", "角色是谁，写在 workspace/SOUL.md 里"],
  ])("--soul begins a companion in %s whose SOUL.md is in its prompt and is not changed unasked", async (locale, name, said) => {
    const folder = `${tempFolder()}/${name}`
    const { code, stderr } = await run(["init", folder, "--name", name, "--soul", "--locale", locale])
    expect({ code, said: stderr.includes(said) }).toEqual({ code: 0, said: true })
    const soul = read(`${folder}/workspace/SOUL.md`)
    expect(read(`${folder}/test/prompt.md`)).toContain(soul.trim())
    const profile = await loadProfile(`${folder}/profiles/${name.toLowerCase()}.toml`, { env: {} })
    const write = '{"action":"tool","tool":"write","args":{"path":"SOUL.md","content":"x"}}'
    const model = scriptedModel([write, '{"action":"finish","message":"No."}'])
    const { trace } = await createAgent({ profile, model }).session("test").send("hi").result
    expect(trace.runs).toMatchObject([{ tool: "write", status: "failed" }])
    expect(read(`${folder}/workspace/SOUL.md`)).toBe(soul)
    expect(await run(["lint", `${folder}/profiles/${name.toLowerCase()}.toml`, "--strict"])).toMatchObject({ code: 0 })
  })

  test("left at a question it writes nothing", async () => {
    const folder = `${tempFolder()}/luna`
    const session = start(["init", folder], { terminal: true })
    await session.shows("Name of the character (Luna): ")
    session.end()
    expect(await session.code).toBe(130)
    expect(existsSync(folder)).toBe(false)
  })
})
