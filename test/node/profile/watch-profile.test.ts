import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import type { PromptStrataError } from "../../../src/core/errors.ts"
import { createAgent } from "../../../src/loop/agent/agent.ts"
import type { Session } from "../../../src/loop/agent/session.ts"
import { watchProfile } from "../../../src/node/profile/watch-profile.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { finish } from "../../support/agents.ts"
import { createIdleStore } from "../../support/idle-store.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const planner = (rule: string) =>
  `\${role(system)}\n${rule}\n\n\${rule}\n\n\${persona}\n\n\${rest}\n\n\${tools}\n\n\${role(user)}\n\${question}\n`

const files = {
  "profiles/mei.toml":
    'extends = "./base.toml"\n[prompt]\npersona = "mei"\n[skills]\nfolders = ["../skills"]\n[skills.modes]\ncooking = "inline"\n',
  "profiles/base.toml": '[prompt]\nfolder = "../prompts"\n[variables]\nrule = "Be brief."\n[tools]\nenabled = ["calculate"]\n',
  "prompts/characters/en/mei.md": "You are Mei.",
  "prompts/layered/en/planner.md": planner("RULES ONE"),
  "skills/cooking.md": "---\nname: cooking\ndescription: How to cook.\nmode: inline\n---\nBoil it.\n",
  "plugins/mood.mjs":
    "export const plugin = ({ mood }) => ({ name: 'mood', hooks: [{ name: 'mood', beforeTurn({ stack }) { stack.add('mood', `Mood: ${mood}`) } }] })",
}

/** A folder of a character, its watch, its agent, and what is told of problems. */
async function watched() {
  const folder = tempFolder(files)
  const problems: string[] = []
  const watch = await watchProfile(`${folder}/profiles/mei.toml`, {
    locale: "en",
    env: {},
    onProblem: ({ message }: PromptStrataError) => void problems.push(message.replaceAll(`${folder}/`, "")),
  })
  const store = createIdleStore()
  const agent = createAgent({
    profile: watch,
    store,
    model: scriptedModel([finish("ok")]),
  })
  const edit = (path: string, text: string) => writeFileSync(`${folder}/${path}`, text)
  let sessions = 0
  const begin = () => agent.session(`s${++sessions}`)
  return { folder, watch, agent, store, problems, edit, begin }
}

/** What a session's next request would say. */
async function promptOf(session: Session): Promise<string> {
  return (await session.preview("Hi")).messages.map(({ content }) => content).join("\n")
}

describe("L13: an edit takes effect in the next session, and a running one keeps what it began with, byte for byte:", () => {
  test.each([
    ["the persona", "prompts/characters/en/mei.md", "You are Mia.", "You are Mia."],
    ["a prompt file", "prompts/layered/en/planner.md", planner("RULES TWO"), "RULES TWO"],
    ["the profile", "profiles/mei.toml", `${files["profiles/mei.toml"]}[variables]\nrule = "Be loud."\n`, "Be loud."],
    ["the profile it extends", "profiles/base.toml", files["profiles/base.toml"].replace("Be brief.", "Be funny."), "Be funny."],
    ["the tools", "profiles/base.toml", files["profiles/base.toml"].replace("calculate", "current_time"), "current_time"],
  ])("%s", async (_, path, text, expected) => {
    const { edit, begin } = await watched()
    const running = begin()
    const before = await promptOf(running)
    edit(path, text)
    const next = await promptOf(begin())
    expect(before).not.toContain(expected)
    expect(next).toContain(expected)
    expect(await promptOf(running)).toBe(before)
  })

  test("a skill, and one that is added, also deep in its folder", async () => {
    const { edit, watch, folder } = await watched()
    const skills = async () => (await watch.current()).skills.map(({ name, content }) => `${name}: ${content.text}`)
    expect(await skills()).toEqual(["cooking: Boil it."])
    edit("skills/cooking.md", files["skills/cooking.md"].replace("Boil", "Fry"))
    expect(await skills()).toEqual(["cooking: Fry it."])
    mkdirSync(`${folder}/skills/deep/sewing`, { recursive: true })
    edit("skills/deep/sewing/SKILL.md", "---\nname: sewing\ndescription: How to sew.\n---\nThread it.\n")
    expect(await skills()).toEqual(["cooking: Fry it.", "sewing: Thread it."])
  })

  test("a persona by that name in a place that is looked at first", async () => {
    const { edit, begin, folder } = await watched()
    rmSync(`${folder}/prompts/characters/en/mei.md`)
    edit("prompts/characters/mei.md", "You are the other Mei.")
    expect(await promptOf(begin())).toContain("You are the other Mei.")
    edit("prompts/characters/en/mei.md", "You are Mei again.")
    expect(await promptOf(begin())).toContain("You are Mei again.")
  })

  test("a plugin that is enabled, and its options; what is unchanged is not made again", async () => {
    const { edit, begin, watch } = await watched()
    const enabled = (mood: string, more = "") =>
      `${files["profiles/mei.toml"]}[plugins]\nenabled = ["../plugins/mood.mjs"]\n[plugins.options.mood]\nmood = "${mood}"\n${more}`
    edit("profiles/mei.toml", enabled("sunny"))
    expect(await promptOf(begin())).toContain("Mood: sunny")
    const [plugin] = watch.profile.plugins
    edit("profiles/mei.toml", enabled("sunny", '[user]\nname = "Ann"\n'))
    expect((await watch.current()).plugins[0]).toBe(plugin)
    edit("profiles/mei.toml", enabled("rainy"))
    expect(await promptOf(begin())).toContain("Mood: rainy")
  })

  test("how the user is called, from the session's first turn on", async () => {
    const { edit, agent, store } = await watched()
    edit("profiles/mei.toml", `${files["profiles/mei.toml"]}[user]\nname = "Ann"\n`)
    const session = agent.session("new")
    await session.send("Hi").result
    expect((await store.load(session.key))?.history[0]?.speaker.name).toBe("Ann")
  })

  test("what was added to a session before its profile was read stays", async () => {
    const { edit, begin } = await watched()
    edit("prompts/characters/en/mei.md", "You are Mia.")
    const session = begin()
    session.stack.add({ key: "remark", content: "NOTE", scope: "session" })
    const prompt = await promptOf(session)
    session.stack.add({ key: "later", content: "LATER", scope: "session" })
    expect(prompt).toContain("You are Mia.")
    expect(prompt).toContain("NOTE")
    expect(await promptOf(session)).toContain("LATER")
  })
})

describe("L13: a broken edit leaves the last good version working and says so:", () => {
  test.each([
    ["TOML that is none", "profiles/mei.toml", "[prompt", /^profiles\/mei\.toml:1:2: expected TOML/],
    ["a wrong key below", "profiles/base.toml", "[promt]\n", /^profiles\/base\.toml:1:2: .* promt\./],
    ["a template that is none", "prompts/layered/en/planner.md", "${persona", /^prompts\/layered\/en\/planner\.md:1:1/],
    ["a persona that is too large", "prompts/characters/en/mei.md", "a".repeat(300_000), /^prompts\/characters\/en\/mei\.md:1: /],
    [
      "a skill without a description",
      "skills/cooking.md",
      "---\nname: cooking\n---\n",
      /skills\.folders\[0\]: skills\/cooking\.md/,
    ],
    ["a circle", "profiles/base.toml", 'extends = "./mei.toml"', /found a circle: profiles\/mei\.toml → profiles\/base\.toml →/],
  ])("%s", async (_, path, text, told) => {
    const { edit, begin, watch, problems } = await watched()
    const before = await promptOf(begin())
    edit(path, text)
    expect(await promptOf(begin())).toBe(before)
    expect(await promptOf(begin())).toBe(before)
    expect(problems).toEqual([expect.stringMatching(told)])
    expect(watch.problem).toMatchObject({ code: expect.any(String), source: expect.anything() })
    edit(path, files[path as keyof typeof files].replace("Mei", "Mia").replace("ONE", "TWO"))
    await promptOf(begin())
    expect(watch.problem).toBeUndefined()
    expect(problems).toHaveLength(1)
  })

  test("a deleted file, until it is back", async () => {
    const { edit, begin, watch, problems, folder } = await watched()
    const before = await promptOf(begin())
    for (const path of ["profiles/mei.toml", "profiles/base.toml", "prompts/characters/en/mei.md"] as const) {
      rmSync(`${folder}/${path}`)
      expect(await promptOf(begin())).toBe(before)
      expect(watch.problem).toBeDefined()
      edit(path, files[path])
      expect(await promptOf(begin())).toBe(before)
      expect(watch.problem).toBeUndefined()
    }
    expect(problems).toHaveLength(3)
  })

  test("a mistake that only the agent can see, such as a prestart tool that nobody brings", async () => {
    const { edit, begin, watch, problems } = await watched()
    const before = await promptOf(begin())
    edit("profiles/mei.toml", `${files["profiles/mei.toml"]}[[prestart]]\ntool = "nobodys"\n`)
    expect(await promptOf(begin())).toBe(before)
    expect(await promptOf(begin())).toBe(before)
    expect(problems).toEqual([expect.stringContaining('expected a registered tool, found "nobodys"')])
    expect(watch.profile.prestart).toEqual([])
  })

  test("a callback that throws breaks nothing", async () => {
    const folder = tempFolder(files)
    const said: unknown[] = []
    const warn = vi.spyOn(console, "warn").mockImplementation((text) => void said.push(text))
    onTestFinished(() => warn.mockRestore())
    const path = `${folder}/profiles/mei.toml`
    const watch = await watchProfile(path, {
      locale: "en",
      onProblem() {
        throw new Error("no pager")
      },
    })
    writeFileSync(path, "[")
    await watch.refresh()
    expect(said).toEqual(["promptstrata: onProblem threw: no pager"])
  })
})

describe("looking at the files", () => {
  test("hands back the same profile at once while nothing changed, and reads nothing", async () => {
    const { watch } = await watched()
    expect(watch.current()).toBe(watch.profile)
    expect(watch.current()).toBe(watch.profile)
  })

  test("two sessions that begin while a profile is read wait for the same reading", async () => {
    const { edit, watch } = await watched()
    edit("prompts/characters/en/mei.md", "You are Mia.")
    const first = watch.current()
    expect(watch.current()).toBe(first)
    expect((await first).persona.text).toBe("You are Mia.")
    expect(watch.current()).toBe(watch.profile)
  })

  test("a mistake at the beginning is thrown, as loadProfile throws it", async () => {
    await expect(watchProfile("no-such-profile", { env: {} })).rejects.toThrow("expected a profile, found none called")
  })
})
