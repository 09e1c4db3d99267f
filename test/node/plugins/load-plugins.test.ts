import { cpSync, mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { PromptStrataError } from "../../../src/core/errors.ts"
import type { Timers } from "../../../src/core/ports.ts"
import { type LoadPluginsOptions, loadPlugins } from "../../../src/node/plugins/load-plugins.ts"
import { manualClock, manualTimers } from "../../../src/testing/index.ts"
import { near } from "../../support/error-formulas.ts"
import { root } from "../../support/source-files.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const fixtures = `${root}test/fixtures/plugins`

/** The message of the error that loading plugins from a folder of modules throws, without the folder. */
async function messageOf(enabled: readonly string[], files: Readonly<Record<string, string>>, options: LoadPluginsOptions = {}) {
  const folder = tempFolder(files)
  const error = await loadPlugins(enabled, { folder, ...options }).catch((thrown: unknown) => thrown)
  expect(PromptStrataError.isInstance(error), String(error)).toBe(true)
  const { code, message } = error as PromptStrataError
  expect(code).toBe("plugin")
  return message.replaceAll(`${folder}/`, "")
}

describe("loadPlugins", () => {
  test("L10: loads tool, skill and hook plugins, objects and functions, by path, in order", async () => {
    const plugins = await loadPlugins(["./mood.mjs", "./dice.mjs", "./haiku.mjs"], {
      folder: fixtures,
      options: { haiku: { season: "spring" } },
    })
    expect(plugins.map(({ name }) => name)).toEqual(["mood", "dice", "haiku"])
    expect(plugins[0]?.hooks?.[0]?.beforeTurn).toBeTypeOf("function")
    const [die] = plugins[1]?.tools ?? []
    expect(die).toMatchObject({ name: "roll_die", trust: "author", visibility: "planner", usageHint: expect.any(String) })
    expect(await die?.check({})).toEqual({ ok: true, value: {} })
    expect(plugins[2]?.skills).toEqual([
      expect.objectContaining({
        name: "haiku",
        mode: "inline",
        priority: 100,
        content: { text: expect.stringContaining("spring (en)"), trust: "author", source: expect.anything() },
        source: { file: "test/fixtures/plugins/haiku.mjs", line: 1 },
      }),
    ])
  })

  test("L10: a module brings observers, jobs, variables, mayAddTool and close too, and may have methods of its own", async () => {
    const code = `class Weather {
      name = "weather"
      #city = "Rome"
      observers = [{ name: "watcher", events: ["turn-end"], observe() {} }]
      jobs = [{ kind: "forecast", run: async () => {} }]
      variables = { city: this.#city }
      mayAddTool(tool) { return tool === "rain_in_" + this.#city }
      async close() { this.#city = "nowhere" }
      servers = () => []
    }
    export const plugin = new Weather()`
    const [plugin] = await loadPlugins(["./weather.mjs"], { folder: tempFolder({ "weather.mjs": code }) })
    expect(plugin).toEqual({
      name: "weather",
      observers: [{ name: "watcher", events: ["turn-end"], observe: expect.any(Function) }],
      jobs: [{ kind: "forecast", run: expect.any(Function) }],
      variables: { city: "Rome" },
      mayAddTool: expect.any(Function),
      close: expect.any(Function),
    })
    expect(plugin?.mayAddTool?.("rain_in_Rome")).toBe(true)
    await plugin?.close?.()
    expect(plugin?.mayAddTool?.("rain_in_Rome")).toBe(false)
  })

  test("L10: finds a package from the profile's folder and above it, also one that only `import` may load, and its parts", async () => {
    const folder = tempFolder({
      "bots/deep/x.toml": "",
      "node_modules/plain/index.js": "exports.plugin = { name: 'plain', tools: [] }",
    })
    const installed = join(folder, "node_modules/@bots/weather")
    mkdirSync(dirname(installed), { recursive: true })
    cpSync(`${fixtures}/promptstrata-plugin-weather`, installed, { recursive: true })
    const [weather, plain] = await loadPlugins(["@bots/weather", "plain"], {
      folder: join(folder, "bots/deep"),
      options: { "@bots/weather": { city: "Rome" } },
    })
    expect(await weather?.tools?.[0]?.execute({}, {} as never)).toBe("Rome: sunny, 21 °C")
    expect(plain).toEqual({ name: "plain", tools: [] })
    await expect(loadPlugins(["@bots/weather/en"], { folder })).rejects.toThrow(
      /expected .*en\.js to export plugin, an object or a function, or to export it as default, found only sunny\./,
    )
    await expect(loadPlugins(["@bots/weather/fr"], { folder })).rejects.toThrow(
      'but its package.json names no module for "@bots/weather/fr".',
    )
  })

  test("L10, L11: knows built-in ones by name: memory, and the skills that ship", async () => {
    const dataFolder = tempFolder()
    const [memory, diary, files] = await loadPlugins(["memory", "diary", "file-navigation"], {
      locale: "zh-CN",
      promptFolders: [],
      dataFolder,
    })
    expect(memory).toEqual({ name: "memory" })
    expect(diary).toMatchObject({ name: "diary", skills: [{ name: "diary", source: { file: "skills/zh-CN/diary.md" } }] })
    expect(files?.skills).toHaveLength(1)
    const names = diary?.tools?.map(({ name }) => name) ?? []
    expect(names).toEqual(expect.arrayContaining(["list", "read", "write", "edit"]))
    expect(files?.skills?.flatMap(({ allowedTools }) => allowedTools).filter((name) => !names.includes(name))).toEqual([])
    expect(files?.tools).toBeUndefined()
  })

  test("L10: the tools of a skill are described in English unless another language is asked for", async () => {
    const described = async (options: { readonly locale?: string }) => {
      const [diary] = await loadPlugins(["diary"], { promptFolders: [], dataFolder: tempFolder(), ...options })
      return diary?.tools?.find(({ name }) => name === "read")?.description
    }
    expect(await described({})).toMatch(/^[ -~]+$/)
    expect(await described({ locale: "zh-CN" })).toMatch(/\p{Script=Han}/u)
  })

  test("gives a plugin its options as plain objects, its surroundings, and a copy that it may change", async () => {
    const spy = `export function plugin(options, { clock, ...context }) {
      options.seen = true
      const said = JSON.stringify({ options, context, plain: Object.getPrototypeOf(options) === Object.prototype, nowMs: clock.nowMs() })
      return { name: "spy", skills: [{ name: "spied", description: "d", content: said }] }
    }`
    const folder = tempFolder({ "spy.mjs": spy })
    const given = { spy: Object.assign(Object.create(null), { deep: { list: [1] } }) as Readonly<Record<string, unknown>> }
    const surroundings = { locale: "zh-CN", dataFolder: "/data", clock: manualClock(7) }
    const [plugin] = await loadPlugins(["./spy.mjs"], { folder, options: given, ...surroundings })
    expect(JSON.parse(plugin?.skills?.[0]?.content.text ?? "")).toEqual({
      options: { deep: { list: [1] }, seen: true },
      context: { locale: "zh-CN", dataFolder: "/data", profileFolder: folder },
      plain: true,
      nowMs: 7,
    })
    expect(given.spy).not.toHaveProperty("seen")
  })

  test("an unknown one is an error that lists those there are, and says where it looked (L10)", async () => {
    expect(await messageOf(["memry"], {})).toMatch(
      /^"memry": expected a built-in plugin \(character, diary, file-navigation, lorebook, memory\), a path such as ".\/mood.mjs" or an installed package, found "memry"\. Did you mean "memory"\?\nLooked for:\n {2}node_modules\n/,
    )
    expect(await messageOf(["plugins/mood"], { "plugins/mood.mjs": "" })).toContain('Did you mean the file "./plugins/mood.mjs"?')
    expect(await messageOf(["./moods.mjs"], { "mood.mjs": "" })).toBe(
      '"./moods.mjs": expected a module, found none at moods.mjs. Did you mean mood.mjs?',
    )
    expect(await messageOf(["./sub"], { "sub/index.mjs": "" })).toBe('"./sub": expected a module\'s file, found a folder at sub.')
  })

  test.each([
    ["throws as it loads", "\nthrow new Error('no disk')", "x.mjs threw: no disk\nThrown at x.mjs:2:7."],
    ["is no JavaScript", "export const = 1", "x.mjs threw: "],
    [
      "exports nothing",
      "",
      "expected x.mjs to export plugin, an object or a function, or to export it as default, found no exports.",
    ],
    ["exports something else", "export const plugins = {}", "found only plugins. Did you mean to call plugins plugin?"],
    ["exports a long text", `export const plugin = "${"x".repeat(41)}"`, "expected a plugin, an object, found a long string."],
    ["exports a text", `export const plugin = "${"x".repeat(40)}"`, `expected a plugin, an object, found "${"x".repeat(40)}".`],
    ["exports a number", "export const plugin = 3", "expected a plugin, an object, found a number."],
    ["makes nothing", "export function plugin() {}", "expected a plugin, found nothing; does its function return one?"],
    [
      "throws as it is made",
      "export function plugin() { throw new TypeError('no key') }",
      "the function of x.mjs threw: no key\nThrown at x.mjs:1:",
    ],
    ["throws nothing", "export function plugin() { throw undefined }", "the function of x.mjs threw: undefined"],
    ["has no name", "export const plugin = { tools: [] }", "expected a plugin with a name, found nothing in its place."],
    [
      "brings nothing",
      "export const plugin = { name: 'x' }",
      'expected the plugin "x" to have tools, skills, hooks, formats, observers, jobs, variables or several of them, found none.',
    ],
    ["is misspelt", "export const plugin = { name: 'x', tool: [] }", `tool in the plugin "x".${near("tools")}`],
    [
      "is misspelt in a function",
      "export const plugin = { name: 'x', tools: [], mayAddTools: () => true }",
      `mayAddTools in the plugin "x".${near("mayAddTool")}`,
    ],
    [
      "has data that nothing reads",
      "export const plugin = { name: 'x', tools: [], personality: 'kind' }",
      'personality in the plugin "x". Known: name, tools, skills, hooks, formats, observers, jobs, variables, mayAddTool, close.',
    ],
    [
      "has a hook's function outside a hook",
      "export const plugin = { name: 'x', tools: [], beforeTurn() {} }",
      'beforeTurn in the plugin "x". It belongs in an item of hooks.',
    ],
    [
      "has an observer that observes nothing",
      "export const plugin = { name: 'x', observers: [{ name: 'o', events: [] }] }",
      'observers[0]: expected "o" to have a function observe, found none.',
    ],
    [
      "has a job without a kind",
      "export const plugin = { name: 'x', jobs: [{ run() {} }] }",
      "jobs[0]: expected a job with a kind, found none.",
    ],
    [
      "has a job that does nothing",
      "export const plugin = { name: 'x', jobs: [{ kind: 'sum' }] }",
      'jobs[0]: expected "sum" to have a function run, found none.',
    ],
    [
      "has a variable that is no text",
      "export const plugin = { name: 'x', variables: { city: 'Rome', year: 2026 } }",
      "variables.year: expected a string, found a number.",
    ],
    [
      "has variables in a list",
      "export const plugin = { name: 'x', variables: ['Rome'] }",
      "variables: expected an object, found an array.",
    ],
    [
      "cannot be closed",
      "export const plugin = { name: 'x', tools: [], close: true }",
      'expected "x" to have a function close, found something else.',
    ],
    ["has a list that is none", "export const plugin = { name: 'x', tools: {} }", "tools: expected an array, found an object."],
    [
      "has an item that is none",
      "export const plugin = { name: 'x', hooks: ['mood'] }",
      'hooks[0]: expected an object, found "mood".',
    ],
    [
      "has a tool without a name",
      "export const plugin = { name: 'x', tools: [{ description: 'd', execute() {} }] }",
      "tools[0]: expected a tool with a name, found none.",
    ],
    [
      "has a tool without a function",
      "export const plugin = { name: 'x', tools: [{ name: 't', description: 'd' }] }",
      'tools[0]: expected "t" to have a function execute, found none.',
    ],
    [
      "has a tool of a bad name",
      "export const plugin = { name: 'x', tools: [{ name: 'a b', description: 'd', execute() {} }] }",
      'tools[0]: "a b" cannot be a tool\'s name.',
    ],
    [
      "has half a tool",
      "export const plugin = { name: 'x', tools: [{ name: 't', check() {}, execute() {} }] }",
      'tools[0]: expected the tool "t" as defineTool makes it, found one without description or inputSchema.',
    ],
    [
      "has a hook that does nothing",
      "export const plugin = { name: 'x', hooks: [{ name: 'h', before() {} }] }",
      'hooks[0]: expected the hook "h" to have beforeTurn or afterTurn, found neither.',
    ],
    [
      "has a skill without words",
      "export const plugin = { name: 'x', skills: [{ name: 's', description: 'd' }] }",
      'skills[0]: expected the skill "s" with its text as content, found none.',
    ],
    [
      "has a skill in no mode",
      "export const plugin = { name: 'x', skills: [{ name: 's', description: 'd', content: 'c', mode: 'full' }] }",
      'expected mode "inline" or "outline"',
    ],
    [
      "has a format without a reader",
      "export const plugin = { name: 'x', formats: [{ name: 'f' }] }",
      'formats[0]: expected "f" to have a function createReader, found none.',
    ],
    ["has a trap for a name", "export const plugin = { get name() { throw new Error('trap') } }", "trap"],
  ])("a module that %s is named with what was expected", async (_, code, message) => {
    expect(await messageOf(["./x.mjs"], { "x.mjs": code })).toContain(message)
  })

  test("two of one name, and parts of one name in two plugins, are refused", async () => {
    const named = (name: string, hook: string) =>
      `export const plugin = { name: '${name}', hooks: [{ name: '${hook}', afterTurn() {} }] }`
    const files = { "a.mjs": named("a", "h"), "b.mjs": named("a", "i"), "c.mjs": named("c", "h") }
    expect(await messageOf(["./a.mjs", "./b.mjs", "./c.mjs", "memory", "memory"], files)).toBe(
      [
        '"./b.mjs": expected every plugin to have a name of its own, found a second "a".',
        '"./c.mjs": expected every hook to have a name of its own, found a second "h" in the plugin "c"; the first is in "a".',
        '"memory": expected every plugin to have a name of its own, found a second "memory".',
      ].join("\n"),
    )
  })

  test.each([
    [
      "while it loads",
      1,
      "await globalThis.endOfTest",
      "expected a module that loads, but slow.mjs was not done after 10000 ms.",
    ],
    [
      "while it is made",
      2,
      "export const plugin = () => globalThis.endOfTest",
      "expected a plugin, but the function of slow.mjs was not done after 10000 ms.",
    ],
  ])("one that hangs %s is given up at its time limit", async (_, limit, code, message) => {
    // A module that never loads would hang each test file of this process that waits for late imports.
    const { promise, resolve } = Promise.withResolvers<void>()
    Object.assign(globalThis, { endOfTest: promise })
    onTestFinished(() => resolve())
    let limits = 0
    const timers: Timers = {
      set(callback) {
        limits++
        if (limits === limit) queueMicrotask(callback)
      },
      clear: () => undefined,
    }
    expect(await messageOf(["./slow.mjs"], { "slow.mjs": code }, { timers })).toBe(`"./slow.mjs": ${message}`)
    expect(limits).toBe(limit)
  })

  test("one that is done in time leaves no timer behind", async () => {
    const timers = manualTimers(manualClock())
    await loadPlugins(["./dice.mjs", "./mood.mjs"], { folder: fixtures, timers })
    expect(timers.pending).toBe(0)
  })
})
