import { describe, expect, test } from "vitest"
import { configureFormat, emotionBracket, emotionPipe } from "../../../src/reply/output/formats.ts"
import type { OutputFormat } from "../../../src/reply/output/output-part.ts"
import { createOutputReader } from "../../../src/reply/output/output-reader.ts"
import { runs } from "../../support/size.ts"

const characters = runs(1_000_000)

const shapes: readonly { readonly name: string; readonly unit: string }[] = [
  { name: "words", unit: "word " },
  { name: "opening brackets", unit: "[" },
  { name: "opening brackets at line starts", unit: "\n[" },
  { name: "blank lines", unit: " \n" },
  { name: "blanks", unit: " " },
  { name: "tags", unit: "[a] ||| b\n" },
  { name: "tags in a row", unit: "[a]|||" },
  { name: "nearly tags", unit: `\n${" ".repeat(16)}***[${"a".repeat(32)}]***        ||` },
  { name: "bars", unit: "\n|||" },
  { name: "asterisks", unit: "\n***" },
  { name: "marks", unit: "@br" },
  { name: "nearly marks", unit: "a@br" },
  { name: "at signs", unit: "\r\n@" },
  { name: "carriage returns", unit: "\r" },
  { name: "nearly empty replies", unit: "<empty_reply" },
  { name: "empty replies", unit: "<empty_reply>" },
]

function readAll(text: string, { pieceLength, format }: { pieceLength: number; format: OutputFormat }): number {
  const reader = createOutputReader({ format, bubbles: true })
  let parts = 0
  for (let at = 0; at < text.length; at += pieceLength) {
    parts += reader.push({ type: "text", delta: text.slice(at, at + pieceLength) }).length
  }
  return parts + reader.end().length
}

/** A reader that looked at all it holds with each piece would take minutes; what each may hold, other tests say. */
describe(`${characters} characters`, () => {
  test.each(shapes)("of $name are read piece by piece and at once", ({ unit }) => {
    const text = unit.repeat(Math.ceil(characters / unit.length))
    const listed = configureFormat(emotionBracket, { emotions: ["a", "b"] })
    expect(readAll(text, { pieceLength: 7, format: emotionPipe })).toBeGreaterThan(0)
    expect(readAll(text, { pieceLength: text.length, format: listed })).toBeGreaterThan(0)
  })
})
