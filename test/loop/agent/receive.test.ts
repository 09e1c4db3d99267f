import { describe, expect, test } from "vitest"
import type { AgentOptions } from "../../../src/loop/agent/agent-options.ts"
import { manualClock, manualTimers, scriptedModel } from "../../../src/testing/index.ts"
import { printTrace } from "../../../src/trace/print-trace.ts"
import { finish, testAgent } from "../../support/agents.ts"
import { near } from "../../support/error-formulas.ts"

const group = { conversation: "friends", audience: "group" } as const
const ada = { id: "ada", name: "Ada" }
const bot = { id: "bot", name: "Bot", isAgent: true } as const
const atMs = Date.UTC(2026, 0, 2, 12)

function groupOf(shouldAnswer: AgentOptions["shouldAnswer"], { random = 0.5, profile = {} } = {}) {
  const model = scriptedModel(Array.from({ length: 9 }, (_, at) => finish(`Answer ${at}.`)))
  const clock = manualClock(atMs)
  const warnings: string[] = []
  const { agent } = testAgent(
    model,
    { locale: "en", history: { contextCount: 50 }, ...profile },
    {
      ...(shouldAnswer && { shouldAnswer }),
      ports: { clock, timers: manualTimers(clock), random: () => random },
      onWarning: ({ message }) => void warnings.push(message),
    },
  )
  const session = agent.session(group)
  const say = async (text: string, options: Parameters<typeof session.receive>[1] = { from: ada }) => {
    const received = await session.receive(text, options)
    if (received.answers) await received.turn.result
    return [received.answers, received.reason]
  }
  return { agent, clock, warnings, session, say }
}

const fay = { id: "test" }

test("a decision about words is told in an event and in the trace, and heard words have an id", async () => {
  const told: unknown[] = []
  const observe = (event: { readonly type: string }, { turnId }: { readonly turnId: string }) =>
    void (event.type === "answer-decision" && told.push([turnId, event]))
  const { agent } = testAgent(
    scriptedModel([finish("Here.")]),
    { locale: "en" },
    { shouldAnswer: {}, observers: [{ name: "watching", observe }] },
  )
  const session = agent.session(group)
  const heard = await session.receive("Lunch?", { from: ada, atMs: 5 })
  const received = await session.receive("Fay?", { from: ada, atMs: 6, replyTo: heard.answers ? "" : heard.id, mentions: [fay] })
  if (!received.answers) throw new Error(received.reason)
  const events: string[] = []
  for await (const { type } of received.turn) events.push(type)
  expect(events.slice(0, 2)).toEqual(["turn-start", "answer-decision"])
  const { trace } = await received.turn.result
  expect([trace.received, printTrace(trace)]).toEqual(["mentioned", expect.stringContaining("answers: mentioned")])
  await agent.idle()
  const [lunch, question] = await session.history()
  expect(heard).toEqual({ answers: false, reason: "no rule fits", id: lunch?.id })
  expect([lunch?.atMs, question?.replyTo?.id]).toEqual([5, lunch?.id])
  expect(told).toEqual([
    [lunch?.id.split(":")[0], { type: "answer-decision", answers: false, reason: "no rule fits" }],
    [received.turn.id, { type: "answer-decision", answers: true, reason: "mentioned" }],
  ])
  expect(await session.hear("Yes")).toEqual({ id: (await session.history()).at(-1)?.id })
})

test("words are decided about in the order of the calls", async () => {
  const gate = Promise.withResolvers<boolean>()
  const decide = ({ text }: { readonly text: string }) => (text === "one" ? gate.promise : true)
  const { session } = groupOf(decide)
  const received = ["one", "two"].map((text) => session.receive(text, { from: ada }))
  await session.history()
  gate.resolve(true)
  for (const each of await Promise.all(received)) if (each.answers) await each.turn.result
  expect((await session.history()).map(({ text }) => text)).toEqual(["one", "Answer 0.", "two", "Answer 1."])
})

describe("words that are received", () => {
  test("are all answered without rules", async () => {
    const { say } = groupOf(undefined)
    expect(await say("hello")).toEqual([true, "no rules"])
  })

  test("are answered by the first rule that fits, and otherwise heard, each with its reason", async () => {
    const { say, session } = groupOf({ keywords: ["LUNCH", /t[ae]a/g] })
    expect(await say("hello")).toEqual([false, "no rule fits"])
    expect(await say("@Fay hello", { from: ada, mentions: [fay] })).toEqual([true, "mentioned"])
    const answer = (await session.history()).at(-1)
    expect(await say("why?", { from: ada, replyTo: answer?.id ?? "" })).toEqual([true, "replied to"])
    expect(await say("why?", { from: ada, replyTo: { from: fay } })).toEqual([true, "replied to"])
    expect(await say("why?", { from: ada, replyTo: { from: ada }, mentions: [ada] })).toEqual([false, "no rule fits"])
    expect(await say("when is lunch")).toEqual([true, "keyword LUNCH"])
    for (let round = 0; round < 2; round++) expect(await say("tea")).toEqual([true, "keyword /t[ae]a/g"])
    expect((await session.history()).map(({ text }) => text)).toContain("hello")
  })

  test("are all for the agent in private", async () => {
    const { agent } = groupOf({})
    expect(await agent.session("alone").receive("hello")).toMatchObject({ answers: true, reason: "mentioned" })
  })

  test.each([
    [0.19, [true, "probability 0.2"]],
    [0.2, [false, "no rule fits"]],
  ])("are answered with a probability, at %d", async (random, expected) => {
    expect(await groupOf({ probability: 0.2 }, { random }).say("hello")).toEqual(expected)
  })

  test("are answered if a small call of the model says so", async () => {
    const asking = scriptedModel(["Yes.", finish("Here."), "no"])
    const { agent } = testAgent(asking, { locale: "en" }, { shouldAnswer: { model: true } })
    const asked = agent.session(group)
    const received = await asked.receive("Can somebody help?", { from: ada })
    expect([received.answers, received.reason]).toEqual([true, "the model decided"])
    if (received.answers) await received.turn.result
    expect(await asked.receive("Bob, lunch?", { from: ada })).toEqual({
      ...{ answers: false, reason: "the model decided" },
      id: (await asked.history()).at(-1)?.id,
    })
    expect(asking.requests[2]?.messages.at(-1)?.content).toContain("Can somebody help?")
  })

  test("are decided by a function, whose failure is told and counts as no", async () => {
    const { say, warnings } = groupOf(({ text, speaker, isMentioned }) => {
      if (text === "fail") throw new Error("no idea")
      return text === "why" ? { answers: true, reason: `${speaker.name} asks` } : isMentioned
    })
    expect(await say("why")).toEqual([true, "Ada asks"])
    expect(await say("hello")).toEqual([false, "decided"])
    expect(await say("hello", { from: ada, mentions: [fay] })).toEqual([true, "decided"])
    expect(await say("fail")).toEqual([false, "the decision failed"])
    expect(warnings).toEqual(["The decision to answer failed, so the words were only heard: no idea"])
  })

  test("are only heard for a while after an answer, while one is made, and in quiet hours", async () => {
    const { say, clock, session } = groupOf({
      keywords: ["fay"],
      cooldownMs: 60_000,
      quietHours: { from: "22:00", to: "07:00" },
    })
    const first = await session.receive("fay", { from: ada })
    expect(await say("fay")).toEqual([false, "cooldown"])
    if (first.answers) await first.turn.result
    clock.advance(59_999)
    expect(await say("fay")).toEqual([false, "cooldown"])
    clock.advance(1)
    expect(await say("fay")).toEqual([true, "keyword fay"])
    clock.advance(10 * 3_600_000)
    expect(await say("fay")).toEqual([false, "quiet hours"])
  })

  test("of two agents in one group do not go on for ever; a person's words begin anew", async () => {
    const rules = { decide: () => true }
    const [one, other] = [groupOf(rules), groupOf(rules, { profile: { conversation: { agentAnswers: 5 } } })]
    let turns = 0
    const talk = async (text: string) => {
      let said: string | undefined = text
      for (let speaker = one; said !== undefined && turns < 100; speaker = speaker === one ? other : one) {
        const received = await speaker.session.receive(said, { from: bot })
        const result = received.answers ? await received.turn.result : undefined
        said = result?.ok === true ? result.text : undefined
        if (said !== undefined) turns++
      }
    }
    await talk("Hello, I am a bot.")
    expect(turns).toBe(6)
    expect(await one.say("again", { from: bot })).toEqual([false, "3 answers to agents in a row"])
    expect(await one.say("Hello, you two", { from: ada })).toEqual([true, "decided"])
    expect(await one.say("again", { from: bot })).toEqual([true, "decided"])
  })

  test("of agents at the same time do not pass the bound either", async () => {
    const { session } = groupOf(() => true)
    const all = await Promise.all(Array.from({ length: 8 }, (_, at) => session.receive(`bot ${at}`, { from: bot })))
    expect(all.filter(({ answers }) => answers)).toHaveLength(3)
    for (const each of all) if (each.answers) await each.turn.result
    expect(await session.history()).toHaveLength(8 + 3)
  })

  test("that nobody said, or with mistakes in options, are refused", async () => {
    const { session, agent } = groupOf(undefined)
    await expect(session.receive(" ")).rejects.toMatchObject({ code: "empty-question" })
    await expect(session.receive("hi", { form: ada } as never)).rejects.toMatchObject({ code: "usage" })
    expect(() => groupOf({ keyword: ["a"] } as never)).toThrow(near("keywords"))
    await agent.close()
    await expect(session.receive("hi")).rejects.toMatchObject({ code: "closed" })
  })
})
