import { describe, expect, test } from "vitest"
import { faultsOf, readPieces } from "./readings.ts"

const finish = (rest: string) => `{"action":"finish","message":"${rest}`

describe("a message in a broken object", () => {
  test.each([
    { name: "inner quotes", rest: 'say "hi" now"}', message: 'say "hi" now', status: "repaired" },
    { name: "inner quotes at its end", rest: 'say "hi""}', message: 'say "hi"', status: "repaired" },
    { name: "Chinese inner quotes", rest: '他说"好"，然后走了"}', message: '他说"好"，然后走了', status: "repaired" },
    { name: "inner quotes before a colon", rest: 'the "two" numbers: 4"}', message: 'the "two" numbers: 4', status: "repaired" },
    { name: "a comma too many after it", rest: 'hi",}', message: "hi", status: "repaired" },
    { name: "a comment after it", rest: 'hi" // it\'s "so"\n}', message: "hi", status: "repaired" },
    { name: "no brace after it", rest: 'hi"\n```\n', message: "hi", status: "repaired" },
    { name: "another object after it", rest: 'hi"{"action":"tool","tool":"t"}', message: "hi", status: "repaired" },
    { name: "a note after it without a comma", rest: 'hi" "note":"x"}', message: "hi", status: "repaired" },
    { name: "words after it", rest: 'hi" and more', message: "hi", status: "truncated" },
    { name: "a lone inner quote", rest: 'a 6" pipe, please"}', message: "a 6", status: "truncated" },
    {
      name: "an inner quotation that may be its end",
      rest: 'say "hi", note: be kind"}',
      message: 'say "hi',
      status: "truncated",
    },
    { name: "no closing quote", rest: "hi.}", message: "hi.", status: "truncated" },
    { name: "no closing quote, in a fence", rest: "hi.\n}\n```\nDone.", message: "hi.", status: "truncated" },
    { name: "no closing quote before another object", rest: 'hi.}{"action":"tool"}', message: "hi.", status: "truncated" },
    { name: "a closing quote that was escaped", rest: 'C:\\"}', message: "C:", status: "truncated" },
    { name: "a closing quote that was escaped, and a note", rest: 'C:\\", "note":"x"}', message: "C:", status: "truncated" },
    {
      name: "a backslash that escapes nothing behind what may be its end",
      rest: 'a}\n\\d b"}',
      message: "a}\n\\d b",
      status: "repaired",
    },
  ])("T21, T23: with $name is shown as far as it is clear, the same character by character", ({ rest, message, status }) => {
    const text = finish(rest)
    for (const reading of [readPieces([text]), readPieces([...text])]) {
      expect(faultsOf(reading)).toEqual([])
      expect(reading.decision).toEqual({ action: "finish", message, status })
    }
  })

  test("T23: JSON after a message is JSON, however long its names", () => {
    const text = `${finish("hi")}" , "${"long ".repeat(30)}" : 1, "\\"x\\n": "y"}`
    expect(readPieces([...text]).decision).toEqual({ action: "finish", message: "hi", status: "complete" })
  })

  test.each(["use } here", 'a \\"}\\" b', "}", "a }{ b", 'she said \\"hi\\"', "f(){}}", "{", "a,\\n}"])(
    "T23: %s, in JSON, is shown whole",
    (raw) => {
      const text = finish(`${raw}"}`)
      const { message } = JSON.parse(text) as { message: string }
      for (const reading of [readPieces([text]), readPieces([...text])]) {
        expect(reading.decision).toEqual({ action: "finish", message, status: "complete" })
        expect(reading.message).toBe(message)
      }
    },
  )
})
