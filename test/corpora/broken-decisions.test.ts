import { jsonrepair } from "jsonrepair"
import { describe, expect, test } from "vitest"
import { mulberry32 } from "../../src/core/mulberry.ts"
import { createDecisionReader, readDecision } from "../../src/reply/decision-reader.ts"
import { readerThatWaits } from "../reply/naive-readers.ts"
import { type MakeReader, readPieces } from "../reply/readings.ts"
import { type BrokenDecision, breakages, brokenDecisions } from "../support/broken-decisions.ts"
import { type Outcome, outcomeOf } from "../support/broken-outcome.ts"
import { printOutcomes } from "../support/broken-outcomes.ts"
import { dataPresent, readJsonLines, triedOf } from "../support/corpora.ts"
import { plannerTurns } from "../support/planner-turns.ts"
import { size } from "../support/size.ts"

const chunkCharacters = 4
/** How often a unit is nested: each number overflows what calls itself for each. */
const times = size === "ci" ? 100_000 : 1_000_000
const wrong: ReadonlySet<Outcome> = new Set(["another call", "another answer", "shown"])

interface JsonRow {
  readonly name: string
  readonly expect: "y" | "n" | "i"
  readonly b64: string | null
  readonly gen?: { readonly unit: string; readonly bytes: number }
}

const jsonRows = () =>
  readJsonLines<JsonRow>("json/jsontestsuite.jsonl").map(({ name, expect, b64, gen }) => {
    const unit = Buffer.from(b64 ?? gen?.unit ?? "", "base64").toString("utf8")
    return { name, expect, text: gen ? unit.repeat(Math.ceil(gen.bytes / unit.length)) : unit }
  })

function inChunks(text: string): string[] {
  return Array.from({ length: Math.ceil(text.length / chunkCharacters) }, (_, index) =>
    text.slice(index * chunkCharacters, (index + 1) * chunkCharacters),
  )
}

function cases(perPair: number): BrokenDecision[] {
  const { calls, answers } = plannerTurns()
  const random = mulberry32(33)
  return [calls, answers].flatMap((turns) => [...brokenDecisions(turns, { perPair, alone: perPair * 8 }, random)])
}

const show = ({ names, survival, text }: BrokenDecision, outcome: Outcome) =>
  `${outcome} (${survival}): ${names.join(" + ")}: ${JSON.stringify(text)}`

describe.skipIf(!dataPresent)("broken decisions", () => {
  test("T21, T23: ≥ 25,000 outputs, broken in one way or two, are read as meant or refused, the same in 4-character chunks", () => {
    const all = cases(14)
    const outcomes = triedOf(all, 0, 11).map((broken) => ({ broken, outcome: outcomeOf(broken, readPieces([broken.text])) }))
    const faults = outcomes.flatMap(({ broken, outcome }) => {
      const streamed = outcomeOf(broken, readPieces(inChunks(broken.text)))
      const isWrong = wrong.has(outcome) || (broken.survival === "meant" && outcome !== "as meant" && outcome !== "all, cut")
      return [...(isWrong ? [show(broken, outcome)] : []), ...(streamed === outcome ? [] : [show(broken, streamed)])]
    })
    console.log(printOutcomes(outcomes))
    expect(all.length).toBeGreaterThanOrEqual(25_000)
    expect(faults.slice(0, 5)).toEqual([])
  })

  test("the cases are what they claim to be: each breakage and each pair that can be, few of them JSON, most of them readable", () => {
    const all = cases(4)
    const count = (holds: (broken: BrokenDecision) => boolean) => all.filter(holds).length
    expect(new Set(breakages.map(({ name }) => name)).size).toBe(breakages.length)
    for (const { name } of breakages)
      expect(
        count(({ names }) => names.includes(name)),
        name,
      ).toBeGreaterThan(5)
    expect(count(({ text }) => isJson(text)) / all.length).toBeLessThan(0.05)
    expect(count(({ survival }) => survival === "meant")).toBeGreaterThan(all.length / 2)
    expect(new Set(all.map(({ names }) => names.join("+"))).size).toBeGreaterThan(1_000)
  })

  test.each([
    { name: "takes what a repair library makes of the first brace to the last", make: readerThatRepairs, share: 0.1 },
    { name: "waits and parses the first brace to the last", make: readerThatWaits, share: 0.5 },
  ])("a reader that $name is caught in many of them", ({ make, share }) => {
    const all = cases(1)
    const caught = all.filter((broken) => {
      const outcome = outcomeOf(broken, readPieces([broken.text], make))
      return wrong.has(outcome) || (broken.survival === "meant" && outcome !== "as meant")
    })
    expect(caught.length).toBeGreaterThan(all.length * share)
  })

  test("T21: every valid value of JSONTestSuite is read equal as an argument of a call that is no JSON itself", () => {
    const valid = jsonRows().filter((row) => row.expect === "y" && !row.name.startsWith("y_object_duplicated_key"))
    expect(valid.length).toBeGreaterThan(90)
    for (const { name, text } of valid) {
      const decision = readDecision(`{action: 'tool', tool: 't', args: {value: ${text}}}`)
      expect(decision, name).toEqual({ action: "tool", tool: "t", args: { value: JSON.parse(text) }, status: "repaired" })
    }
  })

  test("T21: nothing in JSONTestSuite, in a call that is no JSON, makes the reader throw or show anything", () => {
    for (const { text } of jsonRows()) {
      expect(readPieces([`{action: 'tool', tool: 't', args: {value: ${text}}}`]).message).toBe("")
    }
  })

  test.each(["[", '{"a":', "{a:", "{{", "[{", "(", '"[', "｛a："])(
    `T21: %s ${times} times over, as a value and alone, overflows nothing`,
    (unit) => {
      const deep = unit.repeat(times)
      for (const text of [
        deep,
        `{action: 'tool', tool: 't', args: {value: ${deep}`,
        `{"action":"tool","tool":"t","args":{"value":${deep}`,
      ]) {
        expect(readDecision(text).action).not.toBe("tool")
      }
    },
  )
})

/** Shows why the reader reads for itself: a repair guesses, and a guess is a call that nobody made. */
function readerThatRepairs(): ReturnType<MakeReader> {
  let text = ""
  const reader = createDecisionReader()
  return {
    push(chunk) {
      text += chunk
      return []
    },
    end() {
      try {
        return reader.push(jsonrepair(text.slice(text.indexOf("{"), text.lastIndexOf("}") + 1))).concat(reader.end())
      } catch {
        return reader.push(text).concat(reader.end())
      }
    },
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
