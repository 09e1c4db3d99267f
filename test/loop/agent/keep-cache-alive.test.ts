import fc from "fast-check"
import { describe, expect, test, vi } from "vitest"
import * as z from "zod"
import type { LanguageModel, ModelPart, ModelRequest, Usage } from "../../../src/core/model/language-model.ts"
import type { Timers } from "../../../src/core/ports.ts"
import type { AgentOptions } from "../../../src/loop/agent/agent-options.ts"
import { partsOf } from "../../../src/loop/agent/published-agents.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { ProfileInput } from "../../../src/profile/profile.ts"
import { mostHolding } from "../../../src/prompt/assemble/assembler.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { manualClock, manualTimers } from "../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"
import { png } from "../../support/pictures.ts"

const quietMs = 270_000
const key = { agent: "test", conversation: "talk", audience: "private", user: "talk" } as const
const served: Usage = { inputTokens: 2_000, inputCacheReadTokens: 1_900, outputTokens: 5 }
const unserved: Usage = { inputTokens: 2_000, inputCacheReadTokens: 0, outputTokens: 5 }
const isRepeat = ({ maxOutputTokens }: ModelRequest) => maxOutputTokens === 16

/** A store in which somebody forgets words while a turn runs. */
const forgetting = createInMemoryStore()

interface Setup {
  readonly profile?: ProfileInput
  readonly options?: Partial<AgentOptions>
  /** What the provider tells of a request, by its number from 1. */
  readonly usage?: (number: number, request: ModelRequest) => Usage | undefined
  readonly says?: (number: number, request: ModelRequest) => string | ModelPart
  /** Awaited before a request is answered. */
  readonly before?: (number: number, signal: AbortSignal) => unknown
  readonly capabilities?: Partial<LanguageModel["capabilities"]>
  readonly timersOf?: (timers: Timers) => Timers
}

/** An agent that keeps the cache of its sessions alive with two requests at most, over a model whose cache serves all of them. */
function scene({ profile, options, usage = () => served, says = () => finish("Hello."), ...more }: Setup = {}) {
  const clock = manualClock(Date.UTC(2026, 0, 2))
  const timers = manualTimers(clock)
  const requests: ModelRequest[] = []
  const sentMs: number[] = []
  const messages: string[] = []
  const model: LanguageModel = {
    id: "m",
    capabilities: { developerRole: false, tools: false, ...more.capabilities },
    async *stream(request, { signal }) {
      const number = requests.push(request)
      if (isRepeat(request)) sentMs.push(clock.nowMs())
      await more.before?.(number, signal)
      const said = says(number, request)
      yield typeof said === "string" ? { type: "text-delta", delta: said } : said
      const used = usage(number, request)
      if (used) yield { type: "usage", usage: used }
      yield { type: "finish", reason: "stop" }
    },
  }
  const store = options?.store ?? createInMemoryStore()
  const { agent } = testAgent(
    model,
    {
      // About 1,500 tokens.
      ...{ dialect: "layered", locale: "en", persona: "You are Bea. ".repeat(460), memory: { enabled: false } },
      ...profile,
      conversation: { cacheKeepAlive: 2, ...profile?.conversation },
    },
    {
      onWarning: ({ message }) => messages.push(message),
      ...options,
      ...{ store, ports: { clock, timers: more.timersOf?.(timers) ?? timers } },
    },
  )
  const settle = async () => {
    for (let round = 0; round < 20; round++) await Promise.resolve()
  }
  return {
    ...{ agent, clock, timers, store, requests, sentMs, messages, settle },
    say: (text = "Hi.", conversation = "talk") => agent.session(conversation).send(text).result,
    /** Lets time go by, and waits for what that begins. */
    async rest(ms = quietMs) {
      timers.advance(ms)
      await settle()
      await agent.idle()
    },
    repeats: () => requests.filter(isRepeat).length,
    receipts: async () => (await store.receipts.since(key, 0)).filter(({ kind }) => kind === "keep-alive"),
  }
}

describe("L28 the cache of a session is kept alive", () => {
  test("by its last request, with the least output, after each quiet time, no more often than the profile says", async () => {
    const { say, rest, requests, sentMs, clock, timers, store, messages } = scene()
    const { trace } = await say()
    const saidMs = clock.nowMs()
    const before = await store.load(key)
    await rest(quietMs - 1)
    expect(requests).toHaveLength(1)
    await rest(1)
    for (let each = 0; each < 5; each++) await rest()
    const [first, ...repeats] = requests
    expect(repeats).toEqual([
      { ...first, maxOutputTokens: 16 },
      { ...first, maxOutputTokens: 16 },
    ])
    expect(sentMs).toEqual([saidMs + quietMs, saidMs + 2 * quietMs])
    expect([timers.pending, messages, trace.steps.length]).toEqual([0, [], 1])
    expect(await store.load(key)).toEqual(before)
  })

  test("and not by default, without a request that is held or a timer that is set", async () => {
    const { say, rest, repeats, timers } = scene({ profile: { conversation: { cacheKeepAlive: 0 } } })
    await say()
    expect(timers.pending).toBe(0)
    for (let each = 0; each < 3; each++) await rest()
    expect(repeats()).toBe(0)
  })

  test("until a turn begins, behind which the count begins anew", async () => {
    const { say, rest, sentMs, clock, store } = scene()
    await say()
    await rest()
    await rest(quietMs - 1)
    const load = vi.spyOn(store, "load")
    await say("Again.")
    expect(load).toHaveBeenCalledTimes(1)
    const saidMs = clock.nowMs()
    await rest(1)
    for (let each = 0; each < 4; each++) await rest(each === 0 ? quietMs - 1 : quietMs)
    expect(sentMs.slice(1)).toEqual([saidMs + quietMs, saidMs + 2 * quietMs])
  })

  test("behind a turn that waited for an approval and behind the one that went on after it", async () => {
    const pay = defineTool({
      ...{ name: "pay", description: "Pays.", inputSchema: z.object({}), needsApproval: true },
      execute: () => "paid",
    })
    const { agent, say, rest, repeats, messages } = scene({
      profile: { loop: { mode: "json" } },
      options: { tools: [pay] },
      says: (number) => (number === 1 ? callTool("pay", {}) : finish("Done.")),
    })
    const asked = await say()
    await rest()
    expect(repeats()).toBe(1)
    if (!asked.ok) throw asked.error
    await agent.session("talk").approve(asked.approvals?.[0]?.id ?? "").result
    await rest()
    await rest()
    await rest()
    expect([repeats(), messages]).toEqual([3, []])
  })

  test("with a model's own bound of the output if that is less, and with the tools of the request, of which none runs", async () => {
    let ran = 0
    const tool = defineTool({
      ...{ name: "look", description: "Looks.", inputSchema: z.object({}) },
      execute: () => String(++ran),
    })
    const call = { type: "tool-call", call: { id: "c1", name: "look", args: "{}" } } as const
    const { say, rest, requests } = scene({
      profile: { model: { maxOutputTokens: 9 }, loop: { mode: "native" } },
      options: { tools: [tool] },
      capabilities: { tools: true },
      says: (number) => (number === 2 ? "Hello." : call),
    })
    expect((await say()).ok).toBe(true)
    await rest()
    expect([requests.length, requests[2]?.maxOutputTokens, ran]).toEqual([3, 9, 1])
    expect(requests[2]?.tools).toEqual(requests[1]?.tools)
    expect(requests[2]?.messages).toEqual(requests[1]?.messages)
  })

  test("by the last request with the prompt with which the next turn begins, not by that of the final output", async () => {
    const look = defineTool({
      name: "look",
      description: "Looks.",
      inputSchema: z.object({ at: z.number() }),
      execute: () => "It rains.",
    })
    const says = (at: number) => (at <= 2 ? callTool("look", { at }) : "Hello.")
    const { say, rest, requests } = scene({ profile: { loop: { maxSteps: 2 } }, options: { tools: [look] }, says })
    const { trace } = await say()
    expect(trace.steps.map(({ prompt }) => prompt)).toEqual(["planner", "planner", "final"])
    await rest()
    expect(requests[3]?.messages).toEqual(requests[1]?.messages)
  })
})

describe("L28 nothing is sent", () => {
  test.each<[string, Setup, (made: ReturnType<typeof scene>) => unknown]>([
    ["behind a request that is too short for a cache", { profile: { persona: "You are Bea." } }, ({ say }) => say()],
    ["behind a wake", {}, ({ agent, say }) => say().then(() => agent.session("talk").wake("It rains.").result)],
    ["behind an answer of which nothing is kept", {}, ({ agent }) => agent.respond([{ role: "user", content: "Hi." }]).result],
    ["behind a turn that failed", { says: () => "" }, ({ say }) => say()],
    ["by an agent that was closed", {}, ({ agent, say }) => say().then(() => agent.close())],
    ["by an agent that was closed while the turn ran", {}, ({ agent, say }) => Promise.all([say(), agent.close()])],
    [
      "behind a turn while which words were forgotten",
      {
        before: () => forgetting.forget({ agent: "test", user: "ann" }),
        options: { store: forgetting },
      },
      ({ say }) => say(),
    ],
    ["once the conversation was forgotten", {}, ({ store, say }) => say().then(() => store.forget(key))],
    ["once its turns were set aside", {}, ({ agent, say }) => say().then(() => agent.session("talk").clear())],
    [
      "once another process went on with it",
      {},
      async ({ store, say }) => {
        await say()
        await store.commit(key, { expectVersion: 1, append: [], state: {}, jobs: [] })
      },
    ],
  ])("%s", async (when, setup, play) => {
    const made = scene(setup)
    await play(made)
    if (when.startsWith("behind")) expect(made.timers.pending).toBe(0)
    for (let each = 0; each < 3; each++) await made.rest()
    expect([made.repeats(), made.timers.pending, await made.receipts()]).toEqual([0, 0, []])
    expect((await partsOf(made.agent).current()).keptAlive.pauses.size).toBe(0)
    expect(made.messages.filter((message) => !message.includes("was forgotten"))).toEqual([])
  })

  test("while a turn of the session runs, or waits for the one before", async () => {
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const limits = { firstTokenMs: 1e6, betweenChunksMs: 1e6, stepMs: 1e6, turnMs: 1e6 }
    const before = (number: number) => (number === 2 ? gate : undefined)
    const { say, rest, repeats, timers, settle } = scene({ profile: { limits }, before })
    const [first, second] = [say("One."), say("Two.")]
    await first
    // Behind the first turn, the second one runs.
    timers.advance(quietMs)
    await settle()
    expect(repeats()).toBe(0)
    open()
    await second
    await rest(quietMs - 1)
    expect(repeats()).toBe(0)
    await rest(1)
    expect(repeats()).toBe(1)
  })

  test("any more by a request that runs when a turn begins: it is aborted, counted and not told", async () => {
    let aborted = 0
    const before = (number: number, signal: AbortSignal) =>
      number === 2 &&
      new Promise((_, reject) =>
        signal.addEventListener("abort", () => {
          aborted++
          reject(new Error("aborted"))
        }),
      )
    const { say, timers, settle, messages, receipts, rest, repeats } = scene({ before })
    await say()
    timers.advance(quietMs)
    await settle()
    expect([repeats(), aborted]).toEqual([1, 0])
    expect((await say("Again.")).ok).toBe(true)
    await rest(0)
    expect([aborted, messages]).toEqual([1, []])
    expect(await receipts()).toMatchObject([{ outcome: "failed", model: "m", attempt: 1 }])
  })

  test("any more by a pause that another one followed, however long its last receipt takes", async () => {
    const store = createInMemoryStore()
    const { promise: gate, resolve: open } = Promise.withResolvers<void>()
    const put = store.receipts.put.bind(store.receipts)
    vi.spyOn(store.receipts, "put").mockImplementation((receipt) => gate.then(() => put(receipt)))
    const { say, timers, settle, repeats, rest } = scene({ options: { store } })
    await say("One.")
    timers.advance(quietMs)
    await settle()
    await say("Two.")
    open()
    await rest(0)
    await say("Three.")
    expect(timers.pending).toBe(1)
    await rest(quietMs - 1)
    expect(repeats()).toBe(1)
    await rest(1)
    expect(repeats()).toBe(2)
  })

  test("where pictures are shown, of which no bytes are held", async () => {
    const { agent, rest, repeats, say, messages } = scene({ capabilities: { attachments: ["image/png"] } })
    await say()
    const bytes = png(8, 8)
    await agent.session("talk").send("Look.", { attachments: [{ name: "a.png", mediaType: "image/png", bytes }] }).result
    await rest()
    expect([repeats(), messages.length]).toEqual([0, 1])
  })
})

describe("L28 what is wrong is told", () => {
  test("once, where a provider tells of no tokens in a cache within the quiet time, and nothing is sent", async () => {
    const { say, rest, repeats, messages } = scene({ usage: () => ({ inputTokens: 2_000 }) })
    await say()
    // The first turn of a conversation reads nothing.
    expect(messages).toEqual([])
    await say("Two.")
    await say("Three.")
    expect(messages).toEqual([
      "The prompt cache of m is not kept alive where its provider tells of no tokens that a cache served or wrote, or a request shows pictures or files. This is told once.",
    ])
    await rest()
    expect(repeats()).toBe(0)
  })

  test.each<[string, Setup, string, string | undefined]>([
    [
      "a request that fails",
      {
        before: (number) => {
          if (number === 2) throw new Error("boom")
        },
      },
      "m failed: boom",
      "failed",
    ],
    ["one that no cache serves", { usage: (number) => (number === 2 ? unserved : served) }, "no cache served it.", "failed"],
    ["one of unknown usage", { usage: (number) => (number === 2 ? undefined : served) }, "no cache served it.", "failed"],
    [
      "one for which a day has no room",
      { profile: { limits: { dailyTokens: 2_500 } } },
      "expected the calls for the user",
      undefined,
    ],
  ])("%s, which is the last of the pause", async (_, setup, told, outcome) => {
    const { say, rest, repeats, messages, receipts } = scene(setup)
    await say()
    for (let each = 0; each < 3; each++) await rest()
    expect(messages).toHaveLength(1)
    expect(messages[0]).toContain(`The prompt cache of m is kept alive no longer in this pause: ${told}`)
    expect([repeats(), (await receipts()).map((each) => each.outcome)]).toEqual(outcome ? [1, [outcome]] : [0, []])
  })
})

describe("L28 what it uses", () => {
  test("is counted as work of its own, for the user and the day, by estimate where the provider tells nothing", async () => {
    const usage = (number: number) => (number === 3 ? undefined : served)
    const { say, rest, receipts, agent } = scene({ usage, profile: { limits: { dailyTokens: 9_000 } } })
    await say()
    for (let each = 0; each < 2; each++) await rest()
    const [one, two] = await receipts()
    expect(one).toMatchObject({ key, outcome: "ok", attempt: 1, model: "m", usage: served })
    expect([two?.usage, two?.turnId === one?.turnId]).toEqual([undefined, false])
    expect(two?.estimate?.inputTokens).toBeGreaterThan(1_024)
    const used = 2 * 2_005 + (two?.estimate?.inputTokens ?? 0) + (two?.estimate?.outputTokens ?? 0)
    await say()
    const refused = await say()
    expect(refused).toMatchObject({ ok: false, error: { evidence: { used: used + 2_005 } } })
    await agent.close()
  })

  test("lets a process end: its timers are told so", async () => {
    let unrefs = 0
    const timersOf = (timers: Timers): Timers => ({
      set(ring, ms) {
        const unref = () => {
          if (ms === quietMs) unrefs++
        }
        return Object.assign(timers.set(ring, ms) as object, { unref })
      },
      clear: (timer) => timers.clear(timer),
    })
    const { say, rest } = scene({ timersOf })
    await say()
    expect(unrefs).toBe(1)
    await rest()
    expect(unrefs).toBe(2)
  })

  test("is bounded where many sessions are open: those that were used last are kept alive, and the others are told of once", async () => {
    const { say, rest, repeats, messages } = scene({ profile: { conversation: { cacheKeepAlive: 1 } } })
    for (let each = 0; each < mostHolding + 20; each++) await say("Hi.", `talk ${each}`)
    await rest()
    expect(repeats()).toBe(mostHolding)
    expect(messages).toEqual([
      "The prompt cache of m is not kept alive where a conversation was forgotten, or 256 others were used since. This is told once.",
    ])
  })
})

test("L28 whatever happens, each pause has requests at its quiet times alone, and no more than its bound", async () => {
  const act = fc.oneof(fc.constant("say" as const), fc.constant("clear" as const), fc.integer({ min: 1, max: 2 * quietMs }))
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 12 }), fc.integer({ min: 0, max: 3 }), async (acts, bound) => {
      const { say, rest, clock, sentMs, agent } = scene({ profile: { conversation: { cacheKeepAlive: bound } } })
      const expected: number[] = []
      let next: { atMs: number; left: number } | undefined
      for (const what of acts) {
        if (what === "clear") await agent.session("talk").clear()
        if (what === "say") await say()
        if (typeof what === "string") next = what === "say" ? { atMs: clock.nowMs() + quietMs, left: bound } : undefined
        else
          for (let left = what; left > 0; ) {
            const step = Math.min(left, next && next.left > 0 ? next.atMs - clock.nowMs() : left)
            await rest(step)
            left -= step
            if (!next || next.left === 0 || clock.nowMs() < next.atMs) continue
            expected.push(clock.nowMs())
            next = { atMs: clock.nowMs() + quietMs, left: next.left - 1 }
          }
      }
      expect(sentMs).toEqual(expected)
    }),
    { numRuns: 40 },
  )
})
