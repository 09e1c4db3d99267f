import { runInNewContext } from "node:vm"
import { expect, test } from "vitest"
import { instrument } from "./instrument.ts"
import { applied, mutantsOf } from "./mutants.ts"

const programs = [
  "let out = []\nfor (let i = 0; i < 3; i++)\n  if (i === 1) out.push('a')\n  else out.push(i + 1)",
  "const f = (a, b) => !a && (b ?? 'none')\nvar out = [f(0, 1), f(1), f(0, null)]",
  "let out = 'a'\nout === 'a' && (out = 'b')",
  "function f(a) {\n  switch (a) {\n    case 9:\n      return a - 2 // why\n        - 3\n  }\n  return 1 - 2 - 3\n}\nconst out = [f(9), f(8)]",
]

/** The value of a program, or the words of its error. */
function resultOf(code: string, active?: string): unknown {
  const program = `${code.replaceAll(" as never", "")}\nJSON.stringify(out)`
  try {
    return runInNewContext(program, { __mutant: (id: string) => id === active })
  } catch (cause) {
    return String(cause)
  }
}

test.each(programs)("switched on, each mutant does what the changed text does: %j", (code) => {
  const all = mutantsOf("a.ts", code)
  const switched = instrument(code, all, new Set(all.map(({ id }) => id)))
  expect(resultOf(switched)).toBe(resultOf(code))
  for (const mutant of all) expect(resultOf(switched, mutant.id)).toBe(resultOf(applied(code, mutant)))
})

test("only the chosen mutants have switches", () => {
  const all = mutantsOf("a.ts", "a = b < 3")
  expect(instrument("a = b < 3", all, new Set())).toBe("a = b < 3")
  expect(instrument("a = b < 3", all, new Set([all[2]?.id ?? ""]))).toBe(`a = b < (__mutant("${all[2]?.id}") ? ((4)\n) : (3\n))`)
})
