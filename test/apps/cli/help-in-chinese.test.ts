import { readdirSync, readFileSync } from "node:fs"
import type { Command } from "commander"
import { parseSync, Visitor } from "rolldown/utils"
import { describe, expect, test } from "vitest"
import { createProgram } from "../../../src/apps/cli/run-cli.ts"
import { translation, translationFor } from "../../../src/apps/cli/words/translate.ts"
import { displayWidth } from "../../../src/core/display-width.ts"
import { root } from "../../support/source-files.ts"
import { run } from "./run.ts"

const catalogue: Readonly<Record<string, string>> = JSON.parse(readFileSync(`${root}src/apps/cli/words/zh-CN.json`, "utf8"))

/** The whole help of every command, as a terminal of this width gets it. */
async function helpOf(columns: number, translate = translation(catalogue)): Promise<readonly string[]> {
  const pages: string[] = []
  const stream = { write: (text: string) => pages.push(text), columns } as never
  const program = await createProgram({ stdout: stream, stderr: stream } as never, () => Promise.resolve(), { translate })
  const walk = (command: Command): void => {
    command.outputHelp()
    command.commands.forEach(walk)
  }
  walk(program)
  return pages.join("").split("\n")
}

/** A line that is a command to type, and its comment if it has one. */
const typed = /^ {2}(?:[A-Z_]+=\S+ )?(?:promptstrata|curl|echo) |^ {2}#:schema/

describe("the help under a Chinese locale", () => {
  test("has no sentence left in English", async () => {
    const english = (await helpOf(1_000)).filter(
      (line) => !typed.test(line) && !line.startsWith("用法：") && /[a-z]+ [a-z]+ [a-z]+/.test(line),
    )
    expect(english).toEqual([])
  })

  test.each([60, 80, 200])("fits %d columns but for commands to type", async (columns) => {
    const wide = (await helpOf(columns)).filter((line) => !typed.test(line) && displayWidth(line) > columns)
    expect(wide).toEqual([])
  })

  test("never begins a line with a mark that ends a sentence or a bracket", async () => {
    const lines = (await Promise.all([60, 70, 80].map((columns) => helpOf(columns)))).flat()
    expect(lines.filter((line) => /^\s*[，。；：、！？）”」]/.test(line))).toEqual([])
  })
})

test("the English help fits 80 columns but for commands to type", async () => {
  const wide = (await helpOf(80, (text) => text)).filter((line) => !typed.test(line) && line.length > 80)
  expect(wide).toEqual([])
})

/** The literals of a source text, with {} for what a template fills in. */
function literalsIn(source: string): readonly string[] {
  const found: string[] = []
  const visitor = new Visitor({
    Literal(node) {
      if (typeof node.value === "string") found.push(node.value)
    },
    TemplateLiteral({ quasis }) {
      found.push(quasis.map(({ value }) => value.cooked).join("{}"))
    },
    CallExpression({ callee, arguments: [, noun, plural] }) {
      if (callee.type !== "Identifier" || callee.name !== "counted" || noun?.type !== "Literal") return
      found.push(`1 ${noun.value}`, `{} ${plural?.type === "Literal" ? plural.value : `${noun.value}s`}`)
    },
  })
  visitor.visit(parseSync("source.ts", source).program)
  return found
}

/** Sentences that code looks up by a name. */
const sentences = [
  ...["trace/lore-reasons.json", "adapters/models/server-words.json", "adapters/models/fault-words.json"],
  ...["adapters/stores/sql/fault-advice.json", "adapters/stores/sql/migrations.json"],
]

/** The texts in JSON, with {} for what code fills in. */
function textsIn(json: unknown): readonly string[] {
  if (typeof json === "string") return [json.replaceAll(/\{\w+\}/g, "{}")]
  return Object.values(Object(json)).flatMap(textsIn)
}

test("every text of the catalogue is one that the program still prints", async () => {
  const folder = `${root}src/`
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"))
  const printed = new Set(sources.flatMap((path) => literalsIn(readFileSync(folder + path, "utf8"))))
  for (const path of sentences) for (const text of textsIn(JSON.parse(readFileSync(folder + path, "utf8")))) printed.add(text)
  const commander = readFileSync(`${root}node_modules/commander/lib/command.js`, "utf8")
  const help = (await helpOf(10_000, (text) => text)).join("\n")
  // The heads of a table are one text. A mistake of a profile is told behind the key that has it, advice also on a line of its own.
  const isPrinted = (text: string) =>
    [text, text.replace(/^\{\}: /, ""), ` ${text}`].some((form) => printed.has(form)) ||
    (!text.startsWith(" ") && text.split(" · ").every((head) => printed.has(head)))
  const stale = Object.keys(catalogue).filter((text) => {
    const parts = text.split("{}")
    return (
      !isPrinted(text) && !parts.every((part) => help.includes(part)) && !/^error: |^\(Did you mean|^Allowed choices/.test(text)
    )
  })
  expect(stale).toEqual([])
  expect(commander).toContain("error: unknown option '")
})

/** What an error says and advises, with {} for what varies, where the program makes one about its use. */
function usageErrorsIn(source: string): readonly string[] {
  const found: string[] = []
  const textOf = (
    node: { type: string; value?: unknown; quasis?: { value: { cooked: string | null } }[] } | undefined,
  ): string[] =>
    node?.type === "Literal"
      ? [String(node.value)]
      : (node?.quasis
          ?.map(({ value }) => value.cooked)
          .join("{}")
          .split("\0") ?? [])
  const visitor = new Visitor({
    NewExpression({ callee, arguments: [code, message, details] }) {
      if (callee.type !== "Identifier" || callee.name !== "PromptStrataError") return
      if (code?.type !== "Literal" || code.value !== "usage") return
      found.push(...textOf(message as never))
      if (details?.type !== "ObjectExpression") return
      for (const property of details.properties)
        if (property.type === "Property" && "name" in property.key && property.key.name === "hint")
          found.push(...textOf(property.value as never))
    },
  })
  visitor.visit(parseSync("source.ts", source).program)
  return found
}

test("every error about the use of a command is there in Chinese", () => {
  const folder = `${root}src/apps/cli/`
  const sources = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"))
  const errors = sources.flatMap((path) => usageErrorsIn(readFileSync(folder + path, "utf8")))
  expect(errors.length).toBeGreaterThan(30)
  // Its beginning is a list of names, which the catalogue cannot know.
  expect(errors.filter((text) => catalogue[text] === undefined && text !== "{}, found {}.")).toEqual([])
})

test("a Chinese sentence has as many places for what varies as its English one", () => {
  const places = (text: string): number => text.split("{}").length
  expect(Object.entries(catalogue).filter(([english, words]) => places(english) !== places(words))).toEqual([])
})

describe("errors are told in the language of the reader", () => {
  const zh = { env: { LANG: "zh_CN.UTF-8" } }

  test.each([
    [["chat", "--onec", "hi"], "错误：没有选项 '--onec'", "（是不是想写 --once？）"],
    [["lint", "--format", "xml"], "无效。可选的值：text, json。", "错误："],
    [["chat", "nosuch", "--once", "hi"], '应为一份配置，没有叫 "nosuch" 的。', "已有的配置：fay,"],
    [["memory", "list", "--limit", "0"], "应为不小于 1 的整数。", "错误："],
    [["import", "./none.json"], "none.json 处没有文件或文件夹。", "错误："],
    [["chat", "--prices", "x.json", "--once", "hi"], "--prices 要和 --inspect 一起用。", "只有它的网页会显示费用。"],
  ])("%j", async (args, ...expected) => {
    const { code, stderr } = await run(args, zh)
    expect([1, 2]).toContain(code)
    for (const text of expected) expect(stderr).toContain(text)
  })

  test("--locale goes before the environment", async () => {
    const zhFlag = await run(["lint", "--rule", "nothing", "--locale", "zh-CN"])
    expect(zhFlag.stderr).toContain('没有规则 "nothing"。')
    const enFlag = await run(["lint", "--rule", "nothing", "--locale=en"], zh)
    expect(enFlag.stderr).toContain("expected a rule, found")
  })

  test("long words of others come back as they are, and are not searched for ever", () => {
    const hostile = `x${": expected a, found b".repeat(20_000)}`
    expect(translation(catalogue)(hostile)).toBe(hostile)
  })

  test("a place in a file stays in front of the words", async () => {
    const translate = await translationFor([], { LANG: "zh_CN.UTF-8" })
    expect(translate("agent: expected a table, found a number")).toBe("agent：应为表，实际是数")
  })
})
