import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { TemplateNode } from "../../../src/prompt/template/ast.ts"
import { parseTemplate } from "../../../src/prompt/template/parse.ts"
import { renderTemplate } from "../../../src/prompt/template/render-template.ts"
import { runs } from "../../support/size.ts"

describe("empty slots leave no trace", () => {
  test.each<[string, string, string]>([
    ["a line with an empty slot alone goes whole", "a\n${x}\nb", "a\nb"],
    ["so does an indented one", "a\n  ${x}\t\n  b", "a\n  b"],
    ["so does one with several empty slots", "a\n${x} ${y}${z? ${x}}\nb", "a\nb"],
    ["blank lines around it become one", "a\n\n${x}\n\nb", "a\n\nb"],
    ["many empty blocks leave one blank line", "a\n\n${x}\n\n${y}\n\n${z? t}\n\nb", "a\n\nb"],
    ["beside words one space is left", "a ${x} b", "a b"],
    ["two in a row leave one space too", "a ${x} ${y} b", "a b"],
    ["at the beginning of a line no space is left", "a\n${x} b", "a\nb"],
    ["the indentation of a line stays", "a\n  ${x} b", "a\n  b"],
    ["at the end of a line no space is left", "a ${x}\nb", "a\nb"],
    ["no space is made up", "a${x}b ${y}.", "ab ."],
    ["a message's ends are trimmed", "${x}\n\n a\n\n${y}\n", "a"],
    ["a branch's ends are trimmed although a slot stands there", "a ${c? ${x}\nb\n${y}} d", "a b d"],
    ["a block with only empty slots is empty", "a\n${c?\n  ${x}\n  ${y}\n}\nb", "a\nb"],
    ["a placeholder that prints nothing is empty", "a\n${x = ${y}}\nb", "a\nb"],
    ["an empty branch is empty", "a\n${c? : t}\nb", "a\nb"],
  ])("%s", (_, template, expected) => {
    expect(renderTemplate(template, { c: true, x: "", y: undefined, z: false })).toBe(expected)
  })

  test("values are untouched, white space at their ends and blank lines inside too", () => {
    const value = " \n\n a  b\n\n\n\tc \n\n"
    expect(renderTemplate("<\n${v}\n>", { v: value })).toBe(`<\n${value}\n>`)
    expect(renderTemplate("${v}", { v: value })).toBe(value)
    expect(renderTemplate("${c? ${v}}", { v: value, c: true })).toBe(value)
  })

  test("frames hold at most one blank line and no blanks at a line's end; spaces inside a line are text", () => {
    expect(renderTemplate("a  \n \t\n\n\n\n  b   c \n")).toBe("a\n\n  b   c")
  })

  test("R1 every template of blocks prints what an independent reading of the rules says", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
        const template = parseTemplate(asTemplate(pieces))
        const shown = renderTemplate(template, values)
        expect(shown).toBe(read(template.nodes))
        expect(shown).not.toMatch(/\n[ \t]*\n[ \t]*\n|[ \t]\n|^\s|\s$/)
      }),
      { numRuns: runs(20_000) },
    )
  })

  test("R1 a template with an empty optional block prints the same as the template written without it", () => {
    const words = fc.array(fc.constantFrom("word", "two words", "---", "- item"), { minLength: 1, maxLength: 3 })
    const block = words.map((lines) => `${lines.join("\n")}\n\n`)
    fc.assert(
      fc.property(fc.array(block, { maxLength: 4 }), fc.array(block, { maxLength: 4 }), block, (before, after, inside) => {
        const without = [...before, ...after].join("")
        for (const empty of [
          "${off}\n\n",
          `\${off?\n${inside}}\n\n`,
          `\${on? : ${inside.trim()}}\n\n`,
          "  ${off = ${off}}\n\n",
        ]) {
          const text = [...before, empty, ...after].join("")
          expect(renderTemplate(text, { off: undefined, on: true })).toBe(renderTemplate(without))
        }
      }),
      { numRuns: runs(500) },
    )
  })
})

/** What templates are made of: text, a filled and an empty slot, a conditional, a placeholder. */
type Piece =
  | string
  | { readonly slot: "full" | "none" }
  | { readonly on: boolean; readonly yes: readonly Piece[]; readonly no: readonly Piece[] }
  | { readonly or: readonly Piece[]; readonly full: boolean }

const values = { full: "\ue001", none: "", on: true }

const piece: fc.Arbitrary<Piece> = fc.letrec<{ piece: Piece }>((tie) => ({
  piece: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.constantFrom("t", "t t", " ", "  ", "\n", "\n\n", "\n  ", "-"),
    fc.constantFrom<Piece>({ slot: "full" }, { slot: "none" }),
    fc.record({ on: fc.boolean(), yes: fc.array(tie("piece"), { maxLength: 4 }), no: fc.array(tie("piece"), { maxLength: 2 }) }),
    fc.record({ or: fc.array(tie("piece"), { maxLength: 3 }), full: fc.boolean() }),
  ),
})).piece

function asTemplate(pieces: readonly Piece[]): string {
  return pieces
    .map((item) => {
      if (typeof item === "string") return item
      if ("slot" in item) return `\${${item.slot}}`
      if ("or" in item) return `\${${item.full ? "full" : "none"} = ${asTemplate(item.or)}}`
      return `\${${item.on ? "on" : "none"}? ${asTemplate(item.yes)} : ${asTemplate(item.no)}}`
    })
    .join("")
}

/** Stands for something that printed nothing. */
const hole = "\ue000"

/**
 * The rules by themselves, on whole texts: a branch is laid out alone; a line of holes goes; a hole beside words leaves one
 * space; blank lines and ends are evened out.
 */
function read(nodes: readonly TemplateNode[]): string {
  const text = nodes.map(printed).join("")
  const lines = text.split("\n").filter((line) => !(line.includes(hole) && line.replaceAll(hole, "").trim() === ""))
  return lines
    .map((line) => fillHoles(line).replace(/[ \t]+$/, ""))
    .join("\n")
    .replace(/\n{3,}/g, "\n\n")
    .replace(/^[ \t\n]+|[ \t\n]+$/g, "")
}

function printed(node: TemplateNode): string {
  if (node.type === "literal") return node.text
  if (node.type === "slot") return node.name === "full" ? values.full : read(node.placeholder ?? []) || hole
  if (node.type === "conditional") return read(node.name === "none" ? node.otherwise : node.then) || hole
  throw new Error(`no ${node.type} here`)
}

function fillHoles(line: string): string {
  const indentation = /^[ \t]*/.exec(line)?.[0] ?? ""
  const rest = line.slice(indentation.length)
  const trimmed = rest.startsWith(hole) ? rest.replace(new RegExp(`^[${hole} \\t]+`), "") : rest
  return indentation + trimmed.replace(new RegExp(`[ \\t]*${hole}[${hole} \\t]*`, "g"), (gap) => oneGap(gap))
}

/** The blanks before the first hole stay; those after it only where there are none before. */
function oneGap(gap: string): string {
  const parts = gap.split(hole)
  return parts.find((blank) => blank !== "") ?? ""
}
