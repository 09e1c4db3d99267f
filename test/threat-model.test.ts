import { existsSync, readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { root } from "./support/source-files.ts"

/** The rows of the threat model, as cells. */
const rows = (text: string): readonly (readonly string[])[] =>
  (text.split("## Threat model\n")[1]?.split("\n## ")[0] ?? "")
    .split("\n")
    .filter((line) => line.startsWith("| ") && !line.startsWith("| asset "))
    .map((line) => line.split("|").slice(1, -1))

const testsIn = (cells: readonly string[]) => [...(cells.at(-1) ?? "").matchAll(/`([^`]+)`/g)].map(([, file = ""]) => file)

/** The faults of a threat model, by row. */
function faultsOf(text: string): readonly string[] {
  return rows(text).flatMap((cells) => {
    const files = testsIn(cells)
    const faults = files.filter((file) => !/\.test\.ts$/.test(file) || !existsSync(root + file)).map((file) => `no test ${file}`)
    if (cells.length !== 5 || cells.some((cell) => cell.trim() === "")) faults.push(`an empty cell in ${cells.join("|")}`)
    return files.length === 0 ? [...faults, `no test in ${cells.join("|")}`] : faults
  })
}

test("each threat of SECURITY.md has an attacker, a way, a defence and tests that exist", () => {
  const text = readFileSync(`${root}SECURITY.md`, "utf8")
  expect(rows(text).length).toBeGreaterThanOrEqual(15)
  expect(faultsOf(text)).toEqual([])
})

test("a threat without a test, or with one that is gone, is found", () => {
  const model =
    "## Threat model\n| asset | attacker |\n| a | b | c | d | none |\n| a | b | c | d | `test/gone.test.ts` |\n| a |  | c | d | `test/exports.test.ts` |\n"
  expect(faultsOf(model)).toEqual([
    "no test in  a | b | c | d | none ",
    "no test test/gone.test.ts",
    "an empty cell in  a |  | c | d | `test/exports.test.ts` ",
  ])
})
