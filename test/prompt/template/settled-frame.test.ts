import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Source } from "../../../src/core/source.ts"
import type { Template } from "../../../src/prompt/template/ast.ts"
import { FrameWriter, settleFrame } from "../../../src/prompt/template/frame-writer.ts"
import { parseTemplate } from "../../../src/prompt/template/parse.ts"
import { type TemplateValues, type WalkHost, walk } from "../../../src/prompt/template/render.ts"
import { renderTemplate } from "../../../src/prompt/template/render-template.ts"
import { runs } from "../../support/size.ts"
import { PlainFrameWriter, walkPlainly } from "./plain-frame-writer.ts"

describe("a literal is settled once", () => {
  test.each<[string, string, readonly string[], string]>([
    ["", "", [], ""],
    [" \n\t", " \n\t", [], ""],
    ["a", "", ["a"], ""],
    [" \n a  b \n", " \n ", ["a  b"], " \n"],
    ["a \t\n  b\n\n\t\n\n c", "", ["a", "\n  b", "\n\n c"], ""],
    ["\u3000\n\u3000", "", ["\u3000", "\n\u3000"], ""],
  ])("%j", (text, before, lines, after) => {
    expect(settleFrame(text)).toEqual({ before, body: lines.join(""), lines, after })
  })
})

describe("R1 settled literals print what a walk over every character prints", () => {
  test("each piece with its source, over messages, lists, branches and placeholders", () => {
    fc.assert(
      fc.property(templateOf(fc.oneof(loaded, directive)), values, (text, given) => {
        const compiled = parse(text)
        const expected = plainPieces(compiled, given)
        expect(piecesOf(compiled, given)).toEqual(expected)
        expect(piecesOf(compiled, given)).toEqual(expected)
      }),
      { numRuns: runs(5000) },
    )
  })

  test("the text of a rendered template, whatever its values", () => {
    fc.assert(
      fc.property(templateOf(loaded), values, (text, given) => {
        const compiled = parse(text)
        const pieces = plainPieces(compiled, given)
        expect(renderTemplate(compiled, given)).toBe(pieces.map(([shown]) => shown).join(""))
      }),
      { numRuns: runs(5000) },
    )
  })
})

/** Frames carry their source; values do not. `//` stands where a message begins. */
type Shown = readonly [text: string, source?: Source]

function piecesOf({ nodes }: Template, given: TemplateValues): Shown[] {
  const shown: Shown[] = []
  const writer = new FrameWriter((text, source) => shown.push([text, source]))
  walk(nodes, writer, hostOf(writer, given, shown))
  return shown
}

function plainPieces({ nodes }: Template, given: TemplateValues): Shown[] {
  const shown: Shown[] = []
  const writer = new PlainFrameWriter((text, source) => shown.push([text, source]))
  walkPlainly(nodes, writer, hostOf(writer, given, shown))
  return shown
}

type Writer = Pick<PlainFrameWriter, "beforeContent" | "separate" | "startMessage"> & {
  open(): unknown
  close(scope: never): boolean
}

/** A role opens a message or, for the developer, parts it; `messages` prints a list with separators, the empty ones left out. */
function hostOf(writer: Writer, given: TemplateValues, shown: Shown[]): WalkHost {
  const print = (value: TemplateValues[string], source: Source) => {
    if (value === undefined || value === false || String(value).trim() === "") return false
    writer.beforeContent(source)
    shown.push([String(value)])
    return true
  }
  return {
    holds: (name) => given[name] !== undefined && given[name] !== false && String(given[name]).trim() !== "",
    slot: ({ name, source }) => print(given[name], source),
    role(role, source) {
      if (role === "developer") return writer.separate("\n\n", source)
      writer.startMessage()
      shown.push(["//"])
    },
    messages(_name, source) {
      const scope = writer.open()
      for (const value of Object.values(given)) if (print(value, source)) writer.separate("\n", source)
      writer.close(scope as never)
    },
  }
}

const literal = fc.oneof(
  fc.constantFrom("t", "t t", ".", " ", "  ", "\t", "\n", "\n\n", "\n\n\n", " \n", "\n  ", "\u3000", "\u00a0", "\u2028", "😀"),
  fc.array(fc.constantFrom("a", "b  c", " ", "\t", "\n", "\u3000"), { maxLength: 8 }).map((parts) => parts.join("")),
)

/** Two literals stand beside each other only where one of them is loaded. */
const loaded = fc.constantFrom("${file_load(words)}", "${file_load(blanks)}", "${file_load(breaks)}")

const files: Readonly<Record<string, string>> = { words: "a \nb", blanks: " \t", breaks: " \n\n  \n" }

const parse = (text: string) => parseTemplate(text, { load: (file) => ({ file, text: files[file] ?? "" }) })

const directive = fc.constantFrom("${role(user)}", "${role(developer)}", "${messages(m)}")

/** Templates of literals and of these, and of slots and conditionals around them. */
function templateOf(leaf: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const joined = (part: fc.Arbitrary<string>, maxLength: number) => fc.array(part, { maxLength }).map((parts) => parts.join(""))
  const name = fc.constantFrom("x", "y", "z")
  const { piece } = fc.letrec<{ piece: string }>((tie) => {
    const inner = joined(tie("piece"), 4)
    return {
      piece: fc.oneof(
        { maxDepth: 3, depthSize: "small" },
        { arbitrary: literal, weight: 2 },
        leaf,
        name.map((slot) => `\${${slot}}`),
        fc.tuple(name, inner).map(([slot, or]) => `\${${slot} = ${or}}`),
        fc.tuple(name, inner, inner).map(([held, yes, no]) => `\${${held}? ${yes} : ${no}}`),
      ),
    }
  })
  return joined(piece, 12)
}

const value = fc.constantFrom<TemplateValues[string]>(
  undefined,
  false,
  true,
  0,
  "",
  " \n",
  "\u3000",
  "\u00a0\ufeff",
  "\u007f",
  "v",
  " v ",
  "\n\nv\n\n\nw\n",
  "${x}",
)

const values = fc.record({ x: value, y: value, z: value })
