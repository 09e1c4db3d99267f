import { expect, test } from "vitest"
import { formatStamp, parseEventLine, parseStamp } from "../../../../src/memory/forgetting/events/stamp.ts"

const stamps = [
  "2025年",
  "2026年1月",
  "2026年12月",
  "20260208-20260214",
  "20251228-20260103",
  "20260208",
  "20240229",
  "20260216 3:16",
  "20260216 23:59",
  "2020.10.12 19:52",
  "2020.1.2 9:05",
]

/** A text with each of its characters left out or written twice, and each digit with each other one in its place. */
function* damages(text: string): Generator<string> {
  for (let at = 0; at <= text.length; at++) {
    const [before, after] = [text.slice(0, at), text.slice(at + 1)]
    yield before + after
    yield before
    yield before + text.charAt(at) + text.slice(at)
    if (/\d/.test(text.charAt(at))) for (let digit = 0; digit < 10; digit++) yield before + digit + after
  }
}

test("a damaged stamp is none, or one of a time that there is; a line begins with it and a space", async () => {
  const told: string[] = []
  for (const stamp of stamps) {
    const read: string[] = []
    for (const text of new Set([stamp, ...damages(stamp)])) {
      const found = parseStamp(text)
      if (found === undefined) continue
      expect(parseEventLine(`${text} tea`), text).toEqual({ stamp: found, text: "tea" })
      const printed = formatStamp(found)
      expect(parseStamp(printed), text).toEqual(found)
      read.push(printed === text ? text : `${text} (${printed})`)
    }
    told.push(`${stamp}: ${read.join(", ")}`)
  }
  await expect(`${told.join("\n")}\n`).toMatchFileSnapshot("odd-stamps.md")
})
