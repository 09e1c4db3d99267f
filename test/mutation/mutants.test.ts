import { expect, test } from "vitest"
import { mutantsOf } from "./mutants.ts"

/** The lines of a program after each mutant. */
const changed = (code: string) =>
  mutantsOf("a.ts", code).map(({ line, start, end, text }) => `${line}: ${code.slice(0, start)}${text}${code.slice(end)}`)

test("operators, conditions, constants, returns and statements have mutants", () => {
  expect(changed("a = b < 3")).toEqual(["1: ;", "1: a = b <= 3", "1: a = b < (4)"])
  expect(changed("const a = !b ?? 'x'")).toEqual(["1: const a = b ?? 'x'", "1: const a = !b && 'x'", '1: const a = !b ?? ""'])
  expect(changed("function f() {\n  return g()\n}")).toEqual(["2: function f() {\n  return undefined as never\n}"])
  expect(changed("if (a) b()")).toEqual(["1: if (true) b()", "1: if (false) b()", "1: if (a) ;"])
})

test("types, imports, names of properties and joined texts have none", () => {
  expect(changed('import { a } from "a"\nexport type B = "x" | 1\nconst c = { "d": a as "e" }\nconst f = `${c}` + a')).toEqual([])
})

test("the id of a mutant stays while its line stays, and tells equal lines apart", () => {
  const ids = (code: string) => mutantsOf("a.ts", code).map(({ id }) => id)
  const [moved] = ids("const b = a\nconst a = 1")
  expect(ids("const a = 1")).toEqual([moved])
  expect(ids("const a = 2")).not.toEqual([moved])
  expect(new Set(ids("f = 1\nf = 1")).size).toBe(4)
})

test("code that runs when its module loads is told from code of functions", () => {
  const isStatic = mutantsOf("a.ts", "const a = 1\nconst f = () => 2").map((mutant) => mutant.isStatic)
  expect(isStatic).toEqual([true, false])
})
