import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { messageSize } from "../../../src/apps/bots/message-size.ts"
import { splitMessage } from "../../../src/apps/bots/split-message.ts"
import { graphemesOf } from "../../../src/core/graphemes.ts"
import { near } from "../../support/error-formulas.ts"
import { runs, seedOf } from "../../support/size.ts"

const words = fc.constantFrom(
  "hello",
  "the bookshop",
  "你好，我在书店。",
  "真的吗？",
  "Mr. Fay said so.",
  "👨‍👩‍👧‍👦",
  "🇨🇳🇯🇵",
  "e\u0301",
  " ",
  "\t",
  "\n",
  "\n\n",
  "\r\n",
  "x".repeat(90),
  "好".repeat(70),
  "👩🏽‍🚀".repeat(20),
  "a `b` c",
  "- item",
  "“quoted”",
  "!",
)
const prose = fc.array(words, { maxLength: 60 }).map((parts) => parts.join(""))
const fences = fc.constantFrom("```js\n", "```\n", "\n```\n", "\n~~~\n", "~~~ python\n", "````md\n", "\n````\n", "``` a ` b\n")
const markdown = fc.array(fc.oneof(words, fences), { maxLength: 60 }).map((parts) => parts.join(""))
const limits = fc.record({
  limit: fc.integer({ min: 64, max: 300 }),
  unit: fc.constantFrom("utf16", "code-points", "bytes"),
})

const visible = (text: string) => text.replace(/\s+/gu, "")

/** The fence that is open at the end of a text, read by a second, plain reader. */
function openFence(text: string): string | undefined {
  let open: string | undefined
  for (const line of text.split("\n")) {
    const marks = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1]
    if (marks === undefined) continue
    if (open === undefined) open = marks
    else if (marks.startsWith(open) && line.trim() === marks) open = undefined
  }
  return open
}

describe("a long answer is split", () => {
  test("so that three backticks at its very end do not become the line of a fence", () => {
    const text = `${"x".repeat(64)}\`\`\``
    const messages = splitMessage(text, { limit: 64, unit: "utf16" })
    expect(messages.join("")).toBe(text)
    expect(messages.map(openFence)).toEqual([undefined, undefined])
  })

  test("into messages within the limit that hold every word, in order, for any prose", () => {
    fc.assert(
      fc.property(prose, limits, (text, options) => {
        const messages = splitMessage(text, options)
        for (const message of messages) {
          expect(message.trim()).not.toBe("")
          expect(messageSize(message, options.unit)).toBeLessThanOrEqual(options.limit)
        }
        expect(visible(messages.join(""))).toBe(visible(text))
      }),
      { numRuns: runs(4_000), seed: seedOf(81) },
    )
  })

  test("between graphemes only", () => {
    const graphemes = (text: string) => [...graphemesOf(text)].map(({ segment }) => segment).filter((each) => each.trim() !== "")
    fc.assert(
      fc.property(prose, fc.integer({ min: 64, max: 200 }), (text, limit) => {
        expect(splitMessage(text, { limit }).flatMap(graphemes)).toEqual(graphemes(text.replaceAll("\r\n", "\n")))
      }),
      { numRuns: runs(2_000), seed: seedOf(82) },
    )
  })

  test("with every fence closed and opened again, within the limit, for any Markdown", () => {
    fc.assert(
      fc.property(markdown, limits, (text, options) => {
        const messages = splitMessage(text, options)
        for (const message of messages.slice(0, -1)) expect(openFence(message)).toBeUndefined()
        expect(openFence(messages.at(-1) ?? "") !== undefined).toBe(openFence(text.replaceAll("\r\n", "\n")) !== undefined)
        for (const message of messages) expect(messageSize(message, options.unit)).toBeLessThanOrEqual(options.limit)
      }),
      { numRuns: runs(4_000), seed: seedOf(83) },
    )
  })

  test("at the best place: a paragraph, else a line, a sentence, a word", () => {
    const filler = "word ".repeat(8).trim()
    expect(splitMessage(`${filler}\n\n${filler} b\nc`, { limit: 64 })).toEqual([filler, `${filler} b\nc`])
    expect(splitMessage(`${filler}\n${filler}`, { limit: 64 })).toEqual([filler, filler])
    expect(splitMessage(`${filler}. Then ${filler}`, { limit: 64 })).toEqual([`${filler}.`, `Then ${filler}`])
    expect(splitMessage(`${"好".repeat(40)}。${"是".repeat(40)}`, { limit: 64 })).toEqual([
      `${"好".repeat(40)}。`,
      "是".repeat(40),
    ])
    expect(splitMessage("x".repeat(130), { limit: 64 })).toEqual(["x".repeat(64), "x".repeat(64), "xx"])
  })

  test("with code kept as it is, and its language told again", () => {
    const line = "    return answer + 1"
    const text = `Look:\n\`\`\`js\n${Array.from({ length: 6 }, () => line).join("\n")}\n\`\`\`\nDone.`
    expect(splitMessage(text, { limit: 90 })).toEqual([
      `Look:\n\`\`\`js\n${line}\n${line}\n\`\`\``,
      `\`\`\`js\n${line}\n${line}\n\`\`\``,
      `\`\`\`js\n${line}\n${line}\n\`\`\`\nDone.`,
    ])
  })

  test("not at all if it fits; a blank one is no message", () => {
    expect(splitMessage("  two\n\n\n lines  ", { limit: 64 })).toEqual(["  two\n\n\n lines"])
    expect(splitMessage(" \n\t", { limit: 64 })).toEqual([])
  })

  test("a limit without room and a misspelt option are errors", () => {
    expect(() => splitMessage("x", { limit: 10 })).toThrow("at least 64, found 10")
    expect(() => splitMessage("x", { limit: Number.NaN })).toThrow("found NaN")
    expect(() => splitMessage("x", { limit: 100, units: "bytes" } as never)).toThrow(near("unit"))
  })
})
