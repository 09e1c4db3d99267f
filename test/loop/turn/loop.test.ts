import { afterEach, describe, expect, test } from "vitest"
import { z } from "zod"
import type { LanguageModel } from "../../../src/core/model/language-model.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { expectScriptsDone, scriptedModel } from "../../../src/testing/index.ts"
import { callTool, collect, finish, testAgent } from "../../support/agents.ts"

afterEach(expectScriptsDone)

const weather = defineTool({
  name: "query_weather",
  description: "查询天气信息",
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `${city}: 晴`,
})
const schedule = defineTool({
  name: "add_schedule",
  description: "添加日程",
  inputSchema: z.object({ title: z.string() }),
  writes: true,
  execute: ({ title }) => `已添加 ${title}`,
})
const clock = defineTool({ name: "current_time", description: "现在的时间", repeatable: true, execute: () => "2026-01-02 11:04" })
const tools = [weather, schedule, clock]

/** A model that does what `next` says and counts. */
function counted(...steps: string[]): LanguageModel & { readonly requests: readonly unknown[] } {
  return scriptedModel(steps)
}

describe("T15 model calls per turn", () => {
  const cases = [
    { question: "你好", steps: [finish("主人好")], calls: 1, prestart: false },
    { question: "现在几点", steps: [finish("11 点")], calls: 1, prestart: true },
    { question: "帮我查天气", steps: [callTool("query_weather", { city: "北京" }), finish("晴")], calls: 2, prestart: false },
    { question: "设置闹钟", steps: [callTool("add_schedule", { title: "闹钟" }), finish("好")], calls: 2, prestart: false },
    {
      question: "查天气并设置提醒",
      steps: [callTool("query_weather", { city: "北京" }), callTool("add_schedule", { title: "带伞" }), finish("好")],
      calls: 3,
      prestart: false,
    },
    {
      question: "五个城市的天气",
      steps: [..."甲乙丙丁戊"].map((city) => callTool("query_weather", { city })).concat(finish("都晴")),
      calls: 6,
      prestart: false,
    },
    { question: "你好呀", steps: ['{"action":"finish"}', "你好，主人。"], calls: 2, prestart: false },
    {
      question: "查完再说",
      steps: [callTool("query_weather", { city: "北京" }), '{"action":"finish","message":"  "}', "晴。"],
      calls: 3,
      prestart: false,
    },
  ]
  test.each(cases)("T15 T14 $question takes $calls", async ({ question, steps, calls, prestart }) => {
    const model = counted(...steps)
    const { session } = testAgent(model, { prestart: prestart ? [{ tool: "current_time" }] : [] }, { tools })
    const result = await session.send(question).result
    expect(result).toMatchObject({ ok: true, stopReason: "finish" })
    expect(model.requests).toHaveLength(calls)
  })
})

describe("the loop", () => {
  test("T13 T14 plans, runs the tool, plans again with its result, and streams the answer", async () => {
    const model = scriptedModel([callTool("query_weather", { city: "北京" }), finish("北京今天晴。")])
    const { session } = testAgent(model, {}, { tools })
    const turn = session.send("天气？")
    const deltas: string[] = []
    for await (const delta of turn.textStream) deltas.push(delta)
    const result = await turn.result
    expect(deltas.join("")).toBe("北京今天晴。")
    expect(deltas.length).toBeGreaterThan(1)
    expect(result).toMatchObject({ ok: true, text: "北京今天晴。" })
    expect(model.requests[1]?.messages.at(-1)?.content).toContain("query_weather(city=北京) → 北京: 晴")
  })

  test("T12 the final prompt holds the tool runs and the planner's note, but no tools", async () => {
    const model = scriptedModel([callTool("query_weather", { city: "北京" }), '{"action":"finish","note":"说得简短"}', "晴。"])
    const { session } = testAgent(model, {}, { tools })
    await session.send("天气？").result
    const final = model.requests[2]?.messages.at(-1)?.content ?? ""
    expect(final).toContain("**工具执行摘要**\nquery_weather(city=北京) → 北京: 晴\n（规划器建议：说得简短）\n---")
    expect(final).not.toContain("可用工具")
    expect(final).not.toContain("JSON")
  })

  test("T16 at the step limit the turn ends with a final output over what was gathered", async () => {
    const steps = Array.from({ length: 3 }, (_, index) => callTool("query_weather", { city: `城${index}` }))
    const model = scriptedModel([...steps, "查了三个城市，都晴。"])
    const { session } = testAgent(model, { loop: { maxSteps: 3 } }, { tools })
    const result = await session.send("天气？").result
    expect(result).toMatchObject({ ok: true, stopReason: "max-steps", text: "查了三个城市，都晴。" })
    expect(model.requests[3]?.messages.at(-1)?.content).toContain("城2: 晴")
  })

  test("T17 an equal call is not run again: its result comes back with a note, and a second repeat forces the answer", async () => {
    let executions = 0
    const counting = defineTool({ ...weatherDefinition(), execute: () => `第 ${++executions} 次` })
    const a = callTool("query_weather", { city: "北京", unit: "C" })
    const same = callTool("query_weather", { unit: "C", city: "北京" })
    const model = scriptedModel([a, callTool("current_time"), same, a, "好了。"])
    const { session } = testAgent(model, {}, { tools: [counting, clock] })
    const result = await session.send("天气？").result
    expect(executions).toBe(1)
    expect(result).toMatchObject({ ok: true, stopReason: "repeated-call", text: "好了。" })
    expect(result.trace.runs[2]?.repeatOf).toBe(result.trace.runs[0]?.id)
    expect(model.requests[3]?.messages.at(-1)?.content).toContain("之前的结果是：")
  })

  test("T17 A→B→A→B counts as two repeats", async () => {
    const a = callTool("query_weather", { city: "甲" })
    const b = callTool("query_weather", { city: "乙" })
    const model = scriptedModel([a, b, a, b, "好了。"])
    const { session } = testAgent(model, {}, { tools })
    expect(await session.send("天气？").result).toMatchObject({ ok: true, stopReason: "repeated-call" })
  })

  test("T17 a repeatable tool, and a call after something was written, are no repeats", async () => {
    const a = callTool("query_weather", { city: "甲" })
    const model = scriptedModel([
      callTool("current_time"),
      callTool("current_time"),
      callTool("current_time"),
      a,
      callTool("add_schedule", { title: "x" }),
      a,
      finish("好了。"),
    ])
    const { session } = testAgent(model, {}, { tools })
    const result = await session.send("天气？").result
    expect(result).toMatchObject({ ok: true, stopReason: "finish" })
    expect(result.trace.runs.filter(({ repeatOf }) => repeatOf !== undefined)).toEqual([])
  })

  test("T18 unknown tools, bad arguments, throwing and hanging tools are failed runs that the planner sees", async () => {
    const broken = defineTool({
      name: "broken",
      description: "",
      execute: () => {
        throw undefined
      },
    })
    const hanging = defineTool({ name: "hanging", description: "", execute: () => new Promise(() => undefined) })
    const model = scriptedModel([
      callTool("query_wether", { city: "甲" }),
      callTool("query_weather", { city: 7 }),
      callTool("broken"),
      callTool("hanging"),
      finish("都不行。"),
    ])
    const { session, timers } = testAgent(model, {}, { tools: [weather, broken, hanging] })
    const turn = session.send("天气？")
    for await (const event of turn) {
      if (event.type === "tool-start" && event.tool === "hanging") {
        await timers.whenPending(2)
        timers.advance(30_000)
      }
    }
    const result = await turn.result
    expect(result).toMatchObject({ ok: true, text: "都不行。" })
    expect(result.trace.runs.map(({ failure }) => failure)).toEqual(["unknown-tool", "invalid-arguments", "threw", "timeout"])
    const seen = model.requests[4]?.messages.at(-1)?.content ?? ""
    expect(seen).toContain("query_weather, broken, hanging")
    expect(seen).toContain("city")
    expect(seen).toContain("没有结果：等待超过 30 秒")
  })

  test("T19 a model that fails after tools ran keeps their results on the error", async () => {
    const model = scriptedModel([callTool("query_weather", { city: "北京" }), [new Error("connection lost")]])
    const { session } = testAgent(model, {}, { tools })
    const result = await session.send("天气？").result
    if (result.ok) throw new Error("expected a failed turn")
    expect(result.error.code).toBe("model")
    expect(result.error.message).toContain("connection lost")
    expect(result.gathered.runs.map((run) => run.result)).toEqual(["北京: 晴"])
  })

  test("T19 what was shown before a connection broke is on the error", async () => {
    const model = scriptedModel([['{"action":"finish","message":"北京今', new Error("cut")]])
    const result = await testAgent(model).session.send("天气？").result
    if (result.ok) throw new Error("expected a failed turn")
    expect(result.gathered.text).toBe("北京今")
  })

  test("T21 unreadable output is asked for once more with its fault, then the final output is made", async () => {
    const model = scriptedModel(['{"action":"tool","tool":"query_weather","args":{"city":"北', '{"act', "我没听懂。"])
    const { session } = testAgent(model, {}, { tools })
    const result = await session.send("天气？").result
    expect(result).toMatchObject({ ok: true, text: "我没听懂。" })
    expect(model.requests.map(({ facts }) => facts?.prompt)).toEqual(["planner", "planner", "final"])
    expect(model.requests[1]?.messages.at(-1)?.content).toContain("上一次输出无法读取：内容不完整")
  })

  test.each([
    ['{"action":"tool","tool":"que', "it stopped before its end"],
    ['{"action" : ]}', "it is not valid JSON"],
    ['{"tool":"query_weather"}', "the field action is missing"],
    ['{"action":"dance"}', "action can only be tool or finish"],
    ['{"action":"tool","args":{}}', "the field tool is missing"],
    ['{"action":"tool","tool":"query_weather","args":7}', "args must be an object"],
    [" ", "it was empty"],
    [`{"action":"tool","tool":"query_weather","args":${'{"a":'.repeat(300)}1${"}".repeat(301)}`, "it is nested too deeply"],
    ['{"action":"finish","message":{}}', "message must be text"],
  ])("T21 the model is told what was wrong with %j", async (output, words) => {
    const model = scriptedModel([output, finish("Yes.")])
    await testAgent(model, { locale: "en" }, { tools }).session.send("?").result
    expect(model.requests[1]?.messages.at(-1)?.content).toContain(`The last output could not be read: ${words}.`)
  })

  test("T21 after a readable answer to the re-prompt the fault is forgotten", async () => {
    const model = scriptedModel(['{"action":', callTool("query_weather", { city: "北京" }), finish("晴。")])
    const { session } = testAgent(model, {}, { tools })
    expect(await session.send("天气？").result).toMatchObject({ ok: true, text: "晴。" })
    expect(model.requests[2]?.messages.at(-1)?.content).not.toContain("无法读取")
  })

  test("T24 thinking is an event of its own and can be asked for inside the text", async () => {
    const model = scriptedModel([`<think>想一想</think>${finish("好。")}`])
    const turn = testAgent(model).session.send("？")
    const events = await collect(turn)
    const thinking = events.flatMap((event) => (event.type === "thinking-delta" ? [event.delta] : []))
    expect(thinking.join("")).toBe("想一想")
    expect((await turn.result).ok && (await collect(turn.textStream)).join("")).toBe("好。")
    expect((await collect(turn.textStreamWithThinking())).join("")).toBe("<think>想一想</think>好。")
  })

  test("T24 the text can carry the turn's tool calls inside the thinking, and no argument ends it", async () => {
    const script = [
      `<think>查</think>${callTool("query_weather", { city: "</think>北京" })}`,
      `<think>晴</think>${finish("晴。")}`,
    ]
    const turn = testAgent(scriptedModel(script), {}, { tools }).session.send("天气？")
    await turn.result
    const all = (await collect(turn.textStreamWithThinking({ toolCalls: true }))).join("")
    expect(all).toBe('<think>查\nquery_weather({"city":"\\u003c/think>北京"})\n晴</think>晴。')
    expect(JSON.parse(all.slice(all.indexOf("{"), all.indexOf(")")))).toEqual({ city: "</think>北京" })
    expect((await collect(turn.textStreamWithThinking())).join("")).toBe("<think>查</think><think>晴</think>晴。")
    expect(() => turn.textStreamWithThinking({ tools: true } as object)).toThrow('no option "tools"')
  })

  test("T21 an answer that ran into the token limit is kept, and says that it was cut off", async () => {
    const cut = { type: "finish", reason: "length" } as const
    const scripts = [
      [['{"action":"finish","message":"很长的', cut]],
      ['{"action":"finish"}', ["很长的", cut]],
      [["没有决定的话", cut]],
    ]
    for (const script of scripts) {
      const { agent, session } = testAgent(scriptedModel([...script, finish("嗯")]))
      expect(await session.send("讲个故事").result).toMatchObject({ ok: true, stopReason: "truncated" })
      const next = await session.send("继续").result
      expect(next.ok && next.trace.steps[0]?.assembly.messages.at(-1)?.content).toMatch(/很长的|没有决定的话/)
      await agent.close()
    }
  })

  test("what the first step cut stays cut for the turn, also when later steps would have room", async () => {
    const old = [...Array(6).keys()].map((index) => finish(`回答${index}${"。".repeat(60)}`))
    const model = scriptedModel([...old, '{"action":"finish"}', "好"])
    const { session } = testAgent(
      model,
      { dialect: "layered", budget: { tokens: 450, answerTokens: 0, stepTokens: 0 } },
      { tools },
    )
    for (let index = 0; index < 6; index++) await session.send(`问题${index}`).result
    const result = await session.send("天气？").result
    const [planner, final] = result.trace.steps.map(({ assembly }) => assembly)
    expect(planner?.cut.history).toBeDefined()
    expect(final?.cut.history).toEqual(planner?.cut.history)
    expect(final?.tokens).toBeLessThan(350)
  })

  test("an empty final output is a typed error", async () => {
    const result = await testAgent(scriptedModel(['{"action":"finish"}', "  "])).session.send("？").result
    expect(result).toMatchObject({ ok: false, error: { code: "model-empty" } })
  })
})

function weatherDefinition() {
  return { name: "query_weather", description: "查询天气信息" }
}
