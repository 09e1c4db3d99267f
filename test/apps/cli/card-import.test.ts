import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { describe, expect, onTestFinished, test } from "vitest"
import { createAgent } from "../../../src/loop/agent/agent.ts"
import { loadProfile } from "../../../src/node/profile/load-profile.ts"
import { watchProfile } from "../../../src/node/profile/watch-profile.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { sampleCard as data } from "../../support/sample-card.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { run } from "./run.ts"

const problems = [
  "description: invisible characters are taken out: 1 (control).",
  "alternate_greetings[0]: the macro {{getvar::x}} is not known; the model reads it as it stands.",
  "entries[1]: the entry has no key, so it never enters.",
  "entries[0] The shop: the pattern /(a)\\1/ is not used: a backreference cannot be searched for in linear time.",
]

describe("promptstrata card import", () => {
  const files = { "mei.json": JSON.stringify({ spec: "chara_card_v2", spec_version: "2.0", data }) }

  test("replaces a project with --force alone: no part of the card before is left, and other files stay", async () => {
    const from = tempFolder(files)
    const other = { spec: "chara_card_v2", spec_version: "2.0", data: { name: "Mei", description: "Another.", extensions: {} } }
    writeFileSync(`${from}/other.json`, JSON.stringify(other))
    await run(["card", "import", `${from}/mei.json`, `${from}/shop`])
    const own = `${from}/shop/prompts/characters/mei/world_book.md`
    writeFileSync(own, "mine")
    const refused = await run(["card", "import", `${from}/other.json`, `${from}/shop`])
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("expected a folder without the files")])
    expect((await run(["card", "import", `${from}/other.json`, `${from}/shop`, "--force"])).code).toBe(0)
    await run(["card", "export", `${from}/shop`, `${from}/again.json`])
    expect(JSON.parse(readFileSync(`${from}/again.json`, "utf8"))).toEqual(other)
    expect(readFileSync(own, "utf8")).toBe("mine")
    expect((await run(["import", `${from}/mei.json`, `${from}/shop`, "--force"])).code).toBe(0)
  })

  test("calls a character of which no name is left Character", async () => {
    const nameless = { spec: "chara_card_v2", spec_version: "2.0", data: { ...data, name: "\u200b" } }
    const from = tempFolder({ "some.json": JSON.stringify(nameless) })
    const { code, stderr } = await run(["card", "import", `${from}/some.json`, `${from}/shop`])
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("Imported the card of Character into") })
  })

  test("makes a project that loads, lints with the places of the card's problems, and exports the same card", async () => {
    const from = tempFolder(files)
    const { code, stderr } = await run(["card", "import", `${from}/mei.json`, `${from}/shop`])
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("Imported the card of Mei into") })
    expect(stderr).toContain("The card has problems:")
    const sound = { spec: "chara_card_v2", spec_version: "2.0", data: { name: "Bo", description: "Calm.", first_mes: "Hi." } }
    writeFileSync(`${from}/bo.json`, JSON.stringify(sound))
    const other = await run(["card", "import", `${from}/bo.json`, `${from}/bo`])
    expect(other.stderr).not.toContain("The card has problems:")
    expect(readdirSync(`${from}/shop`, { recursive: true, encoding: "utf8" }).sort()).toEqual([
      ".gitignore",
      "README.md",
      "package.json",
      "profiles",
      "profiles/mei.toml",
      "prompts",
      "prompts/characters",
      "prompts/characters/mei",
      ...["alternate_greetings", "alternate_greetings/001.md", "card.parts.json", "creator_notes.md", "description.md"]
        .concat([
          "first_mes.md",
          "group_only_greetings",
          "group_only_greetings/001.md",
          "lore",
          "lore/001-The-shop.md",
          "lore/002.md",
          "lore/003.md",
          "personality.md",
        ])
        .map((name) => `prompts/characters/mei/${name}`),
      "src",
      "src/character.mjs",
      "src/main.mjs",
      "src/offline-model.mjs",
      "test",
      "test/prompt.md",
      "test/prompt.test.mjs",
    ])
    expect(readFileSync(`${from}/shop/prompts/characters/mei/lore/001-The-shop.md`, "utf8")).toBe(
      '---\nkeys: [shop, "/(a)\\\\1/"]\ncomment: The shop\ninsertion_order: 7\n---\nIt is old.\n',
    )
    const linted = await run(["lint", `${from}/shop/profiles/mei.toml`, "--format", "json"])
    const { problems: found } = JSON.parse(linted.stdout) as { problems: { file: string; message: string; rule: string }[] }
    expect(found.map(({ file, message, rule }) => [rule, file.split("/shop/")[1], message])).toEqual(
      [
        [problems[1], "alternate_greetings/001.md"],
        [problems[0], "description.md"],
        [problems[3], "lore/001-The-shop.md"],
        [problems[2], "lore/002.md"],
      ].map(([message, file]) => ["card", `prompts/characters/mei/${file}`, message]),
    )
    const profile = await loadProfile(`${from}/shop/profiles/mei.toml`, { env: {} })
    const session = createAgent({ profile, model: scriptedModel([]) }).session("test")
    const { messages } = await session.preview("Who are you?", { prompt: "chat" })
    // The project's own test prints the prompt so.
    const printed = messages.map(({ role, content }) => `# ${role}\n\n${content}\n`).join("\n")
    expect(readFileSync(`${from}/shop/test/prompt.md`, "utf8")).toBe(printed)
    expect((await run(["card", "export", `${from}/shop`, `${from}/again.json`])).code).toBe(0)
    expect(JSON.parse(readFileSync(`${from}/again.json`, "utf8"))).toEqual({ spec: "chara_card_v2", spec_version: "2.0", data })
    expect((await run(["card", "show", `${from}/shop/prompts/characters/mei`])).stdout).toContain("Welcome!")
  })

  test("a project greets, and an edit of a file is seen by the next session", async () => {
    const from = tempFolder(files)
    await run(["card", "import", `${from}/mei.json`, `${from}/shop`, "--locale", "zh"])
    const path = `${from}/shop/profiles/mei.toml`
    const chat = await run(["chat", path], { input: "hi\n" })
    expect([chat.code, chat.stdout.split("\n")[0]]).toEqual([0, "Welcome!"])
    const watched = await watchProfile(path, { env: {} })
    expect((await watched.refresh()).greeting).toBe("Welcome!")
    const folder = `${from}/shop/prompts/characters/mei`
    writeFileSync(`${folder}/first_mes.md`, "Good morning!")
    writeFileSync(`${folder}/lore/004.md`, "---\nkeys: [tower]\n---\nA tower stands here.")
    const profile = await watched.refresh()
    expect(profile.greeting).toBe("Good morning!")
    const agent = createAgent({ profile, model: scriptedModel([]) })
    const { messages } = await agent.session("c").preview("Look, a tower", { prompt: "chat" })
    expect(messages.map(({ content }) => content).join("\n")).toContain("A tower stands here.")
  })

  test.each([
    ["lore/009.md", "---\nkeys: [tower]\n---\nA tower stands here."],
    ["alternate_greetings/009.md", "Hello again."],
    ["mes_example.md", "<START>\nHi."],
  ])("L13: of a project a file that comes, and goes again, is seen alone: %s", async (path, text) => {
    const from = tempFolder(files)
    await run(["card", "import", `${from}/mei.json`, `${from}/shop`])
    const watched = await watchProfile(`${from}/shop/profiles/mei.toml`, { env: {} })
    const before = await watched.refresh()
    const file = `${from}/shop/prompts/characters/mei/${path}`
    writeFileSync(file, text)
    const after = await watched.refresh()
    expect(after).not.toBe(before)
    expect(await watched.refresh()).toBe(after)
    rmSync(file)
    expect(await watched.refresh()).not.toBe(after)
  })

  test("overwrites nothing, and says what it takes for a project with one card", async () => {
    const from = tempFolder({ ...files, "shop/README.md": "mine", "two/prompts/characters/x/y.md": "" })
    const { code, stderr } = await run(["card", "import", `${from}/mei.json`, `${from}/shop`])
    expect([code, stderr]).toEqual([2, expect.stringContaining("found README.md in")])
    expect(readdirSync(`${from}/shop`)).toEqual(["README.md"])
    expect((await run(["card", "show", `${from}/two`])).stderr).toContain("found no folder with card.parts.json")
  })

  test.each([
    ["CON", "con-character"],
    ["../../x", "x"],
    ["小月", "mei"],
    ["\u202e\u0007", "mei"],
  ])("the name %j makes a folder called %s", async (name, expected) => {
    const from = tempFolder({ "mei.json": JSON.stringify({ name, first_mes: "你好，我是小月。" }) })
    const before = process.cwd()
    onTestFinished(() => process.chdir(before))
    process.chdir(from)
    const { stderr } = await run(["card", "import", "mei.json"])
    expect(readdirSync(from).sort()).toEqual([expected, "mei.json"].sort())
    expect(readdirSync(`${from}/${expected}/profiles`)).toEqual([`${expected}.toml`])
    expect(stderr).toContain("Its prompts are in zh-CN")
  })
})
