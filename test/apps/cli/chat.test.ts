import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, test } from "vitest"
import { chatWords } from "../../../src/apps/cli/words/command-words.ts"
import { PromptStrataError } from "../../../src/core/errors.ts"
import { expectScriptsDone, scriptedModel } from "../../../src/testing/index.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { jsonLines } from "../../support/terminal.ts"
import { plainProfile, run } from "./run.ts"

afterEach(expectScriptsDone)

const say = (message: string) => JSON.stringify({ action: "finish", message })
const calculate = (expression: string) => JSON.stringify({ action: "tool", tool: "calculate", args: { expression } })
const once = (question: string, ...more: string[]) => ["chat", plainProfile, "--once", question, ...more]

describe("D14 the first chat of a profile with living documents", () => {
  test.each([
    ["zh-CN", "你还没有人格定义。"],
    ["en", "You have no persona yet"],
  ])("makes SOUL.md, says where, and leaves it alone from then on: %s", async (locale, guidance) => {
    const folder = tempFolder()
    const soul = join(folder, "workspace", "SOUL.md")
    const chat = (more: readonly string[] = []) =>
      run(["chat", "soul", "--locale", locale, "--data-dir", folder, "--once", "hi", ...more], {
        model: scriptedModel([say("Hello.")]),
      })
    const { code, stderr } = await chat(["--show", "prompt"])
    const seed = readFileSync(soul, "utf8")
    expect([code, seed]).toEqual([0, expect.stringMatching(/^<!-- [^<>]+ -->\n$/)])
    for (const text of [seed, stderr]) expect(text).toContain(soul)
    expect(stderr).toContain(guidance)
    writeFileSync(soul, "")
    expect((await chat()).stderr).toBe("")
    expect(readFileSync(soul, "utf8")).toBe("")
  })

  test("goes on where nothing can be written, and makes nothing for other profiles", async () => {
    const folder = tempFolder({ workspace: "a file" })
    const chat = (profile: string, at: string) =>
      run(["chat", profile, "--locale", "en", "--data-dir", at, "--once", "hi"], { model: scriptedModel([say("Hello.")]) })
    expect((await chat("layered", tempFolder())).code).toBe(0)
    expect(readdirSync(folder)).toEqual(["workspace"])
    const { stderr } = await chat("soul", folder)
    expect(stderr).not.toContain("Made ")
  })
})

describe("one question", () => {
  test("puts the answer alone on stdout and the tool's steps on stderr when stdout is a pipe", async () => {
    const model = scriptedModel([calculate("17*23"), say("That is 391.")])
    expect(await run(once("17*23?"), { model })).toEqual({
      code: 0,
      stdout: "That is 391.\n",
      stderr: '→ calculate(expression="17*23")\n✓ calculate = 391 (0 ms)\n',
    })
  })

  test("puts all of it on a terminal, in order, with colours", async () => {
    const model = scriptedModel([calculate("17*23"), say("That is 391.")])
    const { stdout, stderr } = await run(once("17*23?"), { model, terminal: true })
    expect(stderr).toBe("")
    expect(stdout).toBe(
      '\u001b[2m→ calculate(expression="17*23")\u001b[22m\n\u001b[2m✓ calculate = 391 (0 ms)\u001b[22m\nThat is 391.\n',
    )
  })

  test.each([
    ["NO_COLOR takes colours from a terminal", { terminal: true, env: { NO_COLOR: "1" } }, false],
    ["NO_COLOR goes before FORCE_COLOR", { env: { NO_COLOR: "1", FORCE_COLOR: "1" } }, false],
    ["an empty NO_COLOR says nothing", { terminal: true, env: { NO_COLOR: "" } }, true],
    ["a dumb terminal gets none", { terminal: true, env: { TERM: "dumb" } }, false],
    ["a pipe gets none", {}, false],
    ["FORCE_COLOR gives a pipe colours", { env: { FORCE_COLOR: "1" } }, true],
  ])("%s", async (_, surroundings, coloured) => {
    const model = scriptedModel([calculate("1"), say("1")])
    const { stdout, stderr } = await run(once("1"), { model, ...surroundings })
    expect((stdout + stderr).includes("\u001b[")).toBe(coloured)
  })

  test("lets nothing that a model or a tool says act on the terminal", async () => {
    const evil = "\u001b]0;owned\u0007\u001b[2J\u009b1Ahi\rYou: yes"
    const model = scriptedModel([JSON.stringify({ action: "tool", tool: `x${evil}`, args: { [evil]: evil } }), say(evil)])
    const { stdout, stderr } = await run(once("hello", "--show", "prompt", "--show", "trace"), { model })
    expect(stdout).toBe("]0;owned[2J1Ahi\nYou: yes\n")
    expect(stderr).not.toMatch(/[\p{Cc}--\n]/v)
  })

  test("says beside the answer that the demo answers, and nothing of it with a model", async () => {
    const { code, stderr } = await run(once("hello"), { env: { PROMPTSTRATA_MODEL: "demo" } })
    expect({ code, stderr }).toEqual({ code: 0, stderr: `${chatWords("en").demo}\n` })
    expect((await run(once("hello"), { model: scriptedModel([say("hi")]) })).stderr).toBe("")
  })

  test("that fails says why, keeps what was answered, and ends with 1", async () => {
    const broken = new PromptStrataError("model", "the line broke", { hint: "Try again." })
    const model = scriptedModel([['{"action":"finish","message":"Well, I', broken]])
    expect(await run(once("?"), { model })).toEqual({
      code: 1,
      stdout: "Well, I\n",
      stderr: "error: the line broke\nTry again.\n",
    })
  })

  test("says when the answer was cut off", async () => {
    const model = scriptedModel([['{"action":"finish","message":"Once upon', { type: "finish", reason: "length" }]])
    const { code, stdout, stderr } = await run(once("a story"), { model })
    expect({ code, stdout }).toEqual({ code: 0, stdout: "Once upon\n" })
    expect(stderr).toBe("(the answer is cut off: the model broke off in the middle)\n")
  })

  test("says that the agent chose to be silent", async () => {
    const profile = `${tempFolder({ "quiet.toml": 'locale = "en"\n[output]\nbubbles = true\n' })}/quiet.toml`
    const { code, stderr } = await run(["chat", profile, "--once", "hm"], { model: scriptedModel([say("<empty_reply>")]) })
    expect([code, stderr]).toEqual([0, "(no answer)\n"])
  })

  test("shows once per step that the model thinks, and never the thought", async () => {
    const model = scriptedModel([`<think>a secret plan</think>${say("Done.")}`])
    const { stdout, stderr } = await run(once("?"), { model })
    expect({ stdout, stderr }).toEqual({ stdout: "Done.\n", stderr: "… thinking\n" })
  })

  test("that is blank ends with 1 and asks no model", async () => {
    const { code, stderr } = await run(once(" "), { model: scriptedModel([]) })
    expect(code).toBe(1)
    expect(stderr).toContain("error: expected words; the text is empty.")
  })
})

describe("piped lines", () => {
  test("are asked in order in one conversation, blank ones skipped", async () => {
    const model = scriptedModel([say("one"), say("two")])
    const { code, stdout } = await run(["chat", plainProfile], { model, input: "first\r\n\n  \nsecond" })
    expect({ code, stdout }).toEqual({ code: 0, stdout: "one\ntwo\n" })
    expect(model.requests.map(({ facts }) => facts?.question)).toEqual(["first", "second"])
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("first")
  })

  test("go on after a failed turn, which the exit code tells", async () => {
    const model = scriptedModel([[new Error("down")], say("up")])
    const { code, stdout, stderr } = await run(["chat", plainProfile], { model, input: "a\nb\n" })
    expect({ code, stdout }).toEqual({ code: 1, stdout: "up\n" })
    expect(stderr).toContain("error: scripted failed: down")
  })

  test("L10 end only when the hooks after the last turn have, and every plugin is closed; what goes wrong is told", async () => {
    const module = [
      "const later = () => new Promise((resolve) => setImmediate(resolve))",
      "const told = (globalThis.promptstrataChat ??= [])",
      "export const plugin = { name: 'diary', close: async () => { await later(); told.push('closed') }, hooks: [",
      "{ name: 'keep', async afterTurn({ question }) { await later(); told.push(question) } },",
      "{ name: 'bad', afterTurn() { throw new Error('disk\\u001b[2J full') } }] }",
    ]
    const folder = tempFolder({ "a.toml": '[plugins]\nenabled = ["./diary.mjs"]\n', "diary.mjs": module.join("\n") })
    const world = globalThis as { promptstrataChat?: string[] }
    try {
      const { code, stderr } = await run(["chat", `${folder}/a.toml`], { model: scriptedModel([say("one")]), input: "first\n" })
      expect({ code, told: world.promptstrataChat }).toEqual({ code: 0, told: ["first", "closed"] })
      expect(stderr).toContain("The hook bad failed after the turn: disk[2J full")
      await run(["render", `${folder}/a.toml`])
      expect(world.promptstrataChat).toEqual(["first", "closed", "closed"])
    } finally {
      delete world.promptstrataChat
    }
  })

  test("that hold no question are said to", async () => {
    const { code, stdout, stderr } = await run(["chat", plainProfile], { model: scriptedModel([]), input: "\n \n" })
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" })
    expect(stderr).toBe("There was no question: the input has only blank lines.\n")
  })
})

describe("--json", () => {
  test("prints every event as a line, the end without the trace", async () => {
    const model = scriptedModel([calculate("1+1"), say("2")])
    const { code, stdout, stderr } = await run(once("1+1?", "--json"), { model })
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" })
    const events = jsonLines(stdout)
    expect(events.map(({ type }) => type)).toEqual([
      ...["turn-start", "step-start", "step-end", "tool-start", "tool-end"],
      ...["step-start", "text-delta", "step-end", "bubble", "commit", "turn-end"],
    ])
    expect(events.at(-1)).toEqual({ type: "turn-end", result: { ok: true, text: "2", stopReason: "finish", usage: {} } })
  })

  test("with --show adds each request before its answer, and the trace", async () => {
    const model = scriptedModel([say("hi")])
    const events = jsonLines((await run(once("hello", "--json", "--show", "prompt", "--show", "trace"), { model })).stdout)
    expect(events.map(({ type }) => type)).toEqual([
      "turn-start",
      "step-start",
      "prompt",
      "text-delta",
      "step-end",
      "bubble",
      "commit",
      "turn-end",
    ])
    expect(events[2]).toMatchObject({
      step: 1,
      prompt: "planner",
      assembly: { version: 1, messages: model.requests[0]?.messages },
    })
    expect(events.at(-1)).toMatchObject({ result: { trace: { turnId: "turn-1", steps: [{ step: 1 }] } } })
  })

  test("tells a failed turn as data", async () => {
    const model = scriptedModel([[new PromptStrataError("model", "no", { evidence: { status: 500 } })]])
    const { code, stdout, stderr } = await run(once("?", "--json", "--show", "trace"), { model })
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" })
    const error = { code: "model", message: "no", evidence: { status: 500 } }
    expect(jsonLines(stdout).at(-1)).toMatchObject({ type: "turn-end", result: { ok: false, error, trace: { error } } })
  })

  test("tells what kept a turn from beginning", async () => {
    const { code, stdout, stderr } = await run(["chat", "fai", "--once", "?", "--json"])
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" })
    expect(jsonLines(stdout)).toMatchObject([{ type: "error", error: { code: "profile-missing", evidence: {} } }])
  })
})

describe("--show prompt", () => {
  test("prints each request before its answer, every section under its key, tokens, place and author", async () => {
    const model = scriptedModel([calculate("17*23"), say("391")])
    const { stderr } = await run(once("17*23?", "--show", "prompt"), { model })
    const places = ["1. planner", "→ calculate", "✓ calculate", "2. planner"].map((text) => stderr.indexOf(text))
    expect(places).toEqual([...places].sort((a, b) => a - b))
    expect(places).not.toContain(-1)
    expect(stderr).toMatch(/── question · \d+ tokens · layered\/en\/question\.md:\d+(–\d+)? · user\n/)
    expect(stderr).toMatch(/── tools · \d+ tokens · layered\/en\/tools\.md:\d+–\d+ · author\n- calculate: /)
  })
})

describe("a character card", () => {
  const folder = () =>
    tempFolder({
      "mei.json": JSON.stringify({ name: "Mei", description: "A keeper.", first_mes: "Welcome, {{user}}!\u001b[2J" }),
    })

  test("C8 is talked to at once, greeting first, and only once", async () => {
    const model = scriptedModel(["Tea?", "More?"])
    const card = `${folder()}/mei.json`
    const { code, stdout } = await run(["chat", card], { model, input: "hi\n/new\nhi\n" })
    expect([code, stdout]).toEqual([0, "Welcome, User![2J\nTea?\nMore?\n"])
    expect(model.requests.map(({ messages }) => messages.at(-2)?.content)).toEqual(["Welcome, User![2J", "Welcome, User![2J"])
  })

  test("C8 greets in a line of its own with --json, and not before a single question", async () => {
    const model = scriptedModel(["Tea?", "Tea?"])
    const card = `${folder()}/mei.json`
    const { stdout } = await run(["chat", card, "--json"], { model, input: "hi\n" })
    expect(jsonLines(stdout)[0]).toEqual({ type: "greeting", text: "Welcome, User!\u001b[2J" })
    expect((await run(["chat", card, "--once", "hi"], { model })).stdout).toBe("Tea?\n")
  })
})
