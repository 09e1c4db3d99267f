import { readFileSync } from "node:fs"
import { parseSync, Visitor } from "rolldown/utils"
import { describe, expect, test } from "vitest"
import { translation } from "../../../src/apps/cli/words/translate.ts"
import { readSources, root } from "../../support/source-files.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { run } from "./run.ts"

const catalogue: Readonly<Record<string, string>> = JSON.parse(readFileSync(`${root}src/apps/cli/words/zh-CN.json`, "utf8"))

/** Three English words in a row, outside of quotes and code. */
const isEnglish = (text: string): boolean =>
  /(?<![\w-])[a-z]+ [a-z]+ [a-z]+/.test(text.replaceAll(/"[^"]*"|`[^`]*`|'[^']*'/g, ""))

/** The wings whose sentences reach a terminal: what the program says, and what is wrong with authored files and with servers. */
const wings = [
  ...[
    "apps/cli",
    "node",
    "profile",
    "trace",
    "prompt/template",
    "prompt/dialect",
    "prompt/layers/card",
    "prompt/layers/documents",
  ],
  ...[
    "adapters/mcp",
    "adapters/models/openai",
    "loop/turn/plan-json.ts",
    "loop/turn/read-model.ts",
    "memory/services/background",
  ],
]

/** Sentences of other readers: English tables of words that stand beside Chinese ones, contents of files, answers over HTTP, options of code, words before any part is loaded. */
const forOthers =
  /^apps\/cli\/(?:main|words|demo|serve\/(?:caller|serve)|import\/(?:import-preset|mcp-servers|workspace-files)|commands\/(?:import|init|worker)|memory\/schedule|options)|^node\/(?:cards\/write-card|prompt-files\/open-prompt-files|workspace\/(?:open-workspace|line-diff)|parse-toml)|^trace\/error-words|^adapters\/models\/openai\/(?:connection|request-body)|tidy-rules|^memory\/services\/background\/importance-step/

/** The sentences in a source, with {} for what varies, but for those that name the options of a function. */
function sentencesIn(source: string): readonly string[] {
  const found: { readonly start: number; readonly text: string }[] = []
  const checks: { readonly start: number; readonly end: number }[] = []
  const visitor = new Visitor({
    CallExpression({ callee, start, end }) {
      if (callee.type === "Identifier" && /^(?:check[A-Z]|invariant)/.test(callee.name)) checks.push({ start, end })
    },
    Literal({ value, start }) {
      if (typeof value === "string") found.push({ start, text: value })
    },
    TemplateLiteral({ quasis, start }) {
      found.push({ start, text: quasis.map(({ value }) => value.cooked).join("{}") })
    },
  })
  visitor.visit(parseSync("source.ts", source).program)
  const isOfCheck = (at: number): boolean => checks.some(({ start, end }) => at >= start && at < end)
  return found
    .filter(({ start, text }) => !isOfCheck(start) && isEnglish(text.replaceAll(/ \{\}(?= [a-z])/g, " varied")))
    .map(({ text }) => text)
}

const isKnown = (text: string): boolean => [text, `{}: ${text}`, text.trim()].some((form) => catalogue[form] !== undefined)

test("N24 each sentence that reaches a terminal is there in Chinese", () => {
  const sources = [...readSources("src", ".ts")]
    .map(([file, text]) => [file.replace(/^src\//, ""), text] as const)
    .filter(([file]) => wings.some((wing) => file.startsWith(wing)) && !/shipped-prompts/.test(file) && !forOthers.test(file))
  const sentences = sources.flatMap(([file, text]) => sentencesIn(text).map((sentence) => `${file}: ${sentence}`))
  expect(sentences.length).toBeGreaterThan(700)
  const textOf = (line: string): string => line.slice(line.indexOf(": ") + 2)
  // A list of names is no sentence: those of options, of slots, of keys.
  const isList = (text: string): boolean =>
    /^[\w.:?$]+(?: [\w.:?$]+)*$/.test(text) && !/ (?:a|an|the|of|to|is|no|not) /.test(` ${text} `)
  expect(sentences.filter((line) => !isKnown(textOf(line)) && !isList(textOf(line)))).toEqual([])
})

test.each([
  ["3 memories", "3 条记忆"],
  ["remembered, in history, memories", "记得，在 history, memories"],
  [
    "openai:m answered with status 400 (http://x): It takes 8192 tokens",
    "openai:m 返回状态码 400 (http://x): It takes 8192 tokens",
  ],
])("a count is counted in Chinese, and the end of others' words is none: %s", (text, told) => {
  expect(translation(catalogue)(text)).toBe(told)
})

describe("N24 under a Chinese locale", () => {
  const zh = { env: { LANG: "zh_CN.UTF-8", PROMPTSTRATA_STORE: "" }, terminal: true }
  const inColumns = async (args: readonly string[], columns: number) => {
    const { stdout, stderr } = await run(args, { ...zh, columns })
    return stdout + stderr
  }
  /** What the program says, without what a user, a tool or a prompt says. */
  const english = (text: string): readonly string[] => text.split("\n").filter(isEnglish)
  const widths = [60, 80, 200]

  test.each(widths)(
    "a chat with its prompt and its trace, and its background work, say nothing in English in %d columns",
    async (columns) => {
      const dataDir = ["--data-dir", tempFolder()]
      const shown = await inColumns(["chat", "fay", "--once", "帮我算 17*23", "--show", "trace", ...dataDir], columns)
      expect(shown).toMatch(/轮 \S+ · \d+ ms · 2 次模型调用 · 1 次工具运行/)
      expect(shown).toMatch(/ {2}比起第 1 步：开头 \d+ 个 token 没有变|比起第 1 步：它的全部 \d+ 个 token 原样在开头/)
      const receipts = await inColumns(["memory", "receipts", "--profile", "fay", ...dataDir], columns)
      expect(receipts).toContain("次模型调用")
      expect([...english(shown), ...english(receipts)]).toEqual([])
    },
  )

  test("a page of `simulate` and what is wrong with a script are told in Chinese", async () => {
    const folder = tempFolder({
      "cat.sim": 'days 2\nday 1 say "我养了一只猫"\nexpect remembered "狗" on day 2\n',
      "bad.sim": "days 2\nday 1 say 3\n",
      "dya.sim": "dya 1\n",
    })
    const { stdout } = await run(["simulate", `${folder}/cat.sim`, "--html"], { env: zh.env })
    expect(stdout).toContain('<html lang="zh-CN">')
    expect(stdout).toContain("<h2>1 项不符</h2>")
    expect(stdout).toContain("每天最大的提示词（token）（最大 ")
    expect(english(stdout.replaceAll(/<[^>]*>/g, " "))).toEqual([])
    const mistakes = [
      await inColumns(["simulate", `${folder}/bad.sim`], 200),
      await inColumns(["simulate", `${folder}/dya.sim`], 200),
    ]
    expect(mistakes[0]).toContain('bad.sim:2:11: 应为引号里的文字，例如 "cat"，实际是 3。')
    expect(mistakes[1]).toContain("应为 start, days, user, day, every, expect 之一，实际是 dya。")
  })

  const profiles = {
    "an unknown key": "[loop]\nmax_step = 3\n",
    "a number outside its bounds": "[loop]\nmax_steps = 0\n",
    "a choice": '[loop]\nmode = "talk"\n',
    "no TOML": "locale: en\n",
    "a dialect": '[prompt]\ndialect = "layred"\n',
    "a persona": '[prompt]\npersona = "./nobody.md"\n',
    "a plugin": '[plugins]\nenabled = ["memroy"]\n',
    "a skill": '[skills]\nenabled = ["diray"]\n',
    "a circle": 'extends = "./p.toml"\n',
    "a server": '[mcp.servers.x]\nurl = "ftp://x"\n',
    "a host": "[output]\nlinks = 3\n",
  }

  test.each(Object.entries(profiles))("a profile with a mistake is told in Chinese, with its place: %s", async (_, text) => {
    const folder = tempFolder({ "p.toml": `locale = "zh-CN"\n\n[agent]\nname = "A"\n\n${text}` })
    const { stderr, code } = await run(["render", `${folder}/p.toml`], { env: zh.env })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^错误：\S*p\.toml:\d+:\d+: [^\n]*\p{sc=Han}/u)
    // What the parser of TOML says of its language stays as it says it.
    expect(english(stderr).filter((line) => !line.includes("TOML"))).toEqual([])
  })

  test.each([
    ['extends = "layerd"', 'p.toml:1:1: extends：应为一份配置，没有叫 "layerd" 的。是不是想写 "layered"？'],
    ['[plugins]\nenabled = ["./none.mjs"]', "p.toml:2:12: plugins.enabled[0]：应为模块，none.mjs 处没有。"],
    ['[prompt]\npersona = "nobody"', 'p.toml:2:1: prompt.persona：没有叫 "nobody" 的文件。 已有的：fay, qinglan。'],
    ["locale = “zh-CN”", 'p.toml:1:10: 应为英文字符 "，实际是“。'],
    ['[tools]\nenabled = ["read"，"list"]', "p.toml:2:18: 应为英文字符 ,，实际是，。"],
    ["【tools】", "p.toml:1:1: 应为英文字符 [，实际是 【。"],
    ['locale: "zh-CN"', "p.toml:1:7: 应为英文字符 =，实际是 :。"],
    ["locale：“zh-CN”", "p.toml:1:7: 应为英文字符 =，实际是：。"],
    ["locale = zh-CN", "p.toml:1:10: 应为一个值：引号里的文字、数、true、false、[ 或 {。"],
  ])("the whole line of a mistake is Chinese: %s", async (text, told) => {
    const folder = tempFolder({ "p.toml": `${text}\n` })
    const { stderr } = await run(["render", `${folder}/p.toml`], { env: zh.env })
    expect(stderr.replaceAll(`${folder}/`, "").split("\n")[0]).toBe(`错误：${told}`)
  })

  test("a template with a mistake is told in Chinese, with its place", async () => {
    const folder = tempFolder({
      "p.toml": 'locale = "zh-CN"\n\n[agent]\nname = "A"\n\n[prompt]\nfolder = "./prompts"\ndialect = "mine"\n',
      "prompts/mine/zh-CN/planner.md": "${question|fenc}\n${rest}\n",
    })
    const { stderr } = await run(["render", `${folder}/p.toml`], { env: zh.env })
    expect(stderr).toMatch(/planner\.md:1:\d+: 应为编码方式（.*），实际是 "fenc"。是不是想写 "fence"？/)
    expect(english(stderr)).toEqual([])
  })

  test("what commands do with a card, a chat and other files, and what they say of wrong use, is told in Chinese", async () => {
    const lines = (...given: readonly object[]): string => given.map((line) => JSON.stringify(line)).join("\n")
    const card = {
      spec: "chara_card_v2",
      spec_version: "2.0",
      data: { name: "阿岬", description: "{{x}}守着灯塔", first_mes: "嗨" },
    }
    const folder = tempFolder({
      "card.json": lines(card),
      "mcp.json": lines({
        mcpServers: { a: { command: "x", args: ["-k", "sk-secret-0123456789"] }, b: { url: "http://x/sse" }, c: {} },
      }),
      "chat.jsonl": lines(
        { user_name: "u", character_name: "阿岬", create_date: "x", chat_metadata: {} },
        { name: "阿岬", is_user: false, mes: "嗨", send_date: "q", swipes: ["嗨", "喂"] },
      ),
      "ws/SOUL.md": "# 我\n",
      "ws/AGENTS.md": "规则\n",
      "ws/HEARTBEAT.md": "x\n",
      "ws/BOOTSTRAP.md": "x\n",
      "bad.json": "[1]",
    })
    const data = ["--data-dir", `${folder}/data`]
    const commands = [
      ["card", "import", `${folder}/card.json`, `${folder}/c`],
      ["card", "export", `${folder}/c`, `${folder}/o.json`],
      ["card", "export", `${folder}/c`, `${folder}/o.json`],
      ["card", "show", `${folder}/none.png`],
      ["import", `${folder}/card.json`, `${folder}/c`],
      ["import", `${folder}/mcp.json`, `${folder}/m`],
      ["import", `${folder}/chat.jsonl`, "--profile", "layered", ...data],
      ["import", `${folder}/ws`, `${folder}/w`],
      ["import", `${folder}/bad.json`],
      ["chat", "--once", "", ...data],
      ["chat", "nobody", "--once", "x"],
      ["render", "layered", "--prompt", "none"],
      ["lint", "nobody"],
      ["memory", "show", "x", "--profile", "layered", ...data],
      ["memory", "nothing"],
      ["events", "layered", ...data],
      ["schedule", "cancel", "x", "--profile", "layered", ...data],
      ["undo", "../x"],
      ["simulate", `${folder}/none.sim`],
      ["serve", "--port", "x"],
      ["help", "nothing"],
    ]
    for (const command of commands) {
      const told = (await inColumns(command, 80)).replaceAll(folder, "F")
      // Commands to type, the names of our own, and what the system says of a file, stay as they are.
      const said = told.replaceAll(
        /(?:npx )?promptstrata [\w ./<>[\]-]+|ENOENT:\s+no\s+such\s+file\s+or\s+directory,\s+open[^\n]*|JSON at[^\n]*/g,
        "",
      )
      expect([command.join(" "), english(said)]).toEqual([command.join(" "), []])
      expect(said).toMatch(/\p{sc=Han}/u)
    }
  })

  test("a server that cannot be reached is told in Chinese", async () => {
    const env = { ...zh.env, OPENAI_BASE_URL: "http://127.0.0.1:9/v1", PROMPTSTRATA_MODEL: "m" }
    const { stderr } = await run(["doctor", "--model"], { env })
    expect(stderr).toMatch(/^错误：连不上 openai:m \(http:\/\/127\.0\.0\.1:9/)
    expect(stderr).toContain("请求没有送到。请检查网络和代理。")
  })
})

test("a place in a path is not the end of a sentence, and a clause is translated by itself", () => {
  const say = translation(catalogue)
  expect(say('unknown key loop.max_step. Did you mean "max_steps"?')).toBe('不认识的键 loop.max_step。是不是想写 "max_steps"？')
  expect(say("importance 6, keys of 2, the answer is cut; left to the next batch: 1 turn")).toBe(
    "重要性 6，2 条有检索词，回答被截断；留给下一批：1 轮",
  )
  expect(say("2 stored, 1 known")).toBe("存下 2 条，已知 1 条")
  expect(say("BOOTSTRAP.md: it is for the first start of another program.")).toBe(
    "BOOTSTRAP.md：它只在另一个程序第一次启动时用。",
  )
  expect(say("I like tea, and a walk; so does Ann")).toBe("I like tea, and a walk; so does Ann")
})
