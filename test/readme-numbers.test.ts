import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { RecallIndex } from "../src/memory/services/recall/recall-index.ts"
import { recallSets } from "./support/recall-sets/recall-sets.ts"
import { amounts } from "./support/size.ts"
import { root } from "./support/source-files.ts"

const read = (path: string): string => readFileSync(root + path, "utf8")
const results = read("test/bench/RESULTS.md")

/** The cells of the row of a table of results that begins so. */
function rowOf(title: string, name: string): readonly string[] {
  const section = results.slice(results.indexOf(`## ${title}`))
  const row = section.split("\n").find((line) => line.startsWith(`| ${name}`))
  return row?.split("|").map((cell) => cell.trim()) ?? []
}

/** The numbers of a page in the order of its words, which a pattern catches. */
const told = (page: string, pattern: RegExp): number[] =>
  (pattern.exec(read(page)) ?? [""]).slice(1).map((number) => Number(number.replaceAll(",", "")))

const thousands = (tokens: number): number => 1000 * Math.round(tokens / 1000)
const third = (share: number): boolean => Math.abs(share - 1 / 3) < 0.06
const times = (cell = ""): number => Number.parseFloat(cell)

const pages = [
  {
    page: "README.md",
    fuzzed: /\*\*0 of ([\d,]+)\*\*/,
    served: /\*\*(\d+) %\*\*/,
    killed: /lost by (\d+) processes/,
    layered:
      /Of the ([\d,]+) of `layered`, background calls are ([\d,]+) and recall is ([\d,]+); without memory it costs ([\d,]+)/,
    streamText: /takes 0\.(\d+) of `streamText`'s CPU/,
    facts: /\((\d+) of 100 among the first five, (\d+) there/,
  },
  {
    page: "README.zh-CN.md",
    fuzzed: /\*\*(\d+) 万次里错 0 次\*\*/,
    served: /\*\*(\d+)%\*\*/,
    killed: /(\d+) 个进程在写同一个 SQLite 文件时被强行结束/,
    layered: /`layered` 的 ([\d,]+) 之中，后台调用占 ([\d,]+)，召回占 ([\d,]+)；没有记忆时是 ([\d,]+)/,
    streamText: /CPU 耗时只有 `streamText` 的 (\d+)%/,
    facts: /前五条里找到 (\d+) %，它是 (\d+) %/,
  },
]

describe.each(pages)("$page", ({ page, fuzzed, served, killed, layered, streamText, facts }) => {
  test("says how many prompts were counted, of which all were right", () => {
    const [, count = ""] = /^- ok: of (\d+) fuzzed assemblies, .*\(all\)$/m.exec(results) ?? []
    expect(told(page, fuzzed).map((number) => (page.includes("zh") ? number * 10_000 : number))).toEqual([Number(count)])
  })

  test("says the share of a long chat that a prefix cache serves", () => {
    const [, , , , share = ""] = rowOf("Served from a prefix cache", "layered | 30–60")
    expect(told(page, served)).toEqual([Math.round(Number.parseFloat(share))])
  })

  test("says how many processes a long run kills while they commit, in each of two tests", () => {
    expect(told(page, killed)).toEqual([2 * amounts.STORE_KILL_ROUNDS.long])
  })

  test("says of what the cost of `layered` is made", () => {
    const cells = rowOf("The cost of 60 turns", "layered").map(Number)
    const [, , , , , whole = 0, background = 0, , alone = 0] = cells
    expect(told(page, layered)).toEqual([whole, background, whole - background - alone, alone].map(thousands))
  })

  test("says a turn's CPU beside streamText, a few hundredths more or less", () => {
    const [, ratio = ""] = /^- ok: a turn, beside streamText, tools: 1: .*\(([\d.]+)\)$/m.exec(results) ?? []
    const [said = 0] = told(page, streamText)
    expect(Math.abs(said - 100 * Number(ratio))).toBeLessThanOrEqual(5)
  })

  test("says how many single facts recall finds, as it finds them today", () => {
    const found = (recallSets("held-out").get("facts en") ?? []).flatMap(({ lines, questions, nowMs }) => {
      const index = new RecallIndex()
      for (const line of lines) index.replace(line)
      return questions.map(({ text, evidence }) => {
        const first = new Set(index.rank({ text, nowMs, limit: 5 }).map(({ id }) => id))
        return evidence.filter((group) => group.some((id) => first.has(id))).length / evidence.length
      })
    })
    const answered = found.filter((share) => !Number.isNaN(share))
    const first = (100 * answered.reduce((sum, share) => sum + share, 0)) / answered.length
    // The share of wink-bm25-text-search 3.1.2 is 61.1; it is no dependency of the tests (`npm run bench:recall`).
    expect(told(page, facts)).toEqual([Math.round(first), 61])
  })
})

test("beside LangChain a chat takes a third of the CPU and shows a third less, as both READMEs say", () => {
  const [, , ours, , shown] = rowOf("W2: a chat of 200 turns", "promptstrata")
  const [, , theirs, , whole] = rowOf("W2: a chat of 200 turns", "@langchain/core 1.4.0, memo")
  expect([third(times(ours) / times(theirs)), third(1 - times(shown) / times(whole))]).toEqual([true, true])
})

test("beside @openai/agents a first turn takes the same CPU and a warm one a third, as both READMEs say", () => {
  const [, , , first, , , , warm] = rowOf("A turn: one call of a tool", "@openai/agents")
  expect(Math.abs(times(first) - 1)).toBeLessThan(0.1)
  expect(third(1 / times(warm))).toBe(true)
})

test("the peers have the main versions that both READMEs name", () => {
  const [, sdk = ""] = /^\| ai, streamText (\d+)\./m.exec(results) ?? []
  const [, langchain = ""] = / langchain (\d+)\./.exec(results) ?? []
  for (const { page } of pages) {
    expect(read(page)).toContain(`| [AI SDK](https://ai-sdk.dev) ${sdk} |`)
    expect(read(page)).toMatch(new RegExp(`\\| \\[LangChain\\]\\([^)]+\\) ${langchain} \\|`))
  }
})

test.each(["docs/prompt-cache.md", "docs/prompt-cache.zh-CN.md"])("%s has the table of the results", (page) => {
  const rows = (text: string) => text.match(/^\| .* \| (?:20–40|30–60) \|.*$/gm)?.map((row) => row.replace("frame at ", ""))
  expect(rows(read(page))).toEqual(rows(results))
})
