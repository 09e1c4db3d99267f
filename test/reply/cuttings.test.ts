import { describe, expect, test } from "vitest"
import { mulberry32 } from "../../src/core/mulberry.ts"
import { createDecisionReader } from "../../src/reply/decision-reader.ts"
import { runs, seedOf, size } from "../support/size.ts"
import { readerThatDecodesPerChunk, readerThatParsesAgain } from "./naive-readers.ts"
import { generateOutput } from "./outputs.ts"
import { cutAt, cutRandomly, differences, everyCutting, faultsOf, type MakeReader, readPieces } from "./readings.ts"
import { shortOutputs } from "./short-outputs.ts"

/** The first cutting of `text` in `places` places that reads differently, or unsoundly. */
function unsoundCutting(text: string, places: number, make: MakeReader = createDecisionReader): string | undefined {
  const whole = readPieces([text], make)
  for (const cuts of everyCutting(text, places)) {
    const reading = readPieces(cutAt(text, cuts), make)
    const faults = [...faultsOf(reading), ...differences(whole, reading)]
    if (faults.length > 0) return `cut at ${cuts.join()}: ${faults.join("; ")}`
  }
  return undefined
}

describe("any cutting of one output reads the same", () => {
  for (const places of size === "quick" ? [1, 2] : [1, 2, 3]) {
    test.each(shortOutputs)(`T23: every cutting in ${places} of %j`, (text) => {
      expect(text.length).toBeLessThanOrEqual(48)
      expect(faultsOf(readPieces([text]))).toEqual([])
      expect(unsoundCutting(text, places)).toBeUndefined()
    })
  }

  test("T23: random cuttings of generated outputs yield the same events, joined, and the same decision", () => {
    const random = mulberry32(seedOf(23))
    const wrong: string[] = []
    for (let output = 0; output < runs(1_000); output++) {
      const { text } = generateOutput(random)
      const whole = readPieces([text])
      for (let cutting = 0; cutting < 100; cutting++) {
        const reading = readPieces(cutRandomly(text, random))
        const faults = [...faultsOf(reading), ...differences(whole, reading)]
        if (faults.length > 0) wrong.push(`${JSON.stringify(text)}: ${faults.join("; ")}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test("T22 T23: cuttings of outputs of tags, backticks, quotes and decisions yield the same", () => {
    const decisions = ['{"action":"tool","tool":"x","args":{}}', '{"action":"finish","message":"a ', '"}', "{a: "]
    const pieces = ["`", "<think>", "\n\n", '"b"', ', "}', ...decisions]
    const random = mulberry32(seedOf(24))
    const wrong: string[] = []
    for (let output = 0; output < runs(20_000); output++) {
      const count = 1 + Math.floor(random() * 12)
      const text = Array.from({ length: count }, () => pieces[Math.floor(random() * pieces.length)]).join("")
      const whole = readPieces([text])
      for (const cut of [Array.from(text), cutRandomly(text, random)]) {
        const faults = differences(whole, readPieces(cut))
        if (faults.length > 0) wrong.push(`${JSON.stringify(text)}: ${faults.join("; ")}`)
      }
    }
    expect(wrong).toEqual([])
  })

  test.each([
    { name: "decodes escapes chunk by chunk", make: readerThatDecodesPerChunk },
    { name: "parses everything again at each chunk", make: readerThatParsesAgain },
  ])("a reader that $name is caught", ({ make }) => {
    const caught = shortOutputs.filter((text) => unsoundCutting(text, 1, make) !== undefined)
    expect(caught.length).toBeGreaterThanOrEqual(3)
  })
})
