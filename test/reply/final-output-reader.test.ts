import fc from "fast-check"
import { beforeAll, describe, expect, test, vi } from "vitest"
import { createFinalOutputReader, loadDecisions } from "../../src/reply/final-output-reader.ts"

beforeAll(loadDecisions)

function read(chunks: readonly string[], options = {}): { text: string; thinking: string } {
  const reader = createFinalOutputReader(options)
  const parts = [...chunks.flatMap((chunk) => reader.push(chunk)), ...reader.end()]
  expect(parts.filter(({ delta }) => delta === "")).toEqual([])
  const joined = (type: string) => parts.flatMap((part) => (part.type === type ? [part.delta] : [])).join("")
  return { text: joined("text"), thinking: joined("thinking") }
}

const cases: readonly [what: string, output: string, shown: string][] = [
  ["prose", "好的主人，{花括号}也行。", "好的主人，{花括号}也行。"],
  ["a finish in planner JSON", '{"action":"finish","message":"好的\\n主人"}', "好的\n主人"],
  ["a finish in a fence", '```json\n{"action":"finish","message":"好的"}\n```', "好的"],
  ["a tool call, which nobody can run any more", '{"action":"tool","tool":"x","args":{"a":1}}', ""],
  ["a truncated tool call", '{"action":"tool","tool":"x","args":{"a":"b', ""],
  ["a truncated tool call in single quotes", "{'action': 'tool', 'tool': 'x', 'args': {'a': 'b", ""],
  ["JSON that is no decision", '{"city":"北京"}', '{"city":"北京"}'],
  ["JSON in a fence that is no decision", '```json\n{"city":"北京"}\n```', '```json\n{"city":"北京"}\n```'],
  ["code in a fence", "```ts\nconst x = {}\n```", "```ts\nconst x = {}\n```"],
  ["inline code", "`x` 是变量", "`x` 是变量"],
  ["an open fence", "```", "```"],
  ["nothing", "", ""],
  ["a thought alone", "<think>hm</think>", ""],
  ["an open thought alone", "<think>hm", ""],
  ["blanks", " \n", " \n"],
]

describe("the final output", () => {
  test.each([" ", "\n", "\r", "```json\n "])("T12 is looked at once, however many blanks come first: %j", (opening) => {
    const blanks = [...opening, ...opening.slice(-1).repeat(1_000)]
    const looks = vi.spyOn(String.prototype, "trimStart")
    const { text } = read([...blanks, "{", "好"])
    const count = looks.mock.calls.length
    looks.mockRestore()
    expect(text).toBe(`${blanks.join("")}{好`)
    expect(count).toBeLessThan(30)
  })

  test.each(cases)("T12 T21 shows of %s what is meant for the user, however it is cut", (_what, output, shown) => {
    expect(read([output]).text).toBe(shown)
    for (let at = 0; at <= output.length; at++) {
      expect(read([output.slice(0, at), output.slice(at)]).text).toBe(shown)
    }
    expect(read([...output]).text).toBe(shown)
  })

  test("T21 JSON waits for the code that reads it, which is loaded then, also behind the end", async () => {
    const decision = '{"action":"finish","message":"好的"}'
    const shown = [{ type: "text", delta: "好的" }]
    vi.resetModules()
    const fresh = await import("../../src/reply/final-output-reader.ts")
    const [reader, late] = [fresh.createFinalOutputReader(), fresh.createFinalOutputReader()]
    expect([reader.push("Hi."), reader.waits]).toEqual([[{ type: "text", delta: "Hi." }], undefined])
    const json = fresh.createFinalOutputReader()
    expect([json.push(decision.slice(0, 9)), json.push(decision.slice(9, 20)), late.push(decision), late.end()]).toEqual([
      [],
      [],
      [],
      [],
    ])
    expect([json.waits, late.waits]).toEqual([expect.any(Promise), expect.any(Promise)])
    await Promise.all([json.waits, late.waits])
    expect([...json.push(decision.slice(20)), ...json.end()]).toEqual(shown)
    expect(late.end()).toEqual(shown)
    expect([json.waits, late.waits]).toEqual([undefined, undefined])
  })

  test("T22 thinking goes before, and prose streams from its first character", () => {
    expect(read(["<think>嗯", "</think>", "好。"])).toEqual({ text: "好。", thinking: "嗯" })
    const reader = createFinalOutputReader()
    expect(reader.push("好")).toEqual([{ type: "text", delta: "好" }])
    for (const begins of ["`x", `\`\`\`${"a".repeat(20)}`])
      expect(createFinalOutputReader().push(begins)).toEqual([{ type: "text", delta: begins }])
    for (const begins of ["``", "```json", "```\n"]) expect(createFinalOutputReader().push(begins)).toEqual([])
  })

  test("T23 any cutting of any output gives the same text", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.constantFrom("", "{", "```json\n{", '{"action":"finish","message":"'),
        fc.array(fc.nat(40)),
        (tail, head, cuts) => {
          const output = head + tail
          const chunks: string[] = []
          let at = 0
          for (const size of cuts) {
            chunks.push(output.slice(at, at + size))
            at += size
          }
          expect(read([...chunks, output.slice(at)])).toEqual(read([output]))
        },
      ),
    )
  })
})
