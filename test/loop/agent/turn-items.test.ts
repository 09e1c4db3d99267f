import { afterEach, describe, expect, test } from "vitest"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { BeforeTurnContext } from "../../../src/memory/services/turn-hook.ts"
import type { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { expectScriptsDone, scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"

afterEach(expectScriptsDone)

const answers = (...texts: string[]) => scriptedModel(texts.map(finish))

function shownIn(model: ReturnType<typeof scriptedModel>, request: number): string {
  return model.requests[request]?.messages.map(({ content }) => content).join("\n") ?? ""
}

describe("S9 items of scope turn", () => {
  test("that were added between two turns live in the next one only, also if it fails; a preview does not end them", async () => {
    const model = scriptedModel([finish("一"), finish("二"), [{ stallUntilAborted: true }], finish("四")])
    const { session } = testAgent(model)
    session.stack.add("weather", "外面在下雨")
    session.stack.add("place", "在图书馆", { scope: "session" })
    expect(JSON.stringify((await session.preview("？")).messages)).toContain("外面在下雨")
    await session.send("1").result
    expect(session.stack.keys).not.toContain("weather")
    await session.send("2").result
    session.stack.add("weather", "雪")
    const failed = session.send("3")
    for await (const event of failed) if (event.type === "step-start") failed.abort()
    await session.send("4").result
    expect([0, 1, 2, 3].map((at) => /外面在下雨|雪/.exec(shownIn(model, at))?.[0])).toEqual([
      "外面在下雨",
      undefined,
      "雪",
      undefined,
    ])
    expect([0, 1, 2, 3].every((at) => shownIn(model, at).includes("在图书馆"))).toBe(true)
  })

  test("given with send, wake or preview are in that turn alone, and stay out of the session's stack", async () => {
    const model = answers("一", "二", "三")
    const { session } = testAgent(model)
    const inject = [{ key: "weather", content: "外面在下雨" }]
    expect(JSON.stringify((await session.preview("？", { inject })).messages)).toContain("外面在下雨")
    await session.send("1", { inject }).result
    await session.send("2").result
    await session.wake("早上了", { inject }).result
    expect([0, 1, 2].map((at) => shownIn(model, at).includes("外面在下雨"))).toEqual([true, false, true])
    expect(session.stack.keys).not.toContain("weather")
  })

  test("given with send that are malformed throw at once, and so does a global one", async () => {
    const { session } = testAgent(answers())
    expect(() => session.send("1", { inject: [{ key: "a\nb", content: "x" }] })).toThrow(/key of one line/)
    expect(() => session.send("1", { inject: [{ key: "a", content: "x", scope: "global" }] })).toThrow(/found global/)
    await expect(session.preview("1", { inject: [{ key: "", content: "x" }] })).rejects.toMatchObject({ code: "injection" })
  })

  test("that are added while a turn runs land in its next request, or in the next turn if there is none", async () => {
    const look = defineTool({
      name: "look",
      description: "",
      execute: () => {
        session.stack.add("seen", "看见一只猫")
        session.stack.remove("place")
        return "好"
      },
    })
    const model = scriptedModel([
      callTool("look"),
      () => {
        session.stack.add("late", "说得太晚")
        return finish("一")
      },
      finish("二"),
      finish("三"),
    ])
    const { session } = testAgent(model, {}, { tools: [look] })
    session.stack.add("place", "在图书馆", { scope: "session" })
    await session.send("1").result
    await session.send("2").result
    await session.send("3").result
    const rows = ["看见一只猫", "说得太晚", "在图书馆"].map((text) => [0, 1, 2, 3].map((at) => shownIn(model, at).includes(text)))
    expect(rows).toEqual([
      [false, true, false, false],
      [false, false, true, false],
      [true, false, false, false],
    ])
  })

  test.each(["session", "global"] as const)("that replace a %s item do so for one turn", async (scope) => {
    const store = createInMemoryStore()
    const model = answers("一", "二", "三", "四")
    const { session } = testAgent(model, {}, { store, runJobs: false })
    session.stack.add("place", "在图书馆", { scope })
    await session.send("1").result
    session.stack.add("place", "在车站")
    await session.send("2").result
    await session.send("3").result
    const { session: again } = testAgent(model, {}, { store, runJobs: false })
    if (scope === "global") again.stack.add("place", "在图书馆", { scope })
    await again.send("4").result
    const places = [0, 1, 2, 3].map((at) => /在图书馆|在车站/.exec(shownIn(model, at))?.[0])
    expect(places).toEqual(["在图书馆", "在车站", "在图书馆", "在图书馆"])
  })

  test("that replace a session item leave it in the store, whoever adds them", async () => {
    const store = createInMemoryStore()
    const model = answers("一", "二", "三", "四")
    const { session } = testAgent(model, {}, { store, runJobs: false })
    session.stack.add("place", "在图书馆", { scope: "session" })
    await session.send("1").result
    const { session: second } = testAgent(model, {}, { store, runJobs: false })
    await second.send("2", { inject: [{ key: "place", content: "在车站" }] }).result
    const { session: third } = testAgent(model, {}, { store, runJobs: false })
    third.stack.add("place", "在家")
    await third.send("3").result
    await testAgent(model, {}, { store, runJobs: false }).session.send("4").result
    const places = [0, 1, 2, 3].map((at) => /在图书馆|在车站|在家/.exec(shownIn(model, at))?.[0])
    expect(places).toEqual(["在图书馆", "在车站", "在家", "在图书馆"])
  })

  test("of createAgent are in every prompt of every session, as it says", async () => {
    const model = answers("一", "二")
    const { session } = testAgent(model, {}, { injections: [{ key: "rule", content: "说短句", scope: "turn" }] })
    await session.send("1").result
    await session.send("2").result
    expect([0, 1].map((at) => shownIn(model, at).includes("说短句"))).toEqual([true, true])
  })
})

describe("S11 the stack that a hook got", () => {
  /** A hook that keeps its stack, and a tool that does something while the turn runs. */
  function held(work: (stack: PromptStack) => unknown) {
    const stacks: PromptStack[] = []
    const hook = { name: "held", beforeTurn: ({ stack }: BeforeTurnContext): void => void stacks.push(stack) }
    const act = () => String(work(stacks.at(-1) as PromptStack))
    return { stacks, hooks: [hook], tools: [defineTool({ name: "act", description: "", execute: act })] }
  }

  test("changes the turn's next requests while a tool runs: turn items end with the turn, session items stay, in the store too", async () => {
    const store = createInMemoryStore()
    const { hooks, tools } = held((stack) => [
      stack.add("seen", "看见一只猫"),
      stack.add("place", "在图书馆", { scope: "session" }),
      stack.remove("mood"),
    ])
    const first = { name: "first", beforeTurn: ({ stack }: BeforeTurnContext): void => void stack.add("mood", "心情：好") }
    const model = scriptedModel([callTool("act"), finish("一"), finish("二"), finish("三")])
    const options = { hooks: [first, ...hooks], tools, store, runJobs: false }
    const { session } = testAgent(model, {}, options)
    const { trace } = await session.send("1").result
    expect(trace).toMatchObject({ runs: [{ result: "true,true,true" }], warnings: [] })
    await session.send("2").result
    await testAgent(model, {}, { store, runJobs: false }).session.send("3").result
    const rows = ["看见一只猫", "在图书馆", "心情：好"].map((text) => [0, 1, 2, 3].map((at) => shownIn(model, at).includes(text)))
    expect(rows).toEqual([
      [false, true, false, false],
      [false, true, true, true],
      [true, false, true, false],
    ])
  })

  test("refuses the turn's own messages, global items and malformed ones, and the turn goes on", async () => {
    const codes: unknown[] = []
    const { hooks, tools } = held((stack) => {
      for (const [key, options] of [
        ["history", {}],
        ["steps", {}],
        ["rule", { scope: "global" }],
        ["a\nb", {}],
      ] as const) {
        try {
          codes.push(stack.add(key, "words", options))
        } catch (error) {
          codes.push((error as { code?: string }).code)
        }
      }
      return "好"
    })
    const { session } = testAgent(scriptedModel([callTool("act"), finish("一")]), {}, { hooks, tools })
    expect(await session.send("1").result).toMatchObject({ ok: true, trace: { warnings: [] } })
    expect(codes).toEqual(["usage", "usage", "injection", "injection"])
  })

  test("refuses every change with words once the turn, or a preview, has ended", async () => {
    const { hooks, stacks } = held(() => "")
    const { session } = testAgent(scriptedModel([finish("一"), () => Promise.reject(new Error("no"))]), {}, { hooks })
    session.stack.add("place", "在图书馆", { scope: "session" })
    await session.send("1").result
    await session.preview("2")
    await session.send("3").result
    expect(stacks).toHaveLength(3)
    const late = expect.objectContaining({ code: "usage", message: expect.stringContaining("the turn had ended") })
    for (const stack of stacks) {
      expect(() => stack.add("late", "说得太晚")).toThrow(late)
      expect(() => stack.remove("place")).toThrow(late)
      expect(() => stack.clearScope("session")).toThrow(late)
      expect(stack.keys).not.toContain("late")
    }
    expect(session.stack.get("place")).toBeDefined()
  })

  test("refuses every change once the hook has taken too long", async () => {
    const { hooks, stacks } = held(() => "")
    const slow = {
      name: "slow",
      beforeTurn(context: BeforeTurnContext) {
        hooks[0]?.beforeTurn(context)
        return new Promise<void>(() => undefined)
      },
    }
    const refusal = Promise.withResolvers<unknown>()
    const model = scriptedModel([
      () => {
        try {
          refusal.resolve(stacks[0]?.add("late", "说得太晚"))
        } catch (error) {
          refusal.resolve(error)
        }
        return finish("一")
      },
    ])
    const { session, timers } = testAgent(model, { limits: { prestartMs: 100 } }, { hooks: [slow] })
    const turn = session.send("1")
    await timers.whenPending(2)
    timers.advance(100)
    expect(await refusal.promise).toMatchObject({ code: "usage", message: expect.stringContaining("taken too long") })
    expect(await turn.result).toMatchObject({ ok: true })
    expect(shownIn(model, 0)).not.toContain("说得太晚")
  })
})

describe("an item whose key the turn itself fills", () => {
  test.each(["memories", "tools", "question"])("is told of in the trace once, if it is not in the prompt: %s", async (key) => {
    const weather = defineTool({ name: "weather", description: "天气", execute: () => "晴" })
    const beforeTurn = ({ stack }: BeforeTurnContext): void => void stack.add(key, "我自己的内容")
    const memory = { recall: async () => [{ id: "1", text: "喜欢猫" }] }
    const model = scriptedModel([callTool("weather"), finish("一")])
    const { session } = testAgent(model, {}, { hooks: [{ name: "own", beforeTurn }], memory, tools: [weather] })
    const { trace } = await session.send("1").result
    expect(shownIn(model, 0)).not.toContain("我自己的内容")
    expect(trace.warnings).toEqual([{ kind: "hook", message: expect.stringContaining(`The item "${key}" of the stack is not`) }])
  })

  test.each(["question", "wake", "prestart", "tool_groups", "runs", "note", "fault", "file_faults"])(
    "is left out and told of, also if the turn has nothing for it: %s",
    async (key) => {
      const beforeTurn = ({ stack }: BeforeTurnContext): void => void stack.add({ key, content: "Obey.", trust: "tool" })
      for (const dialect of ["layered", "stack", "stack-cached", "soul", "root"]) {
        const model = answers("一", "二")
        const { session } = testAgent(model, { dialect }, { hooks: [{ name: "own", beforeTurn }] })
        const traces = [(await session.send("1").result).trace, (await session.wake("早上了").result).trace]
        for (const at of [0, 1]) expect(shownIn(model, at)).not.toContain("Obey.")
        for (const { warnings, steps } of traces) {
          expect(steps[0]?.assembly.decisions).toContainEqual(expect.objectContaining({ key, fate: "unplaced" }))
          expect(warnings).toEqual([{ kind: "hook", message: expect.stringContaining(` "${key}" `) }])
        }
      }
    },
  )

  test("is no warning where it is disabled", async () => {
    const beforeTurn = ({ stack }: BeforeTurnContext): void => void stack.add("runs", "Obey.", { enabled: false })
    const { session } = testAgent(answers("一"), {}, { hooks: [{ name: "own", beforeTurn }] })
    expect((await session.send("1").result).trace.warnings).toEqual([])
  })

  test("is no warning where the turn has nothing for it", async () => {
    const beforeTurn = ({ stack }: BeforeTurnContext): void => void stack.add("memories", "我自己的内容")
    const model = answers("一")
    const { session } = testAgent(model, {}, { hooks: [{ name: "own", beforeTurn }] })
    expect((await session.send("1").result).trace.warnings).toEqual([])
    expect(shownIn(model, 0)).toContain("我自己的内容")
  })
})

describe("S6 renderDebug of a session's stack", () => {
  test("shows with an assembly also the items that the last turn had beside it, disabled ones too", async () => {
    const beforeTurn = ({ stack }: BeforeTurnContext): void => {
      stack.add("mood", "心情：好")
      stack.add("secret", "不说", { enabled: false })
    }
    const { session } = testAgent(answers("一"), {}, { hooks: [{ name: "mood", beforeTurn }] })
    session.stack.add("weather", "外面在下雨")
    const { trace } = await session.send("1").result
    const rows = session.stack.renderDebug(trace.steps[0]?.assembly)
    expect(rows.filter(({ key }) => ["mood", "secret", "weather"].includes(key))).toMatchObject([
      { key: "weather", scope: "turn", enabled: true, fate: "kept" },
      { key: "mood", scope: "turn", enabled: true, fate: "kept" },
      { key: "secret", scope: "turn", enabled: false, tokens: 0 },
    ])
    expect(session.stack.renderDebug().map(({ key }) => key)).not.toContain("mood")
  })
})

describe("items of scope global", () => {
  test("that are added to a session's stack enter all sessions of the agent with their next turn", async () => {
    const model = answers("一", "二", "三")
    const { agent, session } = testAgent(model)
    const other = agent.session("other")
    await other.send("1").result
    expect(session.stack.add("season", "现在是春天", { scope: "global" })).toBe(true)
    await other.send("2").result
    await agent.session("new").send("3").result
    expect([0, 1, 2].map((at) => shownIn(model, at).includes("现在是春天"))).toEqual([false, true, true])
  })

  test.each([
    ["remove", (stack: PromptStack) => stack.remove("season")],
    ["clearScope", (stack: PromptStack) => stack.clearScope("global")],
  ] as const)("that were added so leave all sessions by %s, and those of the profile stay in the others", async (_, remove) => {
    const model = answers("一", "二", "三", "四", "五")
    const { agent, session } = testAgent(model)
    const other = agent.session("other")
    await other.send("1").result
    // The second one replaces the first.
    for (const season of ["现在是春天", "现在是夏天"]) session.stack.add("season", season, { scope: "global" })
    await other.send("2").result
    expect(remove(session.stack)).toBeTruthy()
    for (const each of [session, other, agent.session("new")]) await each.send("3").result
    expect([1, 2, 3, 4].map((at) => /现在是.天/.exec(shownIn(model, at))?.[0])).toEqual([
      "现在是夏天",
      undefined,
      undefined,
      undefined,
    ])
    expect([3, 4].map((at) => shownIn(model, at).includes("你是Fay"))).toEqual([true, true])
    expect(session.stack.remove("season")).toBe(false)
  })

  test("that replace one of the profile bring it back when they are removed", async () => {
    const model = answers("一", "二", "三")
    const { agent, session } = testAgent(model)
    session.stack.add("persona", "你是小夏。", { scope: "global" })
    await session.send("1").result
    expect(session.stack.remove("persona")).toBe(true)
    await session.send("2").result
    await agent.session("new").send("3").result
    expect([0, 1, 2].map((at) => /你是(Fay|小夏)/.exec(shownIn(model, at))?.[0])).toEqual(["你是小夏", "你是Fay", "你是Fay"])
  })

  test("that a hook adds are refused, and the warning says where they can be added", async () => {
    const beforeTurn = ({ stack }: BeforeTurnContext): void => void stack.add("season", "春", { scope: "global" })
    const { session } = testAgent(answers("一"), {}, { hooks: [{ name: "season", beforeTurn }] })
    const { trace } = await session.send("1").result
    expect(trace.warnings[0]?.message).toMatch(/on the stack of a turn[\s\S]*session's stack/)
  })
})
