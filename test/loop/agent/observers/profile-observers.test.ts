import { afterEach, describe, expect, test } from "vitest"
import { createAgent } from "../../../../src/loop/agent/agent.ts"
import { readState, type VirtualContextState } from "../../../../src/memory/forgetting/plugin/context-state.ts"
import { createVirtualContext } from "../../../../src/memory/forgetting/plugin/virtual-context.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { loadProfile } from "../../../../src/node/profile/load-profile.ts"
import type { ProfileInput } from "../../../../src/profile/profile.ts"
import { resolveProfile } from "../../../../src/profile/resolve.ts"
import { defineTool } from "../../../../src/prompt/tools/define-tool.ts"
import {
  countingIds,
  expectScriptsDone,
  manualClock,
  manualTimers,
  type ScriptedStep,
  scriptedModel,
} from "../../../../src/testing/index.ts"
import { callTool, finish } from "../../../support/agents.ts"
import { tempFolder } from "../../../support/temp-folder.ts"

afterEach(expectScriptsDone)

const key = { agent: "mei", conversation: "test", audience: "private", user: "test" } as const
const write = defineTool({
  name: "write",
  description: "",
  writes: true,
  execute: (_, context) => context.record?.({ kind: "write", tool: "write", summary: "created notes/a.md" }),
})
const read = defineTool({ name: "read", description: "", repeatable: true, execute: () => "the text" })
const put = (id: string) => callTool("put_into_workspace", { id, text: "kept" })
const reported = (message: string, used: readonly string[] = []) =>
  JSON.stringify({ action: "finish", message, tool: "report_use", args: { used } })

/** An agent with a virtual context and an observer; `say` waits for everything behind the turn. */
function observed(
  steps: readonly ScriptedStep[],
  settings: NonNullable<ProfileInput["observers"]>[string] = {},
  own?: readonly ScriptedStep[],
) {
  const clock = manualClock(Date.UTC(2026, 0, 5, 9, 0))
  const model = scriptedModel(steps)
  const store = createInMemoryStore()
  const observer = own && scriptedModel(own)
  const warnings: string[] = []
  const profile = resolveProfile({
    ...{ name: "mei", dialect: "root", locale: "en", timeZone: "UTC", retry: { maxAttempts: 1 }, memory: { enabled: false } },
    observers: { "main-observer": settings },
  })
  const agent = createAgent({
    ...{
      profile,
      model,
      store,
      tools: [write, read],
      plugins: [createVirtualContext({ locale: "en", events: { timeZone: "UTC" } })],
    },
    ...(observer && { models: { "main-observer": observer } }),
    onWarning: ({ message }) => void warnings.push(message),
    ports: { clock, timers: manualTimers(clock), ids: countingIds() },
  })
  const session = agent.session("test")
  const state = async (): Promise<VirtualContextState> => {
    const hooks = (await store.load(session.key))?.state.hooks as Readonly<Record<string, unknown>> | undefined
    return readState(hooks?.["virtual-context"])
  }
  const say = async (text: string) => {
    const result = await session.send(text).result
    await agent.idle()
    clock.advance(60_000)
    return result
  }
  const shown = async () => JSON.stringify((await session.preview("?")).messages)
  return { agent, session, model, store, observer, warnings, state, say, shown }
}

describe("R26: an observer that the profile declares", () => {
  test("records what tools changed as an event, in the first person, for the next turn", async () => {
    const { say, state, shown } = observed([callTool("write"), finish("Done."), finish("Yes.")])
    await say("Write it down")
    expect(await shown()).toContain("User said: Write it down — and I changed notes/a.md")
    await say("And?")
    expect((await state()).events).toMatchObject([
      { id: "main-observer:turn-1:1", stamp: "20260105 9:00", importance: 4, sources: ["turn-1"] },
    ])
  })

  test("knows who asked, also when others have spoken before it looks", async () => {
    const store = createInMemoryStore()
    const looks = Promise.withResolvers<void>()
    const clock = manualClock(Date.UTC(2026, 0, 5, 9, 0))
    const agent = createAgent({
      profile: resolveProfile({
        ...{ name: "mei", dialect: "root", locale: "en", timeZone: "UTC", memory: { enabled: false } },
        observers: { "main-observer": {} },
      }),
      model: scriptedModel([callTool("write"), finish("Done."), finish("Hello.")]),
      store: {
        ...store,
        async messages(key, filter) {
          await looks.promise
          return store.messages(key, filter)
        },
      },
      tools: [write],
      plugins: [createVirtualContext({ locale: "en", events: { timeZone: "UTC" } })],
      ports: { clock, timers: manualTimers(clock), ids: countingIds() },
    })
    const session = agent.session({ conversation: "friends", audience: "group" })
    await session.send("Write it down", { from: { id: "ann", name: "Ann" } }).result
    await session.send("Hi", { from: { id: "bob", name: "Bob" } }).result
    await session.hear("So do I", { from: { id: "bob", name: "Bob" } })
    looks.resolve()
    await agent.idle()
    const shown = JSON.stringify((await session.preview("?")).messages)
    expect(shown).toContain("Ann said: Write it down — and I changed notes/a.md")
  })

  test("collects what was pulled and then not named for some turns, and tells the next turn once", async () => {
    const { say, state, shown } = observed(
      [
        callTool("read", { path: "a.txt" }),
        finish("1"),
        callTool("read", { path: "b.txt" }),
        finish("2"),
        finish("3"),
        finish("4"),
      ],
      { pulledTurns: 2 },
    )
    await say("Read a.txt")
    await say("Read the other")
    expect((await state()).pulled.map(({ id }) => id)).toEqual(["a.txt", "b.txt"])
    await say("What did b.txt say?")
    expect(await shown()).toContain("a.txt was put away")
    await say("Go on")
    expect((await state()).pulled.map(({ id }) => id)).toEqual(["b.txt"])
    expect(await shown()).not.toContain("put away")
  })

  test("collects from the workspace what was put in and never used, and from what was pulled what is in the workspace", async () => {
    const { say, state } = observed(
      [
        callTool("read", { path: "a.txt" }),
        put("%[a.txt]"),
        put("%[b.txt]"),
        finish("1"),
        ...["2", "3", "4"].map((text) => reported(text, ["a.txt"])),
      ],
      { workspaceTurns: 2 },
    )
    for (const text of ["Keep both", "Use the first", "Again", "And again"]) await say(text)
    expect((await state()).workspace.map(({ id }) => id)).toEqual(["a.txt"])
  })

  test("asks in the next turn for a report of use that did not come", async () => {
    const { say, shown } = observed([put("%[a.txt]"), finish("1"), finish("2"), finish("no")])
    await say("Keep it")
    await say("Use it")
    expect(await shown()).toContain("report_use was missing with your previous answer")
  })

  test("with a model of its own, records, collects and notes what that model says, with a receipt", async () => {
    const findings = {
      events: [{ event: "I promised tea", importance: 8 }],
      collect: ["%[a.txt]", "nowhere"],
      note: "Tea is open.",
    }
    const { say, state, shown, store, observer } = observed(
      [put("%[a.txt]"), finish("1"), reported("2")],
      { writer: "model", everyTurns: 1 },
      [`Here it is: ${JSON.stringify(findings)}`, JSON.stringify({ events: [] })],
    )
    await say("Keep it")
    expect(observer?.requests[0]?.messages.at(-1)?.content).toMatch(/Keep it[\s\S]*a\.txt/)
    expect(await shown()).toContain("Tea is open.")
    await say("Go on")
    expect(await state()).toMatchObject({ workspace: [], events: [{ text: "I promised tea", importance: 8 }] })
    const receipts = await store.receipts.ofTurn("turn-1", key)
    expect(receipts).toMatchObject([{ kind: "main-observer", outcome: "ok" }])
  })

  test.each([
    ["cannot be read", "no JSON here", "parse-error"],
    ["does not come", [new Error("down")] as ScriptedStep, "failed"],
  ])("an answer of that model that %s is told, and the rule decides", async (_, answer, outcome) => {
    const { say, shown, store } = observed([callTool("write"), finish("Done.")], { writer: "model" }, [answer])
    await say("Write")
    expect(await shown()).toContain("I changed notes/a.md")
    const receipts = await store.receipts.ofTurn("turn-1", key)
    expect(receipts).toMatchObject([{ kind: "main-observer", outcome }])
  })

  test("does only what it is set to, and nothing with the conversation's memory off (D2)", async () => {
    const off = observed([callTool("write"), finish("Done.")], { record: false, inject: false, collect: false })
    await off.say("Write")
    expect((await off.store.load(off.session.key))?.notes).toEqual([])
    const forgetful = observed([callTool("write"), finish("Done.")])
    await forgetful.session.setMemory(false)
    await forgetful.say("Write")
    expect((await forgetful.store.load(forgetful.session.key))?.notes).toEqual([])
    const rare = observed([callTool("write"), finish("1"), callTool("write"), finish("2")], { everyTurns: 2 })
    await rare.say("One")
    expect((await rare.store.load(rare.session.key))?.notes).toEqual([])
    await rare.say("Two")
    expect((await rare.store.load(rare.session.key))?.notes).not.toEqual([])
    expect([off, forgetful, rare].flatMap(({ warnings }) => warnings)).toEqual([])
  })

  test("gives way to one of the same name that the program brings, and needs a virtual context", () => {
    const profile = resolveProfile({ name: "mei", observers: { "main-observer": {}, second: { enabled: false } } })
    const model = scriptedModel([])
    expect(() => createAgent({ profile, model })).toThrow("expected a virtual context for observers.main-observer")
    const own = { name: "main-observer", observe: () => undefined }
    expect(() => createAgent({ profile, model, observers: [own] })).not.toThrow()
  })

  test("ships with the root profile, by configuration alone", async () => {
    const folder = tempFolder({ "mine.toml": 'extends = "root"\n[observers.second]\nrecord = false\n' })
    const profile = await loadProfile(`${folder}/mine.toml`, { locale: "en", env: {}, dataFolder: folder })
    expect(Object.keys(profile.observers)).toEqual(["main-observer", "second"])
    expect(Object.keys(profile.processes)).toEqual(["tools"])
    expect(() => createAgent({ profile, model: scriptedModel([]) })).not.toThrow()
  })
})
