import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { cutOf } from "../../../../src/prompt/encode/marked-text.ts"
import { documentBody } from "../../../../src/prompt/layers/documents/document-injections.ts"
import { markerOf } from "./soul-prompt.ts"

function bodyOf(text: string, maxCharacters: number, { locale = "zh-CN", canRead = true } = {}) {
  return documentBody(text, { maxCharacters, canRead, trust: "memory", file: "MEMORY.md", marker: markerOf(locale) })
}

const codePoints = (text: string) => [...text].length

describe("a document over its limit", () => {
  test("D4 keeps 70 % and 20 % around the marker, which names the file and says what was kept", () => {
    const text = `${"甲".repeat(14_000)}${"乙".repeat(12_000)}${"丙".repeat(4_000)}`
    expect(bodyOf(text, 20_000).text.text).toBe(
      [
        "甲".repeat(14_000),
        "",
        "[...内容被截断，完整内容请使用 read 工具查看 MEMORY.md...]",
        "（截断：保留了 14000+4000 字符，共 30000 字符）",
        "",
        "丙".repeat(4_000),
      ].join("\n"),
    )
  })

  test("D4 without a read tool the marker does not point to one", () => {
    const { text } = bodyOf("字".repeat(2_000), 1_000, { canRead: false })
    expect(text.text).toContain("\n\n[...内容被截断...]\n（截断：保留了 700+200 字符，共 2000 字符）\n\n")
  })

  test("D4 the English marker has the same numbers", () => {
    const { text } = bodyOf("x".repeat(30_000), 20_000, { locale: "en" })
    expect(text.text).toContain(
      "[...truncated; use the read tool to see all of MEMORY.md...]\n(truncated: 14000+4000 of 30000 characters are kept)",
    )
  })

  test.each([
    [1_000, "[...内容被截断，完整内容请使用 read 工具查看 MEMORY.md...]\n（截断："],
    [600, "[...内容被截断...]\n（截断："],
    [200, "[...内容被截断...]\n\n"],
    [60, "…"],
    [1, "…"],
  ])("D4 at a limit of %i the marker says as much as it has room for", (limit, marker) => {
    const { text } = bodyOf("字".repeat(limit + 50), limit)
    expect(text.text.replaceAll("字", "").trimStart()).toMatch(new RegExp(`^${RegExp.escape(marker)}`))
  })

  test("D4 a tail of zero keeps nothing", () => {
    expect(bodyOf("abcdefgh", 4).text.text).toBe("ab…")
    expect(bodyOf("abcdefgh", 0).text.text).toBe("")
  })

  test("D4 exactly the limit is untouched, counted in code points", () => {
    for (const character of ["字", "😀"]) {
      const text = character.repeat(20_000)
      expect(bodyOf(text, 20_000)).toMatchObject({ whole: true, text: { text } })
      expect(bodyOf(`${text}字`, 20_000).whole).toBe(false)
    }
  })

  test("D4 S17 for every limit: never longer than it, a beginning and an end of the text, cut between graphemes, and the numbers are right", () => {
    const piece = fc.constantFrom("a", "字", "\n", "😀", "👨‍👩‍👧‍👦", "🇨🇳", "é", "\r\n", "각")
    const pieces = fc.array(piece, { minLength: 1, maxLength: 800 })
    fc.assert(
      fc.property(pieces, fc.integer({ min: 0, max: 1_500 }), fc.boolean(), (all, limit, canRead) => {
        const text = all.join("")
        const { text: body, whole } = bodyOf(text, limit, { canRead })
        expect(codePoints(body.text)).toBeLessThanOrEqual(limit)
        expect(whole).toBe(codePoints(text) <= limit)
        if (whole) {
          expect(body.text).toBe(text)
          return
        }
        const cut = cutOf(body)
        const [head = "", tail = ""] = cut ? [cut.head, cut.tail] : body.text.split("…")
        expect(text.startsWith(head) && text.endsWith(tail)).toBe(true)
        expect(codePoints(head)).toBeLessThanOrEqual(Math.floor((limit * 7) / 10))
        expect(codePoints(tail)).toBeLessThanOrEqual(Math.floor((limit * 2) / 10))
        const boundaries = new Set([...new Intl.Segmenter().segment(text)].map(({ index }) => index).concat(text.length))
        expect([head.length, text.length - tail.length].filter((offset) => !boundaries.has(offset))).toEqual([])
        const numbers = /保留了 (\d+)\+(\d+) 字符，共 (\d+) 字符/.exec(cut?.notice.text ?? "")?.slice(1)
        if (numbers) expect(numbers.map(Number)).toEqual([codePoints(head), codePoints(tail), codePoints(text)])
      }),
      { numRuns: 300 },
    )
  })

  test("D4 every limit from 0 to 1,200 holds for one text", () => {
    const text = "岁月静好，现世安稳。😀".repeat(200)
    for (let limit = 0; limit <= 1_200; limit++) {
      const found = codePoints(bodyOf(text, limit).text.text)
      if (found > limit) expect.fail(`${found} characters at a limit of ${limit}`)
      if (limit > 0 && found < Math.floor((limit * 7) / 10)) expect.fail(`only ${found} at a limit of ${limit}`)
    }
  })

  test("invisible characters are left out before cutting, so that the numbers are of what is shown", () => {
    const { text, removed } = bodyOf("字\u202e".repeat(2_000), 1_000)
    expect(text.text).toContain("保留了 700+200 字符，共 2000 字符")
    expect(removed).toBe(2_000)
  })
})
