import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { mulberry32 } from "../../../src/core/mulberry.ts"
import { emotionPipe } from "../../../src/reply/output/formats.ts"
import type { OutputPart } from "../../../src/reply/output/output-part.ts"
import { createOutputReader, withEmptyReply } from "../../../src/reply/output/output-reader.ts"
import { runs } from "../../support/size.ts"
import { cutRandomly } from "../readings.ts"
import { inShort, readParts, textOf, unsoundCutting } from "./parts.ts"

const pass = () => withEmptyReply({ push: (part) => [part], end: () => [] })
const inFull = () => createOutputReader({ format: emotionPipe, bubbles: true })

const cases: readonly { readonly name: string; readonly text: string; readonly read: readonly string[] }[] = [
  { name: "the mark alone is silence", text: "<empty_reply>", read: ["~"] },
  { name: "blanks around it are no words", text: " <empty_reply>\n", read: [" \n", "~"] },
  { name: "twice is silence too", text: "<empty_reply>\n<empty_reply>", read: ["\n", "~"] },
  { name: "words after it are delivered, with a warning", text: "<empty_reply>hi", read: ["hi", "!"] },
  { name: "words before it are delivered, with a warning", text: "hi <empty_reply>", read: ["hi ", "!"] },
  { name: "an answer without it is as it was", text: "hi <empty> <empty_reply", read: ["hi <empty> <empty_reply"] },
  { name: "another case is words", text: "<EMPTY_REPLY>", read: ["<EMPTY_REPLY>"] },
  { name: "a bracket before it is words", text: "<<empty_reply>", read: ["<", "!"] },
  { name: "an empty answer is no choice", text: "", read: [] },
]

describe("the empty reply", () => {
  test.each(cases)("R10: $name", ({ text, read }) => {
    expect(inShort(readParts([text], pass))).toEqual(read)
    expect(unsoundCutting(text, text.length <= 20 ? 3 : 2, pass)).toBeUndefined()
  })

  test.each([
    { text: "<empty_reply>", read: ["/", "~"] },
    { text: "[calm] ||| <empty_reply>", read: ["{calm}", "/", "~"] },
    { text: "[calm] ||| <empty_reply>\n@br\n", read: ["{calm}", "/", "/", "~"] },
    { text: "[calm] ||| bye\n@br\n<empty_reply>", read: ["{calm}", "bye", "/", "/", "!"] },
  ])("R10: inside a format and bubbles, $text", ({ text, read }) => {
    expect(inShort(readParts([text], inFull))).toEqual(read)
    expect(unsoundCutting(text, 2, inFull)).toBeUndefined()
  })

  test("R10: the text is the input without marks, in any cutting; silence is told of no answer with words", () => {
    const pieces = fc.constantFrom("<empty_reply>", "<", "empty", "_reply", ">", "<empty_", " ", "\n", "hi", "😊")
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), fc.integer(), (list, seed) => {
        const text = list.join("")
        const left = text.replaceAll("<empty_reply>", "")
        const parts = readParts([text], pass)
        expect(textOf(parts)).toBe(left)
        expect(parts.some(({ type }) => type === "empty-reply")).toBe(left !== text && left.trim() === "")
        expect(readParts(cutRandomly(text, mulberry32(seed)), pass)).toEqual(parts)
      }),
      { numRuns: runs(2_000) },
    )
  })

  test("R10: the stages get no empty text, so a reader of a format needs no case for it", () => {
    const given: string[] = []
    const push = (part: OutputPart) => {
      given.push(part.type === "text" ? part.delta : part.type)
      return []
    }
    const stages = withEmptyReply({ push, end: () => [] })
    for (const delta of ["", "<empty_reply>", "a<empty_reply><empty", "_reply>", "b", ""]) stages.push({ type: "text", delta })
    stages.push({ type: "emotion", emotion: "calm" })
    stages.end()
    expect(given).toEqual(["a", "b", "emotion"])
  })

  test("R10: no more than a beginning of the mark is held back", () => {
    const reader = pass()
    expect(inShort(reader.push({ type: "text", delta: "hi <empty" }))).toEqual(["hi "])
    expect(inShort(reader.push({ type: "text", delta: "! <" }))).toEqual(["<empty! "])
    expect(inShort(reader.push({ type: "emotion", emotion: "a" }))).toEqual(["<", "{a}"])
    expect(inShort(reader.end())).toEqual([])
  })
})
