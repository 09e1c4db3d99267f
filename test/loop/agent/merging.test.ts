// Loaded beforehand, as by `beforeAll`: what is loaded while a turn waits would take rounds of the event loop.
import "../../../src/loop/agent/borders/aside.ts"
import { beforeAll, describe, expect, test } from "vitest"
import { z } from "zod"
import type { AgentOptions } from "../../../src/loop/agent/agent-options.ts"
import type { SendOptions } from "../../../src/loop/agent/session-options.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import type { ProfileInput } from "../../../src/profile/profile.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { manualClock, manualTimers, type ScriptedStep, scriptedModel } from "../../../src/testing/index.ts"
import { printTrace } from "../../../src/trace/print-trace.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"

const group = { conversation: "friends", audience: "group" } as const
const ada = { id: "ada", name: "Ada" }
const bob = { id: "bob", name: "Bob" }
const startMs = Date.UTC(2026, 0, 2, 12)
const stall = { stallUntilAborted: true } as const
/** An answer of which something was shown. */
const begun: ScriptedStep = ['{"action":"finish","message":"I think that', stall]
/** An answer that is planned, with nothing shown. */
const planned: ScriptedStep = [stall]

type Conversation = NonNullable<ProfileInput["conversation"]>

function fay(
  conversation: Conversation,
  steps: readonly ScriptedStep[],
  { profile = {}, ...options }: Partial<Omit<AgentOptions, "profile">> & { readonly profile?: ProfileInput } = {},
) {
  const clock = manualClock(startMs)
  const timers = manualTimers(clock)
  const model = scriptedModel(steps)
  const store = createInMemoryStore()
  const { agent } = testAgent(
    model,
    { locale: "en", memory: { enabled: false }, ...profile, conversation },
    { store, ...options, ports: { clock, timers, ...options.ports } },
  )
  const session = agent.session(group)
  const texts = async () => (await session.history({ limit: 100 })).map(({ text }) => text)
  const shown = (request: number) => JSON.stringify(model.requests[request]?.messages)
  return { agent, session, model, clock, timers, store, texts, shown }
}

/** Lets everything happen that waits for no time. */
async function settled(): Promise<void> {
  for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve))
}

beforeAll(async () => {
  const { session, agent, texts } = fay({}, [callTool("none"), finish("One."), finish("Two.")])
  await session.hear("h")
  await session.send("a").result
  await session.wake("it is time").result
  await Promise.all([texts(), agent.idle()])
})

const joined = (to: { readonly id: string }) => ({ ok: true, text: "", stopReason: "joined", joinedTo: to.id })

describe("messages that come within merge_ms of each other", () => {
  test("are one turn, each with its speaker and its time", async () => {
    const { session, timers, model, shown, texts } = fay({ mergeMs: 1500 }, [finish("At one, Bob.")])
    const first = session.send("Lunch?", { from: ada })
    await settled()
    timers.advance(1400)
    const second = session.send("When?", { from: bob })
    await settled()
    timers.advance(1400)
    const third = session.send("Fay?", { from: bob })
    await settled()
    expect(await first.result).toMatchObject(joined(second))
    expect(await second.result).toMatchObject(joined(third))
    expect(await texts()).toEqual(["Lunch?", "When?"])
    timers.advance(1499)
    await settled()
    expect(model.requests).toEqual([])
    timers.advance(1)
    const result = await third.result
    expect(result).toMatchObject({ ok: true, text: "At one, Bob.", trace: { merged: { turns: [first.id, second.id] } } })
    expect(printTrace(result.trace)).toContain(`answers ${first.id}, ${second.id} too`)
    expect(model.requests).toHaveLength(1)
    for (const words of ["Ada", "Lunch?", "When?", "Fay?"]) expect(shown(0)).toContain(words)
    expect(await session.history()).toMatchObject([
      { role: "user", text: "Lunch?", speaker: ada, atMs: startMs, unanswered: true },
      { role: "user", text: "When?", speaker: bob, atMs: startMs + 1400, unanswered: true },
      { role: "user", text: "Fay?", speaker: bob },
      { role: "assistant", text: "At one, Bob." },
    ])
    expect((await session.history())[0]).not.toHaveProperty("interrupted", true)
  })

  test("are waited for no moment where there is none to wait for", async () => {
    const { session, clock } = fay({ mergeMs: 0, interrupt: "join" }, [finish("Now.")])
    expect(await session.send("a").result).toMatchObject({ ok: true, text: "Now." })
    expect(clock.nowMs()).toBe(startMs)
  })

  test("tell only the beginning and the end of turns that joined another", async () => {
    const { session, timers } = fay({ mergeMs: 10 }, [finish("Yes.")])
    const first = session.send("a")
    const second = session.send("b")
    const types: string[] = []
    for await (const { type } of first) types.push(type)
    expect(types).toEqual(["turn-start", "turn-end"])
    await settled()
    timers.advance(10)
    expect(await second.result).toMatchObject({ ok: true, text: "Yes." })
  })

  test("are turns of their own if they come later, and while one is answered they wait", async () => {
    const { session, timers, texts } = fay({ mergeMs: 1500 }, [finish("One."), finish("Two.")])
    const first = session.send("a")
    await settled()
    timers.advance(1500)
    await first.result
    const second = session.send("b")
    await settled()
    timers.advance(1500)
    const result = await second.result
    expect(result.trace.merged).toBeUndefined()
    expect(await texts()).toEqual(["a", "One.", "b", "Two."])
  })

  test("are not waited for by time that counts for the turn's limit", async () => {
    const { session, timers } = fay({ mergeMs: 60_000 }, [finish("Yes.")], { profile: { limits: { turnMs: 1_000 } } })
    const turn = session.send("a")
    await settled()
    timers.advance(60_000)
    expect(await turn.result).toMatchObject({ ok: true, text: "Yes." })
  })

  test("bring their items, attachments, mentions and replies along", async () => {
    const { session, timers, shown, texts } = fay({ mergeMs: 100 }, [finish("A cat."), finish("Again.")])
    await session.hear("Look at this", { from: bob })
    const [said] = await session.history()
    const bytes = new TextEncoder().encode("meow")
    session.send("", {
      from: ada,
      attachments: [{ bytes, mediaType: "text/plain", name: "cat.txt" }],
      inject: [{ key: "place", content: "the kitchen", scope: "turn" }],
      replyTo: said?.id ?? "",
      mentions: [bob],
    })
    const last = session.send("What is it?", { from: ada, inject: [{ key: "mood", content: "curious", scope: "turn" }] })
    await settled()
    timers.advance(100)
    expect(await last.result).toMatchObject({ ok: true })
    for (const part of ["cat.txt", "the kitchen", "curious"]) expect(shown(0)).toContain(part)
    const [, picture] = await session.history()
    expect(picture).toMatchObject({ attachments: [{ name: "cat.txt" }], replyTo: { id: said?.id }, mentions: [bob] })
    const next = session.send("Thanks")
    await settled()
    timers.advance(100)
    await next.result
    expect(shown(1)).not.toContain("the kitchen")
    expect(await texts()).toHaveLength(6)
  })

  test("are all shown and all recalled for, whatever the window", async () => {
    const asked: string[] = []
    const { session, timers, shown } = fay({ mergeMs: 100 }, [finish("Yes.")], {
      profile: { history: { contextCount: 0 }, memory: { enabled: true } },
      onWarning: () => undefined,
      memory: {
        async recall(question) {
          asked.push(question)
          return []
        },
      },
    })
    session.send("My cat")
    session.send("is called Tom.")
    const last = session.send("Remember?")
    await settled()
    timers.advance(100)
    await last.result
    expect(asked).toEqual(["My cat\nis called Tom.\nRemember?"])
    for (const words of ["My cat", "Tom"]) expect(shown(0)).toContain(words)
  })

  test("are at most twenty, so that somebody who goes on writing is answered", async () => {
    const { session, timers } = fay({ mergeMs: 100 }, [finish("One."), finish("Two.")])
    const turns = Array.from({ length: 21 }, (_, at) => session.send(`${at}`))
    await settled()
    const results = await Promise.all(turns.slice(0, 20).map(({ result }) => result))
    expect(results.map((result) => result.ok && result.stopReason)).toEqual([...Array(19).fill("joined"), "finish"])
    timers.advance(100)
    const last = await turns[20]?.result
    expect(last?.trace.merged).toEqual({ turns: [], waited: "the turn before it answers 20 messages" })
  })

  test.each<[string, SendOptions]>([
    ["toolChoice", { toolChoice: "none" }],
    ["stopWhen", { stopWhen: () => false }],
    ["output", { output: z.object({}) }],
  ])("are turns of their own with %s", async (_, options) => {
    const { session, timers, texts } = fay({ mergeMs: 100 }, [finish("One."), finish("{}"), finish("Three.")], {
      profile: { loop: { mode: "chat" } },
    })
    const turns = [session.send("a"), session.send("b", options), session.send("c")]
    await settled()
    timers.advance(100)
    const results = await Promise.all(turns.map(({ result }) => result))
    expect(results.map(({ trace }) => trace.merged?.waited)).toEqual([
      undefined,
      "it has options of its own",
      "the turn before it has options of its own, or no words",
    ])
    expect(await texts()).toHaveLength(6)
  })

  test("are not joined over another call, nor to a wake or by heard words", async () => {
    const { session, agent, timers, texts } = fay({ mergeMs: 100 }, [finish("One."), finish("Two."), finish("Three.")])
    const first = session.send("a")
    const kept = session.setMemory(true)
    const second = session.send("b")
    await Promise.all([session.hear("h"), settled()])
    timers.advance(100)
    await Promise.all([first.result, kept, second.result])
    expect((await second.result).trace.merged?.waited).toBe("another call stands between it and the message before")
    const woken = session.wake("it is time")
    const third = session.send("c")
    expect(await woken.result).toMatchObject({ text: "Three." })
    third.abort()
    await Promise.all([third.result, agent.idle()])
    expect(await texts()).toEqual(["h", "a", "One.", "b", "Two.", "Three.", "c"])
  })

  test("do not join a message that was aborted, or one that is refused", async () => {
    const { session, timers, texts } = fay({ mergeMs: 100 }, [finish("One.")])
    const first = session.send("a")
    const second = session.send("b")
    second.abort()
    const third = session.send(" ")
    expect(await third.result).toMatchObject({ ok: false, error: { code: "empty-question" } })
    await settled()
    timers.advance(100)
    expect(await first.result).toMatchObject({ ok: true, text: "One." })
    await settled()
    expect(await texts()).toEqual(["a", "One.", "b"])
  })

  test("end at once if they are aborted while they wait, and their words stay", async () => {
    const { session, agent, texts } = fay({ mergeMs: 100 }, [])
    const turn = session.send("a")
    await settled()
    turn.abort()
    expect(await turn.result).toMatchObject({ ok: false, error: { code: "aborted" } })
    await agent.idle()
    expect(await texts()).toEqual(["a"])
  })

  test("fail alone if their words cannot be stored, and the newest is answered", async () => {
    const store = createInMemoryStore()
    const broken: Store = { ...store, append: () => Promise.reject(new Error("disk full")) }
    const { session, timers, texts } = fay({ mergeMs: 100 }, [finish("Yes.")], { store: broken })
    const first = session.send("a")
    const second = session.send("b")
    await settled()
    timers.advance(100)
    expect(await first.result).toMatchObject({ ok: false, error: { code: "session-store" } })
    const result = await second.result
    expect(result).toMatchObject({ ok: true, text: "Yes." })
    expect(result.trace.merged).toBeUndefined()
    expect(await texts()).toEqual(["b", "Yes."])
  })

  test("are answered without a wait where nothing is kept", async () => {
    const { agent } = fay({ mergeMs: 1500, interrupt: "join" }, [finish("Yes.")])
    expect(await agent.respond([{ role: "user", content: "a" }]).result).toMatchObject({ ok: true, text: "Yes." })
  })

  test("can be answered again, and edited", async () => {
    const { session, timers, texts } = fay({ mergeMs: 100 }, [finish("One."), finish("Two."), finish("Three.")])
    const first = session.send("a")
    const second = session.send("b")
    await settled()
    timers.advance(100)
    await second.result
    expect(await session.regenerate().result).toMatchObject({ text: "Two." })
    expect(await texts()).toEqual(["a", "b", "Two."])
    const edited = await session.edit(`${first.id}:0`, "A")
    expect(await edited?.result).toMatchObject({ text: "Three." })
    expect((await texts()).slice(0, 2)).toEqual(["A", "Three."])
  })
})

describe("messages that joined one whose turn fails", () => {
  const refused: ScriptedStep = [new Error("down")]
  /** "My cat" and "is Tom." are one turn, which fails. */
  async function failed(profile: ProfileInput, ...steps: ScriptedStep[]) {
    const asked: string[] = []
    const memory = {
      async recall(question: string) {
        asked.push(question)
        return []
      },
    }
    const conversation = fay({ mergeMs: 100 }, [refused, ...steps], {
      profile: { retry: { maxAttempts: 1 }, memory: { enabled: true }, ...profile },
      memory,
      runJobs: false,
    })
    const { session, timers } = conversation
    const first = session.send("My cat")
    const second = session.send("is Tom.")
    await settled()
    timers.advance(100)
    expect(await first.result).toMatchObject(joined(second))
    expect(await second.result).toMatchObject({ ok: false })
    return { ...conversation, first, second, asked }
  }

  test("are answered by the next turn, whatever the window, and its trace says so", async () => {
    const { session, timers, texts, shown, first, asked } = await failed(
      { history: { contextCount: 0 } },
      finish("Nice."),
      finish("Bye."),
    )
    const next = session.send("Hello?")
    await settled()
    timers.advance(100)
    const result = await next.result
    expect(result).toMatchObject({ ok: true, text: "Nice.", trace: { merged: { turns: [first.id] } } })
    for (const words of ["My cat", "is Tom."]) expect(shown(1)).toContain(words)
    expect(asked.at(-1)).toBe("My cat\nHello?")
    expect(await texts()).toEqual(["My cat", "is Tom.", "Hello?", "Nice."])
    const last = session.send("Bye")
    await settled()
    timers.advance(100)
    expect((await last.result).trace.merged).toBeUndefined()
  })

  test("are answered when that turn is tried again, and again", async () => {
    const { session, texts, shown, first, asked } = await failed(
      { history: { contextCount: 0 } },
      finish("A fine name."),
      finish("A fine cat."),
    )
    for (const [at, text] of ["A fine name.", "A fine cat."].entries()) {
      expect(await session.regenerate().result).toMatchObject({ ok: true, text, trace: { merged: { turns: [first.id] } } })
      expect(shown(at + 1)).toContain("My cat")
      expect(asked.at(-1)).toBe("My cat\nis Tom.")
      expect(await texts()).toEqual(["My cat", "is Tom.", text])
    }
  })

  test("are answered too if nothing is kept of the turn that failed", async () => {
    const { session, texts } = await failed({ history: { keepFailed: false } }, finish("I see."))
    expect(await texts()).toEqual(["My cat"])
    expect(await session.regenerate().result).toMatchObject({ ok: true, text: "I see." })
    expect(await texts()).toEqual(["My cat", "I see."])
  })
})

describe('interrupt = "join"', () => {
  test("plans anew with both messages if nothing was shown", async () => {
    const { session, shown, texts } = fay({ interrupt: "join" }, [planned, finish("Both.")])
    const first = session.send("Lunch?", { from: ada })
    await settled()
    const second = session.send("Or tea?", { from: bob })
    const result = await first.result
    expect(result).toMatchObject(joined(second))
    expect(result.trace.steps).toHaveLength(1)
    expect(result.trace.error).toBeUndefined()
    expect(await second.result).toMatchObject({ ok: true, text: "Both.", trace: { merged: { turns: [first.id] } } })
    expect(shown(1)).toContain("Lunch?")
    expect(await texts()).toEqual(["Lunch?", "Or tea?", "Both."])
  })

  test("waits if a part of the answer was shown, and the trace says so", async () => {
    const gate = Promise.withResolvers<void>()
    const { session, texts } = fay({ interrupt: "join" }, [
      async () => {
        await gate.promise
        return finish("One.")
      },
      finish("Two."),
    ])
    const first = session.send("a")
    await settled()
    gate.resolve()
    for await (const _ of first.textStream) break
    const second = session.send("b")
    expect(await first.result).toMatchObject({ ok: true, text: "One." })
    const result = await second.result
    expect(result).toMatchObject({ trace: { merged: { turns: [], waited: "a part of the answer before it was shown" } } })
    expect(printTrace(result.trace)).toContain("waited, because a part of the answer before it was shown")
    expect(await texts()).toEqual(["a", "One.", "b", "Two."])
  })

  test("waits once a tool that the model called has begun to run, and restarts a turn whose prestart tools run", async () => {
    const gate = Promise.withResolvers<void>()
    const started = Promise.withResolvers<void>()
    const look = defineTool({
      name: "look",
      description: "Looks",
      inputSchema: z.object({}),
      async execute() {
        started.resolve()
        await gate.promise
        return "seen"
      },
    })
    const { session, texts } = fay({ interrupt: "join" }, [callTool("look"), finish("One."), finish("Two.")], { tools: [look] })
    const first = session.send("a")
    await started.promise
    const second = session.send("b")
    gate.resolve()
    expect(await first.result).toMatchObject({ ok: true, text: "One." })
    expect((await second.result).trace.merged?.waited).toBe("a tool of the turn before it had begun to run")
    expect(await texts()).toEqual(["a", "One.", "b", "Two."])
    const early = fay({ interrupt: "join" }, [finish("Both.")], {
      tools: [{ ...look, execute: (_, { signal }) => new Promise((_, no) => signal.addEventListener("abort", no)) }],
      profile: { prestart: [{ tool: "look" }], limits: { prestartMs: 50 } },
    })
    const running = early.session.send("a")
    await settled()
    const next = early.session.send("b")
    expect(await running.result).toMatchObject(joined(next))
    await settled()
    early.timers.advance(50)
    expect(await next.result).toMatchObject({ ok: true, text: "Both." })
  })

  test("keeps what was put on the stack for the next turn, and stores nothing twice", async () => {
    const { session, shown, store } = fay({ interrupt: "join" }, [planned, finish("Both.")])
    session.stack.add("weather", "it rains", { scope: "turn" })
    session.send("a")
    await settled()
    await session.send("b").result
    expect([shown(0), shown(1)].map((prompt) => prompt.includes("it rains"))).toEqual([true, true])
    const turns = await store.branches(session.key)
    expect(turns.map(({ messages }) => messages.map(({ text }) => text))).toEqual([["a"], ["b", "Both."]])
  })

  test("ends a turn that fails meanwhile with its own error", async () => {
    const { session, texts } = fay({ interrupt: "join" }, [[new Error("the server is down")], finish("Two.")])
    const first = session.send("a")
    expect(await first.result).toMatchObject({ ok: false, error: { code: "model" } })
    expect(await session.send("b").result).toMatchObject({ text: "Two." })
    expect(await texts()).toEqual(["a", "b", "Two."])
  })

  test("lets messages join that wait behind an answer, with or without kept failures", async () => {
    const gate = Promise.withResolvers<void>()
    const { session, texts } = fay(
      { interrupt: "join" },
      [['{"action":"finish","message":"One', ".", '"}'], finish("Both.")].map((step, at) =>
        at === 0
          ? async () => {
              await gate.promise
              return step
            }
          : step,
      ),
      { profile: { history: { keepFailed: false } } },
    )
    const first = session.send("a", { toolChoice: "none" })
    const second = session.send("b")
    const third = session.send("c")
    await settled()
    gate.resolve()
    expect(await first.result).toMatchObject({ ok: true, text: "One." })
    expect(await second.result).toMatchObject(joined(third))
    expect(await third.result).toMatchObject({ ok: true, text: "Both." })
    expect(await texts()).toEqual(["a", "One.", "b", "c", "Both."])
  })
})

describe('interrupt = "abort"', () => {
  const ended = (by: { readonly id: string }) => ({ ok: false, error: { code: "aborted", evidence: { interruptedBy: by.id } } })

  test("ends the turn that runs, and keeps its words and what was shown", async () => {
    const { session, shown } = fay({ interrupt: "abort" }, [begun, finish("Fine.")])
    const first = session.send("a")
    for await (const _ of first.textStream) break
    const second = session.send("stop")
    expect(await first.result).toMatchObject({ ...ended(second), gathered: { text: "I think that" } })
    expect(await second.result).toMatchObject({ ok: true, text: "Fine." })
    expect(shown(1)).toContain("I think that")
    expect(await session.history()).toMatchObject([
      { text: "a", interrupted: true, unanswered: true },
      { text: "I think that", interrupted: true, unanswered: true },
      { text: "stop" },
      { text: "Fine." },
    ])
  })

  test("ends turns that wait, wakes and second thoughts too, but no answer to an approval", async () => {
    const { session, texts } = fay({ interrupt: "abort" }, [finish("One."), begun, finish("Last.")])
    await session.send("a").result
    const woken = session.wake("it is time")
    for await (const _ of woken.textStream) break
    const again = session.regenerate()
    const waiting = session.send("b")
    const last = session.send("c")
    expect(await woken.result).toMatchObject({ ok: false, error: { code: "aborted" } })
    expect(await again.result).toMatchObject({ ok: false, error: { code: "aborted" } })
    expect(await waiting.result).toMatchObject(ended(last))
    expect(await last.result).toMatchObject({ ok: true, text: "Last." })
    expect(await texts()).toEqual(["a", "One.", "I think that", "b", "c", "Last."])
  })

  test("still merges messages that come within merge_ms", async () => {
    const { session, timers, texts } = fay({ interrupt: "abort", mergeMs: 100 }, [finish("Both.")])
    const first = session.send("a")
    const second = session.send("b")
    expect(await first.result).toMatchObject(joined(second))
    await settled()
    timers.advance(100)
    await second.result
    expect(await texts()).toEqual(["a", "b", "Both."])
  })
})

test.each([
  ["join", "<empty_reply>"],
  ["abort", "One."],
] as const)("an answer that is being stored is neither joined nor ended (%s)", async (interrupt, answer) => {
  const store = createInMemoryStore()
  const gate = Promise.withResolvers<void>()
  const storing = Promise.withResolvers<void>()
  const slow: Store = {
    ...store,
    async commit(...given) {
      storing.resolve()
      await gate.promise
      return store.commit(...given)
    },
  }
  const { session, texts } = fay({ interrupt }, [finish(answer), finish("Two.")], {
    store: slow,
    profile: { output: { bubbles: true } },
  })
  const first = session.send("a")
  await storing.promise
  const second = session.send("b")
  gate.resolve()
  expect(await first.result).toMatchObject({ ok: true, stopReason: "finish" })
  expect(await second.result).toMatchObject({ ok: true, text: "Two." })
  expect((await texts()).filter((text) => !/One|reply/.test(text))).toEqual(["a", "b", "Two."])
})

test("messages beside an open approval wait for it, and then are one turn", async () => {
  const ask = defineTool({
    name: "pay",
    description: "Pays",
    inputSchema: z.object({}),
    needsApproval: true,
    execute: () => "paid",
  })
  const { session, timers, texts } = fay({ interrupt: "join" }, [callTool("pay"), finish("Paid."), finish("Both.")], {
    tools: [ask],
    profile: { tools: { whileAsked: "wait" } },
  })
  const asked = await session.send("Pay").result
  expect(asked).toMatchObject({ ok: true, stopReason: "awaiting-approval" })
  const second = session.send("b")
  await settled()
  const third = session.send("c")
  await settled()
  const [approval] = asked.ok ? (asked.approvals ?? []) : []
  expect(await session.approve(approval?.id ?? "").result).toMatchObject({ ok: true, text: "Paid." })
  timers.advance(250)
  await settled()
  timers.advance(250)
  expect(await second.result).toMatchObject(joined(third))
  expect(await third.result).toMatchObject({ ok: true, text: "Both." })
  expect(await texts()).toEqual(["Pay", "b", "c", "Paid.", "Both."])
})

test("without merge_ms and interrupt nothing of it is loaded or told", async () => {
  const { session } = fay({}, [finish("One."), finish("Two.")])
  const turns = [session.send("a"), session.send("b")]
  const results = await Promise.all(turns.map(({ result }) => result))
  expect(results.map((result) => [result.ok && result.text, result.trace.merged])).toEqual([
    ["One.", undefined],
    ["Two.", undefined],
  ])
})
