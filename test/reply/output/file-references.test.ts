import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type FileReference, formatFileReference, maxPathLength } from "../../../src/prompt/encode/file-reference.ts"
import { createFileReferenceReader } from "../../../src/reply/output/file-reference-reader.ts"
import type { OutputPart } from "../../../src/reply/output/output-part.ts"
import { createOutputReader } from "../../../src/reply/output/output-reader.ts"
import { cutAt } from "../readings.ts"
import { readParts, unsoundCutting } from "./parts.ts"

const read = (text: string) => readParts([text], createFileReferenceReader)

function inShort(parts: readonly OutputPart[]): unknown[] {
  return parts.map((part) => {
    if (part.type === "text") return part.delta
    if (part.type !== "file") return part.type
    const { path, lines } = part.reference
    return lines === undefined ? [path] : [path, lines.from, lines.to]
  })
}

/** What was written, whatever became of it. */
const written = (parts: readonly OutputPart[]) =>
  parts.map((part) => (part.type === "text" ? part.delta : part.type === "file" ? part.written : "")).join("")

describe("R8: file references in an answer", () => {
  test.each<[string, unknown[]]>([
    ["看 %[a.txt]。", ["看 ", ["a.txt"], "。"]],
    ["%[C:/example.txt]", [["C:/example.txt"]]],
    ["%[a.txt] Line 3 ~ Line 8!", [["a.txt", 3, 8], "!"]],
    ["%[a.txt]line3~line 12", [["a.txt", 3, 12]]],
    ["%[a.txt] Line 3 ～ 8", [["a.txt", 3, 8]]],
    ["%[a.txt] Line 3 ~ Line eight", [["a.txt"], " Line 3 ~ Line eight"]],
    ["%[a.txt] Line 3", [["a.txt"], " Line 3"]],
    ["%[a.txt] Line 3 ~ Line 1234567890", [["a.txt"], " Line 3 ~ Line 1234567890"]],
    ["%[a.txt]   Line 3 ~ Line 4", [["a.txt"], "   Line 3 ~ Line 4"]],
    ["%[a]%[b]", [["a"], ["b"]]],
    ["%[a] Line %[b]", [["a"], " Line ", ["b"]]],
    ["%%[a]", ["%", ["a"]]],
    ["100% [a] %", ["100% [a] %"]],
    ["%[]", ["%[]"]],
    ["%[ ]", ["%[ ]"]],
    ["%[ a b.txt ]", [["a b.txt"]]],
    ["%[a\nb]", ["%[a\nb]"]],
    ["%[a\u2028b]", ["%[a\u2028b]"]],
    ["%[never closed", ["%[never closed"]],
    ["%[lost %[found.txt]", ["%[lost ", ["found.txt"]]],
    ["%[notes[1].txt]", [["notes[1].txt"]]],
    [String.raw`%[a\]b.txt]`, [["a]b.txt"]]],
    [String.raw`%[C:\a\b.txt]`, [[String.raw`C:\a\b.txt`]]],
    [String.raw`%\[a.txt]`, [String.raw`%\[a.txt]`]],
    ["％[a]", ["％[a]"]],
  ])("%j", (text, expected) => {
    expect(inShort(read(text))).toEqual(expected)
    expect(written(read(text))).toBe(text)
  })

  test("any cutting in up to two places reads the same", () => {
    const answer = "a %[b[1].txt] Line 3 ~ Line 12. %[c %[d]x"
    expect(unsoundCutting(answer, 2, createFileReferenceReader)).toBeUndefined()
  })

  const piece = fc.constantFrom(
    "%",
    "[",
    "]",
    "%[",
    "\\",
    "a",
    " ",
    "Line",
    "line ",
    "3",
    "~",
    " ~ Line ",
    "\n",
    "12",
    "😀",
    "@br",
  )
  const answers = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""))

  test("any text, cut anywhere, reads the same and loses nothing", () => {
    fc.assert(
      fc.property(answers, fc.array(fc.nat(60), { maxLength: 6 }), (text, places) => {
        const whole = read(text)
        const cuts = [...new Set(places.filter((at) => at < text.length))].sort((a, b) => a - b)
        expect(readParts(cutAt(text, cuts), createFileReferenceReader)).toEqual(whole)
        expect(written(whole)).toBe(text)
      }),
      { numRuns: 1_000 },
    )
  })

  test("what formatFileReference writes is read back, for any path and lines", () => {
    const unit = fc.constantFrom(" ", "\t", "\u00a0", "\u3000", "\ufeff", "\n", "a", "]", "\\", "u{20}")
    const paths = fc.oneof(fc.string({ unit: "binary", maxLength: 30 }), answers, fc.string({ unit, maxLength: 4 }))
    const lines = fc.record({ from: fc.nat(999_999_999), to: fc.nat(999_999_999) })
    const references: fc.Arbitrary<FileReference> = fc.oneof(
      paths.map((path) => ({ path })),
      fc.record({ path: paths, lines }),
    )
    fc.assert(
      fc.property(references, (reference) => {
        fc.pre(reference.path !== "")
        const text = formatFileReference(reference)
        expect(read(text)).toEqual([{ type: "file", reference, written: text }])
      }),
      { numRuns: 1_000 },
    )
  })

  test("a reference without a path is words", () => {
    for (const path of ["", " "]) expect(inShort(read(`%[${path}]`))).toEqual([`%[${path}]`])
    expect(inShort(read(formatFileReference({ path: "" })))).toEqual(["%[]"])
  })

  test("a path of more than a thousand characters is words", () => {
    const fits = `%[${"a".repeat(maxPathLength)}]`
    const exceeds = `%[${"a".repeat(maxPathLength + 1)}]`
    expect(read(fits)).toMatchObject([{ type: "file" }])
    expect(inShort(read(exceeds))).toEqual([exceeds])
  })

  test("work and what is held grow no faster than a hostile text that comes in single characters", () => {
    const text = "%[".repeat(20_000) + "%[a".repeat(20_000)
    const stage = createFileReferenceReader()
    let given = 0
    let mostHeld = 0
    for (const [at, delta] of [...text].entries()) {
      given += written(stage.push({ type: "text", delta })).length
      mostHeld = Math.max(mostHeld, at + 1 - given)
    }
    expect(mostHeld).toBeLessThan(10)
    expect(given + written(stage.end()).length).toBe(text.length)
  })
})

describe("R8, R9, R10: format, then bubbles, then file references", () => {
  const make = () => createOutputReader({ bubbles: true, stages: [createFileReferenceReader()] })

  test("a reference stands in its bubble, and parts of other kinds end it", () => {
    expect(inShort(readParts(["a %[b.png]\n@br\n%[c.png] Line 1 @br"], make))).toEqual([
      "a ",
      ["b.png"],
      "bubble-end",
      ["c.png"],
      " Line 1 ",
      "bubble-end",
      "bubble-end",
    ])
  })

  test("an answer that only shows a file is no empty reply", () => {
    expect(inShort(readParts(["<empty_reply>%[b.png]"], make))).toEqual([["b.png"], "bubble-end", "warning"])
    expect(inShort(readParts(["%[b.png]"], make))).toEqual([["b.png"], "bubble-end"])
  })

  test("any cutting reads the same", () => {
    expect(unsoundCutting("a%[b@br]@br%[c] Line 1 ~ Line 2@br", 2, make)).toBeUndefined()
  })
})
