import fc from "fast-check"
import { describe, expect, test, vi } from "vitest"
import { fold } from "../../../src/prompt/encode/fold.ts"
import { encodeInline } from "../../../src/prompt/encode/inline.ts"
import { decodeLines, encodeLines, lineShapes, type Markers } from "../../../src/prompt/encode/lines.ts"
import type { LineFrame } from "../../../src/prompt/encode/named-lines.ts"
import { runs, seedOf } from "../../support/size.ts"

const core = (line: string): string => fold(line).replace(/^[\\ ]+/, "")
const squash = (line: string): string => core(line).replaceAll(" ", "")
/** One kind of brackets for all of them. A bracket alone stays. */
const even = (text: string): string => (text.length > 1 ? text.replace(/[<‹\p{Ps}]/gu, "[").replace(/[>›\p{Pe}]/gu, "]") : text)
const quoted = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, String.raw`\$&`)

/** Reads a line with neither shortcuts nor memory: it folds everything, and makes a pattern of each frame and name. */
function naiveReads(line: string, { lines, heads, frames = [], names = {}, shapes = [] }: Markers): boolean {
  const seen = core(line)
  if ([...lines].some((own) => core(own) !== "" && even(core(own)) === even(seen))) return true
  if (heads.some((head) => core(head) !== "" && (core(head).length > 1 ? even(seen) : seen).startsWith(even(core(head)))))
    return true
  if (shapes.some((shape) => shape.test(seen))) return true
  return frames.some(({ slot, lead = false, before, after }) =>
    (Object.hasOwn(names, slot) ? (names[slot] ?? []) : [])
      .flatMap((name) => [squash(name), squash(encodeInline(name))])
      .filter((name) => name !== "")
      .some((name) => {
        const [behind = "", ...more] = after
        const parts = [before + name + behind, ...more].map((part) =>
          quoted(part.length > 1 ? even(part) : even(`${part} `).trim()),
        )
        const pattern = new RegExp(`^${parts.join(".*")}$`, "s")
        const whole = even(`${squash(line)} `).trim()
        if (!lead) return pattern.test(whole)
        // Behind values of 1 to 60 characters, with a number in them if nothing else parts them from the name.
        for (let at = 1; at <= 60 && at < whole.length; at++)
          if ((before !== "" || /\d/.test(whole.slice(0, at))) && pattern.test(whole.slice(at))) return true
        return false
      }),
  )
}

/** Characters at the edges of what folds to itself, and their neighbours. */
const edges = [..."azAZ09@[`{/:^_~！Ａｚ", "\u4dff", "\u4e00", "\u9fff", "\ua000", "é", "ß"]
const letters = fc.constantFrom("a", "b", "é", "中")
/** Words about as long as the beginning of a line that is looked at first. */
const aboutStem = fc.tuple(letters, fc.integer({ min: 20, max: 28 })).map(([letter, count]) => letter.repeat(count))
const word = fc.oneof(fc.constantFrom(...edges, "Ann", "Bob", "true", "17", "a b", "Bob: x", '"Ann"'), aboutStem)
const text = fc.array(word, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(""))

const frame = fc
  .record({
    slot: fc.constantFrom("speaker", "tool", "toString"),
    before: fc.constantFrom("", "-"),
    after: fc.constantFrom([":"], [], [""], ["(", "):"], ["(", ")", ":"], ["(", ")", ")"], ["(", "(", ""]),
    lead: fc.constantFrom(false, false, true),
  })
  .map(({ lead, ...own }): LineFrame => (lead ? { ...own, lead } : own))
const markersOf = (givenFrames: readonly LineFrame[]): fc.Arbitrary<Markers> =>
  fc.record({
    lines: fc.array(text, { maxLength: 2 }).map((lines) => new Set(lines)),
    heads: fc.array(text, { maxLength: 2 }),
    fences: fc.constant(false),
    frames: fc.constant(givenFrames),
    names: fc.record({ speaker: fc.uniqueArray(word, { maxLength: 2 }), tool: fc.constantFrom([], ["Ann", ""]) }),
    shapes: fc.constantFrom(undefined, [lineShapes.rule]),
  })

/** Lines made of the markers themselves, with more and less around them. */
function lineOf({ lines, heads, frames = [], names = {} }: Markers): fc.Arbitrary<string> {
  const shown = frames.flatMap(({ slot, before, after }) =>
    (Object.hasOwn(names, slot) ? (names[slot] ?? []) : []).flatMap((name) => [
      before + name + after.join(""),
      before + encodeInline(name) + after.join(" x "),
      before + name + (after[0] ?? ""),
    ]),
  )
  const around = fc.constantFrom(
    "",
    "",
    "",
    "[2 ",
    "12:04",
    "y".repeat(59),
    "1".repeat(59),
    "1".repeat(60),
    "1".repeat(61),
    " ",
    "\\",
    "\t",
    "a",
    "x".repeat(99),
    " ".repeat(99),
    ")",
    ":",
    "(",
    "\u0301",
  )
  const middle = fc.constantFrom(...lines, ...heads, ...shown, "a", "---", "Ann:")
  const cut = fc.tuple(middle, fc.nat(30)).map(([marker, count]) => marker.slice(0, count))
  return fc.tuple(around, fc.oneof(middle, middle, cut, text), around, around).map((parts) => parts.join(""))
}

const cases = fc
  .array(frame, { maxLength: 2 })
  .chain(markersOf)
  .chain((own) => fc.tuple(fc.constant(own), fc.array(lineOf(own), { minLength: 1, maxLength: 8 })))

/** How often and how many characters a call folds: each fold makes its text lower case first. */
function foldsOf(run: () => void): { readonly times: number; readonly characters: number } {
  const spy = vi.spyOn(String.prototype, "toLowerCase")
  try {
    run()
    const texts = spy.mock.contexts.map(String)
    return { times: texts.length, characters: texts.reduce((sum, { length }) => sum + length, 0) }
  } finally {
    spy.mockRestore()
  }
}

describe("the reader of marker lines", () => {
  test("marks what a reader without shortcuts marks, and gives it back", () => {
    fc.assert(
      fc.property(cases, ([own, lines]) => {
        for (const line of lines) {
          const encoded = encodeLines(line, own)
          expect(encoded).toBe(naiveReads(line, own) ? `\\${line}` : line)
          expect(decodeLines(encoded, own)).toBe(line)
        }
      }),
      { numRuns: runs(8000), seed: seedOf(5) },
    )
  })

  test("agrees with it for each pair of first characters at the edges of what folds to itself", () => {
    for (const behind of ["x", ""])
      for (const first of edges) {
        const own: Markers = { lines: new Set([first + behind]), heads: [], fences: false }
        for (const other of edges) {
          const line = other + behind
          expect(encodeLines(line, own)).toBe(naiveReads(line, own) ? `\\${line}` : line)
        }
      }
  })

  test("agrees with it for lines about as long as the beginning that is looked at first", () => {
    for (let known = 22; known <= 28; known++) {
      const own: Markers = {
        lines: new Set([`${"a".repeat(known)} end`]),
        heads: [`b${"a".repeat(known)}`],
        fences: false,
        frames: [{ slot: "speaker", before: "", after: [":"] }],
        names: { speaker: [`c${"a".repeat(known)}`] },
      }
      for (let length = 21; length <= 29; length++) {
        for (const start of ["", "b", "c"]) {
          for (const rest of [" end", `${" ".repeat(95)}end`, " ".repeat(99), `:${" ".repeat(99)}`, "x".repeat(99)]) {
            const line = start + "a".repeat(length) + rest
            expect(encodeLines(line, own)).toBe(naiveReads(line, own) ? `\\${line}` : line)
          }
        }
      }
    }
  })

  test("a speaker whose name is printed in quotes, as a number or a word of JSON is, is nobody else's to use", () => {
    const own: Markers = {
      lines: new Set(),
      heads: [],
      fences: false,
      frames: [{ slot: "speaker", before: "", after: [":"] }],
      names: { speaker: ["17", "true", "Ann (x)"] },
    }
    for (const line of ["17:", '"17":', '"true":', '"Ann (x)":', "Ann (x):"]) expect(encodeLines(line, own)).toBe(`\\${line}`)
  })

  test("a fence, a rule and a closing marker of fresh markers are marked, and a text that nobody encoded stays", () => {
    const own = (): Markers => ({ lines: new Set(["[/memory context]"]), heads: ["【", "x"], fences: true })
    for (const line of ["```", "~~~", "x", "xyz"]) {
      expect(encodeLines(line, own())).toBe(`\\${line}`)
      expect(decodeLines(line, own())).toBe(line)
    }
    expect(encodeLines("a ~~~ b", own())).toBe("a ~~~ b")
    expect(encodeLines("【[/memory context]\n [/memory context]", own())).toBe("\\【[\\/memory context]\n\\ [/memory context]")
    expect(decodeLines("【[/memory context]", own())).toBe("【[/memory context]")
  })

  test("does not fold a line whose first character tells that it is no marker", () => {
    const own: Markers = { lines: new Set(["[x]", "- x"]), heads: [], fences: false }
    encodeLines("", own)
    const letters = [..."azAZ09mM5", "\u4e00", "\u9fff", "问"]
    // A character is folded when the first line has it, and once.
    for (const first of letters) expect(foldsOf(() => encodeLines(first, own)).times).toBeLessThanOrEqual(1)
    for (const first of letters) {
      for (const line of [first, `${first}x`, ` \t\\${first}x`]) {
        expect(foldsOf(() => encodeLines(line, own)).times, JSON.stringify(line)).toBe(0)
      }
    }
    expect(foldsOf(() => encodeLines("[x]", own)).times).toBe(1)
  })

  test("folds nothing of a long line that begins like a marker but is none", () => {
    const own: Markers = {
      lines: new Set(["a line of the prompt that has words enough"]),
      heads: ["also "],
      fences: false,
      frames: [{ slot: "speaker", before: "", after: [":"] }],
      names: { speaker: ["Ann"] },
    }
    encodeLines("", own)
    const line = `and another thing, of which nobody knows anything as yet ${"x".repeat(5_000)}`
    expect(foldsOf(() => encodeLines(line, own))).toEqual({ times: 0, characters: 0 })
    const uneven = `${"é".repeat(4)}${line}`
    expect(encodeLines(uneven, own)).toBe(uneven)
  })

  test("reads its markers once", () => {
    let asked = 0
    const own: Markers = {
      heads: [],
      fences: false,
      get lines() {
        asked++
        return new Set(["---"])
      },
    }
    for (const _time of [1, 2, 3]) expect(encodeLines("---", own)).toBe("\\---")
    expect(asked).toBe(1)
  })

  test("reads lines without names once for all names, and takes fences for lines only where they are", () => {
    let read = 0
    const lines = Object.assign(new Set(["---"]), {
      [Symbol.iterator]() {
        read++
        return Set.prototype[Symbol.iterator].call(lines)
      },
    })
    const heads = ["##"]
    const frames = [{ slot: "speaker", before: "", after: [":", ""] }]
    const encoded = (name: string, fences: boolean) =>
      encodeLines("---\n## x\n```\nAnn: y\nBob: y", { lines, heads, fences, frames, names: { speaker: [name] } })
    expect(encoded("Ann", true)).toBe("\\---\n\\## x\n\\```\n\\Ann: y\nBob: y")
    expect(encoded("Bob", true)).toBe("\\---\n\\## x\n\\```\nAnn: y\n\\Bob: y")
    expect(read).toBe(1)
    expect(encoded("Bob", false)).toBe("\\---\n\\## x\n```\nAnn: y\n\\Bob: y")
  })
})
