import { describe, expect, test } from "vitest"
import { compileDialect } from "../../../src/prompt/dialect/compile-dialect.ts"
import type { PromptSource } from "../../../src/prompt/dialect/prompt-source.ts"
import type { TemplateNode } from "../../../src/prompt/template/ast.ts"
import { near } from "../../support/error-formulas.ts"
import { promptFile, promptFiles } from "./prompt-files.ts"

function compile(...files: PromptSource[]) {
  return compileDialect({ name: "test", locale: "en", files })
}

function nodesOf(file: PromptSource): readonly TemplateNode[] {
  return compile(file).files.values().next().value?.template.nodes ?? []
}

describe("compileDialect", () => {
  test("files go by their names without folder and ending", () => {
    const dialect = compile(...promptFiles({ "test/en/planner.md": "${rest}", "test/en/history.md": "${text}" }))
    expect([...dialect.files.keys()]).toEqual(["planner", "history"])
    expect([dialect.name, dialect.locale]).toEqual(["test", "en"])
  })

  test("a prompt that only answers leaves the tools out, unless it has a slot for them", () => {
    const omitted = (path: string, body: string, omit?: readonly string[]) =>
      compile({ ...promptFile(path, body), attributes: omit === undefined ? {} : { omit } }).files.get(path.slice(0, -3))?.omit
    expect(omitted("final.md", "${rest}")).toEqual(["tools", "tool_groups", "tool_parameters"])
    expect(omitted("chat.md", "${rest}", ["steps", "tools"])).toEqual(["steps", "tools", "tool_groups", "tool_parameters"])
    expect(omitted("final.md", "${tools} ${rest}")).toEqual(["tool_groups", "tool_parameters"])
    expect(omitted("planner.md", "${rest}")).toEqual([])
  })

  test("only .md files are prompts; others are there to be loaded, beside the file that asks or by their path", () => {
    const files = promptFiles({
      "a/x.md": "${file_load(y.txt)} ${file_load(../b/z.txt)} ${file_load(b/z.txt)}",
      "a/y.txt": "Y",
      "b/z.txt": "Z",
    })
    const dialect = compile(...files)
    expect([...dialect.files.keys()]).toEqual(["x"])
    const text = dialect.files.get("x")?.template.nodes.map((node) => (node.type === "literal" ? node.text : "?"))
    expect(text?.join("")).toBe("Y Z Z")
  })

  test("R2: what is not among the files cannot be loaded", () => {
    for (const path of ["nope.txt", "../../../etc/passwd", "/etc/passwd"]) {
      expect(() => compile(promptFile("a/x.md", `\${file_load(${path})}`))).toThrow(`a/x.md:1:1: cannot load "${path}"`)
    }
    expect(() => compile(...promptFiles({ "a/x.md": "${file_load(yy.txt)}", "y.txt": "" }))).toThrow(near("y.txt"))
  })

  test("blank lines at a file's ends are not part of it, the first line's indentation is", () => {
    const nodes = nodesOf({ path: "x.md", attributes: {}, body: "\r\n \r\n  a\r\n\r\n", firstLine: 4 })
    expect(nodes).toEqual([{ type: "literal", text: "  a", source: { file: "x.md", line: 6 } }])
    expect(nodesOf(promptFile("x.md", " \n\n "))).toEqual([])
  })

  test.each(["\n", "\n\n", " \n", "\n \t\n", "\t\n\n\n"])(
    "a file that begins with %j is the file without it, some lines further on",
    (blank) => {
      const lines = blank.split("\n").length - 1
      for (const body of ["a", "  a", "${rest}", "${x}\nb", "  ${x}", "${x? a\nb}\n${rest}", " "]) {
        for (const attributes of [{}, { separator: "comma" }, { separator: "newline" }]) {
          const nodes = (before: string, firstLine: number) =>
            nodesOf({ path: "x.md", attributes, body: before + body, firstLine })
          expect(nodes(blank, 1), JSON.stringify([body, attributes])).toEqual(nodes("", 1 + lines))
        }
      }
    },
  )

  test("a template's mistake is located in lines of the file", () => {
    expect(() => compile({ path: "a/x.md", attributes: {}, body: "\n${", firstLine: 4 })).toThrow(/^a\/x\.md:5:1: /)
  })

  test("two files of one name are an error", () => {
    expect(() => compile(...promptFiles({ "a/x.md": "", "b/x.md": "" }))).toThrow(
      "one file named x in a dialect, found a/x.md and b/x.md",
    )
  })
})

describe("front matter of prompt files", () => {
  test.each([
    [{ separtor: "comma" }, `expected only omit, optional, separator in the front matter, found separtor.${near("separator")}`],
    [{ separator: "coma" }, `found "coma".${near("comma")}`],
    [{ separator: "toString" }, 'found "toString".'],
    [{ separator: 3 }, "expected separator to be one of newline, blank-line, comma, found 3."],
    [{ optional: "name" }, "expected optional to be a list of names"],
    [{ omit: [1] }, "expected omit to be a list of names"],
  ])("%j is an error that names the file", (attributes, message) => {
    const compileIt = () => compile(promptFile("a/x.md", "", attributes))
    expect(compileIt).toThrow(message)
    expect(compileIt).toThrow(expect.objectContaining({ code: "prompt", source: { file: "a/x.md", line: 1 } }))
  })

  test("what is known is kept, and optional names reach the template", () => {
    const attributes = { separator: "blank-line", optional: ["a"], omit: ["b"] }
    const file = compile(promptFile("x.md", "${a}", attributes)).files.get("x")
    expect(file).toMatchObject({ separator: "\n\n", omit: ["b"] })
    expect(file?.template.optional).toEqual(new Set(["a"]))
  })

  test("values at the ends of entries that a comma parts are not alone on their lines", () => {
    const isAlone = (separator: string) =>
      nodesOf(promptFile("x.md", "${a}", { separator })).some((node) => node.type === "slot" && node.alone)
    expect([isAlone("newline"), isAlone("comma")]).toEqual([true, false])
  })
})

describe("every injection lands: a prompt must print ${rest}", () => {
  test.each(["planner", "final", "chat"])("%s.md without it does not load", (name) => {
    const source = { ...promptFile(`a/${name}.md`, "hi ${question}"), firstLine: 4 }
    expect(() => compile(source)).toThrow(
      expect.objectContaining({ code: "prompt", source: { file: `a/${name}.md`, line: 4, column: 1 } }),
    )
  })

  test("the error shows the line of the file, also behind front matter", () => {
    const source = { ...promptFile("a/final.md", "hi ${question}\nbye"), firstLine: 4 }
    expect(() => compile(source)).toThrow(expect.objectContaining({ frame: expect.stringContaining("4 | hi ${question}") }))
  })

  test.each([
    "${role(system)} hi",
    "${c? ${role(user)} hi}",
    "${role(user)} ${tools? ${rest}}",
    "${role(user)} ${tools? x : ${rest}}",
    "${role(user)} ${rest? x}",
    "${role(user)} ${x = ${rest}}",
  ])("%j does not load", (body) => {
    expect(() => compile(promptFile("a/x.md", body))).toThrow(/\$\{rest\}/)
  })

  test.each([
    "${rest = none}",
    "${rest? **More**\n${rest}\n---}",
    "${tools? a ${rest} : b ${rest}}",
    "${messages(rest)}",
    "${file_load(more.txt)}",
  ])("%j loads", (body) => {
    const files = promptFiles({ "a/planner.md": `\${role(user)} ${body}`, "a/more.txt": "${rest}" })
    expect(() => compile(...files)).not.toThrow()
  })

  test("a file that opens no message is no prompt and needs none", () => {
    expect(() => compile(promptFile("a/history.md", "${speaker}: ${text}"))).not.toThrow()
  })
})
