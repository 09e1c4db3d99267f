import { expect, test } from "vitest"
import { printTable } from "../../src/trace/table.ts"

test("columns are as wide as their widest cell on a terminal, numbers stand to the right", () => {
  const table = printTable(
    ["key", "n", "what"],
    [
      ["角色的世界书", "5", "kept → here"],
      ["é😀", "120", "x"],
    ],
  )
  expect(table).toBe("  key             n  what\n  角色的世界书    5  kept → here\n  é😀           120  x")
})

test("a cell stays on its line and does nothing to a terminal; missing ones are empty", () => {
  expect(printTable(["a", "b"], [["x\ny\u001b[2J\u202e"], ["\t", "z"]])).toBe("  a         b\n  x ⏎ y[2J\n            z")
})

test("a column with a word in it stands to the left, percentages to the right", () => {
  expect(
    printTable(
      ["a", "b"],
      [
        ["10", "5 %"],
        ["x", "12 %"],
      ],
    ),
  ).toBe("  a      b\n  10   5 %\n  x   12 %")
})

test("a rule goes across the whole table, however long its words are", () => {
  expect(printTable(["a", "bcd"], [["1", "2"], { rule: "half" }, ["3", "4"]])).toBe("  a  bcd\n  1    2\n  ── half ──\n  3    4")
  expect(printTable(["a".repeat(20)], [{ rule: "半" }]).split("\n")[1]).toBe(`  ── 半 ${"─".repeat(14)}`)
})
