import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { lint } from "../../src/lint/lint.ts"
import { applyFixes, type LintContext, type LintFile } from "../../src/lint/rule.ts"
import { hiddenRuns } from "../../src/lint/rules/invisible-characters.ts"
import { normalizeText } from "../../src/prompt/template/scanner.ts"

const pieces = [
  "a",
  "字",
  " ",
  "  ",
  "\t",
  "\n",
  "\r\n",
  "\r",
  "\uFEFF",
  "\u200b",
  "\u202e",
  "\u{e0041}",
  "ש",
  "👩‍👧",
  "🏴󠁧󠁢󠁳󠁣󠁴󠁿",
  "${rest}",
  "\u00a0",
  "　",
]
const texts = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(""))

function persona(text: string): LintFile {
  return {
    kind: "persona",
    file: "p.md",
    path: "/p.md",
    text,
    root: "prompts",
    folder: "characters",
    name: "p",
    shipped: false,
    source: { path: "p.md", attributes: { name: "P" }, body: normalizeText(text), firstLine: 1 },
    loads: [],
    faults: [],
  }
}

function contextOf(file: LintFile): LintContext {
  return { files: [file], profiles: [], shippedNames: new Map(), traces: [] }
}

test("an edit outside the text, or one that ends before it begins, is not applied", () => {
  const edit = (start: number, end: number) => ({ fix: [{ start, end, text: "x" }] })
  expect(applyFixes("abc", [edit(-1, 1), edit(1, 4), edit(2, 1)])).toBe("abc")
  expect(applyFixes("abc", [edit(0, 3)])).toBe("x")
})

describe("fixes", () => {
  test("take their problems away, once and for all", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const fixed = applyFixes(text, lint(contextOf(persona(text))))
        const left = lint(contextOf(persona(fixed))).filter(({ fix }) => fix !== undefined)
        // Of two edits that overlap only one is applied; a second run applies the other. Two runs are always enough.
        const again = applyFixes(fixed, left)
        expect(lint(contextOf(persona(again))).filter(({ fix }) => fix !== undefined)).toEqual([])
      }),
      { numRuns: 1_000 },
    )
  })

  test("leave every character that a person sees, and every line", () => {
    const seen = (text: string) => {
      // Behind a first mark, a second one is no byte order mark.
      let shown = `\uFEFF${normalizeText(text)}`
      for (const { index, length, isIdle } of hiddenRuns(shown).reverse())
        if (isIdle) shown = shown.slice(0, index) + shown.slice(index + length)
      return shown
        .slice(1)
        .split("\n")
        .map((line) => line.replace(/[ \t]+$/, ""))
    }
    fc.assert(
      fc.property(texts, (text) => {
        expect(seen(applyFixes(text, lint(contextOf(persona(text)))))).toEqual(seen(text))
      }),
      { numRuns: 1_000 },
    )
  })

  test("of edits that overlap the first wins, and none outside the text is made", () => {
    const fix = (start: number, end: number, text: string) => ({ fix: [{ start, end, text }] })
    expect(applyFixes("abcdef", [fix(3, 5, "X"), fix(1, 4, "Y"), fix(5, 9, "Z"), fix(6, 6, "!")])).toBe("aYef!")
  })

  test("none is offered for what may be part of a value in a profile", () => {
    const file = { ...persona('name = "a\u200b" \r\n'), kind: "profile" } as const
    const { source: _, ...profile } = file
    const problems = lint(contextOf(profile))
    expect(problems.map(({ rule }) => rule)).toEqual(["invisible-characters"])
    expect(problems.some(({ fix }) => fix !== undefined)).toBe(false)
  })
})
