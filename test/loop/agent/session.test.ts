import { afterEach, describe, expect, test } from "vitest"
import type { Store } from "../../../src/memory/services/store/store.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { expectScriptsDone, scriptedModel } from "../../../src/testing/index.ts"
import { finish, testAgent } from "../../support/agents.ts"
import { near, noOption } from "../../support/error-formulas.ts"
import { createIdleStore } from "../../support/idle-store.ts"

afterEach(expectScriptsDone)

function contents(model: ReturnType<typeof scriptedModel>, request: number): string {
  return model.requests[request]?.messages.map(({ content }) => content).join("\n") ?? ""
}

describe("a session", () => {
  test("may add a global item, which stands in every session of the agent until it is removed", async () => {
    const model = scriptedModel([finish("1"), finish("2"), finish("3")])
    const { agent, session } = testAgent(model)
    session.stack.add("weather", "It rains.", { scope: "global" })
    await agent.session("other").send("?").result
    session.stack.remove("weather")
    await agent.session("other").send("?").result
    expect([0, 1].map((at) => contents(model, at).includes("It rains."))).toEqual([true, false])
    await session.send("?").result
  })

  test("runs its turns in order, and sessions side by side", async () => {
    const order: string[] = []
    let release: () => void = () => undefined
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const model = scriptedModel([
      async () => {
        order.push("first of a")
        await gate
        return finish("甲答")
      },
      () => {
        order.push("b")
        release()
        return finish("乙")
      },
      () => {
        order.push("second of a")
        return finish("二")
      },
    ])
    const { agent } = testAgent(model)
    const a = agent.session("a")
    const turns = [a.send("1"), a.send("2")]
    await Promise.resolve()
    for await (const event of turns[0] ?? []) if (event.type === "step-start") break
    await agent.session("b").send("b").result
    await Promise.all(turns.map(({ result }) => result))
    expect(order).toEqual(["first of a", "b", "second of a"])
    expect(contents(model, 2)).toContain("甲答")
    expect(contents(model, 1)).not.toContain("甲答")
  })

  test("runs a turn whether or not anyone iterates it, and replays its events to whoever comes late", async () => {
    const turn = testAgent(scriptedModel([finish("好")])).session.send("？")
    await turn.result
    const types: string[] = []
    for await (const { type } of turn) types.push(type)
    expect(types.at(0)).toBe("turn-start")
    expect(types.at(-1)).toBe("turn-end")
  })

  test.each(["refused", "waiting", "being loaded", "being loaded in vain"])(
    "a turn that is aborted while it is %s begins and ends once, and nothing of it runs",
    async (when) => {
      const { promise: gate, resolve: open, reject: fail } = Promise.withResolvers<void>()
      const store = createIdleStore()
      const load: Store["load"] = async (key) => {
        await gate
        return store.load(key)
      }
      const model = scriptedModel(when === "waiting" ? [finish("一")] : [])
      const { agent, session } = testAgent(model, {}, { store: { ...store, load } })
      const turns = when === "waiting" ? [session.send("1"), session.send("2")] : [session.send(when === "refused" ? " " : "1")]
      for (let round = 0; round < 5; round++) await Promise.resolve()
      const turn = turns.at(-1)
      turn?.abort()
      await turn?.result
      if (when === "being loaded in vain") fail(new Error("the disk is gone"))
      open()
      await agent.idle()
      const types: string[] = []
      for await (const { type } of turn ?? []) types.push(type)
      expect(types).toEqual(["turn-start", "turn-end"])
      expect(await turn?.result).toMatchObject({ ok: false, error: { code: when === "refused" ? "empty-question" : "aborted" } })
      expect(model.requests).toHaveLength(turns.length - 1)
    },
  )

  test.each([
    ["an error", new Error("closed the tab"), "The turn was aborted: closed the tab."],
    ["a word", "closed the tab", "The turn was aborted: closed the tab."],
    ["none", undefined, "The turn was aborted."],
  ])("an abort before a turn begins is an abort, whatever its reason: %s", async (_, reason, message) => {
    for (const isBefore of [true, false]) {
      const { session } = testAgent(scriptedModel([]))
      const controller = new AbortController()
      if (isBefore) controller.abort(reason)
      const turn = session.send("hi", { signal: controller.signal })
      controller.abort(reason)
      expect(await turn.result).toMatchObject({ ok: false, error: { code: "aborted", message } })
    }
  })

  test("writes each turn in one commit with the version it began from", async () => {
    const store = createIdleStore()
    const commits: number[] = []
    const watched: Store = {
      ...store,
      commit: (key, commit) => {
        commits.push(commit.expectVersion)
        return store.commit(key, commit)
      },
    }
    const { session } = testAgent(scriptedModel([finish("一"), finish("二")]), {}, { store: watched })
    await session.send("1").result
    await session.send("2").result
    expect(commits).toEqual([0, 1])
    expect((await store.load(session.key))?.history.map(({ text }) => text)).toEqual(["1", "一", "2", "二"])
  })

  test("S9 R a second writer's commit in between is a typed conflict: the turn is not stored, its words and answer are kept as those of a failed one", async () => {
    const store = createIdleStore()
    const model = scriptedModel([
      async () => {
        await store.commit(session.key, { expectVersion: 0, append: [], state: {}, jobs: [] })
        return finish("迟了")
      },
    ])
    const { session } = testAgent(model, {}, { store })
    const result = await session.send("1").result
    expect(result).toMatchObject({ ok: false, error: { code: "session-conflict" }, gathered: { text: "迟了" } })
    const { history, version } = (await store.load(session.key)) ?? {}
    expect([version, history?.map(({ text, unanswered }) => [text, unanswered])]).toEqual([
      1,
      [
        ["1", true],
        ["迟了", true],
      ],
    ])
  })

  test("a store that fails is a typed error, before and after the answer", async () => {
    const down = async (): Promise<never> => {
      throw new Error("disk full")
    }
    const loading = testAgent(
      scriptedModel([]),
      {},
      { store: { ...createIdleStore(), load: down, commit: down, append: down, post: down, messages: down, branches: down } },
    )
    expect(await loading.session.send("1").result).toMatchObject({ ok: false, error: { code: "session-store" } })
    const committing = testAgent(scriptedModel([finish("好")]), {}, { store: { ...createIdleStore(), commit: down } })
    const result = await committing.session.send("1").result
    expect(result).toMatchObject({ ok: false, error: { code: "session-store" }, gathered: { text: "好" } })
  })

  test("T6 a group shows each message under its own speaker, in every dialect", async () => {
    for (const dialect of ["fay", "layered", "stack", "stack-cached"]) {
      const model = scriptedModel([finish("大家好"), finish("嗯")])
      const { agent } = testAgent(model, { dialect })
      const group = agent.session({ conversation: "tg:42", audience: "group" })
      await group.send("我是小明", { from: { id: "1", name: "小明" } }).result
      await group.send("我是小红", { from: { id: "2", name: "小红" } }).result
      expect(contents(model, 1)).toMatch(/小明：\n(```\n)?我是小明/)
      expect(contents(model, 1)).toMatch(/小红：\n(```\n)?我是小红/)
    }
  })

  test("S9 S11 a hook's turn items are gone next turn, its session items stay, and an aborted turn keeps neither", async () => {
    let round = 0
    const hook = {
      name: "mood",
      beforeTurn: ({ stack }: { stack: import("../../../src/prompt/stack/prompt-stack.ts").PromptStack }) => {
        round++
        if (round === 1) stack.add("mood", "心情：好", { scope: "turn" })
        if (round === 1) stack.add("place", "地点：图书馆", { scope: "session" })
        if (round === 2) stack.add("lost", "不该留下", { scope: "session" })
      },
    }
    const model = scriptedModel([finish("一"), [{ stallUntilAborted: true }], finish("三")])
    const store = createIdleStore()
    const { session } = testAgent(model, {}, { hooks: [hook], store })
    await session.send("1").result
    expect(contents(model, 0)).toContain("心情：好")
    const aborted = session.send("2")
    for await (const event of aborted) if (event.type === "step-start") aborted.abort()
    await session.send("3").result
    expect(contents(model, 2)).toContain("地点：图书馆")
    expect(contents(model, 2)).not.toMatch(/心情：好|不该留下/)
    const resumed = scriptedModel([finish("四")])
    await testAgent(resumed, {}, { store }).session.send("4").result
    expect(contents(resumed, 0)).toContain("地点：图书馆")
  })

  test("previews the request of a turn: recall, hooks and prestart run, no model is called, nothing is stored", async () => {
    const clock = defineTool({ name: "clock", description: "时间", execute: () => "11:04" })
    const model = scriptedModel([finish("好")])
    const memory = { recall: async () => [{ id: "1", text: "喜欢猫" }] }
    const { session } = testAgent(model, { prestart: [{ tool: "clock" }] }, { tools: [clock], memory })
    const preview = await session.preview("几点？")
    expect(preview.messages.at(-1)?.content).toMatch(/喜欢猫[\s\S]*11:04/)
    await session.send("几点？").result
    expect(model.requests[0]?.messages).toEqual(preview.messages)
    expect((await session.preview("？", { prompt: "final" })).messages.at(-1)?.content).not.toContain("可用工具")
  })

  test.each(["fay", "layered", "stack", "stack-cached", "soul", "root"])("R8: files need no words in %s", async (dialect) => {
    const model = scriptedModel([finish("一只猫。"), finish("是的。")])
    const { session } = testAgent(model, { dialect, timeZone: "UTC" })
    expect(await session.send("", { attachments: [{ path: "inbox/plan.md" }] }).result).toMatchObject({
      ok: true,
      text: "一只猫。",
    })
    expect(await session.send("真的？").result).toMatchObject({ ok: true })
    const prompts = model.requests.map(({ messages }) => messages.map(({ content }) => content).join("\n"))
    for (const prompt of prompts) expect(prompt).toContain("%[inbox/plan.md]")
    expect(prompts[1]).toContain("一只猫。")
  })

  test("a tool with the name of a built-in one is refused with the way to replace that", () => {
    const named = (description: string) => defineTool({ name: "read", description, execute: () => "" })
    const make = () => testAgent(scriptedModel([]), { tools: { builtin: [named("built in")] } }, { tools: [named("mine")] })
    expect(make).toThrow('leave "read" out of `enabled` under [tools]')
  })

  test("closing ends hanging turns when its signal aborts, those that wait among them, and waits for them otherwise", async () => {
    const { agent, session } = testAgent(scriptedModel([[{ stallUntilAborted: true }]]))
    const [first, second] = [session.send("一"), session.send("二")]
    for await (const event of first) if (event.type === "step-start") break
    const [controller, late] = [new AbortController(), new AbortController()]
    let isClosed = false
    const closing = agent.close({ signal: controller.signal }).then(() => {
      isClosed = true
    })
    await new Promise(setImmediate)
    expect(isClosed).toBe(false)
    controller.abort(new Error("shutting down"))
    await closing
    for (const turn of [first, second])
      expect(await turn.result).toMatchObject({
        ok: false,
        error: { code: "aborted", message: "The agent was closed without waiting for the turn." },
      })
    late.abort()
    await agent.close({ signal: late.signal })
  })

  test("an empty question, a closed agent and an unknown preview prompt are typed errors", async () => {
    const { agent, session } = testAgent(scriptedModel([]))
    expect(await session.send(" \n ").result).toMatchObject({ ok: false, error: { code: "empty-question" } })
    await expect(session.preview("？", { prompt: "planer" })).rejects.toThrow(near("planner"))
    await agent.close()
    expect(await session.send("？").result).toMatchObject({ ok: false, error: { code: "closed" } })
  })

  test("a question full of lone surrogates is made well-formed, reported, and answered", async () => {
    const model = scriptedModel([finish("好")])
    const result = await testAgent(model).session.send("\ud800a\udc00\u{E0041}").result
    expect(result.ok).toBe(true)
    expect(contents(model, 0)).toContain("\ufffda\ufffd")
    expect(contents(model, 0).isWellFormed()).toBe(true)
    expect(result.trace.warnings).toEqual([{ kind: "sanitised", message: expect.stringContaining("tags") }])
  })

  test("a question of 5 MB goes to the model whole, and past a budget it is a typed error that names it", async () => {
    const question = "很长的问题。".repeat(800_000)
    const model = scriptedModel([finish("好")])
    expect((await testAgent(model).session.send(question).result).ok).toBe(true)
    expect(contents(model, 0)).toContain(question)
    const result = await testAgent(scriptedModel([]), { budget: { tokens: 8_000 } }).session.send(question).result
    if (result.ok) throw new Error("expected a failed turn")
    expect(result.error.code).toBe("budget")
    expect(result.error.message).toContain("question (")
  })
})

describe("making an agent", () => {
  test("two tools of one name, an unknown prestart tool and an unknown dialect are refused at once, with suggestions", () => {
    const tool = (name: string) => defineTool({ name, description: "", execute: () => "" })
    expect(() => testAgent(scriptedModel([]), {}, { tools: [tool("a"), tool("a")] })).toThrow('Two tools are named "a"')
    expect(() => testAgent(scriptedModel([]), { prestart: [{ tool: "clok" }] }, { tools: [tool("clock")] })).toThrow(
      near("clock"),
    )
    expect(() => testAgent(scriptedModel([]), { dialect: "layerd" })).toThrow(near("layered"))
  })

  test("the same conversation is the same session; a group is another one than a private talk", () => {
    const { agent } = testAgent(scriptedModel([]))
    expect(agent.session("x")).toBe(agent.session("x"))
    expect(agent.session({ conversation: "x", audience: "group" })).not.toBe(agent.session("x"))
  })

  test.each([
    [{ conversation: "x", audience: "Group" }, 'Expected audience private or group, found "Group"'],
    [{ conversation: "x" }, "Expected audience private or group, found undefined"],
    [{ conversation: "x", audiance: "group" }, near("audience")],
    [{ conversation: "x", audience: "group", agent: "other" }, noOption("session", "agent")],
    [{ audience: "group" }, "expected a value of type string as the name of a conversation, found undefined"],
  ])("a session of %j is refused, so that nothing private enters a group by mistake", (key, message) => {
    const { agent } = testAgent(scriptedModel([]))
    expect(() => agent.session(key as Parameters<typeof agent.session>[0])).toThrow(message)
  })
})
