import { describe, expect, test } from "vitest"
import { mulberry32 } from "../../src/core/mulberry.ts"
import { createDecisionReader } from "../../src/reply/decision-reader.ts"
import { runs, seedOf } from "../support/size.ts"
import { readerThatDecodesPerChunk, readerThatParsesAgain, readerThatWaits } from "./naive-readers.ts"
import { type GeneratedOutput, generateOutput } from "./outputs.ts"
import { faultsOf, type MakeReader, readPieces } from "./readings.ts"

const count = runs(12_000)

/** The longest a message character was held back past its own encoding and the action, in characters of output. */
function longestHold({ text, encodedUntil, actionKnownAt }: GeneratedOutput, make: MakeReader): number {
  const reader = make()
  let shown = 0
  let longest = 0
  const take = (events: ReturnType<typeof reader.push>, at: number) => {
    for (const event of events) {
      if (event.type !== "message-delta") continue
      for (let unit = 0; unit < event.delta.length; unit++, shown++) {
        longest = Math.max(longest, at - Math.max(encodedUntil[shown] ?? 0, actionKnownAt))
      }
    }
  }
  for (let at = 0; at < text.length; at++) take(reader.push(text.charAt(at)), at + 1)
  take(reader.end(), text.length)
  return longest
}

/** What a reader makes wrong of an output: characters shown that are not the message, another decision, a long hold. */
function mistakes(output: GeneratedOutput, make: MakeReader): string[] {
  const reading = readPieces([...output.text], make)
  const wrong = faultsOf(reading)
  if (reading.message !== output.message)
    wrong.push(`showed ${JSON.stringify(reading.message)} for ${JSON.stringify(output.message)}`)
  const { decision } = reading
  if (output.tool) {
    const call = decision?.action === "tool" ? { name: decision.tool, args: decision.args } : decision
    if (JSON.stringify(call) !== JSON.stringify(output.tool)) wrong.push(`decided ${JSON.stringify(decision)}`)
  } else if (decision?.action !== "finish") wrong.push(`decided ${JSON.stringify(decision)}`)
  const hold = longestHold(output, make)
  if (hold > 8) wrong.push(`held a character back for ${hold}`)
  return wrong.length === 0 ? [] : [`${JSON.stringify(output.text)}: ${wrong.join("; ")}`]
}

function mistakesOf(make: MakeReader, seed: number, outputs: number): string[] {
  const random = mulberry32(seedOf(seed))
  return Array.from({ length: outputs }, () => mistakes(generateOutput(random), make)).flat()
}

describe("generated planner outputs: thinking × fences × prose × key order × escapes × decoy objects", () => {
  test(`T21, T22, T23: of ${count} outputs, nothing but the message is shown, no character held back more than 8, each decision right`, () => {
    expect(mistakesOf(createDecisionReader, 21, count).slice(0, 5)).toEqual([])
  })

  test("the outputs are what they claim to be: tools and answers, with each kind of surroundings", () => {
    const random = mulberry32(seedOf(21))
    const outputs = Array.from({ length: count }, () => generateOutput(random))
    const share = (holds: (output: GeneratedOutput) => boolean) => outputs.filter(holds).length / count
    expect(share((output) => output.tool !== undefined)).toBeGreaterThan(0.2)
    for (const pattern of [
      /<think>/i,
      /<thinking>/,
      /```|~~~/,
      /\{"city"/,
      /\\u/,
      /"action".*"message"/s,
      /"message".*"action"/s,
      /NO/,
    ]) {
      expect(share(({ text }) => pattern.test(text))).toBeGreaterThan(0.05)
    }
  })

  test.each([
    { name: "decodes escapes chunk by chunk", make: readerThatDecodesPerChunk },
    { name: "parses everything again at each chunk", make: readerThatParsesAgain },
    { name: "waits and takes the first brace to the last", make: readerThatWaits },
  ])("a reader that $name is caught in most of them", ({ make }) => {
    expect(mistakesOf(make, 21, 500).length).toBeGreaterThan(250)
  })
})
