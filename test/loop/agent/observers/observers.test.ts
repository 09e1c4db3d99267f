import fc from "fast-check"
import { afterEach, describe, expect, test } from "vitest"
import type { LanguageModel } from "../../../../src/core/model/language-model.ts"
import type { Timers } from "../../../../src/core/ports.ts"
import type { BackgroundWarning } from "../../../../src/loop/turn/turn-context.ts"
import type { Observer, ObserverContext } from "../../../../src/memory/services/observer.ts"
import { defineTool } from "../../../../src/prompt/tools/define-tool.ts"
import { expectScriptsDone, manualClock, manualTimers, scriptedModel } from "../../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../../support/agents.ts"
import { createIdleStore } from "../../../support/idle-store.ts"

afterEach(expectScriptsDone)

const clockTool = defineTool({ name: "clock", description: "时间", execute: () => "11:04" })

type Observe = Observer["observe"]

/** A limit for one event that no turn's own limit has, and the waits after failures: what sets such a timer is an observer. */
const eventMs = 7_777
const isObservers = (delayMs: number) => [eventMs, 1_000, 2_000, 4_000, 8_000].includes(delayMs)

/** How many rounds of microtasks a promise takes: whoever awaited anything on its way would make them more. */
async function ticksUntil(done: Promise<unknown>): Promise<number> {
  let isDone = false
  void done.then(() => {
    isDone = true
  })
  let ticks = 0
  for (; !isDone && ticks < 100_000; ticks++) await Promise.resolve()
  return ticks
}

/** Two turns of an agent under an observer: all that it was asked, told and set, in order, and how long each turn took. */
async function watched(observe?: Observe, settings: Partial<Observer> = {}) {
  const warnings: BackgroundWarning[] = []
  const fifth = Promise.withResolvers<void>()
  const order: string[] = []
  const clock = manualClock(0)
  const manual = manualTimers(clock)
  const timers: Timers = {
    set(callback, delayMs) {
      if (!isObservers(delayMs)) order.push(`timer ${delayMs}`)
      return manual.set(callback, delayMs)
    },
    clear: (handle) => manual.clear(handle),
  }
  const scripted = scriptedModel([callTool("clock"), finish("十一点"), finish("不客气")])
  const model: LanguageModel = {
    ...scripted,
    stream(request, options) {
      order.push(`request ${JSON.stringify(request.messages)}`)
      return scripted.stream(request, options)
    },
  }
  const observers = observe ? [{ name: "main-observer", observe, timeoutMs: eventMs, ...settings }] : []
  const hooks = [{ name: "keeper", beforeTurn: () => undefined }]
  const { agent, session } = testAgent(
    model,
    {},
    {
      tools: [clockTool],
      hooks,
      observers,
      onWarning(warning) {
        if (warnings.push(warning) === 5) fifth.resolve()
      },
      ports: { clock, timers },
    },
  )
  const ticks: number[] = []
  for (const text of ["几点了？", "谢谢"]) {
    const turn = session.send(text)
    const told = (async () => {
      for await (const event of turn) order.push(`event ${JSON.stringify({ ...event, result: 0 })}`)
    })()
    ticks.push(await ticksUntil(turn.result))
    await told
  }
  return { agent, session, timers: manual, warnings, fifthWarning: fifth.promise, order, ticks }
}

/** What an observer can do wrong. */
const misbehaviour: readonly Observe[] = [
  () => new Promise(() => undefined),
  () => {
    throw new Error("broken")
  },
  () => Promise.reject(undefined),
  () =>
    // biome-ignore lint/suspicious/noThenProperty: that is what it does wrong
    Object.defineProperty({}, "then", {
      get: () => {
        throw new Error("no promise")
      },
    }) as never,
  (event) => {
    for (const key of Object.keys(event)) (event as Record<string, unknown>)[key] = "spoilt"
    if ("run" in event) (event.run as unknown as Record<string, unknown>).result = "forged"
  },
  async (_, { post }) => void (await post({ id: "", owner: "nobody", payload: [] } as never)),
  async (_, { inject }) => inject({ key: "history", text: "x".repeat(10_000) }),
  async (_, { inject }) => inject({ key: "a\n## b", text: "x" }),
  async (_, { turnId, post }) => {
    for (let at = 0; at < 200; at++) await post({ id: `${turnId}-${at}`, owner: "keeper", payload: { at } })
  },
  async () => {
    for (let at = 0; at < 2_000; at++) await Promise.resolve()
  },
  () => undefined,
]

describe("R26 an observer", () => {
  test("whatever it does wrong, no request, event, timer or wait of a turn changes", async () => {
    // The first turn of a process waits for the loop's code, and the first observer for that of the feeds.
    const { agent } = await watched(() => undefined)
    await agent.idle()
    const alone = await watched()
    expect(alone.order.filter((line) => line.startsWith("request"))).toHaveLength(3)
    expect(alone.order.some((line) => line.startsWith("timer"))).toBe(true)
    expect(alone.ticks.every((ticks) => ticks > 0 && ticks < 10_000)).toBe(true)
    const bounds = fc.constantFrom(undefined, 1, 3)
    const kinds = fc.array(fc.nat(misbehaviour.length - 1), { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(kinds, bounds, async (chosen, maxQueued) => {
        let at = 0
        const observe: Observe = (event, context) => misbehaviour[chosen[at++ % chosen.length] ?? 0]?.(event, context)
        const other = await watched(observe, maxQueued === undefined ? {} : { maxQueued })
        expect(other.order).toEqual(alone.order)
        expect(other.ticks).toEqual(alone.ticks)
        expect(at).toBeGreaterThan(0)
      }),
      { numRuns: 25, examples: misbehaviour.map((_, kind): [number[], undefined] => [[kind], undefined]) },
    )
  })

  test("leaves text for the next turn only, as the agent's own and not as an author's", async () => {
    let done = false
    const model = scriptedModel([finish("一"), finish("二"), finish("三")])
    const observe = async (_: unknown, { inject }: ObserverContext) => {
      if (done) return
      done = true
      await inject({ key: "mood", text: "旧的" })
      await inject({ key: "mood", text: "用户心情不好" })
    }
    const { agent, session } = testAgent(model, { dialect: "layered" }, { observers: [{ name: "main-observer", observe }] })
    for (const text of ["1", "2", "3"]) {
      await session.send(text).result
      await agent.idle()
    }
    const spans = model.requests.map(
      ({ assembly }) =>
        assembly?.spans.filter(
          ({ key, part, trust }) => key === "main-observer:mood" && part === "content" && trust !== "author",
        ) ?? [],
    )
    expect(spans.map((own) => own.map(({ text, trust }) => [text, trust]))).toEqual([[], [["用户心情不好", "agent"]], []])
  })

  test("one that hangs is given up after five events, and closing the agent does not wait for it for ever", async () => {
    const { agent, timers, warnings, fifthWarning } = await watched(() => new Promise(() => undefined), { timeoutMs: 1_000 })
    // The limits of five events, and the pauses between them.
    for (let timer = 0; timer < 9; timer++) {
      await timers.whenPending(1)
      timers.advance(60_000)
    }
    await fifthWarning
    expect(warnings.at(-1)?.message).toContain("it gets no more events")
    await agent.close()
  })

  test("leaves the newest eight texts at most, cleaned of what no reader sees, in the order it wants", async () => {
    const model = scriptedModel([finish("一"), finish("二")])
    const observe: Observe = async (event, { inject }) => {
      if (event.type !== "turn-start") return
      await inject({ key: "k0", text: "旧的" })
      for (let at = 1; at < 10; at++) await inject({ key: `k${at}`, text: `第${at}条\u202e\ud800`, priority: 200 - at })
      await inject({ key: "k1", text: "第1条，新的", priority: 1 })
    }
    const { agent, session } = testAgent(model, { dialect: "layered" }, { observers: [{ name: "o", observe }] })
    await session.send("1").result
    await agent.idle()
    await session.send("2").result
    const spans =
      model.requests[1]?.assembly?.spans.filter(
        ({ key, part, trust }) => key.startsWith("o:") && part === "content" && trust === "agent",
      ) ?? []
    expect(spans.map(({ key }) => key)).toEqual([1, 9, 8, 7, 6, 5, 4, 3].map((at) => `o:k${at}`))
    const text = spans.map((span) => span.text).join("\n")
    expect(text).toContain("第1条，新的")
    expect(text).not.toContain("\u202e")
    expect(text.isWellFormed()).toBe(true)
  })

  test("two observers' texts of one key are two; a note that is no injection is reported, and the others stand", async () => {
    const store = createIdleStore()
    const model = scriptedModel([finish("一"), finish("二")])
    const observers = ["a", "b"].map(
      (name): Observer => ({ name, observe: async (_, { inject }) => inject({ key: "k", text: name }) }),
    )
    const { agent, session } = testAgent(model, { dialect: "layered" }, { observers, store })
    await session.send("1").result
    await agent.idle()
    const payloads = [
      { observer: "a\nb", key: "k", text: "forged" },
      { observer: "o", key: "k", text: 1 },
      { observer: "o", key: "k", text: "x" },
    ]
    for (const [at, payload] of payloads.entries())
      await store.post(session.key, { id: `n${at}`, owner: "observer-injections", payload })
    const { trace } = await session.send("2").result
    const keys = new Set(model.requests[1]?.assembly?.spans.map(({ key }) => key).filter((key) => /^[abo]/u.test(key)))
    expect([...keys].sort()).toEqual(["a:k", "b:k"])
    expect(trace.warnings.map(({ message }) => message.slice(0, 30))).toEqual([
      'The note "n0" was left out: ex',
      'The note "n1" was left out: ex',
      'The note "n2" was left out: ex',
    ])
    expect(JSON.stringify(model.requests[1]?.messages)).not.toContain("forged")
  })

  test("what it left is taken once, with the turn that commits: an aborted one gives it to the next", async () => {
    const model = scriptedModel([finish("一"), [new Error("down")], finish("二"), finish("三")])
    let done = false
    const observe: Observe = async (_, { inject }) => {
      if (done) return
      done = true
      await inject({ key: "mood", text: "心情不好" })
    }
    const { agent, session } = testAgent(model, { dialect: "layered" }, { observers: [{ name: "o", observe }] })
    for (const text of ["1", "2", "3", "4"]) {
      await session.send(text).result
      await agent.idle()
    }
    const shown = model.requests.map(({ messages }) => JSON.stringify(messages).includes("心情不好"))
    expect(shown).toEqual([false, true, true, false])
  })

  test("a warning that nobody takes does not stop it, and closing waits for a hanging one no longer than its limit", async () => {
    const heard: string[] = []
    const observe: Observe = (event) => {
      heard.push(event.type)
      if (heard.length === 1) throw new Error("once")
      if (event.type === "turn-end") return new Promise(() => undefined)
    }
    const { agent, session, timers } = testAgent(
      scriptedModel([finish("好")]),
      { limits: { toolMs: 12_345 } },
      {
        observers: [{ name: "o", observe, timeoutMs: 2 ** 30 }],
        onWarning: () => {
          throw new Error("nobody listens")
        },
      },
    )
    await session.send("？").result
    await timers.whenPending(1)
    timers.advance(1_000)
    let isClosed = false
    const closed = agent.close().then(() => {
      isClosed = true
    })
    // The hanging event, the observers' limit and that of closing.
    await timers.whenPending(3)
    timers.advance(12_344)
    for (let tick = 0; tick < 100; tick++) await Promise.resolve()
    expect(heard.at(-1)).toBe("turn-end")
    expect(isClosed).toBe(false)
    timers.advance(1)
    await closed
    expect(timers.pending).toBe(0)
  })

  test("one that wakes a closed agent wakes nothing", async () => {
    const woke: boolean[] = []
    const model = scriptedModel([finish("好")])
    const observe: Observe = async (event, { wake }) => {
      if (event.type !== "turn-end") return
      for (let tick = 0; tick < 20; tick++) await Promise.resolve()
      woke.push(wake("整理一下"))
    }
    const { agent, session } = testAgent(model, {}, { observers: [{ name: "o", observe }] })
    const { result } = session.send("？")
    await result
    await agent.close()
    expect(woke).toEqual([false])
    expect(model.requests).toHaveLength(1)
  })

  test("R27 can open a turn, which begets no other", async () => {
    const opened: string[] = []
    const model = scriptedModel([finish("好"), finish("想起一件事")])
    const observe: Observe = (event, { wake }) => {
      if (event.type === "turn-end") wake("整理一下")
    }
    const { agent, session } = testAgent(
      model,
      {},
      { observers: [{ name: "main-observer", observe }], onWake: (turn) => void opened.push(turn.id) },
    )
    await session.send("你好").result
    await agent.idle()
    expect(opened).toHaveLength(1)
    expect(model.requests).toHaveLength(2)
  })

  test("its name stands in prompts, so it is checked, and names are unique", () => {
    const named = (...names: string[]) => ({ observers: names.map((name) => ({ name, observe: () => undefined })) })
    expect(() => testAgent(scriptedModel([]), {}, named("a\nb"))).toThrow("observer's name")
    expect(() => testAgent(scriptedModel([]), {}, named("a", "a"))).toThrow("observers of different names")
  })
})
