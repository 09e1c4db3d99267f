import { expect, test } from "vitest"
import { readPieces } from "../reply/readings.ts"
import { outcomeOf } from "../support/broken-outcome.ts"
import { dataPresent, triedOf } from "../support/corpora.ts"
import { plannerTurns } from "../support/planner-turns.ts"

const structural = '{}[]:,"'

/** The output with each of its structural characters, one at a time, left out, written twice, or another one. */
function* broken(text: string): Generator<string> {
  let inString = false
  for (const [at, character] of [...text].entries()) {
    if (character === '"' && text[at - 1] !== "\\") inString = !inString
    else if (inString || !structural.includes(character)) continue
    for (const other of ["", character + character, ...structural]) {
      if (other !== character) yield text.slice(0, at) + other + text.slice(at + 1)
    }
  }
}

/** The JSON of an object as Python writes it. */
function spaced(value: object): string {
  const members = Object.entries(value).map(([name, member]) => `"${name}": ${JSON.stringify(member)}`)
  return `{${members.join(", ")}}`
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

test.skipIf(!dataPresent)(
  "T42 no call of which one structural character is broken runs with another meaning, of 313,540 and more",
  () => {
    const faults: string[] = []
    let count = 0
    for (const meant of plannerTurns().calls) {
      const held = meant.action === "tool" ? { action: "tool", message: null, tool: meant.tool, args: meant.args } : meant
      for (const text of [JSON.stringify(meant), JSON.stringify(meant, null, 1), JSON.stringify(held), spaced(held)]) {
        // Of what is JSON again, such as `[13]` for `[1,3]`, nobody can tell.
        const outputs = [...broken(text)]
        count += outputs.length
        for (const output of triedOf(outputs, count, 13)) {
          const outcome = outcomeOf({ meant, text: output, names: [], survival: "lost" }, readPieces([output]))
          if (outcome !== "as meant" && outcome !== "refused" && !isJson(output)) faults.push(`${outcome}: ${output}`)
        }
      }
    }
    expect(faults.slice(0, 5)).toEqual([])
    expect(count).toBeGreaterThanOrEqual(313_540)
  },
)
