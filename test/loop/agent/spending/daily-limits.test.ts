import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import type { ModelRequest, Usage } from "../../../../src/core/model/language-model.ts"
import { createAgent } from "../../../../src/loop/agent/agent.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../../src/memory/services/store/store.ts"
import type { ProfileInput } from "../../../../src/profile/profile.ts"
import { resolveProfile } from "../../../../src/profile/resolve.ts"
import { manualClock } from "../../../../src/testing/index.ts"
import { errorWords } from "../../../../src/trace/error-words.ts"
import type { TurnResult } from "../../../../src/trace/turn-event.ts"
import { finish } from "../../../support/agents.ts"
import { tempFolder } from "../../../support/temp-folder.ts"

const hour = 3_600_000
/** 20:00 in Shanghai. */
const evening = Date.UTC(2026, 2, 5, 12)
const ann = { from: { id: "ann", name: "Ann" } } as const

interface Setup {
  readonly limits: ProfileInput["limits"]
  readonly usage?: Usage
  readonly tellsNone?: boolean
  readonly store?: Store | undefined
  readonly clock?: ReturnType<typeof manualClock>
  readonly fallback?: string
  readonly prices?: ProfileInput["prices"]
  readonly gate?: Promise<void>
}

/** A model of this name that tells the same usage for each call. */
function modelOf(id: string, usage: Usage | undefined, gate?: Promise<void>) {
  const requests: ModelRequest[] = []
  return {
    id,
    requests,
    capabilities: { developerRole: false, tools: false },
    async *stream(request: ModelRequest) {
      requests.push(request)
      await gate
      yield { type: "text-delta", delta: finish("Yes.") } as const
      if (usage) yield { type: "usage", usage } as const
      yield { type: "finish", reason: "stop" } as const
    },
  }
}

function scene({ limits, usage = { inputTokens: 900, outputTokens: 100 }, fallback, gate, ...more }: Setup) {
  const { clock = manualClock(evening), store = createInMemoryStore(), prices } = more
  const model = modelOf("main", more.tellsNone ? undefined : usage, gate)
  const cheap = modelOf("cheap", usage)
  const profile = resolveProfile({
    ...{ name: "bot", locale: "en", persona: "P", timeZone: "Asia/Shanghai", memory: { enabled: false } },
    ...{ limits, prices, retry: { maxAttempts: 1 } },
  })
  const models = fallback === undefined ? {} : { fallback: cheap }
  const agent = createAgent({ profile, model, models, store, ports: { clock }, onWarning: () => undefined })
  const say = (text: string, conversation = "talk", options: object = ann) =>
    agent.session(conversation).send(text, options).result
  return { agent, model, cheap, store, clock, say }
}

const outcomeOf = (result: TurnResult): string => (result.ok ? "ok" : `${result.error.code}`)

describe("T58 the limits of a user's day", () => {
  test("refuse a request that would pass them, in all conversations, and tell when the day ends in the profile's zone", async () => {
    const { say, model, agent, clock } = scene({ limits: { dailyTokens: 1_000 } })
    expect((await say("one")).ok).toBe(true)
    const second = await say("two", "elsewhere")
    expect(second).toMatchObject({
      ok: false,
      error: { code: "spending-limit", evidence: { limit: "dailyTokens", most: 1_000, used: 1_000, retryAfterMs: 4 * hour } },
    })
    expect(second.ok ? "" : second.error.message).toContain(
      "The next day begins at 2026-03-06 00:00. Raise daily_tokens of [limits], or name another",
    )
    expect(model.requests).toHaveLength(1)
    expect(await agent.session("elsewhere").history()).toEqual([])
    expect((await say("as Bob", "talk", { from: { id: "bob", name: "Bob" } })).ok).toBe(true)
    clock.advance(4 * hour)
    expect((await say("tomorrow")).ok).toBe(true)
  })

  test("are told in words that name no number, in both languages; a missing price is the owner's to mend", async () => {
    const { say } = scene({ limits: { dailyTokens: 0 } })
    const refused = await say("one")
    const unpriced = await scene({ limits: { dailyUsd: 1 } }).say("one")
    if (refused.ok || unpriced.ok) throw new Error("expected both to fail")
    expect([errorWords(refused.error, "en"), errorWords(refused.error, "zh-CN"), errorWords(unpriced.error, "en")]).toEqual([
      "You have used all that I may spend on you today. Please come back tomorrow.",
      "今天能给你用的额度已经用完了，请明天再来。",
      "I am not set up correctly, so I cannot answer. The person who runs me has to look at this.",
    ])
  })

  test("are shared by processes on one file, each call counted once, also after one has ended", async () => {
    const path = join(tempFolder(), "store.sqlite")
    const clock = manualClock(evening)
    const open = async () => {
      const store = await openSqliteStore(path, { clock })
      onTestFinished(() => store.close())
      return scene({ limits: { dailyTokens: 3_000 }, store, clock })
    }
    const [first, second] = [await open(), await open()]
    expect(outcomeOf(await first.say("one", "a"))).toBe("ok")
    expect(outcomeOf(await second.say("two", "b"))).toBe("ok")
    expect(outcomeOf(await first.say("three", "a"))).toBe("ok")
    await first.agent.close()
    await second.agent.close()
    const third = await open()
    expect(await third.say("four", "b")).toMatchObject({ ok: false, error: { evidence: { used: 3_000 } } })
  })

  test("count an answer that another one replaced, and a turn of which nothing is stored", async () => {
    const { agent, say } = scene({ limits: { dailyTokens: 3_000 } })
    await say("one")
    await agent.session("talk").regenerate().result
    await agent.respond([{ role: "user", content: "two" }], ann).result
    expect(await say("three")).toMatchObject({ ok: false, error: { evidence: { used: 3_000 } } })
  })

  test("let the first of two requests at the same time go on, and refuse the second", async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { trace } = await scene({ limits: {} }).say("one")
    const sent = trace.steps.reduce((sum, { assembly }) => sum + assembly.tokens + assembly.overheadTokens, 0)
    const { say, model } = scene({ limits: { dailyTokens: Math.round(1.5 * sent) }, gate: promise })
    const [first, second] = [say("one", "a"), say("two", "b")]
    expect(outcomeOf(await second)).toBe("spending-limit")
    resolve()
    expect(outcomeOf(await first)).toBe("ok")
    expect(model.requests).toHaveLength(1)
  })

  test("count by an estimate what a provider does not tell, once", async () => {
    const { say, store } = scene({ limits: { dailyTokens: 100_000 }, tellsNone: true })
    const { trace } = await say("one")
    const sent = trace.steps.reduce((sum, { assembly }) => sum + assembly.tokens + assembly.overheadTokens, 0)
    const other = scene({ limits: { dailyTokens: 1 }, store })
    const second = await other.say("two")
    if (second.ok || second.error.code !== "spending-limit") throw new Error("expected a refusal")
    const { used = 0, estimated } = second.error.evidence
    expect([used > sent, used < sent + 30, estimated]).toEqual([true, true, used])
  })

  test("do not begin anew when the clock is set back", async () => {
    const { say, clock } = scene({ limits: { dailyTokens: 1_000 } })
    await say("one")
    clock.advance(-30 * hour)
    expect(outcomeOf(await say("two"))).toBe("spending-limit")
  })

  test("of money go by prices, of which the profile's go before the package's, and take the provider's own figure", async () => {
    const prices = { main: { input: 1_000, output: 1_000 } }
    const priced = scene({ limits: { dailyUsd: 1 }, prices })
    expect(outcomeOf(await priced.say("one"))).toBe("ok")
    expect(await priced.say("two")).toMatchObject({ ok: false, error: { evidence: { limit: "dailyUsd", used: 1 } } })
    const told = scene({ limits: { dailyUsd: 1.2 }, prices, usage: { inputTokens: 900, outputTokens: 100, costUsd: 0.25 } })
    expect([outcomeOf(await told.say("one")), outcomeOf(await told.say("two"))]).toEqual(["ok", "ok"])
  })

  test("let a turn go on with the fallback model, whose tokens count apart and whose money counts with all other", async () => {
    const { say, model, cheap } = scene({ limits: { dailyTokens: 1_000 }, fallback: "cheap" })
    const results = [await say("one"), await say("two"), await say("three")]
    expect(results.map(outcomeOf)).toEqual(["ok", "ok", "spending-limit"])
    expect(results.map(({ trace }) => trace.steps.map((step) => step.model))).toEqual([["main"], ["cheap"], []])
    expect(results[1]?.trace.warnings[0]?.message).toMatch(
      /^cheap goes on in place of main: expected the calls for the user "ann"/,
    )
    expect([model.requests.length, cheap.requests.length]).toEqual([1, 1])
    const prices = { main: { input: 1_000, output: 1_000 }, cheap: { input: 0, output: 500 } }
    const money = scene({ limits: { dailyUsd: 1.04 }, fallback: "cheap", prices })
    const paid = [await money.say("one"), await money.say("two"), await money.say("three")]
    expect(paid.map(outcomeOf)).toEqual(["ok", "ok", "spending-limit"])
  })

  test("bear receipts of any form, as an import may bring them", async () => {
    const store = createInMemoryStore()
    const key = { agent: "bot", conversation: "talk", audience: "private", user: "ann" } as const
    const receipt = { key, kind: "turn", outcome: "ok", attempt: 1, startedMs: evening, durationMs: 1 } as const
    const calls = [{ model: "main", calls: 1, usage: { inputTokens: -9_000, outputTokens: "many" } }]
    for (const [at, spent] of [7, { calls: "none" }, { user: "ann", calls, layers: {} }].entries())
      await store.receipts.put({ ...receipt, turnId: `t${at}`, value: { spent } })
    await store.receipts.put({ ...receipt, turnId: "t9", model: "m", usage: { inputTokens: 700, outputTokens: -5 } })
    const { say } = scene({ limits: { dailyTokens: 0 }, store })
    expect(await say("one")).toMatchObject({ ok: false, error: { evidence: { used: 700 } } })
  })
})

test("T58 wrong limits and prices are refused before the first turn, and the key that they replace is named", () => {
  const problem = (profile: ProfileInput): string => {
    try {
      createAgent({ profile: resolveProfile(profile), model: modelOf("main", undefined) })
      return "none"
    } catch (error) {
      return (error as Error).message.split("\n")[0] ?? ""
    }
  }
  const limits = { dailyUsd: 1 }
  const priced = (price: unknown) => problem({ limits, prices: { main: price } as never })
  expect([
    problem({ memory: { dailyCalls: 3 } } as never),
    problem({ limits: { dailyUsd: -1, turnUsd: Number.NaN, dailyTokens: "many" as never } }),
    priced({ input: -1, output: 2 }),
    priced({ input: "cheap", output: 2 }),
    priced({ input: Number.NaN, output: 2 }),
    priced({ input: 1 }),
    priced({ input: 0, output: 0 }),
  ]).toMatchInlineSnapshot(`
    [
      "Profile "default": unknown key memory.dailyCalls. Use daily_tokens or daily_usd of [limits], which count background work together with turns.",
      "Profile "default": limits.turnUsd: expected a number of at least 0, found NaN; limits.dailyTokens: expected a whole number of at least 0, found "many"; limits.dailyUsd: expected a number of at least 0, found -1.",
      "Expected \`prices\` of the profile for "main" to have a number from 0 as \`input\`, found -1.",
      "Expected \`prices\` of the profile for "main" to have a number from 0 as \`input\`, found "cheap".",
      "Profile "default": prices.main.input: expected JSON: a string, a number, true, false, an array or a table, found NaN.",
      "Expected \`prices\` of the profile for "main" to have a number from 0 as \`output\`, found nothing.",
      "none",
    ]
  `)
})
