import { describe, expect, test } from "vitest"
import { readPieces } from "./readings.ts"

/** Outputs with every place marked where white space may stand (`§`), or must stand (`¶`), and a comment as well. */
const outputs = [
  '{§"action"§:§"finish"§,§"message"§:§"hi"§}',
  "{§action :§finish ,§message :§'hi there'§}",
  "{§action §:§finish §,§message §:§hi there §}",
  '{§"action"§:§"tool"§,§"tool"§:§"t"§,§"args"§:§{§"a"§:§[§1§,§"b"§,§true§]§,§"c"§:§null§}§}',
  // Commas are missing, or there are too many of them.
  '{§"action"§:§"tool"§"tool"§:§"t"§"args"§:§{§"a"§:§[§"x"§"y"§]§}§}',
  '{§"action"§:§"tool"¶tool:§"t"¶args:§{§"a"§:§["x",§]§,§}§,§}',
  '{§"action"§:§"finish"§,§,§,§"message"§:§"hi"§,§,§}',
  // Closing characters are missing, or there are too many.
  '{§"action"§:§"finish"§,§"message"§:§"hi"§',
  '{§"action"§:§"tool"§,§"tool"§:§"t"§,§"args"§:§{§"a"§:§[§"x"§}§}',
  '{§{§"action"§:§"finish"§,§"message"§:§"hi"§}§}',
  // Other quotes and other punctuation, and quotes inside of quotes.
  "{§“action”§：§“finish”§，§“message”§：§“hi”§}",
  "{§'action'§:§'finish'§,§'message'§:§'it's'§}",
  '{§"action"§:§"finish"§,§"message"§:§"say "hi" now"§,§"mood"§:§"calm"§}',
]

const comments = [
  ["/* so */", " "],
  ["/**/", " "],
  [" /* a: 'b', {c} */ ", " "],
  ["// so\n", "\n"],
  [' // "so": 1,\n', " \n"],
  [" # so\n", " \n"],
] as const

/** What an output is read as. Without its comment it may be complete, and faults quote it. */
function readingOf(text: string): string {
  const { decision, message } = readPieces([text])
  const status = decision?.status === "complete" ? "repaired" : decision?.status
  const fault = decision?.action === "unreadable" ? decision.fault?.kind : undefined
  return JSON.stringify({ ...decision, fault, status, message })
}

describe("a comment reads as white space", () => {
  test.each(outputs)("in %s", (output) => {
    const gaps = [...output.matchAll(/[§¶]/g)].map(({ index }) => index)
    const withGap = (at: number, gap: string) =>
      (output.slice(0, at) + gap + output.slice(at + 1)).replaceAll("§", "").replaceAll("¶", " ")
    const unlike: string[] = []
    const seen = new Set<string>()
    for (const at of gaps)
      for (const [comment, space] of comments) {
        const reading = readingOf(withGap(at, comment))
        seen.add(reading)
        if (reading !== readingOf(withGap(at, space))) unlike.push(withGap(at, comment))
      }
    expect(unlike).toEqual([])
    expect([...seen].join("\n")).not.toContain("unreadable")
    expect(seen.size).toBe(1)
  })
})
