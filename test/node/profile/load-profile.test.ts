import { rmSync, symlinkSync, writeFileSync } from "node:fs"
import { resolve } from "node:path"
import { describe, expect, test, vi } from "vitest"
import type { TrustedText } from "../../../src/core/value.ts"
import { defaultRecallWeights } from "../../../src/memory/services/recall/recall-weights.ts"
import { loadProfile } from "../../../src/node/profile/load-profile.ts"
import type { Key } from "../../../src/profile/key.ts"
import type { Profile } from "../../../src/profile/profile.ts"
import { profileFileKeys } from "../../../src/profile/profile-file-keys.ts"
import { profileKeys } from "../../../src/profile/profile-keys.ts"
import { resolveProfile } from "../../../src/profile/resolve.ts"
import type { Dialect } from "../../../src/prompt/dialect/dialect.ts"
import { shippedDialect } from "../../../src/prompt/dialect/shipped.ts"
import { tempFolder } from "../../support/temp-folder.ts"

function load(folder: string, nameOrPath: string, locale = "en"): Promise<Profile> {
  return loadProfile(nameOrPath, { locale, roots: [`${folder}/profiles`], env: {} })
}

function dialectOf({ dialect }: Profile): Dialect {
  if (typeof dialect === "string") throw new Error("the dialect is not compiled")
  return dialect
}

const toolNames = ({ tools }: Profile) => tools.builtin.map(({ name }) => name)

/** A value that the key takes and that is not its default; none for keys whose values are more than a number, a word or a flag. */
function otherValue({ type, default: fallback }: Key): unknown {
  if (type.kind === "flag") return fallback !== true
  if (type.kind === "choice") return type.choices.find((choice) => choice !== fallback)
  if (type.kind !== "number") return undefined
  const { min, max = min + 2 } = type
  return [max, min].find((value) => value !== fallback)
}

describe("keys that files and profiles in code share", () => {
  const tables = Object.entries(profileFileKeys.keys).flatMap(([name, key]) => {
    const { type }: Key = key
    const isShared = Object.entries(profileKeys.keys).some(([other, own]) => other === name && (own as Key) === key)
    return isShared && type.kind === "table" ? [[name, type.keys] as const] : []
  })

  test.each(tables)("[%s] of a file reaches the profile whole", async (name, keys) => {
    const given = Object.entries(keys).flatMap(([key, of]) => {
      const value = otherValue(of)
      return value === undefined ? [] : [[key, value] as const]
    })
    const snake = (key: string) => key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    const lines = given.map(([key, value]) => `${snake(key)} = ${JSON.stringify(value)}`)
    const folder = tempFolder({ "profiles/a.toml": `[${snake(name)}]\n${lines.join("\n")}\n` })
    const profile: Readonly<Record<string, unknown>> = { ...(await load(folder, "a")) }
    expect(profile[name] ?? {}).toMatchObject(Object.fromEntries(given))
  })

  test("are most of a profile", () => {
    expect(tables.map(([name]) => name)).toEqual(expect.arrayContaining(["conversation", "history", "limits", "memory", "retry"]))
  })
})

describe("the shipped profiles", () => {
  test.each([
    { name: "fay", locale: "zh-CN", user: "主人", window: "slide" },
    { name: "fay", locale: "en", user: "Friend", window: "slide" },
    { name: "layered", locale: "zh-CN", user: "主人", window: "steps" },
    { name: "stack", locale: "en", user: "Friend", window: "steps" },
    { name: "stack-cached", locale: "zh-CN", user: "主人", window: "steps" },
  ])("$name in $locale has its dialect, its persona, its names and its tools", async ({ name, locale, user, window }) => {
    const profile = await loadProfile(name, { locale, env: {}, roots: ["profiles"] })
    expect(dialectOf(profile)).toMatchObject({ name, locale })
    expect(profile).toMatchObject({ name, locale, agent: { id: name, name: "Fay" }, user: { name: user }, history: { window } })
    expect(profile.persona).toMatchObject({ trust: "author", source: { file: `characters/${locale}/fay.md`, line: 5 } })
    expect(toolNames(profile)).toEqual(["current_time", "calculate", "add_schedule", "list_schedule", "cancel_schedule"])
    expect(profile.prestart).toEqual([{ tool: "current_time", args: {}, includeHistory: false }])
  })

  test.each(["fay", "layered", "stack", "stack-cached", "soul", "root"])(
    "N41 of %s: whoever can be told of a reminder can be told to drop it, in both languages",
    async (name) => {
      for (const locale of ["zh-CN", "en"]) {
        const names = toolNames(await loadProfile(name, { locale, env: {}, roots: ["profiles"] }))
        const ofReminders = names.filter((tool) => tool.endsWith("_schedule"))
        expect([[], ["add_schedule", "list_schedule", "cancel_schedule"]]).toContainEqual(ofReminders)
      }
    },
  )

  test("each persona names itself, says its tone and how it addresses the user, in at most 200 Chinese characters (T37)", async () => {
    const { persona } = await loadProfile("fay", { locale: "zh-CN" })
    expect(persona.text).toMatch(/Fay[\s\S]*温柔[\s\S]*主人/)
    expect([...persona.text].length).toBeLessThanOrEqual(200)
    expect((await loadProfile("fay", { locale: "en" })).persona.text).toMatch(/Fay[\s\S]*gentle[\s\S]*my friend/)
  })

  test("a language that nothing is shipped in gets English prompts and an English persona", async () => {
    const profile = await loadProfile("fay", { locale: "fr" })
    expect(dialectOf(profile).locale).toBe("en")
    expect(profile.persona.source?.file).toBe("characters/en/fay.md")
  })
})

describe("loadProfile", () => {
  test("maps every key of a file to the profile (L9)", async () => {
    const folder = tempFolder({
      "profiles/mei.toml": `
locale = "zh-CN"
time_zone = "Asia/Shanghai"
[agent]
id = "m"
name = "小梅"
colour = "#1D75B3"
[user]
name = "老板"
[prompt]
dialect = "stack"
persona = "../mei.txt"
format = "../plain.md"
final_system = "../final.md"
[variables]
work_mode = true
"developer.name" = "Ann"
max_jump_mini = 3
[loop]
mode = "json"
max_steps = 4
strict = true
response_format = "json"
[retry]
max_attempts = 2
base_delay_ms = 7
max_delay_ms = 8

[limits]
first_token_ms = 1
between_chunks_ms = 2
tool_ms = 3
prestart_ms = 4
step_ms = 5
turn_ms = 6
confirm_ms = 15
approval_ms = 17
answer_characters = 16
[history]
tool_runs = "keep"
tool_run_tokens = 500
context_count = 7
keep_failed = false
window = "slide"
[budget]
tokens = 8000
answer_tokens = 9
step_tokens = 10
[memory]
enabled = false
recall_limit = 11
min_confidence = 0.25
rerank_ms = 1200
importance_threshold = 6.5
reflect_every = 21
reflect_importance = 22
keys = false
batch_turns = 23
step_ms = 25
profile_characters = 26
[recall_weights]
words = 2
[plugins]
enabled = ["memory"]
[skills]
folders = ["../skills"]
modes = { cooking = "inline" }
[output]
bubbles = true
file_references = true
[conversation]
agent_answers = 5
merge_ms = 1500
interrupt = "join"
cache_keep_alive = 3
cache_keep_alive_ms = 200000
[context]
session_markers = true
off = ["user_profile"]
older = "condense"
older_characters = 16
[documents]
folder = "../soul"
placement = "user"
max_characters = 17
min_share = 0.2
nearly_empty_characters = 18
near_limit_share = 0.9
[files]
folder = "../files"
hard_links = "allow"
formats = ["txt"]
[tools]
enabled = ["calculate"]
prestart_only = ["calculate"]
max_result_characters = 12
groups = ["context"]
rules = { context = "Tidy up." }
mentions = true
[processes.tools]
dialect = "layered"
tools = ["calculate"]
hint_messages = 3
[processes.tools.model]
id = "small"
[observers.main-observer]
pulled_turns = 4
[[prestart]]
tool = "calculate"
args = { expression = "1+1", deep = [{ n = 1.5 }] }
include_history = true
timeout_ms = 13
[model]
id = "m"
base_url = "http://localhost:11434/v1"
temperature = 0.5
max_output_tokens = 14
`,
      "mei.txt": "\n\n  你是小梅。\n",
      "plain.md": "---\nparser: plain\n---\n一句话。",
      "skills/cooking.md": "---\nname: cooking\ndescription: How to cook.\n---\nBoil it.\n",
      "final.md": "说人话。",
    })
    const { dialect, tools, processes, observers, ...rest } = await loadProfile(`${folder}/profiles/mei.toml`, {
      env: { LANG: "en_US" },
    })
    expect(dialect).toBe(shippedDialect("stack", "zh-CN"))
    expect(processes).toEqual({
      tools: { dialect: shippedDialect("layered", "zh-CN"), tools: ["calculate"], hintMessages: 3, model: { id: "small" } },
    })
    expect(observers).toEqual({ "main-observer": { pulledTurns: 4 } })
    expect(tools).toMatchObject({
      enabled: ["calculate"],
      prestartOnly: ["calculate"],
      maxResultCharacters: 12,
      groups: ["context"],
      rules: { context: { text: "Tidy up.", trust: "author" } },
      mentions: true,
    })
    const author = (text: string, file: string, line: number): TrustedText => ({
      text,
      trust: "author",
      source: { file: `${folder}/${file}`, line },
    })
    expect(rest).toEqual({
      name: "mei",
      locale: "zh-CN",
      timeZone: "Asia/Shanghai",
      agent: { id: "m", name: "小梅", colour: "#1D75B3" },
      user: { name: "老板" },
      persona: author("  你是小梅。", "mei.txt", 3),
      format: author("一句话。", "plain.md", 4),
      variables: {
        work_mode: true,
        "developer.name": author("Ann", "profiles/mei.toml", 17),
        max_jump_mini: author("3", "profiles/mei.toml", 18),
      },
      loop: { mode: "json", maxSteps: 4, strict: true, responseFormat: "json" },
      retry: { maxAttempts: 2, baseDelayMs: 7, maxDelayMs: 8 },
      limits: {
        firstTokenMs: 1,
        betweenChunksMs: 2,
        toolMs: 3,
        prestartMs: 4,
        stepMs: 5,
        turnMs: 6,
        confirmMs: 15,
        approvalMs: 17,
        answerCharacters: 16,
      },
      history: { toolRuns: "keep", toolRunTokens: 500, keepFailed: false, contextCount: 7, attachments: 4, window: "slide" },
      budget: { tokens: 8_000, answerTokens: 9, stepTokens: 10 },
      mcp: { servers: {} },
      prices: {},
      memory: {
        enabled: false,
        store: "records",
        recallLimit: 11,
        minConfidence: 0.25,
        recallTokens: 400,
        rerankMs: 1_200,
        importanceThreshold: 6.5,
        reflectEvery: 21,
        reflectImportance: 22,
        batchTurns: 23,
        stepMs: 25,
        keys: false,
        profileCharacters: 26,
      },
      recallWeights: { ...defaultRecallWeights, words: 2 },
      plugins: [{ name: "memory" }, expect.objectContaining({ name: "documents" })],
      skills: [expect.objectContaining({ name: "cooking", mode: "inline", content: author("Boil it.", "skills/cooking.md", 5) })],
      output: {
        bubbles: true,
        format: expect.objectContaining({ name: "plain" }),
        files: expect.objectContaining({ formats: ["txt"] }),
      },
      conversation: {
        ...{ agentAnswers: 5, wakesPerUser: 50, mergeMs: 1_500, interrupt: "join" },
        ...{ cacheKeepAlive: 3, cacheKeepAliveMs: 200_000 },
      },
      context: { off: ["user_profile"], older: "condense", olderCharacters: 16, sessionMarkers: true },
      documents: {
        folder: `${folder}/soul`,
        placement: "user",
        maxCharacters: 17,
        minShare: 0.2,
        nearlyEmptyCharacters: 18,
        nearLimitShare: 0.9,
      },
      files: { folder: `${folder}/files`, hardLinks: "allow", formats: ["txt"] },
      prestart: [{ tool: "calculate", args: { expression: "1+1", deep: [{ n: 1.5 }] }, includeHistory: true, timeoutMs: 13 }],
      model: { id: "m", baseUrl: "http://localhost:11434/v1", temperature: 0.5, maxOutputTokens: 14 },
      final: { system: author("说人话。", "final.md", 1) },
    })
    const args = rest.prestart[0]?.args ?? {}
    const [inner] = args.deep as readonly unknown[]
    for (const table of [args, inner]) expect(Object.getPrototypeOf(table)).toBe(Object.prototype)
  })

  test("an empty file is the default profile under the file's name, in the environment's language", async () => {
    const folder = tempFolder({ "profiles/empty.toml": "\uFEFF" })
    const profile = await loadProfile("empty", { roots: [`${folder}/profiles`], env: { LANG: "zh_CN.UTF-8" } })
    const files = { folder: resolve("data/workspace") }
    expect(profile).toEqual(
      resolveProfile({ name: "empty", locale: "zh-CN", dialect: shippedDialect("layered", "zh-CN"), files }),
    )
  })

  test("the option goes before the profile's locale, and the profile's before the environment's", async () => {
    const folder = tempFolder({ "profiles/a.toml": 'locale = "zh-CN"' })
    const options = { roots: [`${folder}/profiles`], env: { LANG: "en_US" } }
    expect((await loadProfile("a", options)).locale).toBe("zh-CN")
    expect((await loadProfile("a", { ...options, locale: "en" })).locale).toBe("en")
  })

  test("the profile's time zone goes before the option's, and the option's before the host's", async () => {
    const folder = tempFolder({
      "profiles/far.toml": 'time_zone = "Asia/Tokyo"',
      "profiles/plain.toml": '[tools]\nenabled = ["current_time"]',
    })
    const options = { roots: [`${folder}/profiles`], locale: "en", timeZone: "Pacific/Apia" }
    expect((await loadProfile("far", options)).timeZone).toBe("Asia/Tokyo")
    const { timeZone, tools } = await loadProfile("plain", options)
    expect(timeZone).toBe("Pacific/Apia")
    const told = await tools.builtin.find(({ name }) => name === "current_time")?.execute({}, {} as never)
    expect(told).toContain("Pacific/Apia")
    await expect(loadProfile("plain", { ...options, timeZone: "Mars" })).rejects.toThrow("timeZone: expected a time zone")
  })

  test("a name is looked up in each root in order", async () => {
    const folder = tempFolder({ "one/b.toml": "", "two/a.toml": '[agent]\nname = "two"', "two/b.toml": '[agent]\nname = "two"' })
    const roots = [`${folder}/one`, `${folder}/two`, `${folder}/three`]
    expect((await loadProfile("a", { roots, env: {} })).agent.name).toBe("two")
    expect((await loadProfile("b", { roots, env: {} })).agent.name).toBe("b")
  })

  test("a profile extends others: tables merge key by key, arrays are replaced, the nearest decides", async () => {
    const folder = tempFolder({
      "profiles/base.toml":
        '[loop]\nmax_steps = 3\nstrict = true\n[variables]\na = "base"\nb = "base"\n[tools]\nenabled = ["calculate", "current_time"]\n[[prestart]]\ntool = "calculate"\n',
      "profiles/middle.toml": 'extends = "base"\n[loop]\nmax_steps = 4\n[variables]\nb = "middle"\n',
      "profiles/top.toml": 'extends = "./middle.toml"\n[loop]\nresponse_format = "json"\n[tools]\nenabled = ["current_time"]\n',
    })
    const profile = await load(folder, "top")
    expect(profile.loop).toEqual({ mode: "json", maxSteps: 4, strict: true, responseFormat: "json" })
    expect(toolNames(profile)).toEqual(["current_time"])
    expect(profile.prestart).toMatchObject([{ tool: "calculate" }])
    expect(profile.agent.id).toBe("top")
    expect(profile.variables).toMatchObject({
      a: { text: "base", source: { file: `${folder}/profiles/base.toml`, line: 5 } },
      b: { text: "middle", source: { file: `${folder}/profiles/middle.toml`, line: 5 } },
    })
  })

  test("a profile can extend the shipped one of its own name", async () => {
    const folder = tempFolder({ "profiles/fay.toml": 'extends = "fay"\n[loop]\nmax_steps = 2\n' })
    const profile = await loadProfile("fay", { roots: [`${folder}/profiles`, "profiles"], locale: "en" })
    expect(profile).toMatchObject({ loop: { maxSteps: 2 }, agent: { name: "Fay" }, dialect: { name: "fay" } })
  })

  test("a circle through a link is a circle", async () => {
    const folder = tempFolder({ "profiles/a.toml": 'extends = "./again/a.toml"' })
    symlinkSync(".", `${folder}/profiles/again`)
    await expect(load(folder, "a")).rejects.toThrow(/a\.toml → .*a\.toml/)
  })

  test("an inherited path is relative to the file it stands in", async () => {
    const folder = tempFolder({
      "profiles/top.toml": 'extends = "../shared/base.toml"',
      "shared/base.toml": '[prompt]\npersona = "./who.md"',
      "shared/who.md": "Shared.",
      "profiles/who.md": "Wrong.",
    })
    expect((await load(folder, "top")).persona.text).toBe("Shared.")
  })

  test("what the profile says of names goes before the persona, and the persona before the profile's name (T6)", async () => {
    const folder = tempFolder({
      "profiles/a.toml": '[prompt]\npersona = "mei"\n',
      "profiles/b.toml": '[agent]\nname = "Agent B"\n[user]\nname = "Boss"\n[prompt]\npersona = "mei"\n',
      "profiles/c.toml": '[prompt]\npersona = "nameless"\n',
      "prompts/characters/mei.md": "---\nname: Mei\nuser: Captain\n---\n\nYou are Mei.\n",
      "prompts/characters/nameless.md": "You are somebody.",
    })
    const namesOf = async (name: string) => {
      const { agent, user } = await load(folder, name)
      return [agent.id, agent.name, user.name]
    }
    expect(await namesOf("a")).toEqual(["a", "Mei", "Captain"])
    expect(await namesOf("b")).toEqual(["b", "Agent B", "Boss"])
    expect(await namesOf("c")).toEqual(["c", "c", "User"])
  })

  test("a path may leave out .toml, also where a folder has that name (L9)", async () => {
    const folder = tempFolder({
      "kid.toml": 'extends = "./base/b"\n',
      "base/b.toml": '[agent]\nname = "Base"\n',
      "base/b/c.toml": "",
    })
    expect((await loadProfile(`${folder}/kid`, { env: {} })).agent.name).toBe("Base")
  })

  test("a file edited between two loads takes effect at the second (L13)", async () => {
    const folder = tempFolder({ "profiles/a.toml": '[prompt]\npersona = "mei"\n', "prompts/characters/mei.md": "Before." })
    expect((await load(folder, "a")).persona.text).toBe("Before.")
    writeFileSync(`${folder}/prompts/characters/mei.md`, "After.")
    writeFileSync(`${folder}/profiles/a.toml`, '[prompt]\npersona = "mei"\n[loop]\nmax_steps = 2\n')
    expect(await load(folder, "a")).toMatchObject({ persona: { text: "After." }, loop: { maxSteps: 2 } })
    rmSync(`${folder}/profiles/a.toml`)
    await expect(load(folder, "a")).rejects.toMatchObject({ code: "profile-missing" })
  })

  test("a tool that does not exist is said with its place and the ones there are", async () => {
    const folder = tempFolder({ "profiles/a.toml": '[tools]\nenabled = ["calculate", "curent_time"]\n' })
    await expect(load(folder, "a")).rejects.toMatchObject({
      code: "profile",
      source: { line: 2, column: 25 },
      message: expect.stringMatching(/tools\.enabled\[1\]: expected a built-in tool .* "current_time"\?/),
    })
  })

  test("built-in tools speak the profile's language, keep files in the data folder and take the given time", async () => {
    const folder = tempFolder({ "profiles/a.toml": '[tools]\nenabled = ["current_time", "current_time"]\n' })
    const clock = { nowMs: () => Date.UTC(2026, 1, 3, 4, 5, 6) }
    const { tools } = await loadProfile("a", { roots: [`${folder}/profiles`], locale: "zh-CN", clock, dataFolder: folder })
    expect(tools.builtin).toHaveLength(1)
    const context = {
      signal: new AbortController().signal,
      key: { agent: "a", conversation: "c", audience: "private", user: "u" },
      turnId: "t",
      clock,
    } as const
    expect(await tools.builtin[0]?.execute({ timezone: "UTC" }, context)).toContain("2026-02-03 04:05:06 星期二")
  })
})

describe("a user's own prompt files", () => {
  const planner = (words: string) => `\${role(system)}\n${words}\n\${rest}\n\${role(user)}\n\${question}\n`
  const literalsOf = (profile: Profile, file: string) => JSON.stringify(dialectOf(profile).files.get(file)?.template.nodes)

  test("take the place of the dialect's of the same name, in that language alone", async () => {
    const folder = tempFolder({
      "profiles/a.toml": '[prompt]\ndialect = "stack"\nfolder = "../mine"\n',
      "mine/stack/en/planner.md": planner("My own planner."),
      "mine/shared/en/optional.md": "by choice",
      "mine/characters/notes.md": "${this is no template",
    })
    const profile = await load(folder, "a")
    expect(literalsOf(profile, "planner")).toContain("My own planner.")
    expect(literalsOf(profile, "planner")).toContain(`${folder}/mine/stack/en/planner.md`)
    expect(literalsOf(profile, "optional")).toContain("by choice")
    expect(dialectOf(profile).files.get("final")).toEqual(shippedDialect("stack", "en").files.get("final"))
    expect(literalsOf(await load(folder, "a", "zh-CN"), "planner")).not.toContain("My own planner.")
  })

  test("can be a dialect of their own, with the shared files of every dialect", async () => {
    const folder = tempFolder({
      "profiles/a.toml": '[prompt]\ndialect = "mine"\nfolder = "../own"\n',
      "own/mine/zh-CN/planner.md": planner("自己的。"),
      "own/characters/en/somebody.md": "Not a dialect.",
    })
    const profile = await load(folder, "a")
    expect(dialectOf(profile)).toMatchObject({ name: "mine", locale: "zh-CN" })
    expect(literalsOf(profile, "planner")).toContain("自己的。")
    expect(dialectOf(profile).files.has("optional")).toBe(true)
    expect(dialectOf(profile).files.has("chat")).toBe(false)
    writeFileSync(`${folder}/profiles/a.toml`, '[prompt]\ndialect = "min"\nfolder = "../own"\n')
    await expect(load(folder, "a")).rejects.toThrow(
      /prompt\.dialect: expected a dialect \(fay, .*mine.*\), found "min"\. .* "mine"\?/,
    )
  })

  test("can load files beside them, and a mistake in one names it", async () => {
    const folder = tempFolder({
      "profiles/a.toml": '[prompt]\nfolder = "../mine"\n',
      "mine/layered/en/planner.md": planner("${file_load(rules.txt)}"),
      "mine/layered/en/rules.txt": "Be brief.",
    })
    expect(literalsOf(await load(folder, "a"), "planner")).toContain("Be brief.")
    writeFileSync(`${folder}/mine/layered/en/rules.txt`, "Be ${brief")
    await expect(load(folder, "a")).rejects.toThrow(`${folder}/mine/layered/en/rules.txt:1:4`)
  })

  test("bring personas, and words for built-in tools", async () => {
    const folder = tempFolder({
      "profiles/a.toml": '[prompt]\nfolder = "../mine"\npersona = "fay"\n[tools]\nenabled = ["current_time"]\n',
      "mine/characters/en/fay.md": "Another Fay.",
      "mine/tools/en/current_time.md": "---\ndescription: What time is it?\nparameters:\n  timezone: Where?\n---\n${time}\n",
    })
    const profile = await load(folder, "a")
    expect(profile.persona.text).toBe("Another Fay.")
    expect(profile.tools.builtin[0]?.description).toBe("What time is it?")
  })
})

describe("what a profile leaves open", () => {
  const files = { "pet3.toml": '[prompt]\npersona = "./cat.md"\n', "cat.md": "You are a cat.\n" }

  test.each([
    ["a language that nothing names", {}, ["English is used"]],
    ["C.UTF-8, the language of containers", { env: { LANG: "C.UTF-8" } }, ["English is used"]],
    ["a language that is not shipped", { env: { LANG: "fr_FR.UTF-8" } }, ["English is used"]],
    ["the environment's language", { env: { LANG: "zh_CN.UTF-8" } }, []],
    ["the caller's language", { locale: "en" }, []],
  ])("%s", async (_, given, told) => {
    const warnings: string[] = []
    const options = { env: {}, ...given, onWarning: (message: string) => warnings.push(message) }
    await loadProfile(`${tempFolder({ "a.toml": "" })}/a.toml`, options)
    expect(warnings.map((message) => message.slice(0, 15))).toEqual(told)
  })

  test("a persona's agent whom nothing names is called after the file, which is said", async () => {
    const told = async (more: Readonly<Record<string, string>>) => {
      const warnings: string[] = []
      const path = `${tempFolder({ ...files, ...more })}/pet3.toml`
      const { agent } = await loadProfile(path, { locale: "en", onWarning: (message) => warnings.push(message) })
      return [agent.name, ...warnings]
    }
    expect(await told({})).toEqual(["pet3", expect.stringMatching(/^The agent is called "pet3" after its profile's file/)])
    expect(await told({ "cat.md": "---\nname: Momo\n---\nYou are a cat.\n" })).toEqual(["Momo"])
    expect(await told({ "pet3.toml": `${files["pet3.toml"]}[agent]\nname = "Mimi"\n` })).toEqual(["Mimi"])
  })

  test("is said on the console once, however often the profile is loaded", async () => {
    const path = `${tempFolder({ "told-once.toml": files["pet3.toml"], "cat.md": files["cat.md"] })}/told-once.toml`
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined)
    for (let times = 0; times < 2; times++) await loadProfile(path, { locale: "en" })
    const calls = warn.mock.calls.map(([message]) => String(message))
    warn.mockRestore()
    expect(calls.filter((message) => message.includes('"told-once"'))).toHaveLength(1)
  })
})

test.each([
  ["layered", undefined],
  ["fay", undefined],
  ["soul", undefined],
  ["root", true],
])("R29 a persona of one's own tells the tone only to a dialect that has a corpus: %s", async (extended, told) => {
  const folder = tempFolder({
    "mei.toml": `extends = "${extended}"\n[prompt]\npersona = "./mei.md"\n`,
    "mei.md": "Mei.",
  })
  const options = { dataFolder: folder, env: {} }
  for (const locale of ["en", "zh-CN", "zh"]) {
    const { variables } = await loadProfile(`${folder}/mei.toml`, { ...options, locale })
    expect(variables.own_tone).toBe(told)
  }
})
