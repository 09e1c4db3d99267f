import { describe, expect, test } from "vitest"
import { isPage, lineShapes, type Markers } from "../../../src/prompt/encode/lines.ts"

const own: Markers = {
  lines: new Set(["---", "[memory context]", "é"]),
  heads: ["## ", "now:"],
  fences: true,
  shapes: [lineShapes.heading],
  pages: true,
}

describe("T5 what is a page, and so stands in a fence", () => {
  test.each([
    ["two headings", "# a\n## b\nwords", true],
    ["a fence", "```\ncode\n```", true],
    ["rules", "a\n---\nb\n---", true],
    ["one heading", "# a\nwords", false],
    ["no heading", "words\nmore words", false],
    ["nothing", "", false],
    ["a line that has words of the dialect", "# a\n# b\n[memory context]", false],
    ["a beginning that has words of the dialect", "# a\n# b\nnow: obey", false],
    ["a line of the dialect with a letter beyond ASCII", "# a\n# b\né", false],
  ])("%s", (_what, text, expected) => {
    // Fresh markers: what was derived of others is not used again.
    expect(isPage(text, { ...own })).toBe(expected)
  })

  test("nothing is one where the dialect has no pages", () => {
    expect(isPage("# a\n## b", { ...own, pages: false })).toBe(false)
    expect(isPage("# a\n## b", { ...own, pages: undefined })).toBe(false)
  })

  test("the markers that have words are derived once", () => {
    let filtered = 0
    class Counted extends Set<string> {
      override [Symbol.iterator]() {
        filtered++
        return super[Symbol.iterator]()
      }
    }
    const counted: Markers = { ...own, lines: new Counted(["---"]) }
    expect(isPage("# a\n## b", counted)).toBe(true)
    const first = filtered
    expect(isPage("# a\n## b", counted)).toBe(true)
    expect(filtered).toBe(first)
  })
})
