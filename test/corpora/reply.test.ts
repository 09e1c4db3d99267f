import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { mulberry32 } from "../../src/core/mulberry.ts"
import { readDecision } from "../../src/reply/decision-reader.ts"
import { readLooseObject } from "../../src/reply/json/repair-json.ts"
import { cutRandomly, differences, faultsOf, readPieces } from "../reply/readings.ts"
import { dataFolder, dataPresent, hostileStrings, readJsonLines } from "../support/corpora.ts"

interface JsonCase {
  readonly name: string
  /** `y` must parse, `n` must not, `i` may. */
  readonly expect: "y" | "n" | "i"
  readonly text: string
}

interface RepairPair {
  readonly input: string
  readonly expected: unknown
}

interface JsonRow extends Omit<JsonCase, "text"> {
  readonly b64: string | null
  /** In place of a text that is long: what it repeats. */
  readonly gen?: { readonly unit: string; readonly bytes: number }
}

/** JSONTestSuite; bytes that are no UTF-8 become U+FFFD, as they do in any stream of text. */
const jsonCases = (): JsonCase[] =>
  readJsonLines<JsonRow>("json/jsontestsuite.jsonl").map(({ name, expect, b64, gen }) => {
    const unit = Buffer.from(b64 ?? gen?.unit ?? "", "base64").toString("utf8")
    return { name, expect, text: gen ? unit.repeat(Math.ceil(gen.bytes / unit.length)) : unit }
  })

const callWith = (args: string) => `{"action":"tool","tool":"t","args":{"value":${args}}}`

/** Reads an output at once and cut at random; hands back what is unsound or differs. */
function faultsInAnyCutting(text: string, random: () => number): string[] {
  const whole = readPieces([text])
  const cut = readPieces(cutRandomly(text, random))
  return [...faultsOf(whole), ...faultsOf(cut), ...differences(whole, cut)]
}

describe.skipIf(!dataPresent)("planner output from outside", () => {
  test("T21, T23: every text of JSONTestSuite is read soundly as a whole output and as an argument, in any cutting", () => {
    const random = mulberry32(1)
    const wrong = jsonCases().flatMap(({ name, text }) =>
      [text, callWith(text), callWith(JSON.stringify(text)), `{"action":"finish","message":${text}}`].flatMap((output) =>
        faultsInAnyCutting(output, random).map((fault) => `${name}: ${fault}`),
      ),
    )
    expect(wrong).toEqual([])
  })

  test("T21: a valid text of JSONTestSuite as an argument is the value JSON.parse reads; of equal names the first counts (T23)", () => {
    const valid = jsonCases().filter(({ expect }) => expect === "y")
    expect(valid.length).toBeGreaterThan(90)
    for (const { name, text } of valid) {
      const decision = readDecision(callWith(text))
      const value: unknown = name.startsWith("y_object_duplicated_key") ? { a: "b" } : JSON.parse(text)
      const told = name.startsWith("y_object_duplicated_key") ? { repeatedName: "a" } : {}
      expect(decision, name).toEqual({ action: "tool", tool: "t", args: { value }, status: "complete", ...told })
    }
  })

  test("T21: no text of JSONTestSuite that must be refused makes a call that counts as complete, a brace too many after it apart", () => {
    const complete = jsonCases()
      .filter(({ expect }) => expect === "n")
      .map(({ name, text }) => ({ name, output: callWith(text) }))
      .filter(({ output }) => readDecision(output).status === "complete")
    const wrong = complete.filter(({ output }) => !isJson(output) && !isJson(output.slice(0, output.lastIndexOf("}"))))
    expect(wrong.map(({ name }) => name)).toEqual([])
  })

  test("T23: every hostile string, as a message, streams back equal and well-formed; as an argument it is read equal", () => {
    const random = mulberry32(2)
    const strings = hostileStrings()
    const wrong = strings.filter((message) => {
      const output = JSON.stringify({ action: "finish", message })
      const reading = readPieces(cutRandomly(output, random))
      const expected = message.trim() === "" ? "" : message.toWellFormed()
      const decision = readDecision(callWith(JSON.stringify(message)))
      const value = decision.action === "tool" ? decision.args.value : undefined
      return reading.message !== expected || faultsOf(reading).length > 0 || value !== message.toWellFormed()
    })
    expect(strings.length).toBeGreaterThan(1_000)
    expect(wrong).toEqual([])
  })

  test("T21, T23: every hostile string as a whole output, and before a decision, is read soundly in any cutting", () => {
    const random = mulberry32(3)
    const wrong = hostileStrings().flatMap((text) =>
      [text, `${text}\n{"action":"finish","message":"ok"}`].flatMap((output) => faultsInAnyCutting(output, random)),
    )
    expect(wrong).toEqual([])
  })

  test("T21: broken JSON from models is read soundly; the share that is repaired as expected is reported", () => {
    const random = mulberry32(4)
    const pairs = JSON.parse(readFileSync(`${dataFolder}json/repair-pairs.json`, "utf8")) as RepairPair[]
    const objects = pairs
      .map(({ input, expected }) => ({ input, expected: objectOf(expected) }))
      .filter(({ expected }) => expected)
    let repaired = 0
    let refused = 0
    let inPlace = 0
    for (const { input, expected } of objects) {
      const output = `{"action":"tool","tool":"t","args":${input}}`
      expect([...faultsInAnyCutting(input, random), ...faultsInAnyCutting(output, random)], input).toEqual([])
      const decision = readDecision(output)
      if (decision.action !== "tool") refused++
      else if (JSON.stringify(decision.args) === JSON.stringify(expected)) repaired++
      const reading = readLooseObject(input, { from: Math.max(0, input.indexOf("{")) })
      if ("value" in reading && JSON.stringify(reading.value) === JSON.stringify(expected)) inPlace++
    }
    const share = `${repaired} of ${objects.length} read as expected as a call's arguments, ${refused} refused`
    console.log(`repair pairs: ${share}; alone ${inPlace}`)
    expect(repaired).toBeGreaterThanOrEqual(36)
  })
})

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function objectOf(expected: unknown): object | undefined {
  try {
    const value: unknown = typeof expected === "string" ? JSON.parse(expected) : expected
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
