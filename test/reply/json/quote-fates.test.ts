import { expect, test } from "vitest"
import { QuoteLookahead, type QuotePlace } from "../../../src/reply/json/quote-lookahead.ts"

const gaps = ["", " ", "\n", ",", ", ", " ,\n", "/**/", ", //\n"]
const begins = ["", "b", "好", "1", "-", "true", '"c"', "'c'", "{", "[", "}", "]", ":", "：", "/", "#", ".", "\\"]
const ends = ["", ":", " : 1", ",", " and", "]"]

const places: Readonly<Record<string, Partial<QuotePlace>>> = {
  "in an object": {},
  "in an object, before words": { mayPrecede: "words" },
  "in an object, before objects": { mayPrecede: "objects" },
  "in a list": { inside: "array" },
  "in a quotation": { isOpen: true },
  "in a quotation in a list": { inside: "array", isOpen: true },
}

/** The fate of a quote before `after`, with the number of characters that it took to tell; without one if only the end told. */
function fateOf(after: string, place: Partial<QuotePlace>): string {
  const lookahead = new QuoteLookahead({ inside: "object", quotes: '"', isOpen: false, mayPrecede: "nothing", ...place })
  for (let at = 0; at < after.length; at++) {
    const fate = lookahead.feed(after.charAt(at))
    if (fate !== undefined) return `${fate} ${at + 1}`
  }
  return lookahead.end()
}

test("what a quote is follows from what stands behind it and from where it stands", async () => {
  const afters = new Set(gaps.flatMap((gap) => begins.flatMap((begin) => ends.map((end) => gap + begin + end))))
  const seen = new Map<string, string[]>()
  for (const after of afters) {
    const fates = Object.values(places).map((place) => fateOf(after, place).padEnd(9))
    const line = fates.join(" | ").trimEnd()
    seen.set(line, [...(seen.get(line) ?? []), JSON.stringify(after).slice(1, -1)])
  }
  const rows = [...seen].map(([line, texts]) => `${line}\n    ${texts.join("   ")}`)
  await expect(`${[Object.keys(places).join(" | "), ...rows].join("\n")}\n`).toMatchFileSnapshot("quote-fates.md")
})
