import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, describe, expect, test, vi } from "vitest"
import { openStore } from "../../../src/adapters/stores/open-store.ts"
import type { LanguageModel } from "../../../src/index.ts"
import { createAgent } from "../../../src/loop/agent/agent.ts"
import { loadProfile } from "../../../src/node/profile/load-profile.ts"
import { expectScriptsDone, manualClock, manualTimers, scriptedModel } from "../../../src/testing/index.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { plainProfile, start } from "./run.ts"

afterEach(expectScriptsDone)

const say = (message: string) => JSON.stringify({ action: "finish", message })
const stalls = ['{"action":"finish","message":"Let me see', { stallUntilAborted: true }] as const
const ctrlC = "\u0003"
const ctrlD = "\u0004"
const env = { NO_COLOR: "1" }

/** The text on a terminal, without the escape sequences that move the cursor. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are removed
const visible = (text: string) => text.replace(/\u001b\[\d*[A-Za-z]/g, "")

const chat = (model: ReturnType<typeof scriptedModel>) =>
  start(["chat", plainProfile], { model, terminal: true, columns: 120, env })

describe("a conversation at a terminal", () => {
  test("asks line by line under the names of both until Ctrl-D", async () => {
    const model = scriptedModel([say("Hello!"), say("Bye!")])
    const { type, shows, code, written } = chat(model)
    await shows("You: ")
    type("hello\r")
    await shows("You: ", 2)
    type("\r")
    await shows("You: ", 3)
    type("bye\r")
    await shows("You: ", 4)
    type(ctrlD)
    expect(await code).toBe(0)
    expect(visible(written.stdout)).toBe(
      "Talking to Bea. /help lists the commands. Ctrl-C stops an answer. Ctrl-D, or Ctrl-C twice, leaves.\n" +
        "You: hello\r\nBea: Hello!\nYou: \r\nYou: bye\r\nBea: Bye!\nYou: \n",
    )
    expect(model.requests.map(({ facts }) => facts?.question)).toEqual(["hello", "bye"])
  })

  test("asks a dozen questions about calls without a word of Node.js, and is left at one by Ctrl-D", async () => {
    const tool = `{ name: "pay", description: "Pays", needsApproval: true, repeatable: true, execute: () => "paid" }`
    const folder = tempFolder({ "pay.mjs": `export const plugin = { name: "pay", tools: [${tool}] }` })
    const profile = join(folder, "bea.toml")
    writeFileSync(
      profile,
      `extends = ${JSON.stringify(plainProfile)}\n[plugins]\nenabled = ["./pay.mjs"]\n[loop]\nmax_steps = 20\n`,
    )
    const pay = '{"action":"tool","tool":"pay","args":{}}'
    const model = scriptedModel([...Array.from({ length: 13 }, () => pay), say("Paid.")])
    const warned = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined)
    const { type, shows, code, written } = start(["chat", profile], { model, terminal: true, columns: 120, env })
    await shows("You: ")
    type("pay\r")
    for (let asked = 1; asked <= 12; asked++) {
      await shows("Allow it? [y/N]", asked)
      type("y\r")
    }
    await shows("Allow it? [y/N]", 13)
    type(ctrlD)
    expect(await code).toBe(0)
    expect(visible(written.stdout).match(/✓ pay = paid/g)).toHaveLength(12)
    expect(visible(written.stdout)).toContain("✗ pay failed: The user refused this call")
    expect(warned).not.toHaveBeenCalled()
    warned.mockRestore()
  })

  test("keeps words and answer of a conversation that went on in another terminal meanwhile, and says so", async () => {
    const place = tempFolder()
    const own = join(place, "own.toml")
    writeFileSync(own, `extends = ${JSON.stringify(plainProfile)}\n[memory]\nenabled = false\n`)
    const elsewhere = async () => {
      const store = await openStore(place)
      const profile = await loadProfile(own)
      const agent = createAgent({ profile, model: scriptedModel([say("Hello, other one.")]), store })
      await agent.session("terminal").send("I am elsewhere.", { from: { id: "user" } }).result
      await agent.close()
      await store.close()
      return say("Hello!")
    }
    const model = scriptedModel([elsewhere, say("Hello both!")])
    const stored = { ...env, PROMPTSTRATA_STORE: place }
    const { code, written } = start(["chat", own], { model, env: stored, input: "hello\nand now?\n" })
    expect(await code).toBe(1)
    expect(written).toEqual({
      stdout: "Hello!\nHello both!\n",
      stderr: expect.stringMatching(
        /^error: Meanwhile this conversation went on elsewhere, .* just go on: nothing needs to be said again\.\n$/,
      ),
    })
    const store = await openStore(place)
    const kept = await store.load({ agent: "own", conversation: "terminal", audience: "private" })
    const said = ["I am elsewhere.", "Hello, other one.", "hello", "Hello!", "and now?", "Hello both!"]
    expect(kept?.history.map(({ text }) => text)).toEqual(said)
    const prompt = model.requests[1]?.messages.map(({ content }) => content).join("\n")
    for (const text of said.slice(0, -1)) expect(prompt).toContain(text)
    await store.close()
  })

  test("after /new, what was said before is judged at once, so that the new conversation recalls it", async () => {
    const { promise: judging, resolve: judge } = Promise.withResolvers<void>()
    const model: LanguageModel = {
      ...scriptedModel([]),
      async *stream({ facts }) {
        if (facts?.background) judge()
        yield { type: "text-delta", delta: facts?.background ? '{"importance":8,"profile":{}}' : say("Oh!") }
        yield { type: "finish", reason: "stop" }
      },
    }
    const args = ["chat", plainProfile, "--data-dir", tempFolder()]
    // A store whose clock stands still waits for ever for a minute of quiet.
    const clock = manualClock()
    const storeTime = { clock, timers: manualTimers(clock) }
    const { type, shows, code, written } = start(args, {
      model,
      terminal: true,
      columns: 200,
      env: { ...env, PROMPTSTRATA_STORE: "" },
      storeTime,
    })
    await shows("You: ")
    type("My cat fears thunder.\r")
    await shows("You: ", 2)
    type("/new\r")
    await shows("You: ", 3)
    await judging
    type("/memory\r")
    await shows("You: ", 4)
    type(ctrlD)
    expect(await code).toBe(0)
    expect(visible(written.stdout)).toMatch(/ 8 +dialogue +User +terminal +My cat fears thunder\./)
  })

  test("asks next what was typed while an answer came, and keeps a line that was only begun", async () => {
    let answerFirst = (_: string): void => undefined
    const first = new Promise<string>((resolve) => {
      answerFirst = resolve
    })
    const { type, shows, code, written } = chat(scriptedModel([() => first, say("Second."), say("Third.")]))
    await shows("You: ")
    type("one\rtwo\rthr")
    answerFirst(say("First."))
    await shows("Second.")
    await shows("thr")
    type("ee\r")
    await shows("Third.")
    await shows("You: ", 4)
    type(ctrlD)
    expect(await code).toBe(0)
    expect(visible(written.stdout).split("\n").slice(1).join("\n")).toBe(
      "You: one\r\nBea: First.\nYou: two\nBea: Second.\nYou: three\r\nBea: Third.\nYou: \n",
    )
  })

  test("ends after the answer that comes when Ctrl-D was pressed meanwhile", async () => {
    let answer = (_: string): void => undefined
    const reply = new Promise<string>((resolve) => {
      answer = resolve
    })
    const { type, shows, code, written } = chat(scriptedModel([() => reply]))
    await shows("You: ")
    type(`one\r${ctrlD}`)
    answer(say("First."))
    expect(await code).toBe(0)
    expect(visible(written.stdout)).toMatch(/You: one\r\nBea: First\.\n$/)
    expect(written.stderr).toBe("")
  })
})

describe("Ctrl-C", () => {
  test.each([
    ["as a key", (run: ReturnType<typeof start>) => run.type(ctrlC)],
    ["as a signal", (run: ReturnType<typeof start>) => run.interrupt()],
  ])("%s aborts the answer that comes and returns to the prompt; at the prompt it leaves with 130", async (_, press) => {
    const run = chat(scriptedModel([[...stalls], say("Yes.")]))
    await run.shows("You: ")
    run.type("think\r")
    await run.shows("Let me see")
    press(run)
    await run.shows("You: ", 2)
    run.type("still there?\r")
    await run.shows("You: ", 3)
    press(run)
    expect(await run.code).toBe(130)
    expect(visible(run.written.stdout)).toContain("Bea: Let me see\naborted\nYou: still there?\r\nBea: Yes.\nYou: ")
    expect(run.written.stderr).toBe("")
  })

  test("twice within a turn leaves with 130, with the last line ended", async () => {
    const run = chat(scriptedModel([[...stalls]]))
    await run.shows("You: ")
    run.type("think\r")
    await run.shows("Let me see")
    run.type(ctrlC)
    run.type(ctrlC)
    expect(await run.code).toBe(130)
    expect(run.written.stdout).toMatch(/Let me see\n/)
  })

  test("ends a single question with 130 and says so", async () => {
    const { code, shows, interrupt, written } = start(["chat", plainProfile, "--once", "think"], {
      model: scriptedModel([[...stalls]]),
    })
    await shows("Let me see")
    interrupt()
    expect(await code).toBe(130)
    expect(written).toEqual({ stdout: "Let me see\n", stderr: "aborted\n" })
  })

  test("ends piped lines, and the next is not asked", async () => {
    const { code, shows, interrupt } = start(["chat", plainProfile], { model: scriptedModel([[...stalls]]), input: "a\nb\n" })
    await shows("Let me see")
    interrupt()
    expect(await code).toBe(130)
  })

  test("in --json ends the turn's events as aborted", async () => {
    const { code, shows, interrupt, written } = start(["chat", plainProfile, "--once", "think", "--json"], {
      model: scriptedModel([[...stalls]]),
    })
    await shows("text-delta")
    interrupt()
    expect(await code).toBe(130)
    expect(JSON.parse(written.stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({
      type: "turn-end",
      result: { ok: false, error: { code: "aborted" }, gathered: { text: "Let me see" } },
    })
  })
})
