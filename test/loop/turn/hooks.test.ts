import { describe, expect, test } from "vitest"
import type { BeforeTurnContext, TurnHook } from "../../../src/memory/services/turn-hook.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"

/** Hooks as modules without types write them. */
type LooseContext = { readonly [K in keyof BeforeTurnContext]: never }

const loose = (beforeTurn: (context: LooseContext) => unknown) => ({ name: "h", beforeTurn }) as unknown as TurnHook

const circular: unknown[] = []
circular.push({ again: circular })

/** What a hook can do wrong, and how the turn's warning begins. */
const mistakes: readonly { readonly name: string; readonly hook: TurnHook; readonly warning: string }[] = [
  {
    name: "has a getter that throws",
    hook: {
      name: "h",
      get beforeTurn(): never {
        throw new Error("no")
      },
    },
    warning: "The hook h failed: no.",
  },
  { name: "adds null as a tool", hook: loose(({ addTools }) => call(addTools, [null])), warning: "expected a tool, found null." },
  {
    name: "adds a tool without a name",
    hook: loose(({ addTools }) => call(addTools, [{}])),
    warning: "expected a tool with a name, found none.",
  },
  {
    name: "adds a tool whose getter throws",
    hook: loose(({ addTools }) =>
      call(addTools, [
        {
          get name() {
            throw new Error("odd")
          },
        },
      ]),
    ),
    warning: "The hook h failed: odd.",
  },
  {
    name: "keeps a circle as its state",
    hook: loose(({ state }) => {
      const own: Record<string, unknown> = {}
      own.own = own
      return (state as BeforeTurnContext["state"]).set(own)
    }),
    warning: "at most 500 levels deep, found more.",
  },
  {
    name: "keeps a function as its state",
    hook: loose(({ state }) => (state as BeforeTurnContext["state"]).set({ act: () => 1 })),
    warning: "expected plain JSON at state.act, found a value of type function.",
  },
  ...["history", "steps"].map((key) => ({
    name: `adds ${key}`,
    hook: loose(({ stack }) => (stack as BeforeTurnContext["stack"]).add(key, "words")),
    warning: `expected no change of the item "${key}" by a hook, which only the turn may set.`,
  })),
  {
    name: "adds a session's item that no store could keep",
    hook: loose(({ stack }) =>
      (stack as BeforeTurnContext["stack"]).add("x", "words", { scope: "session", fit: { rank: Number.NaN, shrink: "drop" } }),
    ),
    warning: 'Expected a fit of "x" with a finite rank',
  },
  {
    name: "adds entries that hold themselves",
    hook: loose(({ stack }) => (stack as BeforeTurnContext["stack"]).add("circle", circular as never)),
    warning: "found entries nested more than 32 levels deep.",
  },
]

function call(adder: unknown, tools: readonly unknown[]): void {
  ;(adder as (tools: readonly unknown[]) => void)(tools)
}

describe("hooks", () => {
  test.each(mistakes)("L10 a hook that $name is reported and breaks no turn", async ({ hook, warning }) => {
    const { session } = testAgent(scriptedModel([finish("好")]), {}, { hooks: [hook] })
    const result = await session.send("你好").result
    expect(result).toMatchObject({ ok: true, text: "好" })
    expect(result.trace.warnings).toEqual([{ kind: "hook", message: expect.stringContaining(warning) }])
    expect(result.trace.warnings[0]?.message).not.toContain("..")
  })

  test("L10 a getter of afterTurn that throws is reported and breaks no turn", async () => {
    const warnings: string[] = []
    const hook: TurnHook = {
      name: "h",
      get afterTurn(): never {
        throw new Error("no")
      },
    }
    const options = { hooks: [hook], onWarning: ({ message }: { message: string }) => void warnings.push(message) }
    const { agent, session } = testAgent(scriptedModel([finish("好")]), {}, options)
    expect((await session.send("你好").result).ok).toBe(true)
    await agent.idle()
    expect(warnings).toEqual(["The hook h failed after the turn: no"])
  })

  test("L10 what a hook does to its context reaches neither the conversation, the next hook nor the turn's result", async () => {
    const seen: unknown[] = []
    const vandal = {
      name: "vandal",
      beforeTurn({ key, speaker }: BeforeTurnContext) {
        Object.assign(key, { conversation: "another", user: "root" })
        Object.assign(speaker, { name: "Mallory" })
      },
      afterTurn(context: Parameters<NonNullable<TurnHook["afterTurn"]>>[0]) {
        Object.assign(context.result, { text: "changed" })
        Object.assign(context.key, { conversation: "another" })
      },
    }
    const witness: TurnHook = {
      name: "witness",
      beforeTurn: ({ key, speaker }) => void seen.push(key.conversation, key.user, speaker.name),
      afterTurn: ({ key, result }) => void seen.push(key.conversation, result.ok && result.text),
    }
    const model = scriptedModel([finish("一"), finish("二")])
    const { agent, session } = testAgent(model, {}, { hooks: [vandal, witness] })
    const first = await session.send("你好").result
    const second = await session.send("又来了").result
    await agent.idle()
    expect([first, second]).toMatchObject([
      { ok: true, text: "一" },
      { ok: true, text: "二" },
    ])
    const before = ["test", "test", "主人"]
    expect(seen.filter((word) => typeof word === "string").sort()).toEqual(
      [...before, ...before, "test", "一", "test", "二"].sort(),
    )
    expect(model.requests[1]?.messages.map(({ content }) => content).join("\n")).toContain("你好")
  })

  test("L10 a hook finds the object again that it made in an earlier turn of the session", async () => {
    const owner = {}
    const seen: string[] = []
    const beforeTurn = ({ key, cached }: BeforeTurnContext) =>
      void seen.push(cached(owner, () => [`${key.conversation} ${seen.length}`])[0] ?? "")
    const { agent } = testAgent(
      scriptedModel(Array.from({ length: 3 }, () => finish("ok"))),
      {},
      { hooks: [{ name: "h", beforeTurn }] },
    )
    const sessions = { a: agent.session("a"), b: agent.session("b") }
    for (const name of ["a", "b", "a"] as const) await sessions[name].send("hi").result
    expect(seen).toEqual(["a 0", "b 1", "a 0"])
  })

  test("L10 a hook adds a tool as a plain definition; its state is what it was when it was set", async () => {
    const given: Record<string, unknown> = { count: 1 }
    let found: unknown
    const hook = loose((context) => {
      const { addTools, state } = context as BeforeTurnContext
      found = state.get()
      state.set(given)
      given.later = () => 1
      call(addTools, [{ name: "flip", description: "Flips a coin", execute: () => "heads" }])
    })
    const { session } = testAgent(scriptedModel([callTool("flip"), finish("正面"), finish("好")]), {}, { hooks: [hook] })
    const result = await session.send("抛硬币").result
    expect(result).toMatchObject({ ok: true, trace: { runs: [{ tool: "flip", status: "ok", result: "heads" }], warnings: [] } })
    delete given.later
    await session.send("再来").result
    expect(found).toEqual({ count: 1 })
  })
})
