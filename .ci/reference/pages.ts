// The generated pages of docs: each in English, and the same in Chinese with the words of zh-CN.json.
import { readFileSync, writeFileSync } from "node:fs"

export type Locale = "en" | "zh-CN"

/** The head of a page, its body after that. Throws for a sentence of the body that zh-CN.json does not have. */
export function wholePage(page: "profile" | "errors", body: string, locale: Locale): string {
  const head = readFileSync(new URL(`${page}.${locale}.md`, import.meta.url), "utf8")
  return `${head}\n${locale === "en" ? body : inChinese(body)}\n`
}

/** Writes a page in both languages to docs. */
export function writePages(page: "profile" | "errors", whole: (locale: Locale) => string): void {
  writeFileSync(new URL(`../../docs/${page}.md`, import.meta.url), whole("en"))
  writeFileSync(new URL(`../../docs/${page}.zh-CN.md`, import.meta.url), whole("zh-CN"))
}

function inChinese(body: string): string {
  const words = JSON.parse(readFileSync(new URL("zh-CN.json", import.meta.url), "utf8")) as Record<string, string>
  const missing = new Set<string>()
  const say = (text: string) => {
    const chinese = chineseOf(text, words)
    if (chinese === undefined) missing.add(text)
    return chinese ?? text
  }
  const page = body
    .split("\n")
    .map((line) => (line.startsWith("| ") ? cellsOf(line).map(say).join(" | ").trim() : sentence(line, say)))
    .join("\n")
  if (missing.size === 0) return page
  throw new Error(
    `expected the Chinese of every sentence in .ci/reference/zh-CN.json, found none of:\n${[...missing].map((text) => JSON.stringify(text)).join("\n")}`,
  )
}

/** The cells of a table's row, with an empty one before the first and after the last bar. */
function cellsOf(row: string): string[] {
  return row.split(/ ?(?<!\\)\| ?/)
}

function sentence(line: string, say: (text: string) => string): string {
  const [, mark = "", text = ""] = /^(#+ |\*\*What to do:\*\* |)(.*)$/.exec(line) ?? []
  return mark.startsWith("*") ? `**${say("What to do:")}** ${say(text)}` : mark + say(text)
}

/** Code stands as it is. Of a sentence with other numbers the words are those with `#` in their places. */
function chineseOf(text: string, words: Readonly<Record<string, string>>): string | undefined {
  if (/^[\s|:-]*$/.test(text) || /^(?:`[^`]+`(?:, )?)+$/.test(text)) return text
  const numbers = text.match(/\d+(?:\.\d+)?/g) ?? []
  return words[text] ?? words[text.replaceAll(/\d+(?:\.\d+)?/g, "#")]?.replaceAll("#", () => numbers.shift() ?? "")
}
