import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { MessageTail } from "../../src/reply/message-tail.ts"

/** What is shown of a message that comes character by character, raw, and then ends with the output. */
function shown(raw: string): string {
  const tail = new MessageTail()
  return Array.from(raw, (character) => tail.push(character, false)).join("")
}

describe("the end of a message whose closing quote is missing", () => {
  test.each([
    ["Hello.}", "Hello."],
    ["Hello.}}]\n", "Hello."],
    ["Hello.\n}", "Hello."],
    ["Hello.}\n```\nThat is it.", "Hello."],
    ['Hello.}\n{"action":', "Hello."],
    ["a {b} c", "a {b} c"],
    ["a } b", "a } b"],
    ["a }\n} b", "a "],
    ["a\nb", "a\nb"],
    ["{\n}", "{\n}"],
  ])("T21: of %j %j is shown", (raw, message) => {
    expect(shown(raw)).toBe(message)
  })

  test("an escaped quote waits for what follows: it may have been meant to close", () => {
    const tail = new MessageTail()
    expect(tail.push("C:", false) + tail.push('"', true) + tail.push("\n}", false)).toBe("C:")
    const other = new MessageTail()
    expect(other.push("a ", false) + other.push('"', true) + other.push("b", false) + other.push('"', true)).toBe('a "b')
    expect(other.release()).toBe('"')
  })

  test("T23: what is shown and what is held are the message, unless it has ended", () => {
    const pieces = fc.tuple(fc.string({ unit: fc.constantFrom("a", "}", "{", "\n", " ", ",", "]"), maxLength: 6 }), fc.boolean())
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 8 }), (parts) => {
        const tail = new MessageTail()
        const text = parts.map(([part, isEscape]) => tail.push(part, isEscape)).join("") + tail.release()
        const message = parts.map(([part]) => part).join("")
        expect(tail.ended ? message.startsWith(text) : text === message).toBe(true)
      }),
      { numRuns: 5_000 },
    )
  })
})
