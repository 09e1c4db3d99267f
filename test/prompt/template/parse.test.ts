import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../../src/core/errors.ts"
import { parseTemplate } from "../../../src/prompt/template/parse.ts"
import { escapeTemplate, normalizeText } from "../../../src/prompt/template/scanner.ts"
import { shape } from "./shorthand.ts"

describe("R1: the syntax", () => {
  test.each<[string, unknown[]]>([
    ["plain { text } : with $ and $5", ["plain { text } : with $ and $5"]],
    ["", []],
    ["${name}", [{ slot: "name" }]],
    ["${ user.full-name_2 }", [{ slot: "user.full-name_2" }]],
    ["${用户.名字}", [{ slot: "用户.名字" }]],
    ["a${b}c", ["a", { slot: "b" }, "c"]],
    ["${text | fence}", [{ slot: "text", encoder: "fence" }]],
    ["${text|indent}", [{ slot: "text", encoder: "indent" }]],
    ["${x = none }", [{ slot: "x", or: ["none"] }]],
    ["${x = }", [{ slot: "x", or: [] }]],
    ["${x | lines = a: ${y = b}}", [{ slot: "x", encoder: "lines", or: ["a: ", { slot: "y", or: ["b"] }] }]],
    ["${c? A : B}", [{ if: "c", yes: ["A"], no: ["B"] }]],
    ["${c? A}", [{ if: "c", yes: ["A"], no: [] }]],
    ["${c ?A : }", [{ if: "c", yes: ["A"], no: [] }]],
    ["${c? : B}", [{ if: "c", yes: [], no: ["B"] }]],
    ["${c? A\n:\nB}", [{ if: "c", yes: ["A"], no: ["B"] }]],
    ["${c? http$://x : at 10:30}", [{ if: "c", yes: ["http://x"], no: ["at 10:30"] }]],
    ["${c? A : B: C}", [{ if: "c", yes: ["A"], no: ["B: C"] }]],
    ["${c? A：B : C}", [{ if: "c", yes: ["A：B"], no: ["C"] }]],
    ["${c? { : }}", [{ if: "c", yes: ["{"], no: [] }, "}"]],
    [
      "${a? ${b? x : y} : ${c? z}}",
      [{ if: "a", yes: [{ if: "b", yes: ["x"], no: ["y"] }], no: [{ if: "c", yes: ["z"], no: [] }] }],
    ],
    ["${\n  a?\n  x\n}", [{ if: "a", yes: ["x"], no: [] }]],
    ["a ${role(user)} b", ["a ", { role: "user" }, " b"]],
    ["${role( assistant )}", [{ role: "assistant" }]],
    ["${messages(history)}", [{ messages: "history" }]],
    ["${role}${messages}", [{ slot: "role" }, { slot: "messages" }]],
  ])("%j", (text, nodes) => {
    expect(shape(text)).toEqual(nodes)
  })

  test.each([
    ["${w? http://x : y}", 10],
    ["${w? 10:30}", 8],
    ["${w? A :B}", 8],
    ["${w? A: B}", 7],
    ["${w?:B}", 5],
    ["${w? ${name}: hi : y}", 13],
  ])("in %j the : is refused, since it could be a branch's end or a character", (text, column) => {
    expect(() => parseTemplate(text)).toThrow(new RegExp(`^template:1:${column}: .* : `))
  })

  test.each<[string, unknown[]]>([
    ["$${x}", ["${x}"]],
    ["$$${x}", ["$${x}"]],
    ["$: $} $$ $", [": } $$ $"]],
    ["$$:", ["$:"]],
    ["${c? 参数$: ${x} $} : y $: }", [{ if: "c", yes: ["参数: ", { slot: "x" }, " }"], no: ["y :"] }]],
    ["${x = $${y$}}", [{ slot: "x", or: ["${y}"] }]],
  ])("the escapes of %j are characters", (text, nodes) => {
    expect(shape(text)).toEqual(nodes)
  })

  test("CRLF and a byte order mark are gone", () => {
    expect(shape("\uFEFFa\r\nb\rc")).toEqual(["a\nb\nc"])
  })

  test("declared optional names are kept", () => {
    expect(parseTemplate("${a}", { optional: ["a"] }).optional).toEqual(new Set(["a"]))
  })

  test("a template names its file, `template` by default", () => {
    expect(parseTemplate("x").file).toBe("template")
    expect(parseTemplate("x", { file: "a.md" }).file).toBe("a.md")
  })
})

describe("R1: any text can be written", () => {
  const tricky = fc.string({ unit: fc.constantFrom("$", "{", "}", ":", "a", "\n", " ", "${", "$$", "?", "\uFEFF", "\r") })
  const anyText = fc.oneof(tricky, fc.string({ unit: "binary" }))

  test("escapeTemplate's result parses back to one literal of the same text", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const expected = normalizeText(escapeTemplate(text)) === escapeTemplate(text) ? text : normalizeText(text)
        expect(shape(escapeTemplate(text))).toEqual(expected === "" ? [] : [expected])
      }),
      { numRuns: 2000 },
    )
  })

  test("escapeTemplate's result is one literal inside branches and placeholders too, but for white space at its ends", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const word = `[${normalizeText(text).replaceAll(/[\n\uFEFF]/g, "")}]`
        const escaped = escapeTemplate(word)
        expect(shape(`\${c? ${escaped} : ${escaped}}`)).toEqual([{ if: "c", yes: [word], no: [word] }])
        expect(shape(`\${x = ${escaped}}`)).toEqual([{ slot: "x", or: [word] }])
      }),
      { numRuns: 1000 },
    )
  })

  test("parsing throws nothing but PromptStrataError", () => {
    const pieces = fc.constantFrom(
      ...[
        "${",
        "}",
        ":",
        "?",
        "=",
        "|",
        "(",
        ")",
        "$",
        "\n",
        "  ",
        "a",
        "名",
        "role",
        "(user)",
        "fence",
        "file_load(x)",
        "messages(",
        "\r\n",
        ".",
      ],
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.array(pieces, { maxLength: 30 }).map((all) => all.join("")),
        ),
        (text) => {
          try {
            parseTemplate(text)
          } catch (error) {
            expect(PromptStrataError.isInstance(error)).toBe(true)
          }
        },
      ),
      { numRuns: 5000 },
    )
  })
})
