import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { GrowingLists } from "../../src/core/growing-lists.ts"

describe("lists that grow", () => {
  const pool = Array.from({ length: 6 }, (_, name) => ({ name }))
  const list = fc.array(fc.constantFrom(...pool), { maxLength: 8 })

  test("whatever lists came before, each list has what is made of its own items", () => {
    fc.assert(
      fc.property(fc.array(list, { maxLength: 12 }), (lists) => {
        const made = new GrowingLists<{ readonly name: number }, string>()
        for (const items of lists) {
          expect(made.of(items, ({ name }) => `made ${name}`)).toEqual(items.map(({ name }) => `made ${name}`))
        }
      }),
    )
  })

  test("what is made may build on what was made of the item before", () => {
    fc.assert(
      fc.property(fc.array(list, { maxLength: 12 }), (lists) => {
        const made = new GrowingLists<{ readonly name: number }, string>()
        for (const items of lists) {
          const upTo = items.map((_, index) =>
            items
              .slice(0, index + 1)
              .map(({ name }) => name)
              .join(""),
          )
          expect(made.of(items, ({ name }, before = "") => before + name)).toEqual(upTo)
        }
      }),
    )
  })

  test("of a list that has grown only what is new is made", () => {
    const made = new GrowingLists<{ readonly name: number }, number>()
    const asked: number[] = []
    const make = ({ name }: { readonly name: number }) => asked.push(name)
    for (const length of [2, 2, 5]) made.of(pool.slice(0, length), make)
    expect(asked).toEqual([0, 1, 2, 3, 4])
  })
})
