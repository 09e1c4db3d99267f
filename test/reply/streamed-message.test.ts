import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { faultsOf, readPieces } from "./readings.ts"

/** The deltas of an output that comes character by character, each with how much of the output was there. */
function shownAfter(text: string): [string, number][] {
  return Array.from(text, (_, index) => index + 1).flatMap((length) => {
    const shown = readPieces([...text.slice(0, length)]).events.filter((event) => event.type === "message-delta")
    const before =
      length === 1 ? [] : readPieces([...text.slice(0, length - 1)]).events.filter((event) => event.type === "message-delta")
    return shown.slice(before.length).map((event): [string, number] => [event.delta, length])
  })
}

describe("a message that streams", () => {
  test("T23: its characters arrive with the character of output that completes them", () => {
    expect(shownAfter('{"action":"finish","message":"a好b"}')).toEqual([
      ["a", 31],
      ["好", 32],
      ["b", 33],
    ])
  })

  test.each([
    ['\\n\\t\\"\\\\\\/\\b\\f\\r', '\n\t"\\/\b\f\r'],
    ["\\u4f60\\u597D", "你好"],
    ["\\uD83D\\uDE00", "😀"],
    ["\\uD83D", "\uFFFD"],
    ["\\uDE00x", "\uFFFDx"],
    ["\\uD83D\\n", "\uFFFD\n"],
    ["\\uD83D\\uD83D\\uDE00", "\uFFFD😀"],
    ["\\u0000", "\0"],
    ["a\nb\tc", "a\nb\tc"],
    ["\uD83D", "\uFFFD"],
    ["C:\\Users it\\'s \\(x\\)", "C:\\Users it's \\(x\\)"],
    ["\\u12G4 \\u", "\\u12G4 \\u"],
  ])("T23: %j is decoded, character by character as at once", (raw, message) => {
    const text = `{"action":"finish","message":"v${raw}."}`
    for (const reading of [readPieces([text]), readPieces(text.split(""))]) {
      expect(faultsOf(reading)).toEqual([])
      expect(reading.message).toBe(`v${message}.`)
    }
  })

  test("T23: before its action a message is held, and comes at once when the action is known", () => {
    expect(shownAfter('{"message":"abc","action":"finish","x":1}')).toEqual([["abc", 34]])
    expect(readPieces(['{"message":"abc","action":"tool","tool":"t"}'])).toMatchObject({
      message: "",
      decision: { action: "tool" },
    })
  })

  test("T23: of duplicate keys the first counts", () => {
    expect(readPieces(['{"action":"finish","message":"a","message":"b","action":"tool"}'])).toMatchObject({
      message: "a",
      decision: { message: "a" },
    })
    expect(readPieces(['{"message":"a","message":"b","action":"finish"}']).message).toBe("a")
    expect(readPieces(['{"action":"tool","tool":"t","action":"finish","message":"b"}'])).toMatchObject({
      message: "",
      decision: { tool: "t" },
    })
    expect(readPieces(['{"action":"finish","message":null,"message":"b"}'])).toMatchObject({
      message: "",
      decision: { status: "complete" },
    })
  })

  test("T23: what is nested is not the message", () => {
    const text =
      '{"plan":{"action":"tool","message":"no"},"list":[{"message":"no"}],"action":"finish","x":{"message":"no"},"message":"yes"}'
    expect(readPieces([...text]).message).toBe("yes")
  })

  test("T14: white space before the first visible character waits for it, so that a blank message is never shown", () => {
    expect(shownAfter('{"action":"finish","message":"  \\n a"}')).toEqual([["  \n a", 36]])
    expect(readPieces(['{"action":"finish","message":" \\n "}']).deltas).toEqual([])
  })

  test("T23: any text, written by JSON.stringify, streams back equal, well-formed", () => {
    const texts = fc.string({ unit: "binary", maxLength: 60 })
    fc.assert(
      fc.property(texts, fc.boolean(), fc.integer({ min: 1, max: 7 }), (message, actionFirst, size) => {
        const members = { action: "finish", message }
        const text = JSON.stringify(actionFirst ? members : { message, action: "finish" })
        const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? []
        const reading = readPieces(pieces)
        expect(faultsOf(reading)).toEqual([])
        expect(reading.message).toBe(message.trim() === "" ? "" : message.toWellFormed())
      }),
      { numRuns: 1_000 },
    )
  })
})
