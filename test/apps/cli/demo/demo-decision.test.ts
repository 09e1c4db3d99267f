import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type DemoDecision, demoDecision, languageOf, sentencesOf } from "../../../../src/apps/cli/demo/demo-decision.ts"
import type { ModelTool, TurnFacts } from "../../../../src/core/model/language-model.ts"
import { runs } from "../../../support/size.ts"
import { chineseTools, englishTools } from "./tools.ts"

const clock = { tool: "current_time", result: "2026-11-21 14:05:09 星期六 (Asia/Shanghai, UTC+08:00)" }

function factsOf(question: string, more: Partial<TurnFacts> = {}): TurnFacts {
  return { prompt: "planner", question, speaker: "主人", tools: chineseTools, runs: [], prestart: [], memories: [], ...more }
}

function decided(question: string, more: Partial<TurnFacts> = {}): DemoDecision {
  return demoDecision(factsOf(question, more), sentencesOf(languageOf(question, "en")))
}

function messageOf(decision: DemoDecision): string {
  if (decision.action === "tool") throw new Error(`expected a message, got a call of ${decision.tool}`)
  return decision.message
}

test.each(["掷 2 个骰子", "roll 2 dice"])("%s: the number is used once", (question) => {
  const properties = { count: { type: "integer" }, sides: { type: "integer" } }
  const dice: ModelTool = { name: "roll_dice", description: "Rolls dice (骰子)", inputSchema: { properties } }
  expect(decided(question, { tools: [dice] })).toEqual({ action: "tool", tool: "roll_dice", args: { count: 2 } })
})

describe.each([
  ["Chinese", chineseTools],
  ["English", englishTools],
] as const)("with tools described in %s", (_, tools) => {
  test.each<[string, string, Record<string, unknown>]>([
    ["帮我算 17*23", "calculate", { expression: "17*23" }],
    ["17乘以23等于多少", "calculate", { expression: "17*23" }],
    ["（3+4）×2 是多少？", "calculate", { expression: "（3+4）×2" }],
    ["what is 12 times 12?", "calculate", { expression: "12 * 12" }],
    ["calculate sqrt(2)^3 please", "calculate", { expression: "sqrt(2)^3" }],
    ["How much is 3 plus 4", "calculate", { expression: "3 + 4" }],
    ["现在几点？", "current_time", {}],
    ["伦敦现在几点", "current_time", { timezone: "Europe/London" }],
    ["what time is it in Tokyo", "current_time", { timezone: "Asia/Tokyo" }],
    ["北京今天天气怎么样", "query_weather", { city: "北京" }],
    ["杭州会下雨吗", "query_weather", { city: "杭州" }],
    ["「圣托里尼」天气如何", "query_weather", { city: "圣托里尼" }],
    ["What is the weather in Hangzhou?", "query_weather", { city: "Hangzhou" }],
    ["will it rain in New York tomorrow", "query_weather", { city: "New York" }],
    ["Hangzhou weather", "query_weather", { city: "Hangzhou" }],
    ["帮我设置一个明天早上9点的闹钟", "add_schedule", { title: "闹钟", schedule_time: "明天早上9点" }],
    ["提醒我明天早上九点半开会", "add_schedule", { title: "开会", schedule_time: "明天早上九点半" }],
    ["明天下午3点提醒我去医院", "add_schedule", { title: "去医院", schedule_time: "明天下午3点" }],
    ["半小时后叫我起床", "add_schedule", { title: "起床", schedule_time: "半小时后" }],
    ["Remind me to call mum tomorrow at 9 am", "add_schedule", { title: "call mum", schedule_time: "tomorrow at 9 am" }],
    ["set an alarm for 9 am tomorrow", "add_schedule", { title: "alarm", schedule_time: "9 am tomorrow" }],
    ["我有什么日程", "list_schedule", {}],
    ["明天有什么安排？", "list_schedule", {}],
    ["What's on my schedule?", "list_schedule", {}],
    ["搜索一下退货政策的文档", "search_docs", { query: "退货政策的文档" }],
  ])("%s → %s", (question, tool, args) => {
    expect(decided(question, { tools })).toEqual({ action: "tool", tool, args })
  })

  test.each([
    ["今天天气怎么样？", /query_weather.*(城市名称|City name)/],
    ["帮我查天气", /query_weather.*(城市名称|City name)/],
    ["我要出门，天气怎么样", /query_weather/],
    ["what's the weather?", /query_weather/],
    ["设置提醒", /add_schedule，我还需要知道：(时间|when)。$/],
  ])("%s lacks an argument, so the user is asked for it", (question, words) => {
    expect(messageOf(decided(question, { tools }))).toMatch(words)
  })

  test.each(["讲个笑话", "tell me a joke", "今天是2026-11-21吗", "1999-2003", "你是谁", "😀", "", "   ", "…"])(
    "%s is answered honestly",
    (question) => {
      expect(messageOf(decided(question, { tools }))).toMatch(/离线演示模型|offline demo model/)
    },
  )
})

describe("a turn by rule", () => {
  test("现在几点？ is answered from a prestart clock, without a call", () => {
    expect(decided("现在几点？", { prestart: [clock] })).toEqual({ action: "finish", message: `现在是 ${clock.result}。` })
    expect(decided("what day is it today?", { prestart: [clock], tools: englishTools })).toMatchObject({ action: "finish" })
  })

  test("a prestart result that the question is not about is left alone", () => {
    expect(decided("帮我算 17*23", { prestart: [clock] })).toMatchObject({ tool: "calculate" })
    expect(decided("提醒我明天早上9点开会", { prestart: [clock] })).toMatchObject({ tool: "add_schedule" })
    expect(decided("伦敦现在几点", { prestart: [clock] })).toMatchObject({ tool: "current_time" })
    expect(messageOf(decided("你好", { prestart: [clock] }))).not.toContain("14:05")
  })

  test("a prestart result of any tool can be answered from", () => {
    for (const { name } of chineseTools)
      expect(messageOf(decided("日程天气算几点搜索", { tools: [], prestart: [{ tool: name, result: "很好" }] }))).toContain(
        "很好",
      )
  })

  test("a long result is told shortened, so that answers that hold earlier ones do not grow", () => {
    const runs = [{ tool: "search", args: {}, result: "The lake is deep. ".repeat(900), failed: false }]
    const message = messageOf(decided("search the lake", { runs, tools: [] }))
    expect(message).toMatch(/The lake is deep\. .*…/s)
    expect(message.length).toBeLessThan(700)
  })

  test("a result of this turn is answered from", () => {
    const runs = [{ tool: "calculate", args: { expression: "17*23" }, result: "391", failed: false }]
    expect(decided("帮我算 17*23", { runs })).toEqual({ action: "finish", message: "17*23 = 391。" })
    expect(decided("what is 17*23?", { runs })).toEqual({ action: "finish", message: "17*23 = 391." })
  })

  test("a failed run is told to the user and not tried again", () => {
    const runs = [{ tool: "query_weather", args: { city: "北京" }, result: "网络不通", failed: true }]
    expect(decided("北京天气", { runs })).toEqual({ action: "finish", message: "query_weather 没有成功：网络不通" })
  })

  test("a final output is prose from the results, with no tools at hand", () => {
    const runs = [
      {
        tool: "add_schedule",
        args: { title: "闹钟", schedule_time: "明天早上9点" },
        result: "日程添加成功，ID: 15",
        failed: false,
      },
    ]
    expect(decided("帮我设置一个明天早上9点的闹钟", { prompt: "final", tools: [], runs })).toEqual({
      action: "finish",
      message: "好的，记下了：明天早上9点「闹钟」。日程添加成功，ID: 15。",
    })
  })

  test.each<[string, readonly string[]]>([
    ["weather in Paris and London", ["query_weather", "query_weather"]],
    ["帮我查一下北京和上海的天气", ["query_weather", "query_weather"]],
    ["算一下 1+1 和 2+3", ["calculate", "calculate"]],
    ["查天气并设置提醒", []],
    ["weather in New York and remind me tomorrow at 8 am to take an umbrella", ["add_schedule"]],
  ])("%s takes the calls of the tool that fits it best, in order, then answers", (question, tools) => {
    const { called, message } = played(question, chineseTools)
    expect(called.map((call) => call.tool)).toEqual(tools)
    expect(new Set(called.map((call) => JSON.stringify(call))).size).toBe(tools.length)
    expect(message).not.toBe("")
  })

  test("where it has to report what it used, it finishes by the report", () => {
    const report: ModelTool = { name: "report_use", description: "Reports", inputSchema: { type: "object" } }
    expect(decided("hello", { tools: [...chineseTools, report] })).toMatchObject({
      action: "finish",
      tool: "report_use",
      args: {},
    })
    expect(decided("hello")).not.toHaveProperty("tool")
  })

  test("at most six calls are made of one question", () => {
    expect(played("算 1+1，2+2，3+3，4+4，5+5，6+6，7+7，8+8", chineseTools).called).toHaveLength(6)
  })

  test("a memory shares its first word, too", () => {
    const memories = ["green tea, please"]
    expect(messageOf(decided("green tea", { memories, tools: [] }))).toContain("green tea, please")
  })

  test("a memory that shares words with the question is told", () => {
    expect(messageOf(decided("我爱吃什么火锅？", { memories: ["用户养了一只猫", "用户喜欢吃辣火锅"] }))).toBe(
      "我记得：用户喜欢吃辣火锅",
    )
  })

  test.each(["你好", "你好，Fay", "早上好！", "hello", "Hi Fay!", "Good morning"])("%s is greeted back", (question) => {
    expect(messageOf(decided(question))).toMatch(/^(主人，你好呀|Hello, 主人)/)
  })

  test("thanks are answered in kind, and a greeting with a wish is a wish", () => {
    expect(messageOf(decided("谢谢！"))).toBe("不客气！")
    expect(messageOf(decided("Thank you so much"))).toBe("You are welcome!")
    expect(decided("你好，帮我算 1+1")).toMatchObject({ tool: "calculate" })
  })
})

/** Plays a turn with tools that return their arguments, or fail. */
function played(question: string, tools: readonly ModelTool[], failed = false) {
  const runs: { tool: string; args: unknown; result: string; failed: boolean }[] = []
  for (let step = 0; step < 20; step++) {
    const decision = decided(question, { tools, runs })
    if (decision.action === "finish") return { called: runs.map(({ tool, args }) => ({ tool, args })), message: decision.message }
    runs.push({ tool: decision.tool, args: decision.args, result: JSON.stringify(decision.args), failed })
  }
  throw new Error("the turn does not end")
}

describe("whatever is asked", () => {
  const words = fc.constantFrom(
    ...[
      "天气",
      "北京",
      "提醒",
      "明天",
      "9点",
      "算",
      "17*23",
      "(",
      ")",
      "-",
      "+",
      "和",
      "并",
      "，",
      "。",
      "的",
      "在",
      "几点",
      "weather",
      " in ",
      " and ",
      "Paris",
    ],
    ...[
      "remind me ",
      "tomorrow ",
      "at 9 am",
      "`",
      "```",
      "${x}",
      "{{question}}",
      "\n",
      "\u2028",
      "\ud83d",
      "\0",
      "__proto__",
      "constructor",
      "「",
      "」",
      '"',
      "'",
      "\\",
      "e",
      "x",
      "1e9",
      "%",
    ],
  )
  const question = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(words).map((some) => some.join("")),
  )
  const odd: readonly ModelTool[] = [
    ...chineseTools,
    { name: "__proto__", description: "天气", inputSchema: {} },
    {
      name: "x",
      description: "",
      inputSchema: {
        properties: { toString: { type: "string" }, n: { type: "number" }, e: { enum: [1, "北京"] } },
        required: ["toString", "n", 7],
      },
    },
    { name: "y", description: "weather", inputSchema: { properties: null, required: "city" } },
  ]

  test("a turn ends, never calls twice alike, and says something", () => {
    fc.assert(
      fc.property(question, fc.boolean(), (asked, failed) => {
        const { called, message } = played(asked, odd, failed)
        expect(called.length).toBeLessThanOrEqual(6)
        expect(message).not.toBe("")
        expect(message.isWellFormed()).toBe(true)
      }),
      { numRuns: runs(2000) },
    )
  })

  test("the same request gets the same decision", () => {
    fc.assert(
      fc.property(question, (asked) => {
        expect(decided(asked, { tools: odd })).toEqual(decided(asked, { tools: odd }))
      }),
    )
  })

  test("five million characters are read in no more time than two thousand take", () => {
    expect(messageOf(decided("天".repeat(5_000_000)))).toContain("离线演示模型")
  })
})
