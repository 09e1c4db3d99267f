import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { mulberry32 } from "../../src/core/mulberry.ts"
import { cutAt, cutRandomly, differences, everyCutting, faultsOf, readPieces } from "./readings.ts"

const args = { used: ["a.md", '%[b "c".md]'], maybe_used: [] }
const members = { action: "finish", message: 'Done\n"}, {', tool: "report_use", args }
const names = Object.keys(members) as (keyof typeof members)[]
const inOrder = (order: readonly (keyof typeof members)[]) =>
  JSON.stringify(Object.fromEntries(order.map((name) => [name, members[name]])))

describe("what is left out of an output is told (T14, T21)", () => {
  const call = (tool: string) => JSON.stringify({ action: "tool", tool, args: {} })
  test.each([
    { name: "the second of a list", output: `{"actions":[${call("f")},${call("g")}]}`, ignored: call("g") },
    { name: "a second one in an object that was repaired", output: `{actions:[${call("f")},${call("g")}]}`, ignored: call("g") },
    { name: "a second object with one", output: `{"a":${call("f")}} {"b":${call("g")}}`, ignored: `{"b":${call("g")}}` },
    { name: "a call without an action", output: `${call("f")}{"tool":"g","args":{}}`, ignored: '{"tool":"g","args":{}}' },
    {
      name: "a call without an action before the decision",
      output: `{"tool":"g","args":{}}${call("f")}`,
      ignored: '{"tool":"g","args":{}}',
    },
    { name: "a message beside a call", output: `${call("f").slice(0, -1)},"message":"Wait."}`, ignored: '{"message":"Wait."}' },
  ])("$name", ({ output, ignored }) => {
    const { decision, events } = readPieces([output])
    expect(decision).toMatchObject({ action: "tool", tool: "f" })
    expect(events.at(-1)).toMatchObject({ ignored })
  })

  test("a call after an answer with a quote of which more text tells the meaning, however it is cut", () => {
    const output = `{"action":"finish","message":"Say "ok", "}${call("f")}`
    for (const cuts of everyCutting(output, 1))
      expect(readPieces(cutAt(output, cuts)).events.at(-1)).toMatchObject({ ignored: call("f") })
    expect(readPieces([...output]).events.at(-1)).toMatchObject({ ignored: call("f") })
  })

  test("a call without an action after an answer, and no blank message, null, or prose", () => {
    const of = (output: string) => readPieces([output]).events.at(-1)
    const answer = '{"action":"finish","message":"m"}'
    expect(of(`${answer}{"tool":"g","args":{}}`)).toMatchObject({ ignored: '{"tool":"g","args":{}}' })
    for (const quiet of [`${answer} Done: {"name":"x"}`, `${call("f").slice(0, -1)},"message":null}`, `${call("f")} ok`])
      expect(of(quiet)).toMatchObject({ ignored: undefined })
  })
})

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
    const random = mulberry32(16)
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
    { name: "a blank name", extra: { tool: " ", args: {} } },
    { name: "a name that is no text", extra: { tool: 7, args: {} } },
    { name: "a name that is no tool's", extra: { name: "Fay" } },
  ])("$name: the answer stands, nothing is called, and what was left out is told", ({ name, extra }) => {
    const { decision, message, events } = readPieces([JSON.stringify({ action: "finish", message: "m", ...extra })])
    expect(decision).toMatchObject({ action: "finish", message: "m" })
    expect(message).toBe("m")
    expect(decision).not.toHaveProperty("call")
    const isNone = name === "a blank name" || name === "a name that is no tool's"
    expect(events.at(-1)).toMatchObject({ ignored: isNone ? undefined : JSON.stringify(extra) })
  })

  test.each([
    { name: "without arguments", extra: '"tool":"f"', args: {} },
    { name: "with null", extra: '"tool":"f","args":null', args: {} },
    { name: "with arguments as text", extra: '"tool":"f","args":"{\\"a\\":1}"', args: { a: 1 } },
    { name: "under other names", extra: '"name":"f","arguments":{"a":1}', args: { a: 1 } },
  ])("a call $name is read as one alone is", ({ extra, args }) => {
    const { decision, events } = readPieces([`{"action":"finish","message":"m",${extra}}`])
    expect(decision).toMatchObject({ action: "finish", message: "m", call: { tool: "f", args } })
    expect(events.at(-1)).toMatchObject({ ignored: undefined })
  })

  test("a call of an answer that was cut off is told and never run", () => {
    const { decision, events } = readPieces(['{"action":"finish","message":"m","tool":"f"'])
    expect(decision).toMatchObject({ action: "finish", message: "m" })
    expect(decision).not.toHaveProperty("call")
    expect(events.at(-1)).toMatchObject({ ignored: '{"tool":"f"}' })
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
