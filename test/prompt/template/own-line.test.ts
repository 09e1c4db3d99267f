import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { markAlone } from "../../../src/prompt/template/own-line.ts"
import { parseTemplate } from "../../../src/prompt/template/parse.ts"
import { renderTemplate } from "../../../src/prompt/template/render-template.ts"
import { runs } from "../../support/size.ts"
import { allNodes } from "./shorthand.ts"

function aloneNames(text: string): string[] {
  const nodes = allNodes(parseTemplate(text).nodes)
  return nodes.flatMap((node) => ((node.type === "slot" || node.type === "conditional") && node.alone ? [node.name] : []))
}

describe("a slot is alone when nothing else can stand on its line of the output", () => {
  test.each<[string, string[]]>([
    ["${a}", ["a"]],
    ["  ${a}\t\n", ["a"]],
    ["x\n${a}\ny", ["a"]],
    ["x ${a}", []],
    ["${a}.", []],
    ["${a} ${b}", []],
    ["${a}\n${b}", ["a", "b"]],
    ["${a = none}", ["a"]],
    ["${role(user)} ${a}", ["a"]],
    ["${a}${messages(h)}", ["a"]],
    ["${c? ${a}}", ["c", "a"]],
    ["x ${c? ${a}}", []],
    ["x ${c?\n  t\n  ${a}\n  t\n}", ["a"]],
    ["x ${c?\n  t\n  ${a}\n}", ["a"]],
    ["x ${c?\n  t\n  ${a}\n} y", []],
    ["${c?\n  ${a}\n  t\n}", ["c", "a"]],
    ["${c? A}${a}", []],
    ["${c?}${a}", ["a"]],
    ["${c? ${a}\n${b}}${d}", []],
    ["${c? ${a}\nt ${b}}${d}", ["a"]],
    ["t ${c? ${a}\n${b}}", []],
    ["${c? **X**\n${a}\n--- }", ["c", "a"]],
    ["${c? ${d? ${a}\n} : t}", ["c", "d", "a"]],
    ["x ${a = ${b}}", []],
  ])("%j: %j", (text, names) => {
    expect(aloneNames(text)).toEqual(names)
  })

  test("what shares its ends with others is not alone there", () => {
    const marked = markAlone(parseTemplate("${a}\n${b}\n${c}").nodes, { start: false, end: false })
    expect(marked.flatMap((node) => (node.type === "slot" ? [node.alone] : []))).toEqual([false, false, false])
    const between = markAlone(parseTemplate("${a}\nt\n${b}\nt\n${c}").nodes, { start: false, end: false })
    expect(between.flatMap((node) => (node.type === "slot" ? [node.alone] : []))).toEqual([false, true, false])
  })

  test("whatever is empty or not, nothing stands beside an alone value", () => {
    const piece: fc.Arbitrary<Piece> = fc.letrec<{ piece: Piece }>((tie) => ({
      piece: fc.oneof(
        { maxDepth: 3, depthSize: "small" },
        fc.constantFrom("t", " ", "\n", "\n  "),
        fc.constant<Piece>({ slot: true }),
        fc.record({ yes: fc.array(tie("piece"), { maxLength: 4 }), no: fc.array(tie("piece"), { maxLength: 2 }) }),
        fc.record({ or: fc.array(tie("piece"), { maxLength: 3 }) }),
      ),
    })).piece
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.infiniteStream(fc.boolean()), (pieces, coins) => {
        const text = write(pieces, { next: 0 })
        const nodes = allNodes(parseTemplate(text).nodes)
        const names = new Set(nodes.flatMap((node) => ("name" in node ? [node.name] : [])))
        const values = Object.fromEntries([...names].map((name) => [name, coins.next().value ? `<${name}>` : undefined]))
        const lines = renderTemplate(text, values).split("\n")
        for (const node of nodes) {
          if (node.type !== "slot" || !node.alone) continue
          const line = lines.find((shown) => shown.includes(`<${node.name}>`))
          if (line !== undefined) expect(line.trim()).toBe(`<${node.name}>`)
        }
      }),
      { numRuns: runs(3000) },
    )
  })
})

type Piece = string | { slot: true } | { yes: Piece[]; no: Piece[] } | { or: Piece[] }

/** The pieces as a template; every name is new. */
function write(pieces: readonly Piece[], names: { next: number }): string {
  return pieces
    .map((piece) => {
      if (typeof piece === "string") return piece
      const name = `n${names.next++}`
      if ("slot" in piece) return `\${${name}}`
      if ("or" in piece) return `\${${name} = ${write(piece.or, names)}}`
      return `\${${name}? ${write(piece.yes, names)} : ${write(piece.no, names)}}`
    })
    .join("")
}
