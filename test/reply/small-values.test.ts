import { expect, test } from "vitest"
import { readPieces } from "./readings.ts"

const tokens = ["[", "]", "{", "}", ",", '"a"', '"b":', "1", "x"]

/** Every value of at most `length` tokens. */
function* values(length: number, before = ""): Generator<string> {
  if (before !== "") yield before
  if (length > 0) for (const token of tokens) yield* values(length - 1, before + token)
}

function readingOf(value: string): string | undefined {
  const { decision } = readPieces([`{"action":"tool","tool":"t","args":{"k":${value}}}`])
  if (decision === undefined || decision.action === "unreadable") return undefined
  if (decision.action === "finish") return `${decision.status}: ${JSON.stringify(decision)}`
  const { status, args, action: _, tool, ...rest } = decision
  const others = tool === "t" ? rest : { tool, ...rest }
  return `${status}: ${JSON.stringify(args)}${Object.keys(others).length > 0 ? ` ${JSON.stringify(others)}` : ""}`
}

const isJson = (text: string) => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test("a value that is no JSON is mended in one way, or the output is unreadable", async () => {
  const mended: string[] = []
  let unreadable = 0
  for (const value of values(4)) {
    const reading = readingOf(value)
    if (isJson(value)) expect(reading).toBe(`complete: ${JSON.stringify({ k: JSON.parse(value) })}`)
    else if (reading === undefined) unreadable++
    else mended.push(`${value}\t${reading}`)
  }
  const counts = `${mended.length} are mended, ${unreadable} are unreadable:`
  await expect(`${[counts, ...mended].join("\n")}\n`).toMatchFileSnapshot("small-values.md")
})
