import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { layOutSides, type SideRow } from "../../../../../page/compare/side-rows.ts"
import { compareRequests } from "../../../../../src/apps/server/inspector/compare/compare-turns.ts"
import { runs, seedOf } from "../../../../support/size.ts"

const line = fc.string({ unit: fc.constantFrom("a", "b ", "展", "😀", " "), maxLength: 12 })
const text = fc.array(line, { maxLength: 10 }).map((lines) => lines.join("\n"))
const side = fc.array(fc.tuple(fc.constantFrom("system" as const, "user" as const), text), { maxLength: 4 })

function compared(a: readonly (readonly ["system" | "user", string])[], b: typeof a) {
  const [left, right] = [a, b].map((messages, at) => ({
    turn: String(at),
    request: {
      ...{ step: 1, tokens: 0, overheadTokens: 0, exact: true, prefixes: [], decisions: [] },
      messages: messages.map(([role, words]) => ({
        role,
        spans: [{ text: words, key: "", part: "content", trust: "user", stability: "turn", tokens: 1 } as const],
      })),
    },
  }))
  if (!left || !right) throw new Error("two sides")
  return compareRequests(left, right, undefined)
}

describe("the lines of two requests", () => {
  test("are both texts in order, beside or below each other; none parts a pair, and a change is inside its line", () => {
    fc.assert(
      fc.property(side, side, fc.integer({ min: 4, max: 30 }), fc.boolean(), (a, b, columns, isNarrow) => {
        const all = compared(a, b)
        const { rows, differences, ...sides } = layOutSides(all, { columns, isNarrow, isFolded: false })
        for (const name of ["a", "b"] as const) {
          const seen = sides[name].map(() => "")
          for (const row of rows) {
            const at = all.messages[row.pair]?.[name]
            if (row.kind === "head" || row.kind === "fold" || !row[name] || at === undefined) continue
            const own = sides[name][at]?.text.slice(...row[name]) ?? ""
            expect(own.isWellFormed()).toBe(true)
            seen[at] += own
            const changed = row.changed && sides[name][at]?.text.slice(...row.changed[name])
            expect(changed?.isWellFormed()).not.toBe(false)
          }
          expect(seen).toEqual((name === "a" ? a : b).map(([, words]) => words))
        }
        for (const at of differences) expect(rows[at]?.kind).toBe("different")
        expect(differences.length > 0).toBe(rows.some(({ kind }) => kind === "different"))
      }),
      { numRuns: runs(300), seed: seedOf(20) },
    )
  })

  test("leave out what is equal and far from a difference, with its number", () => {
    const equal = Array.from({ length: 10 }, (_, at) => `${at}`).join("\n")
    const all = compared([["user", `${equal}\nthe old end`]], [["user", `${equal}\nthe new end`]])
    const rows = layOutSides(all, { columns: 40, isNarrow: false, isFolded: true }).rows
    expect(rows.map((row: SideRow) => (row.kind === "fold" ? row.lines : row.kind))).toEqual([
      ...["head", 7, "same", "same", "same", "different"],
    ])
    expect(rows.at(-1)).toMatchObject({ changed: { a: [24, 27], b: [24, 27] } })
  })
})
