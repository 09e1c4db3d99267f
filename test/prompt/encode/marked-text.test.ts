import { describe, expect, test } from "vitest"
import { cutOf, cutText, encodedText, framedNotice, isEncodedText, markOf } from "../../../src/prompt/encode/marked-text.ts"

describe("texts with a mark that is not part of their value", () => {
  test("an encoded text says what was removed from it, and a copy of it is plain", () => {
    const parts = [{ attachment: { name: "a.png" }, tokens: 3 }]
    const marked = encodedText("a", "user", { removed: 2, kinds: ["bidi"], parts })
    expect(marked).toEqual({ text: "a", trust: "user", parts })
    expect(isEncodedText(marked)).toBe(true)
    expect(markOf(marked)?.encoded).toEqual({ removed: 2, kinds: ["bidi"] })
    const clean = encodedText("b", "tool", { removed: 0, kinds: ["tags"] })
    expect(clean).toEqual({ text: "b", trust: "tool" })
    expect(markOf(clean)?.encoded).toEqual({ removed: 0, kinds: [] })
    expect(markOf(encodedText("c", "agent"))?.encoded).toEqual({ removed: 0, kinds: [] })
    for (const copy of [{ ...marked }, JSON.parse(JSON.stringify(marked))]) {
      expect(isEncodedText(copy)).toBe(false)
      expect(markOf(copy)?.encoded).toBeUndefined()
    }
  })

  test.each([
    ["head", "tail", "head\n\n(cut)\n\ntail"],
    ["", "tail", "(cut)\n\ntail"],
    ["head", "", "head\n\n(cut)"],
    ["", "", "(cut)"],
  ])("a notice between %j and %j has blank lines around it only where there is text", (head, tail, shown) => {
    const cut = { head, notice: { text: "(cut)" }, tail, linesBeforeTail: 3 }
    const text = cutText({ text: "whole", trust: "tool" }, cut)
    expect(text).toEqual({ text: shown, trust: "tool" })
    expect(head + framedNotice(cut) + tail).toBe(shown)
    expect(cutOf(text)).toBe(cut)
    expect(cutOf({ ...text })).toBeUndefined()
  })
})
