import { describe, expect, test } from "vitest"
import { mulberry32 } from "../../src/core/mulberry.ts"
import { runs, seedOf } from "../support/size.ts"
import { generateOutput } from "./outputs.ts"
import { cutRandomly, differences, faultsOf, readPieces } from "./readings.ts"

const damage = [
  "{",
  "}",
  '"',
  "'",
  ",",
  ":",
  "\\",
  "[",
  "]",
  "<think>",
  "</think>",
  "\n",
  "x",
  "action",
  "\uD83D",
  "\\u",
  "```\n",
]

/** `text` with a few places left out, doubled or replaced. */
function damaged(text: string, random: () => number): string {
  let result = text
  for (let wound = 0; wound <= random() * 3; wound++) {
    const at = Math.floor(random() * result.length)
    const put = random() < 0.4 ? "" : (damage[Math.floor(random() * damage.length)] ?? "")
    result = result.slice(0, at) + put + result.slice(at + Math.floor(random() * 3))
  }
  return result
}

describe("damaged planner outputs", () => {
  test("T23: damaged outputs are read soundly, and the same in any cutting", () => {
    const random = mulberry32(seedOf(7))
    const wrong: string[] = []
    for (let output = 0; output < runs(20_000); output++) {
      const text = damaged(generateOutput(random).text, random)
      const whole = readPieces([text])
      const cut = readPieces(cutRandomly(text, random))
      const faults = [...faultsOf(whole), ...faultsOf(cut), ...differences(whole, cut)]
      if (faults.length > 0) wrong.push(`${JSON.stringify(text)}: ${faults.join("; ")}`)
    }
    expect(wrong.slice(0, 5)).toEqual([])
  })

  test("T21: an output that ends anywhere inside its decision never yields another call, and never shows one", () => {
    const random = mulberry32(seedOf(11))
    const wrong: string[] = []
    let calls = 0
    for (let output = 0; output < runs(3_000); output++) {
      const { text, tool, objectAt, objectEnd } = generateOutput(random)
      if (!tool) continue
      for (let end = objectAt + 1; end < objectEnd; end += 1 + Math.floor(random() * 3)) {
        const { decision, message } = readPieces([text.slice(0, end)])
        const call = decision?.action === "tool" ? { name: decision.tool, args: decision.args } : undefined
        if (call) calls++
        const isWrong = message !== "" || decision?.action === "finish" || (call && JSON.stringify(call) !== JSON.stringify(tool))
        if (isWrong) wrong.push(`${JSON.stringify(text.slice(0, end))}: ${JSON.stringify(decision)}`)
      }
    }
    expect(wrong.slice(0, 5)).toEqual([])
    expect(calls).toBeGreaterThan(0)
  })

  test("T21: an output that ends inside its message has shown a beginning of it, and never calls it complete", () => {
    const random = mulberry32(seedOf(13))
    const wrong: string[] = []
    for (let output = 0; output < runs(3_000); output++) {
      const { text, tool, message, objectAt, objectEnd } = generateOutput(random)
      if (tool) continue
      const end = objectAt + 1 + Math.floor(random() * (objectEnd - objectAt - 1))
      const reading = readPieces([text.slice(0, end)])
      const isRight = message.startsWith(reading.message.replace(/\uFFFD$/, "")) && reading.decision?.status !== "complete"
      if (!isRight) wrong.push(`${JSON.stringify(text.slice(0, end))}: ${JSON.stringify(reading.decision)}`)
    }
    expect(wrong.slice(0, 5)).toEqual([])
  })
})
