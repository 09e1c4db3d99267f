import { expect, test } from "vitest"
import type { TokenCounter } from "../../../src/core/ports.ts"
import { truncateText } from "../../../src/prompt/assemble/truncate-text.ts"
import { both } from "../../adapters/tokenizers/tiktoken/encoders.ts"

const { encoder } = both("o200k_base")

const texts = {
  prose: "The quick brown fox, he said, jumps over the lazy dog again and again.\n".repeat(300),
  chinese: "今天天气很好，我们一起去西湖边走走。\n".repeat(400),
  uneven: `${"a b c d e f ".repeat(300)}${"uncharacteristically ".repeat(900)}`,
  run: "-".repeat(9_000),
  fences: "Some words.\n```ts\nconst a = 1\n```\n".repeat(200),
  short: "One line of text that is a little too long to be kept whole.",
}

/** The pieces that a cut has split, the sizes that it tried, and what it keeps. */
function cut(text: string, options: Parameters<typeof truncateText>[1]): string {
  let [pieces, tries] = [0, 0]
  const counter: TokenCounter = {
    exact: true,
    count: encoder.count,
    longestToken: encoder.longestToken,
    scan: (given, visit) =>
      encoder.scan(given, (end, tokens) => {
        pieces++
        return visit(end, tokens)
      }),
  }
  const notice = ({ kept, total }: { readonly kept: number; readonly total: number }) => {
    tries++
    return `[${kept} of ${total}]`
  }
  const { kept } = truncateText(text, { counter, notice, ...options })
  return `${kept} kept in ${tries} tries of ${pieces} pieces`
}

test("S17 a text is cut in few tries, from few pieces: fewer are better, and more need a reason", () => {
  const rows = Object.entries(texts).flatMap(([name, text]) =>
    (["head", "tail", "headTail"] as const).flatMap((shrink) =>
      (name === "short" ? [13] : [20, 500]).map(
        (maxTokens) => `${name} ${shrink} ${maxTokens}: ${cut(text, { shrink, maxTokens })}`,
      ),
    ),
  )
  expect(rows.join("\n")).toMatchInlineSnapshot(`
    "prose head 20: 50 kept in 7 tries of 102 pieces
    prose head 500: 2052 kept in 7 tries of 588 pieces
    prose tail 20: 52 kept in 5 tries of 85 pieces
    prose tail 500: 2056 kept in 7 tries of 1086 pieces
    prose headTail 20: 46 kept in 8 tries of 171 pieces
    prose headTail 500: 2046 kept in 8 tries of 663 pieces
    chinese head 20: 19 kept in 5 tries of 59 pieces
    chinese head 500: 719 kept in 5 tries of 171 pieces
    chinese tail 20: 20 kept in 6 tries of 75 pieces
    chinese tail 500: 721 kept in 6 tries of 300 pieces
    chinese headTail 20: 18 kept in 6 tries of 90 pieces
    chinese headTail 500: 719 kept in 6 tries of 241 pieces
    uneven head 20: 24 kept in 5 tries of 69 pieces
    uneven head 500: 984 kept in 5 tries of 549 pieces
    uneven tail 20: 85 kept in 9 tries of 131 pieces
    uneven tail 500: 3438 kept in 10 tries of 813 pieces
    uneven headTail 20: 25 kept in 7 tries of 132 pieces
    uneven headTail 500: 1162 kept in 8 tries of 739 pieces
    run head 20: 830 kept in 8 tries of 74 pieces
    run head 500: 9000 kept in 0 tries of 1 pieces
    run tail 20: 832 kept in 7 tries of 63 pieces
    run tail 500: 9000 kept in 0 tries of 1 pieces
    run headTail 20: 815 kept in 12 tries of 158 pieces
    run headTail 500: 9000 kept in 0 tries of 1 pieces
    fences head 20: 28 kept in 9 tries of 116 pieces
    fences head 500: 1195 kept in 7 tries of 553 pieces
    fences tail 20: 30 kept in 6 tries of 103 pieces
    fences tail 500: 1191 kept in 10 tries of 1077 pieces
    fences headTail 20: 23 kept in 8 tries of 163 pieces
    fences headTail 500: 1192 kept in 6 tries of 648 pieces
    short head 13: 25 kept in 5 tries of 64 pieces
    short tail 13: 27 kept in 6 tries of 76 pieces
    short headTail 13: 21 kept in 7 tries of 135 pieces"
  `)
})

test("S17 a cut to characters needs no search, and one to both tokens and characters little more", () => {
  const rows = [
    cut(texts.prose, { maxCharacters: 100 }),
    cut(texts.prose, { maxCharacters: 100, maxTokens: 1_000 }),
    cut(texts.prose, { maxCharacters: 10_000, maxTokens: 50 }),
    cut(texts.short, { maxTokens: 1_000 }),
    cut(texts.short, { maxCharacters: 60 }),
    cut(texts.short, { maxCharacters: 59 }),
  ]
  expect(rows.join("\n")).toMatchInlineSnapshot(`
    "100 kept in 2 tries of 57 pieces
    100 kept in 3 tries of 818 pieces
    182 kept in 6 tries of 158 pieces
    60 kept in 0 tries of 15 pieces
    60 kept in 0 tries of 0 pieces
    59 kept in 2 tries of 38 pieces"
  `)
})

test("S17 an estimate guesses the size from the share of tokens", () => {
  let counted = 0
  const count = (text: string) => {
    counted++
    return Math.ceil(text.length / 4)
  }
  const counter: TokenCounter = { exact: false, count }
  const { kept } = truncateText("x".repeat(40_000), { counter, maxTokens: 1_000, shrink: "head", notice: () => "[cut]" })
  expect([kept, counted]).toMatchInlineSnapshot(`
    [
      3992,
      7,
    ]
  `)
})
