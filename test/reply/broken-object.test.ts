import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { BrokenObject, ObjectOpening } from "../../src/reply/broken-object.ts"
import { readPieces } from "./readings.ts"

const decision = '{"action":"finish","message":"ok"}'

describe("an object that is no JSON", () => {
  test.each(["{a: {b: [1, {c}]}}", '{a: \'}\', b: "}\\"}"}', "{a: “}”}", "{a: it's {x}}", "{'a}': [}'}", "{\"a\": x, '{': 1}"])(
    "T21: %s is followed to its end, and what comes after it streams",
    (object) => {
      const events = readPieces([`${object} `, ...decision]).events
      expect(events.filter((event) => event.type === "message-delta").map((event) => event.delta)).toEqual(["o", "k"])
    },
  )

  test.each([
    '{k:`<think>} {note:`, {"action":"tool","tool":"x","args":{}}}',
    '{k:`<think>} {note: say `, "data": {"action":"tool","tool":"x","args":{}}}',
  ])("T21: no call inside one is carried out, though a tag in code stands before it: %s", (text) => {
    for (const pieces of [[text], [...text]])
      expect(readPieces(pieces).decision).toMatchObject({ action: "unreadable", fault: { kind: "not-json" } })
  })

  test.each([..."{}[]<>,;\n\r"])("a bare name does not hold %j: such a brace is prose", (sign) => {
    const opening = new ObjectOpening()
    expect([opening.feed("a"), opening.feed(sign)]).toEqual([undefined, "prose"])
  })

  test("a bare name has at most 40 characters, and one in quotes 64", () => {
    const fateOf = (text: string) => {
      const opening = new ObjectOpening()
      return Array.from(text, (character) => opening.feed(character)).find((fate) => fate !== undefined)
    }
    expect([40, 41].map((count) => fateOf(`${"a".repeat(count)}:`))).toEqual(["object", "prose"])
    expect([64, 65].map((count) => fateOf(`"${"a".repeat(count)}":`))).toEqual(["object", "prose"])
  })

  test("T21: it mentions an action exactly when the word stands in it, however it is cut", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom("a", "c", "ac", "act", "action", "n"), maxLength: 4 })), (runs) => {
        const object = new BrokenObject({ depth: 1, expectsToken: true, mentionsAction: false })
        for (const run of runs) object.text(run)
        expect(object.mentionsAction).toBe(runs.join("").includes("action"))
      }),
      { numRuns: 2_000 },
    )
  })
})
