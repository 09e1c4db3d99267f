import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { mulberry32 } from "../../../src/core/mulberry.ts"
import { createBubbleReader, isWordUnit, splitBubbles } from "../../../src/reply/output/bubble-reader.ts"
import type { OutputPart } from "../../../src/reply/output/output-part.ts"
import { createDelivery } from "../../../src/reply/output/output-reader.ts"
import { runs } from "../../support/size.ts"
import { cutRandomly } from "../readings.ts"
import { inShort, readParts, unsoundCutting } from "./parts.ts"

const cases: readonly { readonly name: string; readonly text: string; readonly bubbles: readonly string[] }[] = [
  { name: "the document's example", text: "line1\nline2\n@br\nline3\n@br", bubbles: ["line1\nline2", "line3", ""] },
  { name: "no mark", text: "a\nb", bubbles: ["a\nb"] },
  { name: "nothing", text: "", bubbles: [""] },
  { name: "a mark alone", text: "@br", bubbles: ["", ""] },
  { name: "a mark in a line", text: "a @br b", bubbles: ["a ", " b"] },
  { name: "a mark between Han", text: "你好@br再见", bubbles: ["你好", "再见"] },
  { name: "a mark between punctuation", text: "a!@br(b)", bubbles: ["a!", "(b)"] },
  { name: "a mark after an emoji", text: "😊@br😊", bubbles: ["😊", "😊"] },
  { name: "CRLF on both sides", text: "a\r\n@br\r\nb", bubbles: ["a", "b"] },
  { name: "one line break on each side", text: "a\n\n@br\n\nb", bubbles: ["a\n", "\nb"] },
  { name: "one line break between two marks", text: "a\n@br\n@br\nb", bubbles: ["a", "", "b"] },
  { name: "two marks that touch", text: "@br@br", bubbles: ["", "", ""] },
  { name: "a lone carriage return", text: "a\r@br\rb", bubbles: ["a\r", "\rb"] },
  { name: "a line break at the end", text: "a\n@br\n", bubbles: ["a", ""] },
  { name: "an address", text: "foo@bridge.com", bubbles: ["foo@bridge.com"] },
  { name: "a word before", text: "foo@br bar", bubbles: ["foo@br bar"] },
  { name: "a word after", text: "foo @broad", bubbles: ["foo @broad"] },
  { name: "an underscore and a digit after", text: "@br_ @br1", bubbles: ["@br_ @br1"] },
  { name: "another case", text: "a @BR b", bubbles: ["a @BR b"] },
  { name: "what was nearly a mark", text: "@ @b @@br\r@", bubbles: ["@ @b @", "\r@"] },
  { name: "a mark after one that a word touches", text: "a@br@br b", bubbles: ["a@br@br b"] },
]

/** R9 once more, sharing nothing with the reader: a table of what stands at each place of a whole text. */
function bubblesOf(text: string): string[] {
  const mark = /(\r?\n)?@br(?!\w)(?:\r?\n)?/y
  const bubbles: string[] = []
  let from = 0
  for (let at = 0; at < text.length; at++) {
    mark.lastIndex = at
    const match = mark.exec(text)
    const isTouched = match?.[1] === undefined && at > from && /\w/.test(text.charAt(at - 1))
    if (match === null || isTouched) continue
    bubbles.push(text.slice(from, at))
    from = at + match[0].length
    at = from - 1
  }
  return [...bubbles, text.slice(from)]
}

/** The bubbles of a text in pieces, blank ones too. */
function streamed(pieces: readonly string[]): string[] {
  const bubbles = [""]
  for (const part of readParts(pieces, createBubbleReader)) {
    if (part.type === "text") bubbles[bubbles.length - 1] += part.delta
    else bubbles.push("")
  }
  return bubbles.slice(0, -1)
}

const pieces = fc.constantFrom("@br", "@", "b", "r", "@b", "\n", "\r", "\r\n", " ", "a", "_", "好", "😊", "\u2028", "@bro", "[x]")
const texts = fc.array(pieces, { maxLength: 16 }).map((list) => list.join(""))

describe("bubbles", () => {
  test.each(cases)("R9: $name", ({ text, bubbles }) => {
    expect(splitBubbles(text)).toEqual(bubbles)
    expect(bubblesOf(text)).toEqual(bubbles)
    expect(streamed([...text])).toEqual(bubbles)
    expect(unsoundCutting(text, 3, createBubbleReader)).toBeUndefined()
  })

  test("R9: any text in any cutting has the bubbles that the whole text has, and those the requirement says", () => {
    fc.assert(
      fc.property(texts, fc.integer(), (text, seed) => {
        expect(splitBubbles(text)).toEqual(bubblesOf(text))
        expect(streamed(cutRandomly(text, mulberry32(seed)))).toEqual(bubblesOf(text))
        expect(streamed(text.split(""))).toEqual(bubblesOf(text))
      }),
      { numRuns: runs(5_000) },
    )
  })

  test("R9: nothing but marks and the line breaks beside them is left out", () => {
    fc.assert(
      fc.property(fc.oneof(texts, fc.string({ unit: "binary" })), (text) => {
        expect(
          splitBubbles(text)
            .join("@br")
            .replaceAll(/[\r\n]/g, ""),
        ).toBe(text.replaceAll(/[\r\n]/g, ""))
      }),
    )
  })

  test("R9: what stands before a mark is out as soon as the mark is certain; no more than a mark and a line break waits", () => {
    const reader = createBubbleReader()
    const say = (delta: string) => inShort(reader.push({ type: "text", delta }))
    expect(say("line1\n")).toEqual(["line1"])
    expect(say("@br")).toEqual([])
    expect(say("\n")).toEqual(["/"])
    expect(say("line2")).toEqual(["line2"])
    expect(inShort(reader.end())).toEqual(["/"])
    fc.assert(
      fc.property(texts, (text) => {
        const stage = createBubbleReader()
        const withoutMarks = text.replaceAll("@br", "@b ")
        let shown = 0
        for (const [index, delta] of withoutMarks.split("").entries()) {
          for (const part of stage.push({ type: "text", delta })) shown += part.type === "text" ? part.delta.length : 0
          expect(index + 1 - shown).toBeLessThanOrEqual("\r\n@br".length)
        }
      }),
    )
  })

  test("another part comes out in its place, after what was held; a mark does not reach over it", () => {
    const reader = createBubbleReader()
    const emotion: OutputPart = { type: "emotion", emotion: "a" }
    const parts = [
      ...reader.push({ type: "text", delta: "1@b" }),
      ...reader.push(emotion),
      ...reader.push({ type: "text", delta: "r 2 @br" }),
      ...reader.push(emotion),
      ...reader.push({ type: "text", delta: "3\n" }),
      ...reader.push({ type: "bubble-end" }),
      ...reader.push({ type: "text", delta: "@br" }),
      ...reader.end(),
    ]
    expect(inShort(parts)).toEqual(["1", "@b", "{a}", "r 2 ", "/", "{a}", "3", "\n", "/", "/", "/"])
  })

  test("another part parts a mark from the word before it and from the line break after it", () => {
    const reader = createBubbleReader()
    const emotion: OutputPart = { type: "emotion", emotion: "a" }
    const given: OutputPart[] = [{ type: "text", delta: "1" }, emotion, { type: "text", delta: "@br" }, emotion]
    const parts = [...given, { type: "text", delta: "\n2" } as const].flatMap((part) => reader.push(part))
    expect(inShort([...parts, ...reader.end()])).toEqual(["1", "{a}", "/", "{a}", "\n2", "/"])
  })

  test("without marks an answer is one bubble for each stretch", () => {
    const reader = createBubbleReader({ marks: false })
    expect(inShort([...reader.push({ type: "text", delta: "a\n@br\nb" }), ...reader.end()])).toEqual(["a\n@br\nb", "/"])
  })

  test("R9: delivery drops blank bubbles and hands out each of the others when it ends", () => {
    const reader = createBubbleReader()
    const delivery = createDelivery()
    const delivered = (parts: readonly OutputPart[]) =>
      parts.map((part) => delivery.push(part).bubble).filter((bubble) => bubble !== "")
    expect(delivered(reader.push({ type: "text", delta: "@br\na\nb\n@br" }))).toEqual([])
    expect(delivered(reader.push({ type: "text", delta: "\n \n@br\n" }))).toEqual(["a\nb"])
    expect(delivered(reader.push({ type: "text", delta: "c" }))).toEqual([])
    expect(delivered(reader.end())).toEqual(["c"])
  })
})

test("R9: the units of an ASCII word are its letters, digits and underscores", () => {
  const found = Array.from({ length: 300 }, (_, unit) => unit).filter(isWordUnit)
  expect(String.fromCharCode(...found)).toBe("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
})
