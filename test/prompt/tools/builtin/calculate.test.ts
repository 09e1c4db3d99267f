import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { calculateTool } from "../../../../src/prompt/tools/builtin/calculate.ts"
import { runs } from "../../../support/size.ts"
import { answerOf } from "./run-tool.ts"

const tool = calculateTool({ locale: "zh-CN" })
const calculate = (expression: unknown): Promise<string> => answerOf(tool, { expression })

describe("calculate", () => {
  test.each([
    ["17*23", "391"],
    ["17×23", "391"],
    ["１７＊２３＝", "391"],
    ["（1＋2）×3÷4", "2.25"],
    ["1 + 1 = ?", "2"],
    ["0.1+0.2", "0.3"],
    ["2**10", "1024"],
    ["2^3^2", "512"],
    ["-2^2", "-4"],
    ["5−3", "2"],
    ["3²+4²", "25"],
    ["10 % 3", "1"],
    ["median(9, 1, 2)", "2"],
    ["median(9, 1, 2, 4)", "3"],
    ["8 + 5%", "8.4"],
    ["200-10%", "180"],
    ["100*(1+5%)", "105"],
    ["10/5%", "200"],
    ["5%-3", "-2.95"],
    ["5% * 2", "0.1"],
    ["5!", "120"],
    ["1/3", "0.33333333333333"],
    ["1e21", "1e21"],
    ["2^53-1", "9007199254740991"],
    ["20!", "2.4329020081766e18"],
    ["-0", "0"],
    ["1e-7", "1e-7"],
    ["2 pi", "6.2831853071796"],
    ["π", "3.1415926535898"],
    ["SQRT(16) + ln(e) + log(8, 2)", "8"],
    ["max(1，2, 3)", "3"],
    ["round(2.345, 2)", "2.35"],
    ["cbrt(27)", "3"],
    ["nthRoot(-27, 3)", "-3"],
    ["-7 mod 3", "2"],
    ["2^-1", "0.5"],
    ["2(3+4)", "14"],
    ["1/2*3 pi", "4.7123889803847"],
    ["10%^2", "0.01"],
    ["200 - (10%)", "199.9"],
    ["round(-2.5)", "-3"],
    ["round(1e-7, 7)", "1e-7"],
    ["floor(3.19, 1)", "3.1"],
    ["gcd(12, 18) + lcm(4, 6, 10)", "66"],
    ["median(5, 1, 4, 2) + mean(1, 2)", "4.5"],
    [42, "42"],
  ])("%j is %s", async (expression, value) => expect((await calculate(expression)).replace("e+", "e")).toBe(value))

  test.each([
    "",
    " ",
    'import("fs")',
    "sqrt.constructor",
    "constructor",
    "toString(1)",
    "__proto__",
    "parse(1)",
    "evaluate(1)",
    "f(x) = x",
    "x = 3",
    "1; 2",
    "[1, 2]",
    '"a"',
    "true",
    "{a: 1}",
    "2 cm to inch",
    "1 < 2",
    "1:3",
    "combinations(1e9, 5e8)",
    "sqrt",
    "min()",
    "sqrt(1, 2)",
    "ln(2, 3)",
    "gcd(4)",
    "1/2 pi",
    "6/2(1+2)",
    "10 % 3(2)",
    "1,000",
    "3½",
    "2①",
    "5'",
    "5＇",
    "你好",
    "1 +",
    "(".repeat(900),
    `${"(".repeat(490)}1${")".repeat(490)}`,
  ])("T18: %j is refused with words for the model", async (expression) => {
    expect(await calculate(expression)).toMatch(/^failed: (算不了这个算式：[^\n]*以及函数 abs, |\{"kind":"invalid-arguments")/)
  })

  test.each([
    "1/0",
    "0/0",
    "sqrt(-1)",
    "10^400",
    "171!",
    "5 % 0",
    "mod(5, 0)",
    "log(0)",
    "0.5!",
    "gcd(1.5, 2)",
    "round(1, 99)",
    "1e300!",
    "9^9^9^9",
  ])("T18: %j has no finite value", async (expression) => {
    expect(await calculate(expression)).toMatch(/^failed: 结果不是一个有限的数/)
  })

  test("T18: the refusal quotes the place that is no arithmetic", async () => {
    expect(await calculate("12 + 3 apples")).toMatch(/^failed: 算不了这个算式："apples"。/)
    expect(await calculate("12 + (3 *")).toMatch(/^failed: 算不了这个算式："12 \+ \(3 \*" …。/)
  })

  test("T18: more than 1,000 characters are too long", async () => {
    expect(await calculate(`${"1+".repeat(499)}11`)).toBe("510")
    expect(await calculate(`${"1+".repeat(500)}11`)).toBe("failed: 算式太长：最多 1000 个字符。")
  })

  test.each([
    ["remainders", `${"5%(3+".repeat(160)}7${")".repeat(160)}`, "5"],
    ["percentages", `${"5%-(".repeat(198)}7${")".repeat(198)}`, /^-?[\d.e-]+$/],
    ["signs", `${"-".repeat(998)}7`, "7"],
    ["powers", `${"2^(".repeat(240)}1${")".repeat(240)}`, /不是一个有限的数/],
    ["remainders without an end", "5%(".repeat(333), /^failed: 算不了/],
  ])("does not go on for ever on nested %s", async (_name, expression, answer) => {
    expect(await calculate(expression)).toEqual(typeof answer === "string" ? answer : expect.stringMatching(answer))
  })

  test("calculates as JavaScript does, to 14 digits", async () => {
    const number = fc.integer({ min: -1_000, max: 1_000 }).map((n) => `(${n})`)
    const operator = fc.constantFrom("+", "-", "*")
    await fc.assert(
      fc.asyncProperty(number, fc.array(fc.tuple(operator, number), { maxLength: 4 }), async (first, rest) => {
        const expression = first + rest.flat().join("")
        expect(await calculate(expression)).toBe(String(Number(new Function(`return ${expression}`)()) + 0))
      }),
    )
  })

  test("answers or refuses any text, at once", async () => {
    const unit = fc.constantFrom(..."0123456789.+-*/^%!(),= epixabs[]{}'\":;<>\\×２")
    await fc.assert(
      fc.asyncProperty(fc.string({ unit, maxLength: 60 }), async (expression) => {
        expect(await calculate(expression)).toMatch(/^(-?\d+(\.\d+)?(e[+-]\d+)?|failed: .+)$/s)
      }),
      { numRuns: runs(500) },
    )
  })
})
