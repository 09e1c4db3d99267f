import { describe, expect, test } from "vitest"
import { mulberry32 } from "../../../src/core/mulberry.ts"
import { growth, type Point, picture } from "./curve.ts"

const curve = (count: number, valueAt: (turns: number) => number, lifeAt = (_: number) => 1): Point[] =>
  Array.from({ length: count }, (_, at) => ({ life: lifeAt(at), turns: (at + 1) * 100, value: valueAt((at + 1) * 100) }))

describe("the growth of a curve", () => {
  test("is that of its second half: a warm-up does not count", () => {
    expect(growth(curve(20, (turns) => Math.min(turns, 800)))).toBe(0)
    expect(growth(curve(20, (turns) => turns * 2))).toBeCloseTo(1_800)
  })

  test("is found beneath noise, and a few points far out do not make one", () => {
    const random = mulberry32(1)
    const noisy = (slope: number) => curve(100, (turns) => 1_000 + slope * turns + (random() - 0.5) * 100)
    expect(growth(noisy(0.05))).toBeGreaterThan(200)
    expect(Math.abs(growth(noisy(0)))).toBeLessThan(50)
    const spiked = curve(100, (turns) => (turns % 1_300 === 0 ? 9_000 : 1_000))
    expect(growth(spiked)).toBe(0)
  })

  test("compares no points of different processes", () => {
    const resumed = curve(
      20,
      (turns) => (turns > 1_500 ? 5_000 : 1_000),
      (at) => (at < 15 ? 1 : 2),
    )
    expect(growth(resumed)).toBe(0)
  })
})

test("a picture shows a curve with its highest and lowest value", () => {
  expect(
    picture(
      "climbs",
      curve(4, (turns) => turns),
      { width: 4, height: 4 },
    ),
  ).toBe(["climbs", "         400 |   *", "             |  *", "             | *", "         100 |*"].join("\n"))
  expect(
    picture(
      "flat",
      curve(9, () => 5),
      { width: 3, height: 2 },
    )
      .split("\n")
      .at(-1),
  ).toMatch(/ 5 \|\*\*\*$/)
})
