import { existsSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../../src/core/errors.ts"
import { loadProfile } from "../../../src/node/profile/load-profile.ts"
import { near } from "../../support/error-formulas.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const env = {}

/** Loads `a.toml` of a folder. */
function load(folder: string) {
  return loadProfile(`${folder}/a.toml`, { locale: "en", env, roots: [folder], dataFolder: `${folder}/data` })
}

/** The message of loading `a.toml`, with the test's folder left out of its paths. */
async function messageOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = tempFolder(files)
  const error = await load(folder).catch((thrown: unknown) => thrown)
  expect(PromptStrataError.isInstance(error), String(error)).toBe(true)
  return (error as PromptStrataError).message.replaceAll(`${folder}/`, "")
}

const tool = (name: string) =>
  `export const plugin = { name: '${name}', tools: [{ name: '${name}', description: 'd', execute() {} }] }`

describe("[plugins]", () => {
  test("L10: a tool with the name of a built-in one is refused where its plugin stands", async () => {
    expect(
      await messageOf({
        "a.toml": '[tools]\nenabled = ["calculate"]\n[plugins]\nenabled = ["./other.mjs", "./mine.mjs"]\n',
        "other.mjs": tool("other"),
        "mine.mjs": tool("calculate"),
      }),
    ).toContain(
      'a.toml:4:27: plugins.enabled[1]: expected tools of different names, found "calculate" in the plugin "calculate" and among the built-in tools of this profile.',
    )
  })

  test("L10: paths are relative to the file that enables them, also where another extends it, and options merge", async () => {
    const folder = tempFolder({
      "a.toml": 'extends = "./base/b.toml"\n[plugins.options.echo]\nword = "b"\n',
      "base/b.toml": '[plugins]\nenabled = ["./plugins/echo.mjs"]\n[plugins.options.echo]\nword = "a"\ntimes = 2\n',
      "base/plugins/echo.mjs":
        "export const plugin = (o, c) => ({ name: 'echo', skills: [{ name: 's', description: 'd', content: JSON.stringify([o, c.profileFolder, c.dataFolder]) }] })",
    })
    const { plugins } = await load(folder)
    expect(JSON.parse(plugins[0]?.skills?.[0]?.content.text ?? "")).toEqual([
      { word: "b", times: 2 },
      `${folder}/base`,
      `${folder}/data`,
    ])
  })

  test.each([
    ["", true],
    ["[plugins]\n", false],
    ['[plugins]\nenabled = ["diary"]\n', false],
    ['[plugins]\nenabled = ["diary", "memory"]\n', true],
    ['[plugins]\nenabled = ["memory"]\n[memory]\nenabled = false\n', false],
    ["[plugins]\n[memory]\nenabled = true\n", true],
  ])(
    "L8 L18: whether memories are recalled is decided by the memory plugin, unless the profile says it: %j",
    async (toml, enabled) => {
      expect((await load(tempFolder({ "a.toml": toml }))).memory.enabled).toBe(enabled)
    },
  )

  test("L8: the shipped profile layered recalls by its memory plugin; one that extends it can list others instead", async () => {
    const layered = await loadProfile("layered", { env, locale: "en" })
    expect(layered.plugins).toEqual([{ name: "memory" }])
    expect(layered.memory.enabled).toBe(true)
    const folder = tempFolder({ "a.toml": 'extends = "layered"\n[plugins]\nenabled = []\n' })
    expect((await loadProfile(`${folder}/a.toml`, { env })).memory.enabled).toBe(false)
  })

  test("every plugin that cannot be used is named at its own place, with a caret", async () => {
    const files = {
      "a.toml": '[plugins]\nenabled = [\n  "./ok.mjs",\n  "./empty.mjs",\n  "memroy",\n  "./gone.mjs",\n]\n',
      "ok.mjs": tool("ok"),
      "empty.mjs": "",
    }
    expect((await messageOf(files)).replaceAll(/\n {2}(?:\/.*|node_modules)/g, "")).toMatchInlineSnapshot(`
      "a.toml:4:3: plugins.enabled[1]: expected empty.mjs to export plugin, an object or a function, or to export it as default, found no exports.
      3 |   "./ok.mjs",
      4 |   "./empty.mjs",
        |   ^
      5 |   "memroy",
      a.toml:5:3: plugins.enabled[2]: expected a built-in plugin (character, diary, file-navigation, lorebook, memory), a path such as "./mood.mjs" or an installed package, found "memroy". Did you mean "memory"?
      4 |   "./empty.mjs",
      5 |   "memroy",
        |   ^
      6 |   "./gone.mjs",
      Looked for:
      a.toml:6:3: plugins.enabled[3]: expected a module, found none at gone.mjs.
      5 |   "memroy",
      6 |   "./gone.mjs",
        |   ^
      7 | ]"
    `)
  })

  test("a table of options is for a plugin that is enabled where it stands", async () => {
    const files = {
      "a.toml": 'extends = "./b.toml"\n[plugins]\nenabled = ["./mood.mjs"]\n[plugins.options]\nmodo = { x = 1 }\nmood = {}\n',
      "b.toml": '[plugins]\nenabled = ["./old.mjs"]\n[plugins.options.old]\nfine = true\n',
      "mood.mjs": tool("mood"),
    }
    expect(await messageOf(files)).toMatchInlineSnapshot(`
      "a.toml:5:1: plugins.options.modo: expected the name of a plugin that is enabled, found "modo"; enabled are ./mood.mjs. Did you mean "mood"?
      4 | [plugins.options]
      5 | modo = { x = 1 }
        | ^
      6 | mood = {}"
    `)
  })

  test.each([
    ["[plugins]\nenabled = 'memory'\n", 'plugins.enabled: expected an array of names, such as ["memory"], found "memory".'],
    ["[plugins]\nenable = []\n", `plugins.enable.${near("enabled")}`],
    ["plugins = ['memory']\n", "plugins: expected a table, found an array."],
    ["[plugins.options]\nmood = 1\n", "plugins.options.mood: expected a table, found 1."],
    ["[plugins.options.mood]\nday = 2026-11-21\n", "plugins.options.mood.day: expected JSON:"],
    [
      "[skills.modes]\ndiary = 'outlin'\n",
      `skills.modes.diary: expected "inline" or "outline", found "outlin".${near("outline")}`,
    ],
    ["[skills.modes]\ndairy = 'outline'\n", 'expected the name of a skill that is loaded, found "dairy"; none is loaded.'],
    [
      "[skills]\nenabled = ['diary']\n[skills.modes]\ndairy = 'outline'\n",
      `expected the name of a skill that is loaded, found "dairy"; loaded are diary.${near("diary")}`,
    ],
    [`[skills.modes]\ndiary = '${"x".repeat(60)}'\n`, `"outline", found "${"x".repeat(60)}".`],
    [`[skills.modes]\ndiary = 'a${"x".repeat(60)}'\n`, `"outline", found "a${"x".repeat(59)}…".`],
    ["[documents]\nmin_share = 1.5\n", "documents.min_share: expected a number from 0 to 1, found 1.5."],
    ["[files]\nhard_links = true\n", 'files.hard_links: expected "allow" or "refuse", found true.'],
    ["[output]\nbubble = true\n", `output.bubble.${near("bubbles")}`],
  ])("%j is refused", async (toml, message) => {
    expect(await messageOf({ "a.toml": toml })).toContain(message)
  })

  test("no plugin runs for a profile that has another mistake: nothing is half-loaded", async () => {
    const ran = "import { writeFileSync } from 'node:fs'\nwriteFileSync(new URL('./ran', import.meta.url), '')\n"
    const files = (prompt: string) => ({
      "a.toml": `[prompt]\n${prompt}\n[plugins]\nenabled = ["./x.mjs"]\n`,
      "x.mjs": ran + tool("x"),
      "big.md": "a".repeat(10 * 1024 * 1024),
      "ok.md": "You are Mei.",
    })
    const tried = async (prompt: string) => {
      const folder = tempFolder(files(prompt))
      const error = await load(folder).catch((thrown: unknown) => thrown)
      return { ran: existsSync(`${folder}/ran`), message: error instanceof Error ? error.message : "loaded" }
    }
    expect(await tried('persona = "./none.md"')).toMatchObject({ ran: false, message: expect.stringContaining("a.toml:2:1") })
    expect(await tried('persona = "./big.md"')).toEqual({
      ran: false,
      message: expect.stringContaining("big.md:1: expected a persona of at most 262,144 bytes, found 10,485,760 bytes."),
    })
    expect(await tried('persona = "./ok.md"')).toEqual({ ran: true, message: "loaded" })
  })
})

describe("[skills]", () => {
  const skill = (name: string) => `---\nname: ${name}\ndescription: About ${name}.\n---\nDo ${name}.\n`

  test("L5: loads named ones and folders, in the modes the profile gives them, also those of plugins", async () => {
    const folder = tempFolder({
      "a.toml":
        '[skills]\nenabled = ["diary"]\nfolders = ["./s"]\nmodes = { cooking = "inline", haiku = "outline" }\n[plugins]\nenabled = ["./haiku.mjs", "diary"]\n',
      "s/cooking.md": skill("cooking"),
      "s/deep/sewing/SKILL.md": skill("sewing"),
      "haiku.mjs": "export const plugin = { name: 'haiku', skills: [{ name: 'haiku', description: 'd', content: 'c' }] }",
    })
    const { skills, plugins } = await load(folder)
    expect(skills.map(({ name, mode }) => [name, mode])).toEqual([
      ["cooking", "inline"],
      ["sewing", "outline"],
    ])
    expect(plugins.map((plugin) => plugin.skills?.map(({ name, mode }) => [name, mode]))).toEqual([
      [["haiku", "outline"]],
      [["diary", expect.any(String)]],
    ])
  })

  test("what is wrong with one is said at the key that leads to it, with its own place", async () => {
    const files = {
      "a.toml": '[skills]\nenabled = ["dairy"]\nfolders = ["./s", "./none"]\nmodes = { x = "inline" }\n',
      "s/bad.md": "---\nname: bad\nmode: inlin\n---\n",
    }
    expect(await messageOf(files)).toMatchInlineSnapshot(`
      "a.toml:2:12: skills.enabled[0]: expected a skill, found none called "dairy". Did you mean "diary"?
      1 | [skills]
      2 | enabled = ["dairy"]
        |            ^
      3 | folders = ["./s", "./none"]
      Looked for:
        prompts/skills/en/dairy.md
        prompts/skills/en/dairy/SKILL.md
        prompts/skills/dairy.md
        prompts/skills/dairy/SKILL.md
        prompts/skills/en/dairy.md (shipped)
        prompts/skills/en/dairy/SKILL.md (shipped)
        prompts/skills/dairy.md (shipped)
        prompts/skills/dairy/SKILL.md (shipped)
        prompts/skills/zh-CN/dairy.md
        prompts/skills/zh-CN/dairy/SKILL.md
        prompts/skills/zh-CN/dairy.md (shipped)
        prompts/skills/zh-CN/dairy/SKILL.md (shipped)
        dairy
      Known skills: diary, file-navigation.
      a.toml:3:12: skills.folders[0]: s/bad.md:1:1: expected a skill, found neither a description nor instructions.
      2 | enabled = ["dairy"]
      3 | folders = ["./s", "./none"]
        |            ^
      4 | modes = { x = "inline" }
      1 | ---
        | ^
      2 | name: bad
      a.toml:3:19: skills.folders[1]: expected a skill, found none called "none".
      2 | enabled = ["dairy"]
      3 | folders = ["./s", "./none"]
        |                   ^
      4 | modes = { x = "inline" }
      Looked for:
        none
      Known skills: diary, file-navigation."
    `)
  })

  test("one that a plugin has too, with other words, is refused", async () => {
    const files = {
      "a.toml": '[skills]\nfolders = ["./s"]\n[plugins]\nenabled = ["diary"]\n',
      "s/diary.md": skill("diary"),
    }
    expect(await messageOf(files)).toContain(
      'a.toml:4:1: plugins.enabled: expected every skill to have a name of its own, found "diary" in the plugin "diary" and in s/diary.md.',
    )
  })
})

describe("a format's parser", () => {
  const profile = '[prompt]\nformat = "./f.md"\n[plugins]\nenabled = ["./p.mjs"]\n'
  const shouting =
    "export const plugin = { name: 'p', formats: [{ name: 'shout', createReader: () => ({ push: () => [], end: () => [] }) }] }"

  test.each([
    ["emotion_pipe", "emotion_pipe"],
    ["emotion_bracket", "emotion_bracket"],
    ["plain", "plain"],
    ["shout", "shout"],
  ])("L4: %s is found by the name in its file", async (name, found) => {
    const folder = tempFolder({
      "a.toml": profile,
      "p.mjs": shouting,
      "f.md": `---\nparser: ${name}\nemotions: [happy, sad]\n---\nSpeak.`,
    })
    const { format, output } = await load(folder)
    expect(format?.text).toBe("Speak.")
    expect(output.format?.name).toBe(found)
  })

  test("L4: a format without one has none", async () => {
    const folder = tempFolder({ "a.toml": profile, "p.mjs": shouting, "f.md": "Speak." })
    expect((await load(folder)).output).toEqual({ bubbles: false })
  })

  test("L4: the shipped formats name theirs, and another line of the profile changes it", async () => {
    for (const name of ["emotion_pipe", "emotion_bracket", "plain"]) {
      const folder = tempFolder({ "a.toml": `[prompt]\npersona = "fay"\nformat = "${name}"\n` })
      expect((await load(folder)).output.format?.name).toBe(name)
    }
  })

  test.each([
    [
      "---\nparser: emotion_pip\n---\n",
      `f.md:2:1: parser: expected a format with a parser (shout, emotion_pipe, emotion_bracket, plain), found "emotion_pip".${near("emotion_pipe")}`,
    ],
    ["---\nparser: [plain]\n---\n", "f.md:2:1: parser: expected one line of text that is not blank"],
    [
      "---\nparser: plain\nemotions: happy\n---\n",
      'f.md:3:1: emotions: expected a list of words, each on one line, found "happy".',
    ],
    ["---\nparse: plain\n---\n", `"parse": the front matter of a format may hold parser, emotions.${near("parser")}`],
  ])("a mistake in its file is located there: %j", async (text, message) => {
    expect(await messageOf({ "a.toml": profile, "p.mjs": shouting, "f.md": text })).toContain(message)
  })
})
