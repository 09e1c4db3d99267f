import { readdirSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { root } from "./support/source-files.ts"

const read = (path: string): string => readFileSync(root + path, "utf8")
const table = /\| English \| Chinese \| not \|\n[^\n]+\n((?:\|.*\n)+)/.exec(read("docs/glossary.md"))?.[1] ?? ""
const glossary = table
  .trim()
  .split("\n")
  .map((row) => row.split("|").map((cell) => cell.trim()))
  .map(([, english = "", chinese = "", not = ""]) => ({ english, chinese, not }))
const pages = readdirSync(`${root}docs`, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".zh-CN.md"))
const inFolder = (folder: string, form: RegExp) =>
  readdirSync(root + folder, { recursive: true, encoding: "utf8" })
    .filter((path) => form.test(path))
    .map((path) => `${folder}/${path}`)
const words = [...inFolder("src", /\.json$/), ...inFolder("page", /\.tsx?$/), ...inFolder("prompts", /zh-CN.*\.(?:md|txt)$/)]
const texts = ["README.zh-CN.md", ...pages.map((page) => `docs/${page}`), ...words].map((path) => ({ path, text: read(path) }))

test("the glossary has the words that its readers meet first", () => {
  const first = ["提示词", "层", "预算", "前缀", "召回", "遗忘"]
  expect(glossary.map(({ chinese }) => chinese)).toEqual(expect.arrayContaining(first))
})

test.each(glossary)("$english is $chinese wherever Chinese is written, and not $not", ({ chinese, not }) => {
  expect(texts.filter(({ text }) => text.includes(chinese)).length).toBeGreaterThan(1)
  expect(texts.filter(({ text }) => text.includes(not)).map(({ path }) => path)).toEqual([])
})
