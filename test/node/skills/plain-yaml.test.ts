import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { readYamlMapping } from "../../../src/node/front-matter.ts"
import { readPlainYaml } from "../../../src/node/skills/skill-yaml.ts"

/** What a YAML reader makes of it; a text that is no mapping gives its error. */
function yamlOf(yaml: string): unknown {
  try {
    return readYamlMapping(yaml, { file: "f", whole: yaml, offset: 0 })
  } catch (error) {
    return error
  }
}

describe("readPlainYaml", () => {
  test("reads what front matter mostly is", () => {
    const yaml = [
      "name: pdf-forms",
      'description: "Fill forms: fast"',
      "license: 'MIT'",
      "compatibility: Needs python:3, see C#",
      "metadata:",
      "  author: example org",
      '  version: "1.0"',
      "mode: inline",
    ].join("\n")
    expect(readPlainYaml(yaml)).toEqual(yamlOf(yaml))
  })

  test.each([
    "",
    "a:",
    "a: 1",
    "a: true",
    "a: Null",
    "a: x: y",
    "a: x #c",
    "a: x:",
    "a: x\na: y",
    "a: x\n  b",
    "a:\n  b:\n    c: d",
    "a:\n  b: c\n   d: e",
    "a: [b]",
    "a: *b",
    'a: "b\\n"',
    "a: x ",
    "a: x\u00a0",
    "a: |\n  b",
    "- a: b",
    "__proto__: x",
    "a: x\n\nb: y",
  ])("leaves %j to a YAML reader", (yaml) => expect(readPlainYaml(yaml)).toBeUndefined())

  test("whatever it reads, a YAML reader reads the same", () => {
    const key = fc.constantFrom("name", "a-b", "null", "true", "y", "on", "no", "constructor", "metadata", "x1")
    const piece = fc.constantFrom(
      ..."ab1 :#-'\"[]{},&*!|>%@`\\\t\u00a0\u0085\u2028\u{feff}é中?~=.",
      ": ",
      " #",
      "true",
      "null",
      "2020-01-01",
      "0x1f",
      "...",
      "---",
    )
    const value = fc.oneof(
      fc.array(piece, { maxLength: 6 }).map((parts) => parts.join("")),
      fc.array(piece, { maxLength: 4 }).map((parts) => `w${parts.join("")}`),
      fc.array(piece, { maxLength: 4 }).map((parts) => `"${parts.join("")}"`),
      fc.string({ unit: "binary", maxLength: 8 }),
    )
    const line = fc.oneof(
      fc.tuple(key, value).map(([name, text]) => `${name}: ${text}`),
      fc.tuple(fc.constantFrom("  ", "    ", " "), key, value).map(([indent, name, text]) => `${indent}${name}: ${text}`),
      key.map((name) => `${name}:`),
      value,
    )
    let read = 0
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 5 }), (lines) => {
        const yaml = lines.join("\n")
        const plain = readPlainYaml(yaml)
        if (plain === undefined) return
        read++
        expect(plain, yaml).toEqual(yamlOf(yaml))
      }),
      { numRuns: 3_000 },
    )
    expect(read).toBeGreaterThan(50)
  })
})
