import { expect, test } from "vitest"
import { compilePattern } from "../../../../src/prompt/layers/lorebook/pattern.ts"

/** All texts of up to three of these units. */
function textsOf(units: readonly string[]): readonly string[] {
  const one = units.map((unit) => unit)
  const two = one.flatMap((text) => units.map((unit) => text + unit))
  return ["", ...one, ...two, ...two.flatMap((text) => units.map((unit) => text + unit))]
}

test("edges of lines and words are where the host's own engine has them, at every end of a line", () => {
  const texts = textsOf(["a", " ", "\n", "\r", "\u2028", "\u2029", "\u0085"])
  for (const source of ["^", "$", "^$", "\\b", "\\B", ".", "^a", "a$", "^.$", "^\\s", "\\ba\\b"]) {
    for (const flags of ["", "m", "s", "ms", "mu"]) {
      // So many choices keep the pattern from the host.
      const [own, host] = [compilePattern(`(?:${source})${"(?:|\\0)".repeat(20)}`, flags), new RegExp(source, flags)]
      const work = { left: Number.POSITIVE_INFINITY, leftOut: new Set<number>() }
      if (typeof own !== "function") throw new Error(own.refused)
      for (const text of texts) expect(own(text, work), JSON.stringify([source, flags, text])).toBe(host.test(text))
    }
  }
})

test("a pattern has at most a thousand states", () => {
  const refusal = (source: string, flags = ""): string => {
    const compiled = compilePattern(source, flags)
    return typeof compiled === "function" ? "" : compiled.refused
  }
  const sources = [
    ...[998, 999, 1_000].map((count) => "a".repeat(count)),
    ...[
      "a{999}",
      "a{1000}",
      "a{1001}",
      "a{0,499}",
      "a{0,500}",
      "a{499,998}",
      "a{500,}",
      "(?:){1000}",
      "(?:){1001}",
      "(?:a|b){333}",
      "(?:a|b){334}",
    ],
    ...["(?=a)", "(?<!a)", "(a)\\1", "\\k<n>(?<n>a)"],
  ]
  // Of nothing, a thousand times a thousand repetitions are one, and so are those inside and around them.
  expect(refusal(`${"(".repeat(8)}${"){1000}".repeat(8)}`)).toBe("")
  const short = (source: string): string => (source.length > 20 ? `${source.slice(0, 3)}… ${source.length}` : source)
  expect(
    [
      ...sources.map((source) => `${short(source)} → ${refusal(source)}`),
      `flags v → ${refusal("a", "v")}`,
      `flags gyd → ${refusal("a", "gyd")}`,
    ].join("\n"),
  ).toMatchSnapshot()
})

test("a pattern whose groups have flags of their own is refused, and so are more than a hundred groups inside each other", () => {
  const refusal = (source: string): string => {
    const compiled = compilePattern(source, "")
    return typeof compiled === "function" ? "" : compiled.refused
  }
  const nested = (depth: number, inner = "a") => "(".repeat(depth) + inner + ")".repeat(depth)
  const linear = "cannot be searched for in linear time"
  expect(["(?i:a)", "(?-i:a)"].map(refusal)).toEqual(new Array(2).fill(`a group with flags of its own ${linear}`))
  expect(["(?:a)", "(?<name>a)", "(a)"].map(refusal)).toEqual(["", "", ""])
  // The whole pattern is a group of its own.
  expect([nested(99), nested(100), `${nested(99)}${nested(99)}`, nested(99, "a|b")].map(refusal)).toEqual([
    "",
    `a pattern with more than 100 groups inside each other ${linear}`,
    "",
    "",
  ])
})
