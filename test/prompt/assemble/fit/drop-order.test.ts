import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { Memo } from "../../../../src/core/memo.ts"
import type { SlotEntry } from "../../../../src/core/value.ts"
import { dropOrder } from "../../../../src/prompt/assemble/fit/drop-order.ts"

const entry = fc.record({ role: fc.constantFrom("user", "assistant", "other"), answers: fc.boolean() })

describe("the order in which entries go", () => {
  test("S16 a list that grows, shrinks or goes on otherwise has the order that it has alone", () => {
    const change = fc.record({ kept: fc.double({ min: 0, max: 1, noNaN: true }), added: fc.array(entry, { maxLength: 6 }) })
    fc.assert(
      fc.property(entry, fc.array(change, { minLength: 1, maxLength: 12 }), (first, changes) => {
        const memo = new Memo()
        let list: SlotEntry[] = [{ ...first }]
        for (const { kept, added } of changes) {
          list = [...list.slice(0, Math.max(1, Math.ceil(kept * list.length * 1.5))), ...added.map((one) => ({ ...one }))]
          const alone = list.map((one) => ({ ...one }))
          expect(dropOrder(list, undefined, memo)).toEqual(dropOrder(alone, undefined, new Memo()))
        }
      }),
    )
  })

  test("S14 answers go before the message of the user that they answer, with what answers them", () => {
    const list: SlotEntry[] = [
      { role: "user" },
      { role: "assistant" },
      { role: "tool", answers: true },
      { role: "assistant" },
      { role: "user" },
    ]
    expect(dropOrder(list, undefined, new Memo()).map(({ at, size }) => [at, size])).toEqual([
      [1, 2],
      [3, 1],
      [0, 1],
      [4, 1],
    ])
  })

  test("by scores the lowest goes first, equal ones oldest first", () => {
    const list: SlotEntry[] = [{ role: "a" }, { role: "b" }, { role: "c" }]
    const order = dropOrder(list, { rank: 1, shrink: "entries", scores: [2, 1, 1] }, new Memo())
    expect(order.map(({ at }) => at)).toEqual([1, 2, 0])
  })
})
