import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { PromptStrataErrorOf } from "../../../src/core/errors.ts"
import { lineDiff } from "../../../src/node/workspace/line-diff.ts"
import { decodeText, giveShape, takeShape, toBytes } from "../../../src/node/workspace/text-encoding.ts"

const lines = fc
  .array(fc.constantFrom("a", "b", "雨", "", "\r", "\r\n", "\n", "\uFEFF", "c\n", "d\r\n"))
  .map((parts) => parts.join(""))

describe("a text's shape", () => {
  test.each([
    ["a\nb\n", "a\nb\n", false, "\n"],
    ["a\r\nb\r\n", "a\nb\n", false, "\r\n"],
    ["\uFEFFa\r\nb", "a\nb", true, "\r\n"],
    ["a\r\nb\n", "a\r\nb\n", false, "mixed"],
    ["a\rb\r\n", "a\rb\r\n", false, "mixed"],
    ["", "", false, "\n"],
  ])("%j reads as %j", (text, plain, byteOrderMark, lineEnd) => {
    expect(takeShape(text)).toEqual({ plain, shape: { byteOrderMark, lineEnd } })
  })

  test("comes back exactly", () => {
    fc.assert(
      fc.property(fc.oneof(lines, fc.string({ unit: "binary" })), (text) => {
        const { plain, shape } = takeShape(text)
        expect(giveShape(plain, shape)).toBe(text)
      }),
    )
  })

  test("goes on what is added, whichever line ends that has", () => {
    const { plain, shape } = takeShape("\uFEFFa\r\n")
    expect(giveShape(`${plain}b\nc\r\n`, shape)).toBe("\uFEFFa\r\nb\r\nc\r\n")
  })
})

describe("text and bytes", () => {
  test("are inverse for every text without NUL and half characters; these are not written, as they could not be read", () => {
    fc.assert(
      fc.property(fc.oneof(lines, fc.string({ unit: "binary" }), fc.stringMatching(/^[ab\0\ud800]*$/)), (text) => {
        if (text.includes("\0") || !text.isWellFormed()) expect(() => toBytes(text, "a.md")).toThrow("Leave that character out")
        else expect(decodeText(toBytes(text, "a.md"), "a.md")).toBe(text)
      }),
    )
  })

  test("bytes that are read are written again as they were, all others are refused at the first bad one", () => {
    fc.assert(
      fc.property(fc.uint8Array({ min: 1, maxLength: 12 }), (bytes) => {
        const reference = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes)
        try {
          expect(toBytes(decodeText(bytes, "a.md"), "a.md")).toEqual(bytes)
        } catch (error) {
          const { offsetBytes = -1 } = (error as PromptStrataErrorOf<"file-encoding">).evidence
          expect(reference).toContain("\ufffd")
          // Everything before the bad byte is text, except the character that it cuts off.
          expect(
            new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(0, offsetBytes), { stream: true }),
          ).not.toContain("\ufffd")
        }
      }),
      { numRuns: 2_000 },
    )
  })
})

describe("a diff", () => {
  test.each([
    ["", "", ""],
    ["same\n", "same\n", ""],
    ["", "a\n", "@@ -0,0 +1,1 @@\n+a"],
    ["a\n", "", "@@ -1,1 +0,0 @@\n-a"],
    ["1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8"],
    ["a", "a\n", "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+a"],
    ["x\nx\n", "x\nx\nx\n", "@@ -1,2 +1,3 @@\n x\n x\n+x"],
  ])("of %j and %j is %j", (before, after, diff) => {
    expect(lineDiff(before, after)).toBe(diff)
  })

  test("patches the one text to the other", () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        expect(patch(before, lineDiff(before, after))).toBe(after)
      }),
    )
  })

  test("of long texts is cut, saying how much is missing", () => {
    const diff = lineDiff("a\n".repeat(50_000), "b\n".repeat(50_000))
    expect(diff.length).toBeLessThan(16_500)
    expect(diff.split("\n").at(-1)).toMatch(/^… \d+ more lines$/)
  })
})

/** Applies one hunk, as patch programs do. */
function patch(before: string, diff: string): string {
  if (diff === "") return before
  const [header = "", ...rest] = diff.replaceAll("\n\\ No newline at end of file", "\\").split("\n")
  const [, from = "", count = ""] = /^@@ -(\d+),(\d+)/.exec(header) ?? []
  const old = before.split(/(?<=\n)/)
  const at = Number(count) === 0 ? Number(from) : Number(from) - 1
  const fresh = rest
    .filter((line) => !line.startsWith("-"))
    .map((line) => (line.endsWith("\\") ? line.slice(1, -1) : `${line.slice(1)}\n`))
  return [...old.slice(0, at), ...fresh, ...old.slice(at + Number(count))].join("")
}
