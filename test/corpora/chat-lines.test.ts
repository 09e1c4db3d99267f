import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { printText } from "../../src/prompt/assemble/print/print-text.ts"
import { shippedDialect, shippedDialectNames } from "../../src/prompt/dialect/shipped.ts"
import type { Markers } from "../../src/prompt/encode/lines.ts"
import { looks } from "../../src/prompt/encode/look-alikes.ts"
import { dataFolder, dataPresent, readJsonLines } from "../support/corpora.ts"
import { decodeText } from "../support/decode-text.ts"
import { root } from "../support/source-files.ts"

/** What people and models said in the outside material: dialogues and memories in Chinese, questions to tools in English. */
function chatTexts(): string[] {
  const dialogues = readJsonLines<{ dialogue: string[] }>("recall/madial-zh-dialogue.json").flatMap(({ dialogue }) =>
    dialogue.flatMap((line) => /^<[^>]*>[:：]\s*"?([\s\S]*?)"?\n?$/.exec(line)?.[1] ?? []),
  )
  const memories = readJsonLines<Record<string, { event: string }>>("recall/madial-zh-memory.json").flatMap((line) =>
    Object.values(line).map(({ event }) => event),
  )
  const questions = ["bfcl-live-multiple", "bfcl-simple-python"].flatMap((name) =>
    readJsonLines<{ question: { role: string; content: string }[][] }>(`tools/${name}.jsonl`).flatMap(({ question }) =>
      question.flatMap((messages) => messages.filter(({ role }) => role === "user").map(({ content }) => content)),
    ),
  )
  return [...dialogues, ...memories, ...questions]
}

/** Markdown and code: specifications of cards, the pages of this repository, its sources. */
function structuredTexts(): Record<"Markdown" | "code", string[]> {
  const read = (folder: string, ending: string) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(ending))
      .map((name) => readFileSync(folder + name, "utf8"))
  return {
    Markdown: [
      ...read(`${dataFolder}cards/`, ".md"),
      ...read(`${root}docs/`, ".md"),
      ...read(`${root}docs/requirements/`, ".md"),
    ],
    code: [...read(`${root}src/prompt/encode/`, ".ts"), ...read(`${root}src/loop/turn/`, ".ts"), ...read(`${root}.ci/`, ".ts")],
  }
}

const alone = { type: "slot", name: "text", alone: true, source: { file: "x.md", line: 1 } } as const

/** Lines of the texts, and how many of them do not stand in the prompt as they were. */
function changedLines(texts: readonly string[], markers: Markers): { lines: number; changed: number } {
  let [lines, changed] = [0, 0]
  for (const text of texts) {
    const parts = printText({ text, trust: "user" }, { node: alone, markers })
    const encoded = parts.map((part) => part.text).join("")
    expect(decodeText(encoded, parts.length > 1 ? "fence" : "lines", markers)).toBe(text)
    lines += text.split("\n").length
    if (encoded.includes(text)) continue
    const shown = encoded.split("\n").slice(parts.length > 1 ? 1 : 0)
    changed += text.split("\n").filter((line, at) => line !== shown[at]).length
  }
  return { lines, changed }
}

const share = ({ lines, changed }: { lines: number; changed: number }) => (100 * changed) / lines
const told = (count: { lines: number; changed: number }) => `${count.changed} of ${count.lines} (${share(count).toFixed(2)} %)`

describe.skipIf(!dataPresent)("ordinary words in slots that have their lines to themselves", () => {
  const chat = dataPresent ? chatTexts() : []
  const { Markdown, code } = dataPresent ? structuredTexts() : { Markdown: [], code: [] }
  // The rules were made by looking at the first half only.
  const [known, heldOut] = [chat.filter((_, at) => at % 2 === 0), chat.filter((_, at) => at % 2 === 1)]
  const places = shippedDialectNames().flatMap((dialect) => ["zh-CN", "en"].map((locale) => [dialect, locale] as const))

  test("there is a corpus", () => {
    expect(chat.length).toBeGreaterThan(1_500)
    expect(Markdown.length + code.length).toBeGreaterThan(40)
  })

  test.each(places)(
    "T5 in %s, %s, at most one line of real chat in two hundred changes, and decoding gives all back",
    (dialect, locale) => {
      const [first, second] = [known, heldOut].map((texts) => changedLines(texts, shippedDialect(dialect, locale).markers))
      const [pages, sources] = [Markdown, code].map((texts) => changedLines(texts, shippedDialect(dialect, locale).markers))
      if (!first || !second || !pages || !sources) return
      console.log(
        `${dialect} ${locale}: chat ${told(first)}, held out ${told(second)}; apart: Markdown ${told(pages)}, code ${told(sources)}`,
      )
      expect(share(first)).toBeLessThanOrEqual(0.5)
      expect(share(second)).toBeLessThanOrEqual(0.5)
    },
  )

  test("T5 at most 0.5 % of the lines of chat change for 200 known names, compared by their looks too", () => {
    const speakers = [
      "Alice",
      "Bob",
      "Tom",
      "Al",
      "Вера",
      "Иван",
      "小明",
      "李雷",
      "0l1",
      "主人",
      ...Array.from({ length: 190 }, (_, at) => `user${at}`),
    ]
    for (const [dialect, locale] of places) {
      const { markers } = shippedDialect(dialect, locale)
      const count = changedLines(chat, { ...markers, names: { speaker: speakers }, looks })
      expect(share(count), `${dialect} ${locale}: ${told(count)}`).toBeLessThanOrEqual(0.5)
    }
  })
})
