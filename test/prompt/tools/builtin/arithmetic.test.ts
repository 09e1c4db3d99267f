import { expect, test } from "vitest"
import { arithmeticConstants, arithmeticFunctions, arithmeticNames } from "../../../../src/prompt/tools/builtin/arithmetic.ts"
import { evaluateExpression } from "../../../../src/prompt/tools/builtin/calculate.ts"

const numbers = [-8, -2.5, -1, 0, 0.5, 1, 2, 2.345, 7, 170, 171]
const lists = [[], [4], [2, 8], [6, 4], [12, 18, 27], [3, 1, 2], [0, 0], [1, 2, 3, 4]]

test("every function of one, two and more numbers", () => {
  const lines = [...arithmeticFunctions].flatMap(([name, { calculate, fewestArguments, mostArguments }]) => {
    const one = fewestArguments < 2 ? numbers.map((x) => rounded(calculate(x))) : []
    const two = mostArguments > 1 ? numbers.flatMap((x) => [0, 2, 3, -1].map((y) => rounded(calculate(x, y)))) : []
    const more =
      mostArguments > 2 ? lists.filter(({ length }) => length >= fewestArguments).map((list) => rounded(calculate(...list))) : []
    return [
      `${name} ${fewestArguments}..${mostArguments}: ${one.join(" ")}`,
      ...[two, more].filter(({ length }) => length > 0).map((row) => `  ${row.join(" ")}`),
    ]
  })
  expect([...lines, JSON.stringify([...arithmeticConstants]), JSON.stringify(arithmeticNames)].join("\n")).toMatchSnapshot()
})

/** Eight digits: the last ones of sines and powers differ between processors. */
function rounded(value: number): string {
  return Number.isFinite(value) ? String(Number(value.toPrecision(8))) : String(value)
}

test("every form of an expression", () => {
  const texts = [
    ...["1+2*3", "(1+2)*3", "2^3^2", "-2^2", "2^-1", "2**3", "--3", "+-3", "1 - -1", "7%3", "7 % 3", "-7 mod 3", "7 mod 0"],
    ...[
      "50%",
      "200-10%",
      "200+10%",
      "200*10%",
      "10%+5",
      "5%%",
      "100%2",
      "100% 2",
      "100%(3)",
      "100%pi",
      "3!",
      "3!!",
      "-3!",
      "2.5!",
      "0!",
    ],
    ...[
      "2 pi",
      "2pi",
      "2(3)",
      "(2)(3)",
      "2(3)(4)",
      "1/2 pi",
      "1/2(3)",
      "2 sqrt(4)",
      "7 mod 2(3)",
      "e",
      "TAU",
      "π",
      "Sqrt(4)",
      "sqrt 4",
      "sqrt()",
    ],
    ...["１＋２", "2×3÷4", "5−2", "3²", "2³", "【1+2】*2", "1。5", "½", "①", "1 = ", "1+1=?", "1+1= ?", "1==", "= 1"],
    ...[
      "1e3",
      "1e+2",
      "1.e2",
      ".5",
      "5.",
      ".",
      "1e",
      "0x10",
      "1_000",
      "1,000",
      "",
      " ",
      "(",
      "()",
      ")",
      "1 2",
      "1+",
      "*2",
      "max(1,2,3)",
      "max()",
    ],
    ...[
      "max(1,)",
      "max(,1)",
      "(1,2)",
      "round(2.345,2)",
      "round(1,2,3)",
      "hypot(3,4)",
      "constructor",
      "max",
      "x".repeat(30),
      `${"(".repeat(256)}1${")".repeat(256)}`,
    ],
    ...[`${"(".repeat(257)}1${")".repeat(257)}`, "1\n+\t2", "a b c d e f g h i j k l m n"],
  ]
  const lines = texts.map((text) => {
    const shown = text.length > 60 ? `${text.slice(0, 3)}…${text.length}` : text
    try {
      return `${JSON.stringify(shown)} → ${rounded(evaluateExpression(text))}`
    } catch (error) {
      return `${JSON.stringify(shown)} ✗ ${error instanceof Error ? error.message : "no error"}`
    }
  })
  expect(lines.join("\n")).toMatchSnapshot()
})
