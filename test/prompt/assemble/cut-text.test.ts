import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Assembly } from "../../../src/core/span.ts"
import type { FitRule, Injection } from "../../../src/core/value.ts"
import { assembleInjections } from "../../../src/prompt/assemble/assemble.ts"
import { compileDialect } from "../../../src/prompt/dialect/compile-dialect.ts"
import type { PromptSource } from "../../../src/prompt/dialect/prompt-source.ts"
import { decodeLines } from "../../../src/prompt/encode/lines.ts"
import { sanitise } from "../../../src/prompt/encode/sanitise.ts"
import { decodeFence, decodeIndent } from "../../support/decode-text.ts"
import { runs } from "../../support/size.ts"
import { anyText } from "../encode/arbitrary-text.ts"
import { perCodePoint } from "./arbitrary-turn.ts"

const file = (path: string, body: string): PromptSource => ({ path, attributes: {}, body, firstLine: 1 })
const dialect = compileDialect({
  name: "own",
  locale: "en",
  files: [
    file(
      "own/en/chat.md",
      "[open]\n${alone}\n[close]\n---\n${fenced | fence}\n---\n${indented | indent}\n---\nInline: ${inline}!\n${rest}",
    ),
    file("own/en/truncated.md", "[...${kept} of ${total} kept...]"),
    file("own/en/entries-dropped.md", "[...${dropped} left out...]"),
    file("own/en/other.md", "```\n${x}"),
  ],
})
const slots = ["alone", "fenced", "indented", "inline", "other"] as const

function cutAt(slot: string, text: string, { characters, shrink }: { characters: number; shrink: FitRule["shrink"] }): Assembly {
  const injection: Injection = {
    key: slot,
    content: { text, trust: "user", source: { file: "u.md", line: 3 } },
    trust: "user",
    priority: 1,
    role: "system",
    scope: "turn",
    enabled: true,
    fit: { rank: 1, shrink },
  }
  return assembleInjections([injection], { dialect, prompt: "chat", counter: perCodePoint, cut: { [slot]: { characters } } })
}

/** Clusters that must not be parted: joined people, flags, marks, Hangul, pairs; and lone halves. */
const clusters = fc.array(
  fc.constantFrom("👨‍👩‍👧‍👦", "🇨🇳", "🇫🇷", "é", "각", "😀", "1️⃣", "नि", "a", "\n", "---\n", "[close]\n", "\ud83d", "好"),
  { maxLength: 60 },
)
const shrink = fc.constantFrom("head", "tail", "headTail") as fc.Arbitrary<FitRule["shrink"]>

describe("S13 S17 a cut text", () => {
  test("is a beginning and an end of what was given, cut between graphemes, whatever encoder it passes afterwards", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...slots),
        fc.oneof(
          clusters.map((all) => all.join("")),
          anyText,
        ),
        shrink,
        fc.nat(300),
        (slot, given, how, at) => {
          const text = sanitise(given).text
          const characters = Math.min(at, text.length - 1)
          if (text.trim() === "") return
          const assembly = cutAt(slot, given, { characters, shrink: how })
          const spans = assembly.spans.filter(({ key, part }) => key === slot && part !== "frame")
          if (slot === "inline") {
            expect(readInline(spans)).toContain(" kept...]")
            return
          }
          const notice = spans.findIndex(({ part }) => part === "notice")
          expect(notice).toBeGreaterThanOrEqual(0)
          const head = decoded(
            slot,
            spans
              .slice(0, notice)
              .map((span) => span.text)
              .join(""),
          )
          const tail = decoded(
            slot,
            spans
              .slice(notice + 1)
              .map((span) => span.text)
              .join(""),
          )
          expect(text.startsWith(head)).toBe(true)
          expect(text.endsWith(tail)).toBe(true)
          expect(head.length + tail.length).toBeLessThanOrEqual(characters)
          const boundaries = new Set(
            [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text)].map(({ index }) => index),
          )
          expect(boundaries.has(head.length) || head.length === text.length).toBe(true)
          expect(boundaries.has(text.length - tail.length) || tail === "").toBe(true)
          expect(assembly.messages[0]?.content.isWellFormed()).toBe(true)
          if (slot === "fenced") expect(decodeFence(fencedBlock(assembly))).toContain(head)
        },
      ),
      { numRuns: runs(3000) },
    )
  })

  test("forges no line: the encoder runs after the cut, over what is left", () => {
    for (let characters = 0; characters < 30; characters++) {
      for (const how of ["head", "tail", "headTail"] as const) {
        const { messages } = cutAt("alone", "x----\n[close]---\n-----[close]", { characters, shrink: how })
        const lines = messages[0]?.content.split("\n") ?? []
        expect(lines.filter((line) => line === "[close]")).toHaveLength(1)
        expect(lines.filter((line) => line === "---")).toHaveLength(3)
      }
    }
  })

  test("S12 keeps the lines of its source: the tail says where it stands in the file", () => {
    const text = "one\ntwo\nthree\nfour\nfive"
    const { spans } = cutAt("other", text, { characters: 9, shrink: "headTail" })
    expect(
      spans
        .filter(({ key, part }) => key === "other" && part !== "frame")
        .map((span) => [span.text, span.part, span.trust, span.source]),
    ).toEqual([
      ["one\ntwo", "content", "user", { file: "u.md", line: 3 }],
      ["\n\n[...9 of 23 kept...]\n\n", "notice", "author", { file: "own/en/truncated.md", line: 1 }],
      ["ve", "content", "user", { file: "u.md", line: 7 }],
    ])
  })

  test("is counted in characters, not in UTF-16 units", () => {
    const { spans } = cutAt("other", "😀".repeat(10), { characters: 8, shrink: "head" })
    expect(spans.find(({ part }) => part === "notice")?.text).toBe("\n\n[...4 of 10 kept...]")
  })
})

function decoded(slot: string, text: string): string {
  if (slot === "fenced") return text
  return decodeLines(slot === "indented" ? decodeIndent(text) : text, dialect.markers)
}

function readInline(spans: Assembly["spans"]): string {
  return JSON.parse(spans.map(({ text }) => text).join("")) as string
}

function fencedBlock(assembly: Assembly): string {
  return assembly.spans
    .filter(({ key, text, part }) => key === "fenced" && (part !== "frame" || text.includes("`")))
    .map(({ text }) => text)
    .join("")
}

test("S12 the tail of a text in a file has the line on which it stands there, and that of a text from code the place of its slot", () => {
  const text = `${"words\n".repeat(20)}end`
  const placeOf = (slot: string, given: Partial<Injection>) => {
    const base = { key: slot, trust: "user", priority: 1, role: "system", scope: "turn", enabled: true } as const
    const fit: FitRule = { rank: 1, shrink: "headTail" }
    const injection: Injection = { ...base, content: text, fit, ...given }
    const { spans } = assembleInjections([injection], { dialect, prompt: "chat", cut: { [slot]: { characters: 9 } } })
    return spans.flatMap(({ key, part, source }) =>
      key === slot && part === "content" ? [`${source?.file}:${source?.line}`] : [],
    )
  }
  for (const slot of ["alone", "fenced", "indented"]) {
    const source = { file: "a.md", line: 7 }
    expect(placeOf(slot, { source }), slot).toEqual(["a.md:7", "a.md:27"])
    expect(placeOf(slot, { content: { text, trust: "user", source } }), slot).toEqual(["a.md:7", "a.md:27"])
    const [head, tail] = placeOf(slot, {})
    expect(head, slot).toMatch(/^own\/en\/chat\.md:\d+$/)
    expect(tail, slot).toBe(head)
  }
})
