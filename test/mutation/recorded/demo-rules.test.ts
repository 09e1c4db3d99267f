import { describe, expect, test } from "vitest"
import { demoDecision, languageOf, planCalls, sentencesOf } from "../../../src/apps/cli/demo/demo-decision.ts"
import { demoModel } from "../../../src/apps/cli/demo/demo-model.ts"
import { findExpressions, findTime, findTimeZones, parametersOf, shownName } from "../../../src/apps/cli/demo/parameter-values.ts"
import { findPlaces, pointOf } from "../../../src/apps/cli/demo/phrases.ts"
import { sharedScore, subjectOf } from "../../../src/apps/cli/demo/vocabulary.ts"
import type { ModelTool } from "../../../src/core/model/language-model.ts"
import { chineseTools, englishTools } from "../../apps/cli/demo/tools.ts"

/** What a rule finds in each text, one in a line. */
const shown = (texts: readonly string[], found: (text: string) => unknown) =>
  texts.map((text) => `${text.replaceAll("\n", "⏎")} → ${JSON.stringify(found(text)) ?? "nothing"}`).join("\n")

test("the arithmetic in a text", () => {
  const operators = ["+", "-", "*", "/", "^", "×", "÷", "−", "＋", "－", "＊", "／", " x ", " X "].map((sign) => `a 7${sign}3 b`)
  const words = ["divided by", "times", "minus", "plus", "Plus", "乘以", "除以", "加上", "减去", "乘", "加", "减"]
  const functions = ["sqrt", "sin", "cos", "tan", "abs", "log", "ln"].map((name) => `the ${name}(4) of`)
  const texts = [
    ...[
      ...operators,
      ...words.map((word) => `7 ${word} 3`),
      ...functions,
      "2*pi",
      "(1+2)*3",
      "（1+2）*3",
      "5!",
      "5!+1",
      "50%*4",
      "50%",
    ],
    ...[
      "2026-11-21",
      "2026/1/2",
      "2026-11/21",
      "1999-2003",
      "1999-203",
      "12-11-21",
      "1.5*2.25",
      "1.*2",
      "-3+4",
      "- 3+4",
      "a - 4",
      "3-",
      "3 -",
    ],
    ...[
      "-5",
      "7",
      "1+1，2+2",
      "1 + 1 and 2 + 2",
      "+3",
      "3++4",
      "3+(4",
      ")3+4",
      "()",
      "x",
      "3x4",
      "3 xylophones",
      "pi",
      "pi+1",
      "sqrt",
      "1 2 3",
    ],
    `${"9".repeat(301)}+1`,
  ]
  expect(shown(texts, findExpressions)).toMatchSnapshot()
})

test("the time in a text", () => {
  const days = [
    "今天",
    "明天",
    "后天",
    "大后天",
    "今晚",
    "明早",
    "明晚",
    "周一",
    "下周二",
    "本周三",
    "这个星期四",
    "下个礼拜天",
    "3月4日",
    "12月31号",
    "2026-1-2",
  ]
  const parts = ["早上", "早晨", "上午", "中午", "下午", "傍晚", "晚上", "凌晨"]
  const hours = ["9点", "九点半", "9点整", "9点一刻", "9点三刻", "9点20分", "9点20", "9:20", "十二点"]
  const english = [
    "today",
    "tonight",
    "tomorrow",
    "on monday",
    "next tuesday",
    "this wednesday",
    "thursday",
    "friday",
    "Saturday",
    "sunday",
  ]
  const clocks = ["9 am", "at 9:30 pm", "9 a.m.", "9 p.m.", "9 o'clock", "9:30", "noon", "midnight", "at 9", "at noon"]
  const texts = [
    ...[
      ...days,
      ...parts.map((part) => `明天${part}9点`),
      ...parts.map((part) => `明天的${part}的9点`),
      ...hours,
      ...days.map((day) => `${day}9点`),
    ],
    ...["十分钟后", "半小时之后", "3个小时以后", "两天后", "一周后", "3个半小时后", "明天早上", "后天开会", "晚上", "9", "99点"],
    ...[...english, ...clocks, ...clocks.map((time) => `tomorrow ${time}`), ...clocks.map((time) => `tomorrow morning ${time}`)],
    ...clocks.map((time) => `${time} in the morning`),
    ...[
      "9 am tomorrow",
      "9 am in the evening on friday",
      "in 5 minutes",
      "in 1 hour",
      "in 20 days",
      "in 3 weeks",
      "in 12345 weeks",
      "tomorrow in the afternoon",
    ],
    ...["meet tomorrow, at 9 am", "today or at noon", "todays", "x9:30", "9:305", "at 123"],
  ]
  expect(shown(texts, findTime)).toMatchSnapshot()
})

test("the time zones in a text", () => {
  const cities = [
    "北京",
    "上海",
    "Beijing",
    "shanghai",
    "东京",
    "Tokyo",
    "首尔",
    "Seoul",
    "新加坡",
    "Singapore",
    "悉尼",
    "Sydney",
    "伦敦",
    "London",
    "巴黎",
  ]
  const more = [
    "Paris",
    "柏林",
    "Berlin",
    "莫斯科",
    "Moscow",
    "纽约",
    "New York",
    "洛杉矶",
    "los angeles",
    "UTC",
    "Asia/Kolkata",
    "Asia/Tokyo and Tokyo",
    "a/b",
    "Rome",
  ]
  expect(shown([...cities, ...more], findTimeZones)).toMatchSnapshot()
})

const pleas = [
  ...[
    "麻烦你",
    "麻烦",
    "请问",
    "请",
    "帮我",
    "帮忙",
    "给我",
    "替我",
    "我想知道",
    "我想",
    "我要",
    "你能",
    "能不能",
    "可以",
    "告诉我",
    "提醒我",
    "提醒",
    "叫我",
    "记得",
    "设置",
    "设定",
    "添加",
    "新建",
    "创建",
    "一下",
    "一个",
    "查询",
    "查查",
    "搜索",
    "翻译",
    "现在",
    "今天",
    "明天",
    "后天",
    "那么",
    "的",
    "并",
  ],
  ...[
    "can you ",
    "could you ",
    "Please ",
    "i want to ",
    "i would like to ",
    "remind me ",
    "remind ",
    "schedule ",
    "set ",
    "add ",
    "create ",
    "book ",
    "make ",
    "what is ",
    "what's ",
    "what ",
    "how is ",
    "how's ",
    "how ",
    "tell me ",
    "show me ",
    "search ",
    "find ",
    "look up ",
    "translate ",
    "the ",
    "an ",
    "a ",
    "my ",
    "to ",
    "for ",
    "about ",
    "that ",
    "on ",
    "at ",
    "of ",
    "in ",
    "and ",
  ],
]
const ends = [
  ...["怎么样", "怎样", "如何", "好吗", "吗", "呢", "吧", "啊", "的", "了", "一下", "是什么", "今天", "明天", "后天", "现在"],
  ...[
    " right now",
    " now",
    " please",
    " today",
    " tomorrow",
    " tonight",
    " for",
    " at",
    " on",
    " to",
    " in",
    " and",
    " like",
    " the",
    " a",
    " is",
  ],
]

test("the point of a text, without the words of asking", () => {
  const texts = [
    ...[
      ...pleas.map((plea) => `${plea}Xavier会`),
      ...ends.map((end) => `Xavier会${end}`),
      "请",
      "the",
      "the the",
      "a theory",
      "theory the",
      "什么",
      "",
      " ！",
    ],
    ...[
      "请帮我一下提醒我明天现在今天Xavier的吧",
      `${"the ".repeat(31)}Xavier`,
      `${"the ".repeat(29)}Xavier`,
      "!!Xavier??",
      "settle in",
      "inland and",
    ],
  ]
  expect(shown(texts, pointOf)).toMatchSnapshot()
})

test("the places in a text, before or behind its subject", () => {
  const texts = [
    ...[
      "北京的天气",
      "北京和上海跟广州与深圳还有杭州以及苏州的天气",
      "帮我查一下北京的天气",
      "你好。北京天气",
      "天气",
      "我在北京，天气",
      "在北京",
      "在Paris的",
      "我去北京会不会天气",
      "查看北京会天气",
    ],
    ...[
      "weather in New York",
      "weather at Rome",
      "weather for Rome",
      "weather near Rome",
      "weather of Rome",
      "the weather from Rome, Paris and Saint-Denis",
      "New York weather",
      "new york weather",
      "The Hague weather",
      "weather",
      "weather in 東京",
      "weather in X",
      "沪的天气",
    ],
    ...[
      "Weather in a",
      `weather in ${"A".repeat(30)} ${"B".repeat(9)}`,
      `weather in ${"A".repeat(30)} ${"B".repeat(10)}`,
      "in Rome",
      "at O'Hare now",
    ],
    ...[
      "去北京看天气",
      "到北京天气",
      "要北京天气",
      "再北京天气",
      "，，北京天气",
      "晴天；北京天气",
      "晴天、北京天气",
      "晴天! 北京天气",
    ],
  ]
  expect(shown(texts, (text) => findPlaces(text, ["天气", "weather"]))).toMatchSnapshot()
})

test.each([
  ["weather", "天气 气温 温度 下雨 下雪 带伞 weather forecast temperature rain raining snow"],
  ["time", "几点 几号 时间 日期 星期几 礼拜几 周几 几月 什么时候了 time clock date day o'clock"],
  ["calculate", "计算 算一下 算算 算出 算式 多少 等于 算 calculate calculator calc compute arithmetic math sum"],
  [
    "schedule",
    "日程 安排 提醒 闹钟 行程 开会 会议 待办 预约 日历 schedule remind reminder reminders alarm appointment calendar meeting todo",
  ],
  [
    "add",
    "添加 设置 设定 设个 设一个 新建 新增 创建 加个 加一个 提醒我 记下 叫我 定个 定一个 add adds set create creates note make book",
  ],
  ["list", "列出 有哪些 有什么 哪些 查看 看看 所有 list lists show planned all"],
  ["search", "搜索 查找 检索 资料 文档 知识库 search searches documents docs"],
  ["translate", "翻译 translate translation translates"],
  ["news", "新闻 头条 news headlines"],
  ["file", "文件 file files"],
  ["email", "邮件 邮箱 email mail"],
  ["music", "音乐 歌 播放 music song play"],
])("of %s speak %s", (meaning, words) => {
  expect(words.split(" ").filter((word) => !subjectOf(word).meanings.has(meaning))).toEqual([])
})

describe("words", () => {
  const fillers =
    "the and for you can could would please what whats how who why when where which is are was does did has have will this that with from about into your tell give get use want need like some any tool user returns there here now our its"
  const particles =
    "的了吗呢吧啊我你您他她它们是在有和与或把被就都也还很这那个一下请帮给要想会能可以什么怎样么为何哪谁多少不没去来到查询"

  test("that say nothing are not compared", () => {
    expect([...subjectOf(fillers).words]).toEqual([])
    expect([...particles].filter((particle) => subjectOf(`猫${particle}狗`).words.size > 0)).toEqual([])
  })

  test("are whole words, pairs of characters, and parts of a name", () => {
    const texts = [
      "addSchedule add_schedule",
      "rainbow rain",
      "an ox cat",
      "猫狗鼠",
      "remindme remind me",
      "What's on today's date",
      "x1rain",
      "猫a狗",
    ]
    expect(shown(texts, (text) => Object.values(subjectOf(text)).map((found) => [...found]))).toMatchSnapshot()
    expect(sharedScore(subjectOf("weather cat dog"), subjectOf("forecast dog cat"))).toBe(7)
  })
})

const tools: readonly ModelTool[] = [
  ...englishTools,
  {
    ...{ name: "play_music", description: "Plays a song" },
    inputSchema: {
      properties: {
        ...{ title: { type: "string", description: "Title of the song" }, volume: { type: "integer", description: "how loud" } },
        ...{
          mood: { enum: ["calm", "wild", 3], description: "the mood" },
          startTime: { type: "string" },
          extra: { type: "object" },
        },
      },
      required: ["title"],
    },
  },
]

describe("what the demo does", () => {
  const say = (question: string) => sentencesOf(languageOf(question, "en"))
  const facts = { prompt: "planner", speaker: "Ann", runs: [], prestart: [], memories: [] } as const
  const questions = [
    ...[
      "play “Yellow Submarine” at volume 7, wild",
      "play Hey Jude",
      "play music",
      "play a calm song at 9 am",
      "play “ ” “b”",
      "play 3 -2.5 songs",
    ],
    ...[
      "remind me tomorrow at 9 am to call mum, and then what is 2+3?",
      "weather in Rome; weather in Paris. time in Tokyo? list my schedule!",
      "search the docs for refunds",
      "docs",
    ],
    ...[
      "what is 2+3, what is 3+4, and 4+5",
      "time",
      "what time is it in Asia/Kolkata",
      "tomorrow",
      "add an entry to my schedule",
      "list the entries then calculate 5!",
      "a\nb\nweather in Rome",
    ],
    ...[
      "hello",
      "hi there bob",
      "hi robert the third",
      "hello abcdefghijklm",
      "hello abcdefghijkl",
      "thanks a lot",
      "thank you so much bob",
      "thanks hello",
      "你好啊 fay",
      "谢谢你！",
      "早安",
      "在吗？",
      "hiking",
      "hello, what is 1+1?",
    ],
    ...[
      "嗨",
      "哈喽",
      "您好",
      "早上好",
      "上午好",
      "中午好",
      "下午好",
      "晚上好",
      "多谢",
      "感谢",
      "辛苦了",
      "hey",
      "good morning",
      "good afternoon",
      "good evening",
      "greetings",
      "thx",
      "thanks very much",
    ],
  ]

  test("with each question, in English", () => {
    expect(shown(questions, (question) => demoDecision({ ...facts, question, tools }, say(question)))).toMatchSnapshot()
  })

  test("with each question, in Chinese", () => {
    const chinese = [
      "提醒我明天早上九点开会，然后查一下北京和上海的天气",
      "算1+1并且算2+2，接着算3+3",
      "北京天气；顺便列出日程",
      "搜索“退货”",
      "东京几点？",
      "添加日程",
      "天气",
    ]
    expect(
      shown(chinese, (question) => demoDecision({ ...facts, question, tools: chineseTools }, say(question))),
    ).toMatchSnapshot()
  })

  test("with a clause too many, and with a tool that takes the whole request", () => {
    const many = Array.from({ length: 14 }, (_, at) => `weather in ${String.fromCharCode(65 + at)}town`).join(", and ")
    expect(planCalls(many, tools)).toMatchSnapshot()
    const coarse = (parameters: object, required: readonly string[]): ModelTool => ({
      ...{ name: "ask", description: "x", inputSchema: { properties: parameters, required } },
    })
    const asked = (tool: ModelTool) => planCalls("weather in Rome", [tool])
    expect([
      asked(coarse({ request: { type: "string" } }, ["request"])),
      asked(coarse({ request: { type: "string" } }, [])),
      asked(coarse({ request: {}, more: {} }, ["request", "more"])),
      asked(coarse({}, [])),
    ]).toMatchSnapshot()
  })

  test("with results and prestart", () => {
    const run = (tool: string, args: object, result: string, failed = false) => ({ tool, args, result, failed }) as const
    const runs = [
      ...[
        run("calculate", { expression: "2+3" }, "5."),
        run("query_weather", { city: "Rome" }, " warm。 "),
        run("search_docs", { query: "a" }, "b"),
      ],
      ...[
        run("add_schedule", { title: "a", schedule_time: "b" }, "Done."),
        run("list_schedule", {}, ""),
        run("current_time", { n: 3 }, "12:00"),
      ],
      ...[run("play_music", {}, "no sound", true), run("other", { a: { b: 1 } }, "x")],
    ]
    const messages = ["what now?", "现在呢"].flatMap((question) =>
      runs.flatMap((one) => {
        const asked = `${question} ${one.tool.replace("_", " ")}`
        const ran = demoDecision({ ...facts, prompt: "final", question, tools: [], runs: [one] }, say(question))
        const known = demoDecision({ ...facts, question: asked, tools: [], prestart: [one] }, say(question))
        return [`${question} after ${one.tool}: ${JSON.stringify(ran)}`, `${asked}, known: ${JSON.stringify(known)}`]
      }),
    )
    expect(messages.join("\n")).toMatchSnapshot()
  })

  test("the name of a parameter in a question to a person", () => {
    const names = ["City，例如", "City, such as", "a；b", "a;b", "a。b", "a(b)", "a（b）", " ", "  City  "].map((description) => {
      const [parameter] = parametersOf({ name: "t", description: "", inputSchema: { properties: { own: { description } } } })
      return parameter && shownName(parameter)
    })
    expect(names).toMatchSnapshot()
  })
})

test("the demo's answers to prompts in the background", async () => {
  const said = [
    ...[
      "Hello.",
      "My name is Ann Lee",
      "i live in Oslo",
      "我叫小明",
      "我住在上海的家",
      "I am tired",
      "i'm here",
      "I like tea",
      "I love it",
      "I hate it",
      "my dog",
      "Remember!",
      "your birthday",
      "a promise",
      "7",
    ],
    ...["我是谁", "我在家", "我住这", "我喜欢茶", "我爱你", "我讨厌它", "我的猫", "记得吗", "记住", "生日", "约定", "天气好"],
  ]
  const lines: string[] = []
  for (const prompt of ["importance", "user-profile", "learn", "tidy", "importance-and-profile", "reflection", "other"])
    for (const question of prompt === "learn" || prompt === "importance" ? said : said.slice(0, 1)) {
      const request = { messages: [], facts: { prompt, question, speaker: "", tools: [], runs: [], prestart: [], memories: [] } }
      let text = ""
      for await (const part of demoModel().stream(request as never, { signal: new AbortController().signal }))
        if (part.type === "text-delta") text += part.delta
      lines.push(`${prompt}: ${question} → ${text}`)
    }
  expect(lines.join("\n")).toMatchSnapshot()
})
