import { describe, expect, test } from "vitest"
import { momentText, printColumns } from "../../../src/apps/cli/memory/terminal-table.ts"
import { displayWidth } from "../../../src/core/display-width.ts"

describe("printColumns", () => {
  test("lines up columns by what they take on a terminal, Chinese and emoji too", () => {
    const table = printColumns(
      ["NAME", "TEXT"],
      [
        ["小明", "喜欢茉莉花茶"],
        ["Ann 🎉", "tea"],
      ],
    )
    expect(table).toBe("NAME    TEXT\n小明    喜欢茉莉花茶\nAnn 🎉  tea")
  })

  test("cuts the last column to fit, between characters", () => {
    const table = printColumns(["ID", "TEXT"], [["1", "我今天下午去了图书馆借书"]], 20)
    expect(table.split("\n")[1]).toBe("1   我今天下午去了…")
    for (const line of table.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(20)
  })

  test.each([0, 13, 14, 15])("gives the last column ten columns where a terminal of %d leaves less", (maxWidth) => {
    const [, row] = printColumns(["ID", "TEXT"], [["1", "abcdefghijklmnop"]], maxWidth).split("\n")
    expect(row).toBe(maxWidth === 15 ? "1   abcdefghij…" : "1   abcdefghi…")
  })

  test("names the time zone of its moments, and changes no other word of the headline", () => {
    const table = printColumns(["TIME (UTC)", "OUTCOME"], [[Date.UTC(2026, 2, 1, 8, 5), "ok"]], 80, "Asia/Kolkata")
    expect(table).toBe("TIME (Asia/Kolkata)  OUTCOME\n2026-03-01 13:35     ok")
  })

  test("keeps a row on its line and does nothing to the terminal", () => {
    expect(printColumns(["A", "B"], [["one\ntwo", "\u001b[2Jthree"]])).toBe("A          B\none ⏎ two  [2Jthree")
  })
})

test("a moment is shown in UTC to the minute, and one that is none as a dash", () => {
  expect(momentText(Date.UTC(2026, 2, 1, 8, 5, 59))).toBe("2026-03-01 08:05")
  expect(momentText(Number.NaN)).toBe("-")
})
