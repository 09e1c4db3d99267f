import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { readDecision } from "../../src/reply/decision-reader.ts"
import { cutAt, cutRandomly, differences, everyCutting, faultsOf, readPieces, seededRandom } from "./readings.ts"

const args = { used: ["a.md", '%[b "c".md]'], maybe_used: [] }
const members = { action: "finish", message: 'Done\n"}, {', tool: "report_use", args }
const names = Object.keys(members) as (keyof typeof members)[]
const inOrder = (order: readonly (keyof typeof members)[]) =>
  JSON.stringify(Object.fromEntries(order.map((name) => [name, members[name]])))

describe("an answer with a call beside it (R16)", () => {
  test("is read whatever the order of its members, with the whole message shown", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(names, { minLength: 4 }), (order) => {
        const reading = readPieces([...inOrder(order)])
        expect(faultsOf(reading)).toEqual([])
        expect(reading.message).toBe(members.message)
        expect(reading.decision).toMatchObject({ action: "finish", call: { tool: "report_use", args } })
      }),
    )
  })

  test("reads the same in every cutting in two, and in random ones of a fenced or broken one", () => {
    const small = '{"action":"finish","message":"m","tool":"t","args":{"u":["a"]}}'
    const whole = readPieces([small])
    expect(whole.decision).toMatchObject({ message: "m", call: { tool: "t", args: { u: ["a"] } } })
    for (const cuts of everyCutting(small, 2)) expect(differences(whole, readPieces(cutAt(small, cuts)))).toEqual([])
    const text = inOrder(names)
    const random = seededRandom(16)
    for (const output of [
      `Well:\n\`\`\`json\n${text}\n\`\`\``,
      text.replace(',"tool"', ' "tool"'),
      text.replaceAll("a.md", "喵🐱"),
    ]) {
      const read = readPieces([output])
      expect(read.decision).toMatchObject({ action: "finish", message: members.message })
      for (let at = 0; at < 200; at++) expect(differences(read, readPieces(cutRandomly(output, random)))).toEqual([])
    }
  })

  test.each([
    { name: "arguments that are a text", extra: { tool: "report_use", args: "rubbish" } },
    { name: "arguments that are a list", extra: { tool: "report_use", args: [1] } },
    { name: "no arguments", extra: { tool: "report_use" } },
    { name: "a blank name", extra: { tool: " ", args: {} } },
    { name: "a name that is no text", extra: { tool: 7, args: {} } },
  ])("$name: the answer stands, and nothing is called", ({ extra }) => {
    const decision = readDecision(JSON.stringify({ action: "finish", message: "m", ...extra }))
    expect(decision).toMatchObject({ action: "finish", message: "m" })
    expect(decision).not.toHaveProperty("call")
  })

  test("cut off anywhere it is never a call with fewer arguments than were written", () => {
    const text = inOrder(names)
    for (let end = 1; end < text.length - 1; end++) {
      const { decision } = readPieces([text.slice(0, end)])
      const call = decision?.action === "finish" ? decision.call : undefined
      if (call) expect(call).toEqual({ tool: "report_use", args })
    }
  })
})
