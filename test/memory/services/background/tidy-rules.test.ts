import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { readMerges } from "../../../../src/memory/services/background/tidy-rules.ts"
import { runs, seedOf } from "../../../support/size.ts"

const lines = [
  "Ann likes green tea.",
  "Ann likes tea in the morning.",
  "Ann paid 20 euros on 2026-03-04.",
  "Bob likes coffee.",
  "Ann does not like milk.",
]

const merge = (numbers: readonly number[], text: string) =>
  readMerges(JSON.stringify([{ lines: numbers, text }]), lines)?.merges.length

describe("a proposal to put notes in fewer words", () => {
  test.each([
    [[1, 2], "Ann likes green tea in the morning.", 1],
    [[1, 2], "Ann likes tea in the morning.", 0],
    [[1, 2], "Ann likes green tea in the morning and evening.", 0],
    [[1, 3], "Ann likes green tea, paid 20 euros on 2026-03-04.", 1],
    [[1, 3], "Ann likes green tea, paid 30 euros on 2026-03-04.", 0],
    [[1, 3], "Ann likes green tea, paid 20 euros.", 0],
    [[1, 4], "Ann likes green tea, Bob coffee.", 0],
    [[1, 5], "Ann likes green tea, milk.", 0],
    [[1, 5], "Ann likes green tea, does not like milk.", 1],
    [[1, 1], "Ann likes tea.", 0],
    [[1], "Ann likes green tea", 0],
    [[1, 9], "Ann likes green tea.", 0],
    [[1, 2], "Ann likes green tea\nin the morning.", 0],
    [[1, 2], "Ann likes green tea likes likes likes likes tea in the morning.", 0],
  ])("%j → %s: %i", (numbers, text, expected) => {
    expect(merge(numbers, text)).toBe(expected)
  })

  test.each([
    [["Ann is not rich.", "Ann is tall."], "Ann is not tall, rich.", 0],
    [["Ann is not rich.", "Ann is tall."], "Ann is tall, not rich.", 1],
    [["Ann never smokes.", "Ann drinks tea."], "Ann never drinks, smokes tea.", 0],
    [["Ann never smokes.", "Ann drinks tea."], "Ann never smokes drinks tea.", 0],
    [["Ann does not like milk.", "Ann does not like beer."], "Ann does not like milk, beer.", 1],
    [["Ann likes tea, not milk.", "Ann likes cola, not beer."], "Ann likes tea, not cola, milk, not beer.", 0],
    [["小安不喜欢牛奶", "小安住北京"], "小安不住喜欢北京牛奶", 0],
    [["小安不喜欢牛奶", "小安住北京"], "小安住北京，不喜欢牛奶", 1],
  ])("%j → %s: %i, since a word that denies still denies the same", (notes, text, expected) => {
    expect(readMerges(JSON.stringify([{ lines: [1, 2], text }]), notes)?.merges.length).toBe(expected)
  })

  test("Chinese is read by characters", () => {
    const notes = ["小安喜欢绿茶。", "小安喜欢早上喝绿茶。", "小安不喜欢牛奶。"]
    const merged = (numbers: readonly number[], text: string) =>
      readMerges(JSON.stringify([{ lines: numbers, text }]), notes)?.merges.length
    expect(merged([1, 2], "小安喜欢早上喝绿茶")).toBe(1)
    expect(merged([1, 2], "小安喜欢喝绿茶")).toBe(0)
    expect(merged([1, 3], "小安喜欢绿茶、牛奶")).toBe(0)
  })

  test("a line is part of one merge only, and what cannot be read is no proposal", () => {
    const twice = JSON.stringify([
      { lines: [1, 2], text: "Ann likes green tea in the morning" },
      { lines: [2, 3], text: "Ann likes tea in the morning, paid 20 euros on 2026-03-04" },
    ])
    expect(readMerges(twice, lines)).toEqual({
      merges: [{ lines: [1, 2], text: "Ann likes green tea in the morning" }],
      refused: 1,
    })
    expect([readMerges("I cannot.", lines), readMerges("[]", lines), readMerges("{}", lines)]).toEqual([
      undefined,
      { merges: [], refused: 0 },
      { merges: [], refused: 0 },
    ])
    expect(readMerges(JSON.stringify([null, 3, { lines: "1", text: 2 }]), lines)).toEqual({ merges: [], refused: 3 })
  })

  test("no accepted merge lacks a word or a number of its lines", () => {
    const word = fc.constantFrom("tea", "coffee", "12", "2026-03-04", "not", "Paris", "茶", "不", "likes", "the")
    const line = fc.array(word, { minLength: 1, maxLength: 5 }).map((words) => `Ann ${words.join(" ")}`)
    fc.assert(
      fc.property(fc.array(line, { minLength: 2, maxLength: 4 }), line, (notes, text) => {
        const numbers = notes.map((_, at) => at + 1)
        const read = readMerges(JSON.stringify([{ lines: numbers, text }]), notes)
        if (read?.merges.length !== 1) return
        const kept = text.split(" ")
        for (const said of notes.flatMap((note) => note.split(" "))) if (said !== "the") expect(kept).toContain(said)
      }),
      { numRuns: runs(300), seed: seedOf(2101) },
    )
  })
})
