import { describe, expect, test } from "vitest"
import { parseTemplate, type TemplateLoader } from "../../../src/prompt/template/parse.ts"
import { allNodes, shape } from "./shorthand.ts"

function loaderOf(files: Record<string, string>): TemplateLoader {
  return (path) => {
    const text = files[path]
    if (text === undefined) throw new Error(`no file ${path}`)
    return { text, file: path }
  }
}

describe("R2: file_load", () => {
  test("a loaded file is a template itself; its nodes keep their own sources", () => {
    const load: TemplateLoader = () => ({ text: "hi ${name}\n\nbye", file: "inner.md", firstLine: 4 })
    const { nodes } = parseTemplate("a\n${file_load(inner.md)}\nb", { file: "outer.md", load })
    expect(nodes.map((node) => [node.type === "literal" ? node.text : node.type, node.source])).toEqual([
      ["a\n", { file: "outer.md", line: 1 }],
      ["hi ", { file: "inner.md", line: 4 }],
      ["slot", { file: "inner.md", line: 4, column: 4 }],
      ["\n\nbye", { file: "inner.md", line: 6 }],
      ["\nb", { file: "outer.md", line: 3 }],
    ])
  })

  test("the loader is told who asks", () => {
    let asked: unknown
    const load: TemplateLoader = (path, from) => {
      asked = { path, from }
      return { text: "", file: path }
    }
    parseTemplate("x\n ${file_load( dir/a b.txt )}", { file: "o.md", firstLine: 3, load })
    expect(asked).toEqual({ path: "dir/a b.txt", from: { file: "o.md", line: 4, column: 2 } })
  })

  test("its last line break is the one of the line that loads it", () => {
    expect(shape("a\n${file_load(x)}\nb", { load: loaderOf({ x: "1\r\n2\r\n" }) })).toEqual(["a\n", "1\n2", "\nb"])
  })

  test("it stands in branches, which leave its indentation alone", () => {
    const load = loaderOf({ x: "one\n    two\n" })
    expect(shape("${c?\n    a\n    ${file_load(x)}\n}", { load })).toEqual([{ if: "c", yes: ["a\n", "one\n    two"], no: [] }])
  })

  test("a slot at a loaded file's end is alone only when its line in the output is", () => {
    const load = loaderOf({ x: "${s}" })
    const alone = (text: string) =>
      allNodes(parseTemplate(text, { load }).nodes).some((node) => node.type === "slot" && node.alone)
    expect(alone("a\n${file_load(x)}\nb")).toBe(true)
    expect(alone("a ${file_load(x)}")).toBe(false)
  })

  test("a directive's line in a loaded file gives no line break", () => {
    expect(shape("${file_load(x)}\nb", { load: loaderOf({ x: "${role(user)}\na\n" }) })).toEqual([{ role: "user" }, "a", "\nb"])
  })

  test("a cycle is an error that shows the chain", () => {
    const load = loaderOf({ "b.md": "\n${file_load(a.md)}", "a.md": "${file_load(b.md)}" })
    expect(() => parseTemplate("${file_load(b.md)}", { file: "a.md", load })).toThrow(
      /^b\.md:2:1: files load one another in a circle: a\.md → b\.md → a\.md\./,
    )
    expect(() => parseTemplate("${file_load(a.md)}", { file: "a.md", load })).toThrow("a.md → a.md")
  })

  test("the same file twice is no cycle", () => {
    expect(shape("${file_load(x)}${file_load(x)}", { load: loaderOf({ x: "1" }) })).toEqual(["1", "1"])
  })

  test("a missing file is located, and keeps its cause", () => {
    const parse = () => parseTemplate("a\n  ${file_load(nope.md)}", { file: "a.md", load: loaderOf({}) })
    expect(parse).toThrow('a.md:2:3: cannot load "nope.md": no file nope.md')
    expect(parse).toThrow(expect.objectContaining({ code: "template", cause: new Error("no file nope.md") }))
  })

  test("a mistake in a loaded file is located there", () => {
    expect(() => parseTemplate("${file_load(x)}", { load: loaderOf({ x: "ok\n ${" }) })).toThrow(/^x:2:2: /)
  })

  test("files that load ever new ones, or double at each step, end in an error", () => {
    const next: TemplateLoader = (path) => ({ text: `\${file_load(${Number(path) + 1})}`, file: path })
    expect(() => parseTemplate("${file_load(0)}", { load: next })).toThrow("at most 32 files loading one another")
    let loads = 0
    const twice: TemplateLoader = (path) => {
      loads++
      return { text: `\${file_load(${Number(path) + 1})}`.repeat(path === "20" ? 0 : 2), file: path }
    }
    expect(() => parseTemplate("${file_load(0)}", { load: twice })).toThrow("at most 256 loaded files")
    expect(loads).toBe(256)
  })
})
