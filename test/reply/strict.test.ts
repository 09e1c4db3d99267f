import { describe, expect, test } from "vitest"
import { mulberry32 } from "../../src/core/mulberry.ts"
import { createDecisionReader, readDecision } from "../../src/reply/decision-reader.ts"
import { generateOutput } from "./outputs.ts"
import { cutAt, cutRandomly, differences, everyCutting, faultsOf, readPieces } from "./readings.ts"
import { shortOutputs } from "./short-outputs.ts"

const strict = () => createDecisionReader({ strict: true })

describe("strict reading turns the ladder off", () => {
  test.each([
    '{"action":"finish","message":"ok"}',
    ' \n{"message":"a\\u0062","action":"finish"}\r\n ',
    '{"action":"tool","tool":"t","args":{}}',
    '{"action":"tool","tool":"t"}',
  ])("T21: strict accepts %j", (text) => {
    expect(readDecision(text, { strict: true })).toEqual(readDecision(text))
    expect(readPieces([...text], strict).decision).toEqual(readDecision(text))
  })

  test.each([
    ["prose before", 'ok {"action":"finish","message":"no"}', "not-json"],
    ["prose after", '{"action":"finish","message":"no"} ok', "not-json"],
    ["a fence", '```json\n{"action":"finish","message":"no"}\n```', "not-json"],
    ["a thought", '<think></think>{"action":"finish","message":"no"}', "not-json"],
    ["words", "hello", "not-json"],
    ["the beginning of a tag alone", "<thi", "not-json"],
    ["the beginning of a tag behind blanks", " <", "not-json"],
    ["nothing", " ", "empty"],
    ["two objects", "{}{}", "not-json"],
    ["a list", '[{"action":"finish"}]', "not-json"],
    ["a wrapper", '{"a":{"action":"finish","message":"no"}}', "no-action"],
    ["bare keys", '{action:"finish"}', "not-json"],
    ["a raw line break", '{"action":"finish","message":"a\nb"}', "not-json"],
    ["an unknown escape", '{"action":"finish","message":"a\\x"}', "not-json"],
    ["a cut", '{"action":"finish","message":"no', "unterminated"],
    ["a missing brace", '{"action":"tool","tool":"t","args":{}', "unterminated"],
    ["an alias", '{"action":"tool","name":"t","args":{}}', "not-json"],
    ["a number for a message", '{"action":"finish","message":7}', "not-json"],
  ])("T21: strict refuses %s", (_, text, kind) => {
    expect(readDecision(text, { strict: true })).toMatchObject({ action: "unreadable", fault: { kind } })
  })

  test("T21: what a strict stream has shown stands", () => {
    expect(readPieces(['{"action":"finish","message":"ok"} and more'], strict)).toMatchObject({
      message: "ok",
      decision: { status: "repaired" },
    })
    expect(readPieces(['{"action":"finish","message":"ok'], strict)).toMatchObject({
      message: "ok",
      decision: { status: "truncated" },
    })
    expect(readPieces(['ok {"action":"finish","message":"no"}'], strict)).toMatchObject({
      message: "",
      decision: { action: "unreadable" },
    })
  })

  test("T22: strict knows the thought that a model was declared to open in, and no other", () => {
    const options = { strict: true, opensInThought: true }
    const object = '{"action":"finish","message":"ok"}'
    expect(readDecision(`<think>{a}</think>${object}`, options)).toMatchObject({ message: "ok", status: "complete" })
    expect(readDecision(`{a}</think>\n${object}`, options)).toMatchObject({ message: "ok", status: "complete" })
    expect(readDecision(`a</think>b</think>${object}`, options)).toMatchObject({ action: "unreadable" })
    expect(readPieces([`{a}</think>${object}`], () => createDecisionReader(options)).thinking).toBe("{a}")
  })

  test("T23: any cutting reads the same", () => {
    const random = mulberry32(3)
    for (const text of [...shortOutputs, ...Array.from({ length: 500 }, () => generateOutput(random).text)]) {
      const whole = readPieces([text], strict)
      const cuttings =
        text.length > 48 ? [cutRandomly(text, random)] : [...everyCutting(text, 1)].map((cuts) => cutAt(text, cuts))
      for (const pieces of cuttings) {
        const reading = readPieces(pieces, strict)
        expect([...faultsOf(reading), ...differences(whole, reading)], text).toEqual([])
      }
    }
  })
})
