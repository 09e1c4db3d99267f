import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { assemble } from "../../../../src/prompt/assemble/assemble.ts"
import { createAssembler } from "../../../../src/prompt/assemble/assembler.ts"
import { PromptStack } from "../../../../src/prompt/stack/prompt-stack.ts"
import { both } from "../../../adapters/tokenizers/tiktoken/encoders.ts"
import { runs } from "../../../support/size.ts"
import { said, turnState } from "../../../support/turns.ts"
import { perCodePoint, turnPrompts } from "../arbitrary-turn.ts"

const { encoder } = both("o200k_base")
const { count, scan } = encoder
const line = fc.constantFrom(
  "hello",
  "今天天气",
  "---",
  "  ",
  "a 'll 12",
  "two\n\nlines",
  "\u202e",
  "```js",
  "memory on ".repeat(40),
)

describe("messages kept from turn to turn", () => {
  test("S14 a conversation gives what each of its turns gives alone, whatever is cut and whoever counts", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...turnPrompts),
        fc.array(line, { minLength: 2, maxLength: 12 }),
        fc.array(fc.constantFrom(60, 120, 400, undefined), { minLength: 2, maxLength: 4 }),
        (where, lines, budgets) => {
          const stack = new PromptStack([{ key: "persona", content: "You are Fay." }])
          const history = lines.map((text, index) => said(index % 2 === 0 ? "user" : "assistant", text))
          const assembler = createAssembler()
          const [one, other] = [{ exact: true, count, scan }, { ...perCodePoint }]
          for (const [step, budget] of budgets.entries()) {
            const turn = turnState("and now?", { history: history.slice(step % 3, 2 + step * 3) })
            const options = {
              ...where,
              history: { reserveTokens: step },
              ...(budget === undefined ? {} : { budgetTokens: step % 2 === 0 ? budget + 800 : budget * 10 + 4000 }),
            }
            const kept = assemble(stack, { ...options, turn, assembler, counter: step % 2 === 0 ? one : other })
            const alone = assemble(stack, {
              ...options,
              turn: structuredClone(turn),
              counter: step % 2 === 0 ? { ...one } : { ...other },
            })
            expect(kept).toEqual(alone)
          }
        },
      ),
      { numRuns: runs(150) },
    )
  })

  test("a message that was sent before is the same object, and so are its spans", () => {
    const counter = { exact: true, count, scan }
    const history = ["hi", "hello", "how are you", "fine"].map((text, index) =>
      said(index % 2 === 0 ? "user" : "assistant", text),
    )
    const assembler = createAssembler()
    const at = (length: number) =>
      assemble(new PromptStack([{ key: "persona", content: "You are Fay." }]), {
        prompt: "chat",
        counter,
        assembler,
        turn: turnState("and now?", { history: history.slice(0, length) }),
      })
    const [first, second] = [at(2), at(4)]
    expect(second.messages[1]).toBe(first.messages[1])
    expect(second.spans.find(({ message }) => message === 2)).toBe(first.spans.find(({ message }) => message === 2))
  })
})
