import { describe, expect, test } from "vitest"
import { parseTemplate } from "../../../src/prompt/template/parse.ts"
import { allNodes, shape } from "./shorthand.ts"

describe("R1: branches are dedented and trimmed", () => {
  test.each<[string, string, unknown[]]>([
    ["a common indentation goes, what is deeper stays", "${c?\n    a\n      b\n\n    c\n}", ["a\n  b\n\nc"]],
    ["the line the branch opens on has no indentation", "${c? a\n     b\n    c}", ["a\n b\nc"]],
    ["a line that begins with a slot counts", "${c?\n    a\n  ${b}\n}", ["a\n", { slot: "b" }]],
    [
      "a nested branch is laid out by itself",
      "${c?\n    a\n    ${d?\n        x\n          y\n    }\n    z\n}",
      ["a\n", { if: "d", yes: ["x\n  y"], no: [] }, "\nz"],
    ],
    ["tabs and spaces are compared as written", "${c?\n\t a\n\tb\n}", ["a\nb"]],
    ["blank lines lose their white space", "${c?\n  a\n \t \n  b\n}", ["a\n\nb"]],
    ["an ideographic space is text", "${c? \u3000a\u3000 }", ["\u3000a\u3000"]],
  ])("%s", (_, text, yes) => {
    expect(shape(text)).toEqual([{ if: "c", yes, no: [] }])
  })

  test("both branches and placeholders are laid out alike", () => {
    expect(shape("${c?\n  a\n  b\n  :\n    x\n    y\n}${s =\n  m\n  n\n}")).toEqual([
      { if: "c", yes: ["a\nb"], no: ["x\ny"] },
      { slot: "s", or: ["m\nn"] },
    ])
  })

  test("text outside branches keeps its indentation", () => {
    expect(shape("  a\n    b\n")).toEqual(["  a\n    b\n"])
  })
})

describe("a line that holds only a directive", () => {
  test.each<[string, unknown[]]>([
    ["${role(system)}\na\n${role(user)}\nb", [{ role: "system" }, "a\n", { role: "user" }, "b"]],
    ["a\n  ${messages(h)}  \nb", ["a\n", { messages: "h" }, "b"]],
    ["a\n${messages(h)}", ["a\n", { messages: "h" }]],
    ["a ${messages(h)}\nb", ["a ", { messages: "h" }, "\nb"]],
    ["${messages(h)} b\nc", [{ messages: "h" }, " b\nc"]],
    ["${x}${role(user)}\nb", [{ slot: "x" }, { role: "user" }, "\nb"]],
    ["a\n${messages(h)} ${role(user)} \nb", ["a\n", { messages: "h" }, { role: "user" }, "b"]],
    [
      "${c?\n    ${role(user)}\n    a\n    ${messages(h)}\n    b\n}",
      [{ if: "c", yes: [{ role: "user" }, "a\n", { messages: "h" }, "b"], no: [] }],
    ],
  ])("gives no line break of its own: %j", (text, nodes) => {
    expect(shape(text)).toEqual(nodes)
  })
})

describe("sources", () => {
  test("a literal's line is that of its first character that is no line break", () => {
    const { nodes } = parseTemplate("${a}\n\nb\n${c?\n\n    d\n    ${e}\n: f}", { file: "p.md", firstLine: 10 })
    const places = allNodes(nodes).map((node) => [node.type === "literal" ? node.text.trim() : node.type, node.source])
    expect(places).toEqual([
      ["slot", { file: "p.md", line: 10, column: 1 }],
      ["b", { file: "p.md", line: 12 }],
      ["conditional", { file: "p.md", line: 13, column: 1 }],
      ["d", { file: "p.md", line: 15 }],
      ["slot", { file: "p.md", line: 16, column: 5 }],
      ["f", { file: "p.md", line: 17 }],
    ])
  })

  test("columns count code points", () => {
    expect(parseTemplate("😀文 ${a}").nodes[1]?.source).toEqual({ file: "template", line: 1, column: 4 })
  })

  test("a literal after a directive's line begins on the next line", () => {
    expect(parseTemplate("${role(user)}\na").nodes[1]?.source.line).toBe(2)
  })
})
