import { describe, expect, test } from "vitest"
import type { TokenCounter } from "../../../src/core/ports.ts"
import { assemble } from "../../../src/prompt/assemble/assemble.ts"
import { createAssembler } from "../../../src/prompt/assemble/assembler.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"
import { both, encodings } from "../../adapters/tokenizers/tiktoken/encoders.ts"
import { fuzzedAssembly, inexact, randomOf } from "../../support/fuzzed-assemblies.ts"
import { runs } from "../../support/size.ts"
import { said, turnState } from "../../support/turns.ts"

/** A counter that adds up what it is asked to split or count. */
function measuring(): { counter: TokenCounter; sent: () => number } {
  const { encoder } = both("o200k_base")
  let characters = 0
  const counter: TokenCounter = {
    exact: true,
    count(text) {
      characters += text.length
      return encoder.count(text)
    },
    pieces: encoder.pieces,
    scan(text, visit) {
      characters += text.length
      encoder.scan(text, visit)
    },
  }
  return { counter, sent: () => characters }
}

describe("S14 reported tokens", () => {
  test.each(encodings)(
    "are the tokenizer's of what was rendered: in all, of each message and of each prefix (%s)",
    (encoding) => {
      const { encoder } = both(encoding)
      const counter: TokenCounter = { exact: true, count: encoder.count, pieces: encoder.pieces, scan: encoder.scan }
      const [random, assembler] = [randomOf(encoding.length), createAssembler()]
      let made = 0
      for (let run = 0; run < runs(500); run++) {
        const assembly = fuzzedAssembly(random, counter, assembler)
        if (!assembly) continue
        made++
        expect(inexact(assembly, encoder.count)).toBeUndefined()
      }
      expect(made).toBeGreaterThan(runs(500) * 0.7)
    },
  )

  test("are as exact for a counter that has pieces but counts them one by one, and for one that only counts", () => {
    const { encoder } = both("cl100k_base")
    for (const counter of [
      { exact: true, count: encoder.count, pieces: encoder.pieces },
      { exact: true, count: encoder.count },
    ]) {
      const [random, assembler] = [randomOf(7), createAssembler()]
      for (let run = 0; run < runs(200); run++) {
        const assembly = fuzzedAssembly(random, counter, assembler)
        if (assembly) expect(inexact(assembly, encoder.count)).toBeUndefined()
      }
    }
  })
})

describe("S14 the work of counting", () => {
  const history = Array.from({ length: 60 }, (_, i) =>
    said(i % 2 === 0 ? "user" : "assistant", `message ${i}: ${"word ".repeat(30)}`),
  )
  const stack = () => new PromptStack([{ key: "persona", content: "You are Fay. ".repeat(40), scope: "global" }])

  test("an identical input gives the very same assembly and sends nothing, whichever objects hold it", () => {
    const { counter, sent } = measuring()
    const assembler = createAssembler()
    const options = () => ({
      assembler,
      counter,
      budgetTokens: 1000,
      turn: turnState("?", { history: structuredClone(history) }),
    })
    const first = assemble(stack(), options())
    const before = sent()
    expect(assemble(stack(), options())).toBe(first)
    expect(sent()).toBe(before)
    const other = assemble(stack(), { ...options(), turn: turnState("!", { history }) })
    expect(other).not.toBe(first)
    expect(other.messages.at(-1)?.content).toBe("!")
  })

  test("history that an application adds to in place is seen to have changed", () => {
    const { counter } = measuring()
    const growing = history.slice(0, 2)
    const assembler = createAssembler()
    const make = () => assemble(stack(), { assembler, counter, turn: turnState("?", { history: growing }) })
    const first = make()
    growing.push(...history.slice(2, 4))
    expect(make().messages).toHaveLength(first.messages.length + 2)
  })

  test("a turn sends its own words and little more", () => {
    const { counter, sent } = measuring()
    const assembler = createAssembler()
    const make = (turn: number) =>
      assemble(stack(), {
        assembler,
        counter,
        budgetTokens: 900,
        turn: turnState(history[turn * 2]?.text ?? "", { history: history.slice(0, turn * 2) }),
      })
    make(28)
    const before = sent()
    make(29)
    const fresh = history.slice(56, 59).reduce((sum, { text }) => sum + text.length, 0)
    expect(sent() - before).toBeLessThanOrEqual(fresh * 1.1)
  })

  test("a refit at another budget sends next to nothing, and what an entry prints is not printed again", () => {
    const { counter, sent } = measuring()
    const assembler = createAssembler()
    const make = (budgetTokens: number) =>
      assemble(stack(), { assembler, counter, budgetTokens, turn: turnState("?", { history }) })
    make(2500)
    const before = sent()
    for (const budgetTokens of [2000, 1500, 1000, 600]) expect(make(budgetTokens).tokens).toBeLessThanOrEqual(budgetTokens)
    // The notice of what was left out is new, and so are the seams beside it.
    expect(sent() - before).toBeLessThan(4 * 160)
  })
})
