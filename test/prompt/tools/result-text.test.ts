import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { capResult, normaliseResult } from "../../../src/prompt/tools/execute-tool.ts"

describe("normaliseResult", () => {
  test.each<[string, unknown, string]>([
    ["a string", " as it is\n", " as it is\n"],
    ["nothing", undefined, ""],
    ["null", null, ""],
    ["a function", () => 1, ""],
    ["a number", 42, "42"],
    ["a bigint", 42n, "42"],
    ["an object, in its own order", { b: 1, a: ["x"] }, '{"b":1,"a":["x"]}'],
    ["an empty list", [], "[]"],
    [
      "MCP text parts",
      {
        content: [
          { type: "text", text: "one" },
          { type: "text", text: "two" },
        ],
      },
      "one\ntwo",
    ],
    [
      "an MCP image without its data",
      { content: [{ type: "image", mimeType: "image/png", data: "AAAA" }] },
      '{"type":"image","mimeType":"image/png"}',
    ],
    ["an MCP resource", { content: [{ type: "resource", resource: { uri: "a:b", text: "words" } }] }, "words"],
    [
      "an MCP blob without its data",
      { content: [{ type: "resource", resource: { uri: "a:b", blob: "AAAA" } }] },
      '{"type":"resource","resource":{"uri":"a:b"}}',
    ],
    ["no MCP parts", { content: [] }, ""],
    ["MCP structured content alone", { content: [], structuredContent: { a: 1 } }, '{"content":[],"structuredContent":{"a":1}}'],
    ["content that is not MCP's", { content: ["a", 1] }, '{"content":["a",1]}'],
  ])("reads %s", (_name, value, text) => expect(normaliseResult(value)).toBe(text))

  test("makes text of anything and never throws", () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withMap: true, withSet: true, withDate: true }), (value) => {
        expect(typeof normaliseResult(value)).toBe("string")
      }),
    )
  })

  test("survives values that refuse to be looked at", () => {
    const refuse = () => {
      throw new Error("no")
    }
    expect(normaliseResult(new Proxy({}, { get: refuse, has: refuse, ownKeys: refuse, getPrototypeOf: refuse }))).toBe(
      '"[unreadable]"',
    )
  })
})

const notice = (kept: number, total: number): string => `\n[${kept}/${total}]\n`
const characters = (text: string): number => [...text].length

describe("capResult", () => {
  test("leaves a text within its limit as it is", () => {
    expect(capResult("x".repeat(100), 100, notice)).toEqual({ text: "x".repeat(100) })
    expect(capResult("😀".repeat(100), 100, notice)).toEqual({ text: "😀".repeat(100) })
  })

  test("keeps 70 % from the head and 20 % from the tail around the notice", () => {
    const text = Array.from({ length: 1_000 }, (_, at) => String(at % 10)).join("")
    const capped = capResult(text, 100, notice)
    expect(capped).toEqual({ text: `${text.slice(0, 70)}\n[90/1000]\n${text.slice(-20)}`, cappedFromCharacters: 1_000 })
    // 0.7 × 90 is less than 63 in floating point.
    expect(capResult(text, 90, notice).text).toBe(`${text.slice(0, 63)}\n[81/1000]\n${text.slice(-18)}`)
  })

  test.each([
    ["families", "👨‍👩‍👧‍👦"],
    ["flags", "🇨🇳"],
    ["combining marks", "ê̂̂"],
    ["line ends", "\r\n"],
    ["Hangul by letters", "한"],
  ])("never parts %s", (_name, cluster) => {
    for (let max = 100; max < 115; max++) {
      const [head = "", , tail = ""] = capResult(cluster.repeat(500), max, () => "|cut|")
        .text.split("|")
        .map((part, at) => (at === 1 ? "" : part))
      expect(head).toBe(cluster.repeat(head.length / cluster.length))
      expect(tail).toBe(cluster.repeat(tail.length / cluster.length))
      expect(head.length).toBeGreaterThan(0)
    }
  })

  test("keeps to the limit and to the text's own ends, whatever the text", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "\u0301", "🇨", "🇳", "\u200d", "👩", "\n", "\r", "\ud83d", "한"),
      minLength: 0,
      maxLength: 3_000,
    })
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 200 }), (whole, max) => {
        const seen: number[] = []
        const capped = capResult(whole, max, (kept, total) => {
          seen.push(kept, total)
          return "<cut>"
        })
        if (capped.cappedFromCharacters === undefined) {
          expect(capped.text).toBe(whole)
          return
        }
        const at = capped.text.indexOf("<cut>")
        const head = capped.text.slice(0, at)
        const tail = capped.text.slice(at + "<cut>".length)
        expect(whole.startsWith(head) && whole.endsWith(tail)).toBe(true)
        expect(characters(head)).toBeLessThanOrEqual((max * 7) / 10)
        expect(characters(tail)).toBeLessThanOrEqual((max * 2) / 10)
        expect(seen).toEqual([characters(head) + characters(tail), characters(whole)])
        expect(capped.cappedFromCharacters).toBe(characters(whole))
      }),
    )
  })

  test("cuts inside a cluster longer than any real one rather than keep nothing", () => {
    const { text } = capResult(`a${"\u0301".repeat(50_000)}`, 1_000, () => "|")
    expect(text.length).toBeGreaterThan(700)
  })
})
