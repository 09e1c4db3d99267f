import { describe, expect, test } from "vitest"
import { mulberry32 } from "../../src/core/mulberry.ts"
import { configureFormat, emotionBracket, emotionPipe, formats } from "../../src/reply/output/formats.ts"
import type { OutputPart } from "../../src/reply/output/output-part.ts"
import { createOutputReader } from "../../src/reply/output/output-reader.ts"
import { readParts, textOf } from "../reply/output/parts.ts"
import { cutRandomly } from "../reply/readings.ts"
import { dataPresent, hostileStrings, triedOf } from "../support/corpora.ts"

const listed = [emotionPipe, emotionBracket].map((format) => configureFormat(format, { emotions: ["happy", "😊"] }))
const setups = [...formats, ...listed].flatMap((format) => [true, false].map((bubbles) => ({ format, bubbles })))

/** Words for the user and emotions, in order, without what tags and marks are made of and what goes with them. */
const substance = (text: string) => text.replaceAll(/<empty_reply>|@br|[[\]［］【】|｜*\s\u0085]/g, "")
const wordsOf = (parts: readonly OutputPart[]) =>
  parts.map((part) => (part.type === "text" ? part.delta : part.type === "emotion" ? part.emotion : "")).join("")

/** The string as it is, under a tag, on a line of its own between marks, and as an emotion. */
const answersWith = (text: string) => [text, `[happy] ||| ${text}`, `[happy] a\n@br\n${text}\n@br[sad]|||b`, `[${text}] ||| c`]

describe.skipIf(!dataPresent)("answers with hostile strings", () => {
  test("L4, R9, R10: nothing of them is lost, and any cutting reads the same", () => {
    const random = mulberry32(5)
    const strings = hostileStrings()
    const wrong = triedOf(strings.flatMap(answersWith), 0, 13).filter((answer) =>
      setups.some(({ format, bubbles }) => {
        const make = () => createOutputReader({ format, bubbles })
        const whole = readParts([answer], make)
        const cut = readParts(cutRandomly(answer, random), make)
        return substance(wordsOf(whole)) !== substance(answer) || JSON.stringify(cut) !== JSON.stringify(whole)
      }),
    )
    expect(strings.length).toBeGreaterThan(1_000)
    expect(wrong).toEqual([])
  })

  test("L4: plain and without bubbles, each comes out as it is", () => {
    const changed = hostileStrings().filter((text) => textOf(readParts([text], createOutputReader)) !== text)
    expect(changed).toEqual([])
  })
})
