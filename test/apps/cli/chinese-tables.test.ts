import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { translation } from "../../../src/apps/cli/words/translate.ts"
import { lintRules } from "../../../src/lint/lint.ts"
import { lintCases } from "../../lint/cases.ts"
import { cleanProject } from "../../lint/lint-folder.ts"
import { root } from "../../support/source-files.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { run } from "./run.ts"

const catalogue: Readonly<Record<string, string>> = JSON.parse(readFileSync(`${root}src/apps/cli/words/zh-CN.json`, "utf8"))
const say = translation(catalogue)
const env = { LANG: "zh_CN.UTF-8" }

/** True for a text that says something in English: three words of it in a row, outside of code and quotes. */
const isEnglish = (text: string): boolean => /[a-z]+ [a-z]+ [a-z]+/.test(text.replaceAll(/"[^"]*"|`[^`]*`/g, ""))

describe("under a Chinese locale", () => {
  test("what each rule of `lint` looks for is told in Chinese", async () => {
    expect(lintRules.map(({ description }) => say(description)).filter(isEnglish)).toEqual([])
    expect((await run(["lint", "--list-rules"], { env })).stdout).toContain("配置或 front matter 里写了两次的键。")
  })

  test("what the rules of `lint` find, and what to do about it, is told in Chinese", () => {
    const messages = lintCases.flatMap(({ rule, found }) =>
      found.map((line) => line.slice(line.indexOf(` ${rule}: `) + rule.length + 3)),
    )
    const blocks = readFileSync(`${root}test/lint/__snapshots__/rules.test.ts.snap`, "utf8").split("exports[`a project > ")
    const hints = blocks.flatMap((block) =>
      [...block.matchAll(/"hint": "(.+)",/g)].map(([, hint = ""]) => hint.replaceAll("\\", "")),
    )
    expect([messages.length > 40, hints.length > 40]).toEqual([true, true])
    // What the parser of YAML says of its language stays as it says it.
    expect(messages.map(say).filter((text) => isEnglish(text) && !text.startsWith("应为 YAML："))).toEqual([])
    expect(hints.map(say).filter(isEnglish)).toEqual([])
  })

  test("`lint` prints the kind of a problem, its text, its advice and the sum in Chinese", async () => {
    const folder = tempFolder({
      ...cleanProject,
      "profiles/luna.toml": `${cleanProject["profiles/luna.toml"]}[variables]\nmood = "calm"\n`,
    })
    const { stdout } = await run(["lint", `${folder}/profiles/luna.toml`], { env })
    expect(stdout).toMatch(/警告 方言 layered 没有槽位用到 mood，所以它写在 \$\{rest\}。 unused-variable/)
    expect(stdout.trimEnd().split("\n").at(-1)).toMatch(/^0 个错误，\d 个警告，查了 \d+ 个文件$/)
  })

  test("the tables of `render` have their heads, fates, reasons and sums in Chinese", async () => {
    const layers = await run(["render", "layered", "--tokens", "--question", "你好"], { env })
    expect(layers.stdout).toMatch(/^ {2}层 +token +占比 +变化 +来源 +结果\n/)
    expect(layers.stdout).toMatch(
      /── global 前缀到此为止：\d+ 个 token ─[\s\S]*保留[\s\S]*── \d+ 个 token，消息之外另有 \d+ 个 ─/,
    )
    const lore = await run(["render", "stack", "--lore", "--question", "墨墨怕打雷吗？"], { env })
    expect(lore.stdout).toBe("没有触发世界书的任何条目。\n")
  })

  test("`card lint` and `card show` tell what is wrong with a card in Chinese", async () => {
    const entries = [
      { keys: ["/(a)\\1/"], content: "", use_regex: true, insertion_order: "x", enabled: 1 },
      { keys: [], content: "b" },
      7,
    ]
    const data = {
      name: "",
      description: "{{nonsense}}\u200b",
      first_mes: 7,
      alternate_greetings: "x",
      character_book: { entries },
      assets: 3,
      extensions: { quick_replies: 1, regex_scripts: [{ scriptName: "S", findRegex: "", placement: [2] }] },
    }
    const card = JSON.stringify({ spec: "chara_card_v3", spec_version: "3.7", data })
    const file = `${tempFolder({ "card.json": card })}/card.json`
    const { stdout } = await run(["card", "lint", file], { env })
    const found = stdout.split("\n\n")[0]?.split("\n") ?? []
    expect(found).toHaveLength(16)
    expect(found.filter((line) => !line.startsWith("警告  ") || isEnglish(line))).toEqual([])
    expect(stdout).toContain("模式 /(a)\\1/ 没有用上：反向引用无法在线性时间内查找。")
    const shown = (await run(["card", "show", file], { env })).stdout
    expect(found.filter((line) => !shown.includes(line.replace("警告  ", "").slice(0, 30)))).toEqual([])
  })
})

test("a place that nothing fills is translated as well: without a suggestion a sentence stayed English", () => {
  expect(say('expected a rule, found "x".')).toBe('没有规则 "x"。')
  expect(say('expected a rule, found "x". Did you mean "y"?')).toBe('没有规则 "x"。是不是想写 "y"？')
  expect(say('tools.enabled[0]: expected a built-in tool (read, write), found "x".')).toBe(
    'tools.enabled[0]：应为自带的工具（read, write），实际是 "x"。',
  )
  expect(say("nothing fills ${x}.")).toBe("没有东西填 ${x}。")
})
