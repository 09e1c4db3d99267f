import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { emptyList, grow } from "../../src/core/memo.ts"

describe("lists that grow", () => {
  const pool = Array.from({ length: 6 }, (_, name) => ({ name }))
  const list = fc.array(fc.constantFrom(...pool), { maxLength: 8 })

  test("whatever lists came before, each list has what is made of its own items", () => {
    fc.assert(
      fc.property(fc.array(list, { maxLength: 12 }), (lists) => {
        const made = emptyList<{ readonly name: number }, string>()
        for (const items of lists) {
          expect(grow(made, items, ({ name }) => `made ${name}`)).toEqual(items.map(({ name }) => `made ${name}`))
        }
      }),
    )
  })

  test("what is made may build on what was made of the item before", () => {
    fc.assert(
      fc.property(fc.array(list, { maxLength: 12 }), (lists) => {
        const made = emptyList<{ readonly name: number }, string>()
        for (const items of lists) {
          const upTo = items.map((_, index) =>
            items
              .slice(0, index + 1)
              .map(({ name }) => name)
              .join(""),
          )
          expect(grow(made, items, ({ name }, before = "") => before + name)).toEqual(upTo)
        }
      }),
    )
  })

  test("of a list that has grown only what is new is made", () => {
    const made = emptyList<{ readonly name: number }, number>()
    const asked: number[] = []
    const make = ({ name }: { readonly name: number }) => asked.push(name)
    for (const length of [2, 2, 5]) grow(made, pool.slice(0, length), make)
    expect(asked).toEqual([0, 1, 2, 3, 4])
  })
})
