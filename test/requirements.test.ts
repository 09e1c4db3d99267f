import { readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { repeatedEntries, requirementEntries, strayPointers, unknownTags } from "./support/requirements.ts"
import { readSources, root } from "./support/source-files.ts"
import { requirementsIn, testNamesIn } from "./support/test-names.ts"

const entries = requirementEntries(readSources("docs/requirements", ".md"))

/** Files that people write: generated prompts and golden texts are data. */
const isWritten = (file: string) => !/^(?:src\/prompt\/dialect\/shipped-prompts|test\/golden)\//.test(file)
const textsBelow = (...folders: readonly string[]): (readonly [file: string, text: string])[] =>
  folders
    .flatMap((folder) => [".ts", ".md"].flatMap((suffix) => [...readSources(folder, suffix)]))
    .filter(([file]) => isWritten(file))

/** A number that no page has, made here so that this file holds no tag of it. */
const planted = (letter: string, number = 97) => `${letter}${number}`

/** Requirements that no test's name proves yet. Take a number out once a test names it. */
const unproved: readonly string[] = []

describe("numbered requirements", () => {
  test("each one is named by a test that proves it, and none that is planned only", () => {
    const names = [...readSources("test", ".test.ts")]
      .filter(([file]) => file !== "test/requirements.test.ts")
      .flatMap(([, text]) => testNamesIn(text))
    const named = requirementsIn(names)
    expect(entries.length).toBeGreaterThanOrEqual(110)
    expect(entries.filter(({ id, isLater }) => named.has(id) === isLater).map(({ id }) => id)).toEqual(unproved)
  })

  test("each number stands once in docs/requirements", () => {
    expect(repeatedEntries(entries)).toEqual([])
  })

  test("each page counts from 1 without a gap", () => {
    const numbers = new Map<string, number[]>()
    for (const { id } of entries)
      numbers.set(id.charAt(0), [...(numbers.get(id.charAt(0)) ?? []), Number.parseInt(id.slice(1), 10)])
    expect([...numbers.keys()]).toEqual(expect.arrayContaining(["D", "L", "R", "S", "T"]))
    for (const found of numbers.values())
      expect([...new Set(found)]).toEqual(Array.from({ length: Math.max(...found) }, (_, i) => i + 1))
  })

  test("each tag in src, test, docs and the README names a requirement", () => {
    const pages = ["README.md", "CONTRIBUTING.md"].map((file) => [file, readFileSync(root + file, "utf8")] as const)
    expect(unknownTags(new Map([...pages, ...textsBelow("src", "test", "docs")]), entries)).toEqual([])
  })

  test("no comment or test points to a document that is not in the repository: it gives the reason itself", () => {
    expect(strayPointers(new Map(textsBelow("src", "test")))).toEqual([])
  })
})

describe("the checker finds what is planted", () => {
  test("a number that stands twice, in one page or in two", () => {
    const pages = new Map([
      ["docs/a.md", "# A\n- **T1** one\n  more of it, as T1 has it\n- **T2** two\n- **T1** again\n"],
      ["docs/b.md", "- **L7b** one\n- **T2** again\nnot an entry: - **T3** x\n"],
    ])
    const found = requirementEntries(pages)
    expect(found.map(({ id }) => id)).toEqual(["T1", "T2", "T1", "L7b", "T2"])
    expect(repeatedEntries(found)).toEqual(["docs/a.md:5: T1 stands in docs/a.md:2", "docs/b.md:2: T2 stands in docs/a.md:4"])
  })

  test.each([
    { name: "in a doc comment", text: `/** Reads it (${planted("T")}). */`, found: [planted("T")] },
    { name: "beside one that exists", text: `// ${planted("R")}, R16`, found: [planted("R")] },
    {
      name: "in a test's name, at a line's end",
      text: `test("${planted("S")}: it holds", () => {\n// ${planted("L")}`,
      found: [planted("S"), planted("L")],
    },
    { name: "after a range", text: `(R5–${planted("R")})`, found: [planted("R")] },
    { name: "with a letter after it", text: `(L7b, ${planted("L")}b)`, found: [`${planted("L")}b`] },
    {
      name: "that exists, or is none",
      text: `T5 (T21) L7b s-${planted("T")} X${planted("T")} ${planted("T")}_ T0 ${planted("Q")}`,
      found: [],
    },
  ])("a tag $name", ({ text, found }) => {
    const lines = text.split("\n")
    const shown = found.map((id) => `src/a.ts:${lines.findIndex((line) => line.includes(id)) + 1}: ${id}`)
    expect(unknownTags(new Map([["src/a.ts", text]]), entries)).toEqual(shown)
  })

  test.each([
    ["(design, rule", "6)"],
    ["design rule", "6"],
    ["rule", "1: nothing is lost"],
    ["as the design", "'s example has it"],
    ["see measurements", ".md"],
    ["see design", ".md"],
    ["as the", "issue asks"],
    ["the seed", "gives two sets"],
    ["see spec", "/1-turn-loop.md"],
  ])("a pointer: %s %s", (before, after) => {
    const glue = /^[./']/.test(after) ? "" : " "
    expect(strayPointers(new Map([["src/a.ts", `const a = 1\n// ${before}${glue}${after}\n`]]))).toHaveLength(1)
  })

  test("and no pointer in words that only sound like one", () => {
    const sound =
      "// by design of the profile, a rule of the house, the seed of the dice, this issue's path, ZodIssue, see docs/architecture.md"
    expect(strayPointers(new Map([["src/a.ts", sound]]))).toEqual([])
  })
})

describe("the names of tests", () => {
  test("a number counts in the name of a test, a suite or a row of cases, and nowhere else", () => {
    const text = [
      'test("T1 one", () => {',
      "test.each(cases)(`T2 two: $name`, () => {",
      'test.skipIf(!present)(\n  "T3 and L7b", () => {',
      'describe("five (T5)", () => {',
      `{ name: "T6", text: "${planted("T", 90)}" },`,
      `const other = "${planted("T", 91)}" // ${planted("T", 92)}`,
      `expect(read("${planted("T", 93)}")).toBe("${planted("T", 94)}")`,
      `test("X${planted("T", 95)}, ${planted("T", 96)}_, s-${planted("T")}", () => {`,
    ].join("\n")
    expect([...requirementsIn(testNamesIn(text))].sort()).toEqual(["L7b", "T1", "T2", "T3", "T5", "T6"])
  })
})
