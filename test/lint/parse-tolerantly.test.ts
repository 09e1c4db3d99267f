import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { formatSource } from "../../src/core/source.ts"
import { parseTolerantly } from "../../src/node/lint/read-prompt-folder.ts"
import { parseTemplate } from "../../src/prompt/template/parse.ts"
import { runs } from "../support/size.ts"

const noFiles = () => {
  throw new Error("no file")
}

function parse(body: string, firstLine = 1) {
  const { template, errors } = parseTolerantly({ path: "p.md", attributes: {}, body, firstLine }, noFiles)
  return { template, places: errors.map(({ source }) => (source ? formatSource(source) : "")) }
}

describe("parsing past mistakes", () => {
  test.each([
    ["${question\n${rest}\n", ["p.md:2:1"]],
    ["${a? ${nope(x)} : b}\n${c | x}", ["p.md:1:6", "p.md:2:7"]],
    ["${file_load(a.md)}\n${file_load(b.md)}", ["p.md:1:1", "p.md:2:1"]],
    ["a ${}\n${role(usr)} ${ }", ["p.md:1:5", "p.md:2:8", "p.md:2:17"]],
    ["你好 ${x | fenc} ${", ["p.md:1:10", "p.md:1:16"]],
  ])("finds every one of %j", (body, places) => {
    expect(parse(body).places).toEqual(places)
  })

  test("counts lines from the file's beginning, front matter included", () => {
    expect(parse("${a | x}\n${b | y}", 5).places).toEqual(["p.md:5:7", "p.md:6:7"])
  })

  test("keeps the slots beside a mistake", () => {
    const { template } = parse("${one} ${two | x} ${three}")
    expect(template?.nodes.flatMap((node) => (node.type === "slot" ? [node.name] : []))).toEqual(["one", "three"])
  })

  test("ends on any text, and agrees with the parser where that finds nothing wrong", () => {
    const pieces = ["${", "}", "a", ":", "?", "|", "=", "(", ")", "role", "file_load", "rest", "\n", " ", "$", "fence", "é", "😀"]
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 60 }), (parts) => {
        const body = parts.join("")
        const { template, errors } = parseTolerantly({ path: "p.md", attributes: {}, body, firstLine: 1 }, noFiles)
        let strict: ReturnType<typeof parseTemplate> | undefined
        try {
          strict = parseTemplate(body, { file: "p.md", load: noFiles })
        } catch {
          strict = undefined
        }
        expect(errors.length > 0).toBe(strict === undefined)
        if (strict) expect(template).toEqual(strict)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe("every mistake", () => {
  const placesOf = (body: string) => parse(body).places.map((place) => place.replace("p.md:", ""))

  test("is found at its place, whatever stands around it", () => {
    const pieces = [
      ...["words", "你好 😀", "", "${name}", "${a? b : c}", "$ { }", "}"].map((text) => [text, 0] as const),
      ...["${a | x}", "${a| nope}"].map((text) => [text, text.indexOf("|") + 3] as const),
      ...["${nope(x)}", "${file_load(a.md)}", "${role(usr)}"].map((text) => [text, text.startsWith("${role") ? 8 : 1] as const),
    ]
    const line = fc.tuple(fc.constantFrom("", "a ", "😀 ", "${b} "), fc.constantFrom(...pieces))
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
        const body = lines.map(([before, [text]]) => before + text).join("\n")
        const places = lines.flatMap(([before, [, column]], at) =>
          column === 0 ? [] : [`${at + 1}:${[...before].length + column}`],
        )
        expect(placesOf(body)).toEqual(places)
      }),
      { numRuns: runs(300) },
    )
  })

  test("is found up to the fiftieth", () => {
    expect(placesOf("${a | x}\n".repeat(49))).toHaveLength(49)
    expect(placesOf("${a | x}\n".repeat(50))).toHaveLength(50)
    expect(placesOf("${a | x}\n".repeat(60))).toHaveLength(50)
  })
})
