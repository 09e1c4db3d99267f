import { readFileSync, writeFileSync } from "node:fs"
import { afterEach, describe, expect, test } from "vitest"
import { expectScriptsDone, scriptedModel } from "../../../src/testing/index.ts"
import { near } from "../../support/error-formulas.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { jsonLines } from "../../support/terminal.ts"
import { plainProfile, run, start } from "./run.ts"

afterEach(expectScriptsDone)

const say = (message: string) => JSON.stringify({ action: "finish", message })
const chat = ["chat", plainProfile]
const asked = (model: ReturnType<typeof scriptedModel>) => model.requests.map(({ facts }) => facts?.question)

describe("commands in a chat", () => {
  test("/help lists them, /exit leaves, and no model is asked", async () => {
    const { code, stdout, stderr } = await run(chat, { model: scriptedModel([]), input: "/help\n/exit\nnever\n" })
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" })
    const own = ["/help", "/exit", "/new", "/prompt", "/memory", "/approve", "/deny"]
    const shared = ["/regenerate", "/swipe", "/edit", "/undo", "/continue", "/forget", "/schedule"]
    expect(stderr.match(/^\/\w+/gm)).toEqual([...own, ...shared])
  })

  test.each([
    ["/foo", "There is no command /foo;"],
    ["/promt now", near("/prompt")],
    ["/Help", near("/help")],
    ["/帮助", "There is no command /帮助;"],
  ])("%s is unknown: it is said, not sent, and the exit code is 1", async (line, told) => {
    const model = scriptedModel([say("Hello!")])
    const { code, stdout, stderr } = await run(chat, { model, input: `${line}\nhello\n` })
    expect({ code, stdout, asked: asked(model) }).toEqual({ code: 1, stdout: "Hello!\n", asked: ["hello"] })
    expect(stderr).toContain(told)
    expect((await run([...chat, "--once", line], { model: scriptedModel([]) })).code).toBe(1)
  })

  test("N13 the commands of every chat change the last words, and their turns are shown", async () => {
    const model = scriptedModel([say("One."), say("Two."), say("Three.")])
    const input = "count\n/regenerate\n/swipe\n/edit count on\n/undo\n/undo\n/start\n"
    const { code, stdout, stderr } = await run(chat, { model, input })
    expect({ stdout, asked: asked(model) }).toEqual({ stdout: "One.\nTwo.\nThree.\n", asked: ["count", "count", "count on"] })
    expect(stderr).toContain("One.\nTaken back.\nThere is nothing like that in this conversation yet.\n")
    expect([code, stderr.includes("There is no command /start")]).toEqual([1, true])
  })

  test.each(["/etc/hosts is a file", "/ is the root", "/1", " /help", "1/2"])("%j is no command", async (line) => {
    const model = scriptedModel([say("Yes.")])
    expect((await run(chat, { model, input: `${line}\n` })).code).toBe(0)
    expect(asked(model)).toEqual([line])
  })

  test("/prompt shows the prompt of the last question, and of a given one", async () => {
    const model = scriptedModel([say("Hello!")])
    const { code, stderr } = await run(chat, { model, input: "my last words\n/prompt\n/prompt of my own\n" })
    expect(code).toBe(0)
    expect(stderr.match(/^── question .*\n+.*$/gm)).toEqual([
      expect.stringMatching(/my last words$/),
      expect.stringMatching(/of my own$/),
    ])
  })

  test("/prompt without a question shows the last request that was sent", async () => {
    const model = scriptedModel(['{"action":"tool","tool":"calculate","args":{"expression":"17*23"}}', say("391")])
    const { stderr } = await run(chat, { model, input: "How much?\n/prompt\n/new\n/prompt\n" })
    const [first = "", second = ""] = stderr.split("A new conversation").map((part) => part.slice(part.indexOf("══ system")))
    expect(first.match(/^── (?:history|question|steps) .*\n+.*$/gm)).toEqual([
      expect.stringMatching(/^── question .*\n+How much\?$/),
      expect.stringMatching(/^── steps .*\n+\{"action":"tool"/),
      expect.stringMatching(/^── steps .*\n+calculate → 391$/),
    ])
    // A conversation that has just begun sent none.
    expect(second).not.toContain("calculate → 391")
  })

  test("/prompt and render show the prompt with which a turn begins in the profile's mode", async () => {
    const profileIn = (mode: string) => `${tempFolder({ "a.toml": `locale = "en"\n[loop]\nmode = "${mode}"\n` })}/a.toml`
    const asksForJson = async (mode: string, tools: boolean) => {
      const model = { ...scriptedModel([]), capabilities: { developerRole: false, tools } }
      return (await run(["chat", profileIn(mode)], { model, input: "/prompt hi\n" })).stderr.includes("exactly one JSON object")
    }
    expect([await asksForJson("json", true), await asksForJson("auto", false), await asksForJson("native", false)]).toEqual(
      Array(3).fill(true),
    )
    expect([await asksForJson("auto", true), await asksForJson("native", true), await asksForJson("chat", true)]).toEqual(
      Array(3).fill(false),
    )
    expect((await run(["render", profileIn("chat")])).stdout).not.toContain("exactly one JSON object")
  })

  test("/new begins a conversation without the words before, and the next chat goes on with it", async () => {
    const store = ["--store", tempFolder(), "--data-dir", tempFolder()]
    const path = `${tempFolder({ "a.toml": 'locale = "en"\n[plugins]\nenabled = []\n' })}/a.toml`
    const first = scriptedModel([say("One."), say("Two.")])
    const { stderr } = await run(["chat", path, ...store], { model: first, input: "alpha\n/new\nbeta\n" })
    expect(stderr).toContain("A new conversation: terminal-2.")
    expect(JSON.stringify(first.requests[1]?.messages)).not.toContain("alpha")
    const second = scriptedModel([say("Three.")])
    await run(["chat", path, ...store], { model: second, input: "gamma\n" })
    const messages = JSON.stringify(second.requests[0]?.messages)
    expect([messages.includes("alpha"), messages.includes("beta")]).toEqual([false, true])
    const own = await run(["memory", "export", "--user", "user", "--profile", path, ...store])
    expect(own.stdout).toMatch(/alpha[\s\S]*beta[\s\S]*gamma/)
  })

  test("/memory shows memories, or why there are none", async () => {
    expect((await run(chat, { model: scriptedModel([]), input: "/memory\n" })).stderr).toContain("Nothing is kept in this chat")
    const store = ["--store", tempFolder(), "--data-dir", tempFolder()]
    for (const setting of ["[plugins]\nenabled = []", "[memory]\nenabled = false"]) {
      const off = tempFolder({ "a.toml": `locale = "en"\n[agent]\nname = "Ada"\n${setting}\n` })
      const told = await run(["chat", `${off}/a.toml`, ...store], { model: scriptedModel([]), input: "/memory\n" })
      const words = 'its profile has [memory] enabled = false, or a [plugins] enabled without "memory".'
      const documents = "With [documents], what it remembers stands in USER.md and MEMORY.md."
      expect(told.stderr).toBe(`Ada keeps no memories: ${words} ${documents}\n`)
      const list = await run(["memory", "list", "--profile", `${off}/a.toml`, ...store])
      expect(list.stderr).toBe(told.stderr)
    }
    const kept = await run(["chat", "fay", ...store], { input: "I live in Hangzhou\n/memory\n" })
    expect(kept.stderr).toMatch(/dialogue +Friend +terminal +I live in Hangzhou/)
  })

  test("/memory off switches the conversation's memory, /memory WORDS looks for some, and the next chat knows", async () => {
    const store = ["--store", tempFolder(), "--data-dir", tempFolder()]
    const path = `${tempFolder({ "a.toml": 'extends = "fay"\nlocale = "en"\n' })}/a.toml`
    const off = await run(["chat", path, ...store], { input: "/memory off\nI live in Hangzhou\n" })
    expect(off.stderr).toContain("Memory is switched off: in this conversation nothing is recalled or learnt until /memory on.")
    const later = await run(["chat", path, ...store], { input: "I live in Suzhou\n/memory on\nI live in Shanghai\n" })
    expect(later.stderr).toContain("Memory is not switched off any more.")
    const told = (await run(["chat", path, ...store], { input: "/memory\n/memory Shanghai\n" })).stderr
    expect([told.includes("Hangzhou"), told.includes("Suzhou")]).toEqual([false, false])
    expect(told).toMatch(/dialogue .*I live in Shanghai[\s\S]*^\S+:0: I live in Shanghai$/m)
  })

  test("in --json are told as lines of their own", async () => {
    const { code, stdout } = await run([...chat, "--json"], { model: scriptedModel([]), input: "/foo\n/exit\n" })
    expect(code).toBe(1)
    expect(jsonLines(stdout)).toEqual([
      { type: "command", command: "/foo", text: expect.stringContaining("no command /foo") },
      { type: "command", command: "/exit", text: "" },
    ])
  })

  test("at a terminal, too: /exit ends with 0", async () => {
    const { type, shows, code } = start(chat, { model: scriptedModel([]), terminal: true, env: { NO_COLOR: "1" } })
    await shows("You: ")
    type("/help\r")
    await shows("/memory")
    await shows("You: ", 2)
    type("/exit\r")
    expect(await code).toBe(0)
  })
})

test("a kind of warning is said once, and the rest is counted at the end", async () => {
  const module =
    "let n = 0\nexport const plugin = { name: 'p', hooks: [{ name: 'bad', afterTurn() { throw new Error('disk ' + ++n + ' full') } }, { name: 'worse', afterTurn() { throw new Error('no') } }] }\n"
  const folder = tempFolder({ "a.toml": 'locale = "en"\n[plugins]\nenabled = ["./p.mjs"]\n', "p.mjs": module })
  const model = scriptedModel([say("1"), say("2"), say("3")])
  const { stderr } = await run(["chat", `${folder}/a.toml`], { model, input: "a\nb\nc\n" })
  expect(stderr.trim().split("\n")).toEqual([
    "The hook bad failed after the turn: disk 1 full",
    "The hook worse failed after the turn: no",
    "! 2 more: The hook bad failed after the turn: disk 1 full",
    "! 2 more: The hook worse failed after the turn: no",
    'Each is in "promptstrata memory receipts" or --show trace.',
  ])
})

describe("a tool call that waits for a person", () => {
  const module =
    "const tool = { name: 'pay', description: 'Pays', trust: 'author', inputSchema: { type: 'object', properties: {} }, visibility: 'planner', repeatable: false, writes: true, needsApproval: true, check: async (value) => ({ ok: true, value }), execute: () => 'paid in full' }\nexport const plugin = { name: 'p', tools: [tool] }\n"
  const pays = () => [
    "chat",
    `${tempFolder({ "a.toml": 'locale = "en"\n[plugins]\nenabled = ["./p.mjs"]\n[tools]\nwhile_asked = "wait"\n', "p.mjs": module })}/a.toml`,
  ]
  const calls = JSON.stringify({ action: "tool", tool: "pay", args: {} })

  test("is allowed by /approve, and its turn goes on", async () => {
    const model = scriptedModel([calls, say("Done.")])
    const { code, stdout, stderr } = await run(pays(), { model, input: "Pay\n/approve\n/approve\n" })
    expect([code, stdout]).toEqual([1, "Done.\n"])
    expect(stderr).toMatch(/waits for your consent: .*pay.*\/approve/)
    expect(stderr).toContain("paid in full")
    expect(stderr).toContain("No tool call waits for your consent.")
  })

  test("two that wait are told apart, and each is answered", async () => {
    const path = pays()[1] as string
    writeFileSync(path, `${readFileSync(path, "utf8")}[loop]\nmode = "native"\n`)
    const calls = ["{}", '{"to":"Ann"}'].map((args, at) => ({
      type: "tool-call" as const,
      call: { id: `${at}`, name: "pay", args },
    }))
    const model = scriptedModel([calls, "Only one."], { capabilities: { tools: true } })
    const { stdout, stderr } = await run(["chat", path], { model, input: "Pay\n/approve\n/deny too dear\n" })
    expect(stderr).toMatch(/waits for your consent: pay.* · pay.*; \/approve/)
    expect(stdout.trim()).toBe("Only one.")
    expect(JSON.stringify(model.requests[1]?.messages)).toMatch(/paid in full.*too dear/)
  })

  test("is refused by /deny, and the model reads the reason", async () => {
    const model = scriptedModel([calls, say("Then not.")])
    const { code, stdout } = await run(pays(), { model, input: "Pay\n/deny it is too dear\n" })
    expect([code, stdout]).toEqual([0, "Then not.\n"])
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("it is too dear")
  })
})
