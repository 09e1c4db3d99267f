import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { openStore } from "../../../src/adapters/stores/index.ts"
import type { LanguageModel, ModelRequest } from "../../../src/core/model/language-model.ts"
import type { AgentOptions } from "../../../src/loop/agent/agent-options.ts"
import { readState } from "../../../src/memory/forgetting/plugin/context-state.ts"
import { createVirtualContext } from "../../../src/memory/forgetting/plugin/virtual-context.ts"
import { virtualContextName } from "../../../src/memory/forgetting/plugin/virtual-context-name.ts"
import type { VirtualContextOptions } from "../../../src/memory/forgetting/plugin/virtual-context-settings.ts"
import type { Plugin } from "../../../src/memory/services/plugin.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import { countingIds, type ManualClock, manualClock, manualTimers } from "../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"
import { backgroundModel } from "../../support/remembering.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const dayMs = 86_400_000
const long = "There are three ways to go about it. Each has its price. ".repeat(12)

/** Answers turns in order and background prompts by their name; keeps what it was asked. */
function answering(turns: readonly string[], background: Readonly<Record<string, string>> = {}) {
  const asked: ModelRequest[] = []
  let next = 0
  const model: LanguageModel = {
    id: "answering",
    capabilities: { developerRole: false, tools: false },
    async *stream(request) {
      asked.push(request)
      const text = background[request.facts?.prompt ?? ""] ?? turns[next++] ?? finish("mm")
      yield { type: "text-delta", delta: text }
      yield { type: "finish", reason: "stop" }
    },
  }
  return { model, asked }
}

interface Bot {
  readonly store: Store
  readonly clock: ManualClock
  readonly ids: ReturnType<typeof countingIds>
  readonly options?: VirtualContextOptions
}

/** An agent of dialect root over a whole store, whose own runner does the jobs. */
function bot(model: LanguageModel, { store, clock, ids, options = {} }: Bot, more: Partial<AgentOptions> = {}) {
  const plugin = createVirtualContext({ locale: "en", ...options, events: { timeZone: "UTC", ...options.events } })
  const profile = { dialect: "root", locale: "en", timeZone: "UTC", memory: { enabled: false } } as const
  const ports = { clock, timers: manualTimers(clock), ids }
  return testAgent(model, profile, { store, plugins: [plugin], ports, ...more })
}

async function stateOf(store: Store) {
  const record = await store.load({ agent: "test", conversation: "test", audience: "private" })
  return readState((record?.state.hooks as Readonly<Record<string, unknown>> | undefined)?.[virtualContextName])
}

describe.each([
  { name: "in memory", open: async () => createInMemoryStore() },
  { name: "in a folder", open: async () => openStore(join(tempFolder(), "data")) },
])("a virtual context over a store $name", ({ open }) => {
  test("R12 R20 its jobs run behind turns: events, roll-ups and short answers are in the next prompts, the same after a restart", async () => {
    const store = await open()
    onTestFinished(() => store.close())
    const parts = { store, clock: manualClock(Date.UTC(2026, 0, 5, 9)), ids: countingIds() }
    const turns = [callTool("put_into_workspace", { id: "%[plan.md]", text: "the plan" }), ...Array(12).fill(finish(long))]
    const first = bot(answering(turns).model, parts)
    for (let turn = 0; turn < 11; turn++) {
      expect(await first.session.send(`words ${turn}`).result).toMatchObject({ ok: true })
      await first.agent.idle()
      if (turn % 3 === 2) parts.clock.advance(dayMs)
    }
    const state = await stateOf(store)
    const grains = state.events.map(({ grain }) => grain)
    expect(grains.filter((grain) => grain === "moment").length).toBe(3)
    expect(grains.filter((grain) => grain === "day").length).toBeGreaterThanOrEqual(1)
    expect(state.compressed.some(({ shown }) => shown)).toBe(true)
    const before = await first.session.preview("and?")
    expect(before.messages[0]?.content).toContain("20260105 9:00 ")
    expect(before.messages[0]?.content).toContain("%[plan.md]")
    await first.agent.close()

    const second = bot(answering([]).model, parts)
    expect(await second.session.preview("and?")).toEqual(before)
    await second.agent.close()
  })
})

describe("the conversation that a virtual context shows", () => {
  test("R11 begins where the topic before this one began, and stays there for as long as this one lasts", async () => {
    const answers = answering([])
    const parts = { store: createInMemoryStore(), clock: manualClock(Date.UTC(2026, 0, 5, 9)), ids: countingIds() }
    const { agent, session } = bot(answers.model, parts)
    const firstShown: string[] = []
    for (const topic of ["garden", "bread", "choir"]) {
      for (let turn = 0; turn < 3; turn++) {
        await session.send(`${topic} ${turn}`).result
        await agent.idle()
        firstShown.push(answers.asked.at(-1)?.messages[1]?.content.replace(/^\^\S+ \S+ /, "") ?? "")
      }
      parts.clock.advance(dayMs)
    }
    expect(firstShown).toEqual([...Array(6).fill("garden 0"), ...Array(3).fill("bread 0")])
    await agent.close()
  })
})

describe("a virtual context whose model writes", () => {
  test("R12 R20 asks it behind turns, by the agent's own prompts, and takes in what it wrote", async () => {
    const store = createInMemoryStore()
    const options = { events: { writer: "model-call" }, compression: { writer: "model" } } as const
    const { model, asked } = answering(Array(5).fill(finish(long)), {
      event: '[{"event": "We met", "importance": 7, "message": 1}]',
      "roll-up": '{"event": "A good day", "importance": 7}',
      compress: "It has its price.",
    })
    const parts = { store, clock: manualClock(Date.UTC(2026, 0, 5, 9)), ids: countingIds(), options }
    const { agent, session } = bot(model, parts)
    for (let turn = 0; turn < 5; turn++) {
      await session.send("The bread oven has its price").result
      await agent.idle()
      if (turn === 0) parts.clock.advance(dayMs)
    }
    const state = await stateOf(store)
    expect(state.events.map(({ grain, text }) => [grain, text])).toEqual([
      ["day", "A good day"],
      ["moment", "We met"],
    ])
    expect(state.compressed[0]?.text).toBe("It has its price.")
    const prompts = new Set(asked.map(({ facts }) => facts?.prompt))
    expect([...prompts].sort()).toEqual(["compress", "event", "planner", "roll-up"])
    await agent.close()
  })

  test("R26 what hangs for ever behind a turn costs the next ones not a single await, and no timer", async () => {
    await loadAll()
    const hanging = await rounds({ jobs: "hang", observer: true })
    const none = await rounds({ jobs: "none", observer: false })
    expect(hanging.hung).toBeGreaterThanOrEqual(2)
    expect(hanging.rounds).toEqual(none.rounds)
    expect(Math.max(...none.rounds)).toBeLessThan(1_000)
  })
})

test.each(["en", "zh-CN"] as const)(
  "H1: the call that judges a turn also writes what happened, and the event of a topic is made of it, in %s",
  async (locale) => {
    const judged = ["Good morning to me.", "Ann moved to Leeds, and I wished her luck."]
    let next = 0
    const importance = () => JSON.stringify({ importance: [1, 8][next] ?? 2, event: judged[next++] ?? "" })
    const model = backgroundModel({ importance, turn: () => finish("mm") })
    const parts = { store: createInMemoryStore(), clock: manualClock(Date.UTC(2026, 0, 5, 9)), ids: countingIds() }
    const plugins = [createVirtualContext({ events: { timeZone: "UTC" } })]
    const ports = { clock: parts.clock, timers: manualTimers(parts.clock), ids: parts.ids }
    const profile = { dialect: "root", locale, timeZone: "UTC", memory: { batchTurns: 1 } } as const
    const { agent, session } = testAgent(model, profile, { store: parts.store, plugins, ports })
    for (const text of ["good morning", "I moved to Leeds", "later", "and later"]) {
      await session.send(text).result
      await agent.idle()
      if (text !== "good morning") parts.clock.advance(dayMs)
    }
    const moments = (await stateOf(parts.store)).events.filter(({ grain }) => grain === "moment")
    await agent.close()
    expect(moments[0]).toMatchObject({ text: judged[1], importance: 8 })
    const asked = model.asked.filter(({ facts }) => facts?.prompt === "importance").at(-1)
    expect(JSON.stringify(asked?.messages)).toMatch(/\\"event\\"/)
    expect(new Set(model.asked.map(({ facts }) => facts?.prompt))).toEqual(new Set(["planner", "importance", "user-profile"]))
  },
)

/** Loads everything that turns, observers and jobs load when they first need it: that takes awaits of its own, and more time than `rounds` leaves. */
async function loadAll(): Promise<void> {
  const { model } = answering(Array(2).fill(finish(long)))
  const parts = { store: createInMemoryStore(), clock: manualClock(Date.UTC(2026, 0, 5, 9)), ids: countingIds() }
  const made = createVirtualContext({ events: { writer: "model-call", timeZone: "UTC" }, compression: { writer: "model" } })
  const plugin: Plugin = { ...made, observers: [{ name: "quick", observe: () => undefined }] }
  const { agent, session } = bot(model, parts, { plugins: [plugin] })
  for (let turn = 0; turn < 2; turn++) {
    await session.send("hello").result
    await agent.idle()
    parts.clock.advance(dayMs)
  }
  await agent.close()
}

/** How many rounds of the microtask queue each of 12 turns takes; a turn that waits for a timer or for I/O never ends here. */
async function rounds({ jobs, observer }: { readonly jobs: "hang" | "none"; readonly observer: boolean }) {
  let hung = 0
  const hang = () => {
    hung++
    return new Promise<never>(() => undefined)
  }
  const answers = answering(Array(12).fill(finish(long)))
  const model: LanguageModel = {
    ...answers.model,
    async *stream(request, given) {
      if (["event", "roll-up", "compress"].includes(request.facts?.prompt ?? "")) await hang()
      yield* answers.model.stream(request, given)
    },
  }
  const made = createVirtualContext({ events: { writer: "model-call", timeZone: "UTC" }, compression: { writer: "model" } })
  const plugin: Plugin = {
    ...made,
    jobs: jobs === "hang" ? (made.jobs ?? []) : [],
    observers: observer ? [{ name: "hanging", observe: hang }] : [],
  }
  const parts = { store: createInMemoryStore(), clock: manualClock(Date.UTC(2026, 0, 5, 9)), ids: countingIds() }
  const { session } = bot(model, parts, { plugins: [plugin] })
  const counts: number[] = []
  for (let turn = 0; turn < 12; turn++) {
    let isOver = false
    let count = 0
    void session.send("hello").result.then(({ ok }) => {
      isOver = ok
    })
    for (; !isOver && count < 10_000; count++) await undefined
    counts.push(count)
    parts.clock.advance(dayMs)
  }
  return { hung, rounds: counts }
}
