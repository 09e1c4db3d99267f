import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../../src/core/errors.ts"
import { parseTemplate } from "../../../src/prompt/template/parse.ts"
import type { TemplateValues } from "../../../src/prompt/template/render.ts"
import { renderTemplate } from "../../../src/prompt/template/render-template.ts"
import { escapeTemplate } from "../../../src/prompt/template/scanner.ts"
import { near } from "../../support/error-formulas.ts"
import { anyText } from "../encode/arbitrary-text.ts"

describe("R1 renderTemplate", () => {
  test.each<[string, string, TemplateValues, string]>([
    ["puts a value in", "Hi ${name}!", { name: "Ann" }, "Hi Ann!"],
    ["knows dotted names and names of any script", "${a.b} ${名字}", { "a.b": "1", 名字: "2" }, "1 2"],
    ["prints numbers and true", "${n} ${t}", { n: 0, t: true }, "0 true"],
    ["prints a default where the name is unknown", "Hi ${name = you}!", {}, "Hi you!"],
    ["prints a default where the value is empty", "${a = 1}${b = 2}${c = 3}", { a: "", b: false, c: undefined }, "123"],
    ["prints a default where the value is blank", "${a = none}", { a: " \n" }, "none"],
    ["has defaults that are templates", "${a = ${b = ${c}}}", { c: "deep" }, "deep"],
    ["takes the branch of a value", "${on? yes : no} ${off? yes : no}", { on: "x", off: "" }, "yes no"],
    ["takes the other branch of an unknown name", "${on? yes : no}", {}, "no"],
    ["takes no branch where there is none", "a ${on? yes} b", {}, "a b"],
    [
      "nests conditionals over lines, dedented",
      "A\n${one?\n    B ${two?\n        C\n          D\n    : E}\n    F\n: G}\nH",
      { one: 1, two: 1 },
      "A\nB C\n  D\nF\nH",
    ],
    ["nests them in other branches too", "${one? A : ${two? B : ${three? C : D}}}", { three: true }, "C"],
    ["writes literals with escapes", "$${x} $: $} $ $$ $$${x}", { x: 1 }, "${x} : } $ $$ $${x}"],
    ["writes literals inside branches", "${a? 1$: 2$} $${b$} : no}", { a: 1 }, "1: 2} ${b}"],
  ])("%s", (_, template, values, expected) => {
    expect(renderTemplate(template, values)).toBe(expected)
  })

  test("never scans a value again, whatever it holds", () => {
    const program = fc
      .array(
        fc.constantFrom("${", "}", "a", "b?", " : ", "${a}", "${file_load(x)}", "${role(user)}", "$${", "$:", "$}", "= x", "\n"),
        { maxLength: 12 },
      )
      .map((parts) => parts.join(""))
    fc.assert(
      fc.property(fc.oneof(program, anyText), fc.oneof(program, anyText), (a, b) => {
        const filled = (text: string) => (text.trim() === "" ? "" : text)
        expect(renderTemplate("<${a = }|${b = }>", { a, b })).toBe(`<${filled(a)}|${filled(b)}>`)
        if (a.trim() !== "") expect(renderTemplate("${a? ${a}\n---\n${a} : none}", { a })).toBe(`${a}\n---\n${a}`)
      }),
      { numRuns: 1000 },
    )
  })

  test("prints any escaped text as it is, but for what is no text: carriage returns, blanks at ends and rows of blank lines", () => {
    const even = (text: string) =>
      text
        .replace(/^\ufeff/, "")
        .replaceAll(/\r\n?/g, "\n")
        .replaceAll(/[ \t]+(?=\n)/g, "")
        .replaceAll(/\n{3,}/g, "\n\n")
        .replaceAll(/^[ \t\n]+|[ \t\n]+$/g, "")
    fc.assert(
      fc.property(anyText, (text) => {
        expect(renderTemplate(escapeTemplate(text))).toBe(even(text))
        if (even(text) !== "")
          expect(renderTemplate(`\${on? ${escapeTemplate(`x${text}x`)} : no}`, { on: 1 })).not.toContain("no}")
      }),
      { numRuns: 1000 },
    )
  })

  test("an unknown name is an error with file, line, column and what was probably meant", () => {
    const template = parseTemplate("Hi\n  ${nmae}", { file: "greet.md", firstLine: 4 })
    const render = () => renderTemplate(template, { name: "Ann", age: 3 })
    expect(render).toThrow(`greet.md:5:3: expected a value for \${nmae}; known: name, age.${near("name")}`)
    expect(render).toThrow(expect.objectContaining({ code: "template", source: { file: "greet.md", line: 5, column: 3 } }))
    expect(() => renderTemplate("${x}")).toThrow("template:1:1: expected a value for ${x}; no values were given.")
  })

  test("a name can be declared optional, or known without a value", () => {
    expect(renderTemplate(parseTemplate("a ${x} b", { optional: ["x"] }))).toBe("a b")
    expect(renderTemplate("a ${x} b", { x: undefined })).toBe("a b")
  })

  test("a name in a branch that is not taken needs no value", () => {
    expect(renderTemplate("${on? ${unknown}}done", {})).toBe("done")
    expect(() => renderTemplate("${on? ${unknown}}", { on: true })).toThrow(PromptStrataError)
  })

  test("directives that make messages are errors with their place", () => {
    expect(() => renderTemplate("a\n${role(user)}\nb")).toThrow(
      "template:2:1: ${role(user)} makes messages and only works in a prompt file.",
    )
    expect(() => renderTemplate("${messages(history)}")).toThrow(/template:1:1: \$\{messages\(history\)\} makes messages/)
  })
})
