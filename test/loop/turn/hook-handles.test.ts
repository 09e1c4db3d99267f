import { afterEach, describe, expect, test } from "vitest"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { BeforeTurnContext } from "../../../src/memory/services/turn-hook.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { expectScriptsDone, scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"

afterEach(expectScriptsDone)

type Call = (context: BeforeTurnContext) => unknown

const spare = defineTool({ name: "spare", description: "", execute: () => "" })

/** Changes that the turn's first request shows. */
const first: readonly (readonly [string, Call])[] = [
  ["addTools", ({ addTools }) => addTools([spare])],
  ["withdrawTools", ({ withdrawTools }) => withdrawTools(["act"])],
  ["startHistoryAt", ({ startHistoryAt }) => startHistoryAt("1")],
  ["replaceAnswer", ({ replaceAnswer }) => replaceAnswer("1", "words")],
  ["explain", ({ explain }) => explain([])],
]

const calls: readonly (readonly [string, Call])[] = [
  ...first,
  ["the state", ({ state }) => state.set(1)],
  ["warn", ({ warn }) => warn("late")],
  ["onRun", ({ onRun }) => onRun(() => undefined)],
  ["recall", ({ recall }) => recall?.("?", { limit: 1, signal: AbortSignal.any([]) })],
]

/** A hook that keeps its context, and a tool that makes a call of it while the turn runs. */
function held(call: Call) {
  const contexts: BeforeTurnContext[] = []
  const hook = { name: "held", beforeTurn: (context: BeforeTurnContext): void => void contexts.push(context) }
  const act = async () => String(await call(contexts.at(-1) as BeforeTurnContext))
  const memory = { recall: async () => [{ id: "1", text: "喜欢猫" }] }
  return { contexts, hooks: [hook], memory, tools: [defineTool({ name: "act", description: "", execute: act })] }
}

const errorOf = async (call: () => unknown): Promise<unknown> =>
  new Promise((resolve) => resolve(call())).then(
    () => undefined,
    (error: unknown) => error,
  )

describe("S19 a hook's context that is kept", () => {
  test("warns, listens, recalls and sets its state while a tool runs", async () => {
    const store = createInMemoryStore()
    const heard: string[] = []
    const { hooks, tools, memory } = held(async ({ warn, onRun, state, recall, messages }) => {
      warn("看见一只猫")
      onRun(({ tool }) => void heard.push(tool))
      state.set({ seen: "猫" })
      const memories = await recall?.("？", { limit: 1, signal: AbortSignal.any([]) })
      return [memories?.[0]?.text, (await messages({ limit: 9 })).length]
    })
    const script = [callTool("act"), callTool("spare"), finish("一")]
    const { session } = testAgent(scriptedModel(script), {}, { hooks, tools: [...tools, spare], memory, store, runJobs: false })
    const { trace } = await session.send("1").result
    expect(trace).toMatchObject({ runs: [{ result: "喜欢猫,0" }, {}], warnings: [{ kind: "hook", message: "看见一只猫" }] })
    expect(heard).toEqual(["act", "spare"])
    const states: unknown[] = []
    const later = { name: "held", beforeTurn: ({ state }: BeforeTurnContext): void => void states.push(state.get()) }
    await testAgent(scriptedModel([finish("二")]), {}, { hooks: [later], store, runJobs: false }).session.send("2").result
    expect(states).toEqual([{ seen: "猫" }])
  })

  test("has listeners that add others without end, and each hears the runs after that", async () => {
    let count = 0
    const { hooks, tools } = held(({ onRun }) => {
      const listen = (): void => {
        count++
        onRun(listen)
      }
      onRun(listen)
      return ""
    })
    const { session } = testAgent(
      scriptedModel([callTool("act"), callTool("spare"), finish("一")]),
      {},
      { hooks, tools: [...tools, spare] },
    )
    await session.send("1").result
    expect(count).toBe(3)
  })

  test.each(first)("refuses what the turn's first request has shown already: %s", async (name, call) => {
    const { hooks, tools } = held(async (context) => errorOf(() => call(context)))
    const { session } = testAgent(scriptedModel([callTool("act"), finish("一")]), {}, { hooks, tools })
    const { trace } = await session.send("1").result
    expect(trace).toMatchObject({ warnings: [] })
    expect(trace.runs[0]?.result).toContain(
      `expected a call of ${name} while beforeTurn of the hook held runs; the turn's first request shows what it changes.`,
    )
  })

  test.each(calls)("refuses with words once the turn, a failed one or a preview has ended: %s", async (name, call) => {
    const { contexts, ...options } = held(() => "")
    const script = [finish("一"), () => Promise.reject(new Error("no")), finish("三")]
    const { session } = testAgent(scriptedModel(script), {}, options)
    await session.send("1").result
    await session.send("2").result
    await session.preview("3")
    expect(contexts).toHaveLength(3)
    for (const context of contexts)
      expect(await errorOf(() => call(context))).toMatchObject({
        code: "usage",
        message: expect.stringMatching(new RegExp(`^expected .*${name}.* of the hook held runs; the turn had ended\\.`)),
      })
    expect((await session.send("4").result).trace.warnings).toEqual([])
    expect(contexts[3]?.state.get()).toBeUndefined()
  })

  test.each(calls)("refuses with words once its hook has failed: %s", async (name, call) => {
    const { contexts, hooks, memory } = held(() => "")
    const failing = {
      name: "held",
      beforeTurn(context: BeforeTurnContext) {
        hooks[0]?.beforeTurn(context)
        throw new Error("no")
      },
    }
    let error: unknown
    const model = scriptedModel([
      async () => {
        error = await errorOf(() => call(contexts[0] as BeforeTurnContext))
        return finish("一")
      },
    ])
    const { session } = testAgent(model, {}, { hooks: [failing], memory })
    expect(await session.send("1").result).toMatchObject({ ok: true, trace: { warnings: [{ kind: "hook" }] } })
    expect(error).toMatchObject({ code: "usage", message: expect.stringMatching(new RegExp(`${name}.*the hook had failed`)) })
  })
})
