import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { TokenCounter } from "../../../src/core/ports.ts"
import { truncateText } from "../../../src/prompt/assemble/truncate-text.ts"
import { piecesOfText } from "../../adapters/tokenizers/tiktoken/arbitrary-pieces.ts"
import { both } from "../../adapters/tokenizers/tiktoken/encoders.ts"
import { runs } from "../../support/size.ts"
import { perCodePoint, perRun } from "./arbitrary-turn.ts"

const { encoder } = both("o200k_base")
const byPieces: TokenCounter = { exact: true, count: encoder.count, pieces: encoder.pieces, scan: encoder.scan }
const notice = ({ kept, total }: { kept: number; total: number }) => `[${kept}/${total}]`
const shrink = fc.constantFrom("head", "tail", "headTail") as fc.Arbitrary<"head" | "tail" | "headTail">
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" })

describe("S17 truncateText", () => {
  test("has no more tokens than allowed, what one character more would pass, with any counter", () => {
    fc.assert(
      fc.property(piecesOfText(60), shrink, fc.integer({ min: 12, max: 80 }), (text, how, maxTokens) => {
        for (const counter of [byPieces, perCodePoint, perRun]) {
          const { text: cut, isCut, kept, total } = truncateText(text, { maxTokens, shrink: how, counter, notice })
          expect(counter.count(cut)).toBeLessThanOrEqual(maxTokens)
          expect(isCut).toBe(counter.count(text) > maxTokens)
          if (isCut) expect(cut).toContain(`[${kept}/${total}]`)
          else expect(cut).toBe(text)
        }
      }),
      { numRuns: runs(1000) },
    )
  })

  test("says how many characters it keeps", () => {
    fc.assert(
      fc.property(shrink, fc.integer({ min: 12, max: 80 }), (how, maxTokens) => {
        const { text, kept, total } = truncateText("😀".repeat(200), { maxTokens, shrink: how, counter: perCodePoint, notice })
        expect([kept, total]).toEqual([text.match(/😀/gu)?.length ?? 0, 200])
      }),
      { numRuns: runs(200) },
    )
  })

  test("keeps as much as there is room for", () => {
    const text = "你好".repeat(500)
    for (const maxTokens of [20, 100, 333]) {
      const { text: cut } = truncateText(text, { maxTokens, counter: perCodePoint, shrink: "head", notice: () => "[cut]" })
      expect(perCodePoint.count(cut)).toBe(maxTokens)
    }
  })

  test("leaves whole graphemes of the text's beginning and end", () => {
    const clusters = fc.array(fc.constantFrom("👨‍👩‍👧‍👦", "🇨🇳", "é", "각", "😀", "नि", "a", "\r\n", "好"), {
      minLength: 30,
      maxLength: 60,
    })
    fc.assert(
      fc.property(clusters, shrink, fc.integer({ min: 1, max: 25 }), (parts, how, maxCharacters) => {
        const text = parts.join("")
        const { text: cut } = truncateText(text, { maxCharacters, shrink: how, notice: () => "[cut]" })
        const [head = "", tail = ""] = cut.split("[cut]").map((part, index) => (index === 0 ? part.slice(0, -2) : part.slice(2)))
        const boundaries = new Set([...graphemes.segment(text)].map(({ index }) => index).concat(text.length))
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true)
        expect(boundaries.has(head.length) && boundaries.has(text.length - tail.length)).toBe(true)
        expect([...(head + tail)].length).toBeLessThanOrEqual(maxCharacters)
      }),
      { numRuns: runs(500) },
    )
  })

  test("leaves no code fence open: one before the notice is closed, one behind it opened again", () => {
    const line = fc.constantFrom("```", "```ts", "~~~~", "````", "text", "  ```", "``", "`x`", "~~~")
    fc.assert(
      fc.property(
        fc.array(line, { minLength: 8, maxLength: 40 }),
        shrink,
        fc.integer({ min: 1, max: 100 }),
        (lines, how, maxCharacters) => {
          const text = `${lines.join("\n")}\n`
          if (text.length <= maxCharacters) return
          const { text: cut } = truncateText(text, { maxCharacters, shrink: how, notice: () => "[cut]" })
          const before = cut.slice(0, cut.indexOf("[cut]"))
          expect(openFence(before)).toBe(undefined)
          if (!cut.endsWith("[cut]")) expect(openFence(cut)).toBe(openFence(text))
        },
      ),
      { numRuns: runs(3000) },
    )
  })

  test("counts what it keeps, not the whole text", () => {
    const text = "The quick brown fox, 他说：“好的。” jumps over the lazy dog.\n".repeat(2200)
    for (const maxTokens of [100, 1000]) {
      let characters = 0
      const counting: TokenCounter = {
        ...byPieces,
        count: (given) => {
          characters += given.length
          return encoder.count(given)
        },
        scan: (given, visit) =>
          encoder.scan(given, (end, tokens) => {
            characters++
            return visit(end, tokens)
          }),
      }
      truncateText(text, { maxTokens, counter: counting, notice })
      expect(characters).toBeLessThan(5 * maxTokens + 400)
    }
  })

  test("tries few sizes also where one token covers many characters", () => {
    for (const unit of [" ", "-", "a", "你"]) {
      let sizes = 0
      const told = (counts: { kept: number; total: number }) => {
        sizes++
        return notice(counts)
      }
      truncateText(unit.repeat(20_000), { maxTokens: 100, counter: byPieces, notice: told })
      expect(sizes, unit).toBeLessThan(20)
    }
  })

  test("says how much room the notice needs where there is none", () => {
    expect(() => truncateText("x".repeat(100), { maxTokens: 3, counter: perCodePoint, notice })).toThrow(/room for the notice/)
  })
})

/** A plain reader of Markdown fences, line by line. */
function openFence(text: string): string | undefined {
  let open: string | undefined
  for (const line of text.split("\n")) {
    const [, mark, info = ""] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? []
    if (mark === undefined || (mark[0] === "`" && info.includes("`"))) continue
    if (open === undefined) open = mark
    else if (mark.startsWith(open) && info.trim() === "") open = undefined
  }
  return open
}
