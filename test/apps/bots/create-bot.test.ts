import { expect, test, vi } from "vitest"
import { z } from "zod"
import { type BotOptions, createBot } from "../../../src/apps/bots/create-bot.ts"
import type { LanguageModel } from "../../../src/core/model/language-model.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Job } from "../../../src/memory/services/store/job-runner.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import { resolveProfile } from "../../../src/profile/resolve.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { manualClock, manualTimers, scriptedModel } from "../../../src/testing/index.ts"
import { picture } from "../../examples/support/picture.ts"
import { callTool, finish } from "../../support/agents.ts"

const ann = { id: "ann", name: "Ann" }
const home = { conversation: "home", audience: "private" } as const
const leaseMs = 30_000

/** Bots over one store: each is the process after the one before. A platform whose `send` never resolves is a bot that died there. */
function processes() {
  const clock = manualClock(0)
  const timers = manualTimers(clock)
  const store = createInMemoryStore({ ports: { clock, timers } })
  const sent: string[] = []
  let next = 0
  const start = (model: LanguageModel, more: Partial<BotOptions> = {}, send?: (text: string) => unknown) =>
    createBot({
      profile: resolveProfile({
        name: "Mira",
        dialect: "layered",
        persona: "You are Mira.",
        locale: "en",
        memory: { enabled: false },
      }),
      model,
      store,
      // The timers of a dead process stand still.
      ports: { clock, timers: manualTimers(clock), ids: { next: (prefix) => `${prefix}-${++next}` } },
      chat: () => ({ limit: 4096, locale: "en", sendText: send ?? ((text: string) => sent.push(text)) }),
      ...more,
    })
  /** Lets everything happen that waits for nothing outside. */
  const settle = async () => {
    for (let round = 0; round < 50; round++) await new Promise((resolve) => setImmediate(resolve))
  }
  /** Passes the time after which a message whose process died is taken up. */
  const takeUp = async () => {
    await settle()
    timers.advance(leaseMs)
  }
  const reach = (count: number) => vi.waitFor(() => expect(sent.length).toBeGreaterThanOrEqual(count))
  return { store, clock, timers, sent, start, reach, settle, takeUp }
}

const never = (_?: unknown) => new Promise(() => undefined)
const hangs: LanguageModel = {
  ...scriptedModel([]),
  // biome-ignore lint/correctness/useYield: it never says anything
  async *stream() {
    await never()
  },
}

test("N23 a message that comes twice is answered once, also after a restart", async () => {
  const { start, sent } = processes()
  const bot = start(scriptedModel([finish("Hello.")]))
  const message = { id: "1", text: "hi", from: ann }
  await Promise.all([bot.take(home, message), bot.take(home, message)])
  await bot.idle()
  await bot.close()
  const later = start(scriptedModel([]))
  await later.take(home, message)
  await later.idle()
  expect(sent).toEqual(["Hello."])
})

test("N23 a message whose process died is answered by the next one, with its files", async () => {
  const { start, sent, reach, takeUp } = processes()
  const model = scriptedModel([finish("A cat.")], { capabilities: { attachments: ["image/*"] } })
  const file = { bytes: picture, name: "cat.png", mediaType: "image/png" }
  await start(hangs).take(home, { id: "1", text: "Who is this?", from: ann, files: [file] })
  const next = start(model)
  await takeUp()
  await reach(1)
  await next.idle()
  expect(sent).toEqual(["A cat."])
  expect(JSON.stringify(model.requests[0]?.messages)).toContain("cat.png")
  expect((await next.agent.session("home").history()).map(({ text }) => text)).toEqual(["Who is this?", "A cat."])
})

test("N23 the words of an answer that arrived are not said again, and history has the whole answer", async () => {
  const { start, sent, reach, takeUp } = processes()
  const profile = resolveProfile({
    ...{ name: "Mira", dialect: "layered", persona: "You are Mira.", locale: "en" },
    ...{ memory: { enabled: false }, output: { bubbles: true } },
  })
  const first = scriptedModel([finish("One.@br Two.")])
  await start(first, { profile }, (text) => (text === "One." ? sent.push(text) : never())).take(home, {
    ...{ id: "1", text: "Count.", from: ann },
  })
  await reach(1)
  const next = start(scriptedModel([]), { profile })
  await takeUp()
  await reach(2)
  expect(sent.map((text) => text.trim())).toEqual(["One.", "Two."])
  expect((await next.agent.session("home").history()).map(({ text }) => text)).toEqual(["Count.", "One.@br Two."])
})

test("N23 a call that changes something and was cut off is not made again, and the model is told", async () => {
  const { start, sent, reach, takeUp } = processes()
  let calls = 0
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    writes: true,
    repeatable: true,
    execute: () => (++calls > 0 ? never() : ""),
  })
  await start(scriptedModel([callTool("pay")]), { tools: [pay] }).take(home, { id: "1", text: "Pay!", from: ann })
  await vi.waitFor(() => expect(calls).toBe(1))
  const model = scriptedModel([callTool("pay"), finish("I do not know.")])
  start(model, { tools: [pay] })
  await takeUp()
  await reach(1)
  expect([calls, sent]).toEqual([1, ["I do not know."]])
  expect(JSON.stringify(model.requests[0]?.messages)).toContain("its outcome is unknown")
})

/** A tool that asks two times in the middle of its work. */
function payTwice() {
  const paid: boolean[] = []
  const pay = defineTool({
    ...{ name: "pay", description: "Pays.", writes: true },
    async execute(_, { confirm, signal }) {
      for (const name of ["Eve", "Bob"]) {
        const may = (await confirm?.({ tool: "pay", summary: `pay ${name}` }, signal)) === true
        if (!may) return "refused"
      }
      paid.push(true)
      return "paid"
    },
  })
  return { paid, pay }
}

test("N43 questions in the middle of a tool's work wait, are asked again after a crash, and are answered in the chat", async () => {
  const { start, sent, reach, takeUp } = processes()
  const { paid, pay } = payTwice()
  const dying = () => {
    const asked = Promise.withResolvers<void>()
    return { asked: asked.promise, send: () => never(asked.resolve()) }
  }
  const first = dying()
  await start(scriptedModel([callTool("pay")]), { tools: [pay] }, first.send).take(home, { id: "1", text: "Pay!", from: ann })
  await first.asked
  const second = dying()
  const next = start(scriptedModel([]), { tools: [pay] }, (text) => (sent.length === 0 ? sent.push(text) : second.send()))
  await takeUp()
  await reach(1)
  const codeOf = (name: string) => new RegExp(`pay ${name}[^]*"Yes (\\w{6})"`).exec(sent.at(-1) ?? "")?.[1]
  await next.take(home, { id: "2", text: `Yes ${codeOf("Eve")}`, from: ann })
  await second.asked
  const last = start(scriptedModel([finish("Paid.")]), { tools: [pay] })
  await takeUp()
  await reach(2)
  await last.take(home, { id: "3", text: `Yes ${codeOf("Bob")}`, from: ann })
  await reach(3)
  expect([sent[2], paid]).toEqual(["Paid.", [true]])
})

test("N23 a message that is being answered is not taken up by another process", async () => {
  const { start, sent, timers, clock, settle } = processes()
  const busy = start(hangs, { ports: { clock, timers } })
  await busy.take(home, { id: "1", text: "hi", from: ann })
  for (let beat = 0; beat < 12; beat++) {
    timers.advance(leaseMs / 3)
    start(scriptedModel([finish("Twice.")]))
    await settle()
    await settle()
  }
  expect(sent).toEqual([])
})

test("a command that was cut off is not run again: the person is told", async () => {
  const { start, sent, reach, settle, takeUp } = processes()
  const first = start(scriptedModel([finish("Hello.")]), {}, (text) => (text === "Hello." ? sent.push(text) : never()))
  await first.take(home, { id: "1", text: "hi", from: ann })
  await reach(1)
  await first.take(home, { id: "2", text: "/undo", from: ann })
  await settle()
  const next = start(scriptedModel([]))
  await takeUp()
  await reach(2)
  expect(sent[1]).toContain("again")
  expect(await next.agent.session("home").history()).toEqual([])
})

test("a store of sessions alone is refused, with the name of what it lacks", () => {
  const { start, store } = processes()
  const { load, commit, append, post, messages, branches } = store
  const sessions = { load, commit, append, post, messages, branches }
  expect(() => start(scriptedModel([]), { store: sessions as never })).toThrow("jobs of the store of createAgent")
})

const payer = (paid: string[]) =>
  defineTool({
    name: "pay",
    description: "Sends money.",
    inputSchema: z.object({ to: z.string() }),
    needsApproval: true,
    execute: ({ to }) => `${paid.push(to)} payments`,
  })

test("N23 a question that was asked in words is not asked again by the next process", async () => {
  const { start, store, sent, reach, settle, takeUp } = processes()
  const { put, list } = store.wakes
  const dying = { ...store.wakes, list, put: (job: Job) => (job.payload.isDone ? never() : put(job)) } as Store["wakes"]
  const tools = [payer([])]
  await start(scriptedModel([callTool("pay", { to: "Eve" })]), { tools, store: { ...store, wakes: dying } }).take(home, {
    ...{ id: "1", text: "Pay Eve.", from: ann },
  })
  await reach(1)
  const next = start(scriptedModel([]), { tools })
  await takeUp()
  await settle()
  await next.idle()
  expect(sent).toEqual([expect.stringMatching(/^Ann, may I do this\?/)])
})

test.each(["yes CODE", "/continue"])("N23, N43 a question with which %s went on is asked by the next process", async (words) => {
  const { start, sent, reach, takeUp, clock } = processes()
  const tried: string[] = []
  const pay = defineTool({
    name: "pay",
    description: "Pays.",
    inputSchema: z.object({ to: z.array(z.string()) }),
    async execute({ to }, { confirm, signal }) {
      for (const name of to) await confirm?.({ tool: "pay", summary: `pay ${name}` }, signal)
      return "paid"
    },
  })
  const steps =
    words === "yes CODE" ? [callTool("pay", { to: ["Ada", "Bob"] })] : [finish("Hi."), callTool("pay", { to: ["Bob"] })]
  const first = start(scriptedModel(steps), { tools: [pay] }, (text) => {
    tried.push(text)
    return text.includes("pay Bob") ? never() : sent.push(text)
  })
  await first.take(home, { id: "1", text: "Pay.", from: ann })
  await reach(1)
  clock.advance(1)
  const code = /yes (\w{6})/i.exec(sent[0] ?? "")?.[1]
  await first.take(home, { id: "2", text: words.replace("CODE", String(code)), from: ann })
  await vi.waitFor(() => expect(tried).toContainEqual(expect.stringContaining("pay Bob")))
  start(scriptedModel([]), { tools: [pay] })
  await takeUp()
  await reach(2)
  expect(sent.slice(1)).toEqual([expect.stringMatching(/^Ann, may I do this\? pay Bob/)])
})

test("T48, N43 the buttons of a question that is asked again after a crash have no link either", async () => {
  const { start, takeUp } = processes()
  const tools = [payer([])]
  const asked: unknown[] = []
  const withButtons = (ask: (question: unknown) => unknown) => ({
    tools,
    chat: () => ({ limit: 4096, locale: "en", sendText: () => undefined, ask }),
  })
  const { promise: isAsked, resolve } = Promise.withResolvers<void>()
  const first = start(
    scriptedModel([callTool("pay", { to: "https://evil.com/?d=secret" })]),
    withButtons(() => never(resolve())),
  )
  await first.take(home, { id: "1", text: "Pay.", from: ann })
  await isAsked
  start(
    scriptedModel([]),
    withButtons((question) => asked.push(question)),
  )
  await takeUp()
  await vi.waitFor(() => expect(asked).toHaveLength(1))
  expect(JSON.stringify(asked)).toContain("evil[.]com")
  expect(JSON.stringify(asked)).not.toContain("evil.com")
})

test("N23 a message that waited for an approval when its process died stands once in the history, with its files, and is answered once", async () => {
  const { start, store, sent, clock, reach, settle, takeUp } = processes()
  const paid: string[] = []
  const profile = resolveProfile({
    ...{ name: "Mira", dialect: "layered", persona: "You are Mira.", locale: "en" },
    ...{ memory: { enabled: false }, tools: { whileAsked: "wait" } },
  })
  const more = { profile, tools: [payer(paid)] }
  const first = start(scriptedModel([callTool("pay", { to: "Eve" })]), more)
  await first.take(home, { id: "1", text: "Pay Eve.", from: ann })
  await reach(1)
  const file = { bytes: picture, name: "cat.png", mediaType: "image/png" }
  await first.take(home, { id: "2", text: "Who is this?", from: ann, files: [file] })
  const textsOf = async () => ((await store.load(first.agent.session("home").key))?.history ?? []).map(({ text }) => text)
  await vi.waitFor(async () => expect(await textsOf()).toEqual(["Pay Eve.", "Who is this?"]))
  const timers = manualTimers(clock)
  const model = scriptedModel([finish("Paid."), finish("A cat.")], { capabilities: { attachments: ["image/*"] } })
  const next = start(model, { ...more, ports: { clock, timers } })
  await takeUp()
  await settle()
  const code = /Yes (\w{6})/.exec(sent[0] ?? "")?.[1]
  await next.take(home, { id: "3", text: `yes ${code}`, from: ann })
  await reach(2)
  timers.advance(1_000)
  await next.idle()
  expect([paid, sent.slice(1)]).toEqual([["Eve"], ["Paid.", "A cat."]])
  expect((await textsOf()).toSorted()).toEqual(["A cat.", "Paid.", "Pay Eve.", "Who is this?"])
  expect(JSON.stringify(model.requests.at(-1)?.messages).match(/Who is this\?/g)).toHaveLength(1)
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('"mediaType":"image/png"')
})

test("N23 the files of a message are written once, however long it is answered, and nothing of it stays", async () => {
  const { start, store, timers, clock, settle } = processes()
  const written: string[] = []
  const put = (job: Job) => {
    written.push(JSON.stringify(job))
    return store.wakes.put(job)
  }
  const { promise, resolve } = Promise.withResolvers<void>()
  const waits: LanguageModel = {
    ...scriptedModel([]),
    async *stream() {
      await promise
      yield { type: "text-delta", delta: finish("A cat.") }
    },
  }
  const bot = start(waits, { ports: { clock, timers }, store: { ...store, wakes: { ...store.wakes, put } as Store["wakes"] } })
  const file = { bytes: picture, name: "cat.png", mediaType: "image/png" }
  await bot.take(home, { id: "1", text: "Who is this?", from: ann, files: [file] })
  for (let beat = 0; beat < 6; beat++) {
    timers.advance(leaseMs / 3)
    await settle()
  }
  const bytes = Buffer.from(picture).toString("base64")
  expect([written.length > 6, written.filter((job) => job.includes(bytes)).length]).toEqual([true, 1])
  resolve()
  await bot.idle()
  expect(JSON.stringify(await store.wakes.list({ agent: "Mira" }))).not.toMatch(/Who is this|base64/)
})
