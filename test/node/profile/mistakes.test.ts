import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test, vi } from "vitest"
import { loadProfile } from "../../../src/node/profile/load-profile.ts"
import { watchProfile } from "../../../src/node/profile/watch-profile.ts"
import { endings } from "../../support/endings.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const hook = "hooks: [{ name: 'h', beforeTurn() {} }]"

/** Profiles, each with one mistake. */
const profiles = {
  "a table that stands twice": '[agent]\nname = "A"\n[agent]\nname = "B"\n',
  "a key that stands twice": 'locale = "en"\nlocale = "zh-CN"\n',
  "a string that does not end": 'locale = "en\n[agent]\n',
  "a string that does not end, with CRLF": 'locale = "en\r\n[agent]\r\n',
  "a control character": 'locale = "e\u0001n"\n',
  "no TOML": "locale: en\n",
  "an unsafe key": '[variables]\n__proto__ = "x"\n[agent.constructor]\n',
  "tables 51 deep": `[plugins.options.x.${Array.from({ length: 49 }, (_, at) => `t${at}`).join(".")}]\n`,
  "a variable that is a list": "[variables]\na = [1]\n",
  "a variable that is a date": "[variables]\na = 2026-01-02\n",
  "a variable that is no number": "[variables]\na = nan\nb = inf\nc = -inf\n",
  "a variable of the agent's own": '[variables]\nquestion = "x"\nmy_question = "y"\n',
  "a locale that is none": 'locale = "English"\n',
  "a key of another table": "max_steps = 3\n",
  "a key of several tables": 'folder = "x"\n',
  "a key that nobody knows": "[loop]\nturns = 3\n",
  "a long wrong value": `[prompt]\npersona = 3\ndialect = ["${"x".repeat(70)}"]\n[loop]\nmode = "${"y".repeat(61)}"\n`,
  "a number outside of its bounds": "[loop]\nmax_steps = 0\n[retry]\nmax_attempts = 1.5\n",
  "a dialect that is not there": '[prompt]\ndialect = "layred"\n',
  "a persona that is not there": '[prompt]\npersona = "fya"\n',
  "a persona at a path that is not there": '[prompt]\npersona = "./nobody.md"\n',
  "a prompts folder that is not there": '[prompt]\nfolder = "./nowhere"\n',
  "a format that is not there": '[prompt]\nformat = "soup"\n',
  "a parser that is not there": '[prompt]\nformat = "./talk.md"\n',
  "a tool that is not there": '[tools]\nenabled = ["read", "wirte"]\n',
  "a lorebook that is not there": '[lorebook]\nfiles = ["./gone.json"]\n',
  "a schedule that is no cron": '[memory]\nreflect_schedule = "each night"\n',
  "a process of a dialect that is not there": '[processes.think]\ndialect = "rooot"\n',
  "options of a plugin that is not enabled": "[plugins.options.mood]\na = 1\n",
  "options of another plugin than the enabled ones":
    '[plugins]\nenabled = ["./mood.mjs", "memory"]\n[plugins.options.moood]\na = 1\n',
  "a tool of a plugin and a built-in one": '[plugins]\nenabled = ["./tools.mjs"]\n[tools]\nenabled = ["read"]\n',
  "a plugin that is not there": '[plugins]\nenabled = ["memroy"]\n',
  "a skill that is not there": '[skills]\nenabled = ["diray"]\n',
  "a mode of a skill that is not there": '[skills]\nenabled = ["diary"]\n[skills.modes]\ndairy = "inline"\n',
  "a mode of a skill without skills": '[skills.modes]\ndiary = "inline"\n',
  "a parent that is not there": 'extends = "fya"\n',
  "a circle": 'extends = "./circle.toml"\n',
}

test("a profile with a mistake is told with the place of it, and what is known instead", async () => {
  const slug = (name: string) => name.replaceAll(/[^\w]+/g, "-")
  const files = Object.fromEntries(Object.entries(profiles).map(([name, text]) => [`${slug(name)}.toml`, text]))
  const folder = tempFolder({
    ...files,
    "circle.toml": 'extends = "./a-circle.toml"\n',
    "talk.md": "---\nparser: bubles\n---\nTalk.\n",
    "mood.mjs": `export const plugin = { name: "mood", ${hook} }\n`,
    "tools.mjs": `const inputSchema = { "~standard": { version: 1, vendor: "test", validate: (value) => ({ value }) } }
export const plugin = { name: "mine", tools: [{ name: "read", description: "r", inputSchema, jsonSchema: { type: "object" }, execute() {} }] }\n`,
  })
  const tasks = Object.keys(profiles).map((name) => {
    const load = async () => {
      const options = { env: {}, locale: "en", onWarning: () => undefined, roots: [] }
      const { name: loaded } = await loadProfile(join(folder, `${slug(name)}.toml`), options)
      return `loaded ${loaded}`
    }
    return [name, load] as const
  })
  const told = await endings(Object.fromEntries(tasks), folder)
  // Where packages are looked for depends on the folder of the machine.
  await expect(told.replaceAll(/^ {2}.*node_modules\n/gm, "")).toMatchFileSnapshot("__snapshots__/mistakes.txt")
})

test("what a profile leaves open is told, with what to write where", async () => {
  const folder = tempFolder({ "mei.toml": '[prompt]\npersona = "./mei.md"\n', "mei.md": "You are Mei." })
  const load = (env: Record<string, string>, locale?: string) => async () => {
    const told: string[] = []
    const { locale: chosen } = await loadProfile(join(folder, "mei.toml"), {
      env,
      locale,
      onWarning: (words) => void told.push(words),
    })
    return [`locale ${chosen}`, ...told].join("\n")
  }
  const tasks = {
    "nothing names a language": load({}),
    "a container's language": load({ LANG: "C.UTF-8" }),
    "an empty LC_ALL before LANG": load({ LC_ALL: "", LANG: "zh_TW.UTF-8" }),
    "LC_ALL before LC_MESSAGES": load({ LC_ALL: "en_GB", LC_MESSAGES: "zh_CN", LANG: "zh_CN" }),
    "LC_MESSAGES before LANG": load({ LC_MESSAGES: "zh-Hant", LANG: "en" }),
    "an option": load({ LANG: "en" }, "ZH_hk"),
    "an option of another language": load({ LANG: "en" }, "fr"),
    "an option that is none": load({ LANG: "en" }, "français"),
  }
  await expect(await endings(tasks, folder)).toMatchFileSnapshot("__snapshots__/left-open.txt")
})

test("a broken edit of a watched profile is told once, and the last good one stays", async () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue()
  const folder = tempFolder({ "a.toml": 'locale = "en"\n[agent]\nname = "One"\n' })
  const write = (text: string) => writeFileSync(join(folder, "a.toml"), text)
  const watch = await watchProfile(join(folder, "a.toml"), { env: {} })
  const inUse = async () => (await watch.refresh()).agent.name
  write('locale = "en"\n[agent]\nnmae = "Two, with a slip"\n')
  expect([await inUse(), await inUse(), watch.problem?.code]).toEqual(["One", "One", "profile"])
  write('locale = "en"\n[agent]\nname = "Three, which is right"\n')
  expect([await inUse(), watch.problem]).toEqual(["Three, which is right", undefined])
  watch.refuse?.(new Error("a thing that is no error of ours"), watch.profile)
  expect([watch.profile.agent.name, watch.problem?.code]).toEqual(["One", "profile"])
  watch.refuse?.(new Error("about another one"), { ...watch.profile })
  expect(watch.profile.agent.name).toBe("One")
  const loud = await watchProfile(join(folder, "a.toml"), {
    env: {},
    onProblem() {
      throw new Error("the log is full")
    },
  })
  loud.refuse?.(new Error("x"), loud.profile)
  await expect(warn.mock.calls.map(String).join("\n\n").replaceAll(folder, "~")).toMatchFileSnapshot("__snapshots__/watched.txt")
  warn.mockRestore()
})
