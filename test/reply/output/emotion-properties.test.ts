import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { mulberry32 } from "../../../src/core/mulberry.ts"
import { emotionBracket, emotionPipe } from "../../../src/reply/output/formats.ts"
import type { OutputPart } from "../../../src/reply/output/output-part.ts"
import { runs } from "../../support/size.ts"
import { cutRandomly } from "../readings.ts"
import { joinTexts, readParts, stageOf, textOf } from "./parts.ts"

const formats = [emotionPipe, emotionBracket]
const lists = [undefined, ["a", "😊"]]
const setups = formats.flatMap((format) => lists.map((emotions) => ({ format, emotions, name: `${format.name}, ${emotions}` })))

/** What tags are made of, and what lies between. */
const pieces = fc.constantFrom(
  ..."[ ] ［ ］ 【 】 | || ||| ｜ * ** *** a b 😊 好 1 12:30 ( ) @ @br @b < : \n \r \r\n \t \u3000 \u2028".split(" "),
  " ",
  "  ",
  " ".repeat(15),
  "a".repeat(31),
  "[a] ||| ",
  "[😊] ",
  "\n[b] ||| ",
  "\n@br\n[c] ",
)
const hostile = fc.array(pieces, { maxLength: 24 }).map((list) => list.join(""))

/** Everything but what tags are made of. */
const substance = (text: string) => text.replaceAll(/[[\]［］【】|｜*\s\u0085]/g, "")

describe.each(setups)("$name", ({ format, emotions }) => {
  const make = stageOf(format, emotions)

  test("L4: any cutting reads the same", () => {
    fc.assert(
      fc.property(hostile, fc.integer(), (text, seed) => {
        const whole = readParts([text], make)
        expect(readParts(cutRandomly(text, mulberry32(seed)), make)).toEqual(whole)
        expect(readParts(text.split(""), make)).toEqual(whole)
      }),
      { numRuns: runs(3_000) },
    )
  })

  test("L4: no word is lost: texts and emotions, in order, are the input without brackets, bars and blanks", () => {
    fc.assert(
      fc.property(fc.oneof(hostile, fc.string({ unit: "binary" })), (text) => {
        const words = readParts([text], make).map((part) => {
          return part.type === "text" ? part.delta : part.type === "emotion" ? part.emotion : ""
        })
        expect(substance(words.join(""))).toBe(substance(text))
      }),
      { numRuns: runs(3_000) },
    )
  })

  test("L4: output without an emotion is text as it stands, with at most one warning, and with one if it has words", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const parts = readParts([text], make)
        const warnings = parts.filter((part) => part.type === "warning")
        fc.pre(parts.every((part) => part.type !== "emotion"))
        expect(textOf(parts)).toBe(text)
        expect(warnings).toHaveLength(text.trim() === "" ? 0 : 1)
      }),
      { numRuns: runs(3_000) },
    )
  })

  test("L4: no more than a tag is held back", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const stage = make()
        let waiting = ""
        for (const delta of text.split("")) {
          const parts = stage.push({ type: "text", delta })
          waiting = parts.length > 0 ? "" : waiting + delta
          if (waiting.trim() !== "") expect(waiting.trim().length).toBeLessThanOrEqual(72)
        }
        stage.end()
      }),
    )
  })
})

/** Answers as the prompt asks for them, and how they read. */
const names = fc.constantFrom("开心", "happy", "😊", "a bit shy", "好奇")
const lines = fc.constantFrom("你好。", "Hi!", "a [b] c", "1 | 2", "**bold**", "😊", "`[x] |||`")
const answer = fc.array(
  fc.record({ emotion: names, brackets: fc.constantFrom("[]", "［］", "【】"), bar: fc.constantFrom("|", "｜"), said: lines }),
  { minLength: 1, maxLength: 6 },
)

describe("answers in form", () => {
  test("L4: each tagged line of emotion_pipe is an emotion and its text", () => {
    fc.assert(
      fc.property(answer, fc.constantFrom("\n", "\r\n", "\n@br\n", "\n\n"), fc.integer(), (tagged, between, seed) => {
        const text = tagged
          .map(({ emotion, brackets, bar, said }) => `${brackets[0]}${emotion}${brackets[1]} ${bar.repeat(3)} ${said}`)
          .join(between)
        const expected = tagged.flatMap(({ emotion, said }, index): OutputPart[] => [
          { type: "emotion", emotion },
          { type: "text", delta: said + (index < tagged.length - 1 ? between : "") },
        ])
        expect(readParts(cutRandomly(text, mulberry32(seed)), stageOf(emotionPipe))).toEqual(joinTexts(expected))
      }),
    )
  })

  test("L4: each tagged bubble of emotion_bracket is an emotion and its text", () => {
    fc.assert(
      fc.property(answer, fc.constantFrom("\n@br\n", " @br ", "\r\n@br\r\n"), fc.integer(), (tagged, between, seed) => {
        const text = tagged.map(({ emotion, brackets, said }) => `${brackets[0]}${emotion}${brackets[1]} ${said}`).join(between)
        const kept = between.trimEnd() + (between.endsWith(" ") ? "" : between.slice(between.indexOf("r") + 1))
        const expected = tagged.flatMap(({ emotion, said }, index): OutputPart[] => [
          { type: "emotion", emotion },
          { type: "text", delta: said + (index < tagged.length - 1 ? kept : "") },
        ])
        expect(readParts(cutRandomly(text, mulberry32(seed)), stageOf(emotionBracket))).toEqual(joinTexts(expected))
      }),
    )
  })
})
