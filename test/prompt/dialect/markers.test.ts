import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { findLines } from "../../../src/prompt/dialect/found-lines.ts"
import { markersOf, shapesOf } from "../../../src/prompt/dialect/markers.ts"
import { fold } from "../../../src/prompt/encode/fold.ts"
import { encodeLines } from "../../../src/prompt/encode/lines.ts"
import { parseTemplate } from "../../../src/prompt/template/parse.ts"
import { renderTemplate } from "../../../src/prompt/template/render-template.ts"
import { runs } from "../../support/size.ts"

const deriveMarkers = (texts: readonly string[]) => markersOf(texts.map((text) => findLines(parseTemplate(text))))

function sortedMarkers(...texts: string[]): { lines: string[]; heads: readonly string[]; fences: boolean } {
  const { lines, heads, fences } = deriveMarkers(texts)
  return { lines: [...lines].sort(), heads, fences }
}

describe("T28: markers come from the prompt files", () => {
  test.each<[string, string[], string[]]>([
    ["**Question**\n${q}\n---", ["**question**", "---"], []],
    ["## ${key}\n${content}", [], ["##"]],
    ["- ${a}\n* ${a}\n+ ${a}\n• ${a}\n1. ${a}\n12) ${a}", [], []],
    ["- x ${a}", [], ["- x"]],
    ["${speaker}:\n${text}", [], []],
    ["A  B\n\n \n", ["a b"], []],
    ["${p? **X**\n${p}\n--- }", ["**x**", "---"], []],
    ["${x = (none)}", ["(none)"], []],
    ["Memories: ${x = (none)}", ["memories: (none)"], ["memories:"]],
    ["Memories: ${x = }", ["memories:"], ["memories:"]],
    ["foo${c? bar}", ["foo", "foobar"], []],
    ["foo ${c? bar : baz}\nend", ["end", "foo bar", "foo baz"], []],
    ["foo ${c?\n  one\n  two\n} end", ["foo end", "foo one", "two end"], []],
    ["foo ${a? ${b? x : y} : z}", ["foo x", "foo y", "foo z"], []],
    ["foo${c? $: ${v}}", ["foo"], ["foo:"]],
    ["${c? a\n${v = }}${d? b}", ["a", "ab", "b"], []],
    ["a${c? ${d? x} ${e? y}}b", ["ab", "ax yb", "axb", "ayb"], []],
    ["a${c? ${d? x}\ny}", ["a", "ax", "ay", "y"], []],
    ["foo ${role(user)} bar", ["bar", "foo"], []],
    ["foo ${messages(h)} bar", ["bar", "foo"], []],
    ["[a] ${v}\n[a] b ${v}\n[", ["["], ["[a]"]],
    ["${v} tail\nnext", ["next"], []],
  ])("%j", (text, lines, heads) => {
    expect(sortedMarkers(text)).toEqual({ lines, heads, fences: false })
  })

  test("with names in them they are these frames, lines and shapes", () => {
    const texts = [
      ...[
        "${speaker}: ${text}",
        "${speaker} (${time}): ${text}",
        "- ${speaker}: ${text}",
        "[${tool}] ${result}",
        "【${tool}】",
        "${speaker} says ${text} to ${to}.",
      ],
      ...[
        "${speaker}${to? to ${to}}: ${text}",
        "x ${speaker}: ${text}",
        "1. ${tool}\n${result}",
        "${text} ${speaker}",
        "${speaker}\n${speaker}: a",
        "a ${speaker}${b? c}",
      ],
      ...[
        "**${key}**\n${content}",
        "# ${key}",
        "------\n${x}",
        "<${key}>\n${x}\n</${key}>",
        "${a? ${speaker}$: ${b? x : y}\nz}",
        "${speaker}  :  ${text}\n  end  ",
      ],
      ...[
        "${speaker}: ${role(user)} ${tool}: x",
        "${a? b}${c? d}${e? f}${g? h}${i? j} ${speaker}: k",
        "${x | transcript}",
        "${x = ${y | transcript}}",
      ],
    ]
    const found = texts.map((text) => {
      const markers = deriveMarkers([text])
      const { lines, heads, ...others } = markers
      return `${JSON.stringify(text)} → ${JSON.stringify({ lines: [...lines], heads, ...others, shapes: shapesOf(markers) })}`
    })
    expect(found.join("\n")).toMatchSnapshot()
  })

  test("they are folded", () => {
    expect(sortedMarkers("【Ｔｏｏｌ】\nÉND ${v}")).toEqual({
      lines: ["【tool】"],
      heads: [fold("ÉND ")],
      fences: false,
    })
  })

  test("a dialect fences when a slot does, wherever it stands", () => {
    expect(sortedMarkers("${c? x : ${y = ${z | fence}}}").fences).toBe(true)
    expect(sortedMarkers("${a | indent}").fences).toBe(false)
  })

  test("they are those of all files", () => {
    expect(sortedMarkers("a\n[x ${v}", "b\n[${v}")).toEqual({ lines: ["a", "b"], heads: ["["], fences: false })
  })

  test.each([
    ["[${tool}]${arguments? (${arguments})}", "["],
    ["【${tool}】${arguments? (${arguments})}", "【"],
  ])("in %s a name stands between brackets: only lines that read as such a call are markers", (text, bracket) => {
    const derived = deriveMarkers([text])
    const end = bracket === "[" ? "]" : "】"
    const markers = { ...derived, shapes: shapesOf(derived) }
    const line = (words: string, rest = "") => `${bracket}${words}${end}${rest}`
    expect(markers.heads).toEqual([])
    for (const call of [line("search"), line("any name"), line("search", " (a=1)"), line("search", "(a)"), ` ${line("x")} `])
      expect(encodeLines(call, markers)).toBe(`\\${call}`)
    for (const words of [
      line("12:30", " hello"),
      line("x", " done"),
      `${bracket}1, 2`,
      `${bracket}`,
      line("", ""),
      line("a", "(b) c"),
    ])
      expect(encodeLines(words, markers)).toBe(words)
  })

  test("a line of many conditionals is covered by its beginnings", () => {
    const many = Array.from({ length: 30 }, (_, i) => `\${c${i}? part ${i}}`).join("")
    expect(sortedMarkers(`Unreadable: ${many}.`)).toEqual({ lines: [], heads: ["unreadable:"], fences: false })
    expect(sortedMarkers(many).heads).toContain("part 0")
  })

  test("every literal line a template prints is a marker, whichever way its conditionals go", () => {
    const word = fc.constantFrom("a", "b:", "[c]", "\n", " ", "---")
    type Tree = string | { c: Tree[]; d: Tree[] } | { p: Tree[] }
    const tree = fc.letrec<{ tree: Tree }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 3 },
        { weight: 4, arbitrary: word },
        fc.record({ c: fc.array(tie("tree"), { maxLength: 4 }), d: fc.array(tie("tree"), { maxLength: 3 }) }),
        fc.record({ p: fc.array(tie("tree"), { maxLength: 3 }) }),
      ),
    })).tree
    let count = 0
    const write = (trees: readonly Tree[]): string =>
      trees
        .map((node) => {
          if (typeof node === "string") return node.replaceAll(":", "$:")
          const name = `n${count++}`
          return "p" in node ? `\${${name} = ${write(node.p)}}` : `\${${name}? ${write(node.c)} : ${write(node.d)}}`
        })
        .join("")
    fc.assert(
      fc.property(fc.array(tree, { maxLength: 8 }), fc.infiniteStream(fc.boolean()), (trees, coins) => {
        count = 0
        const text = write(trees)
        const values = Object.fromEntries(
          Array.from({ length: count }, (_, i) => [`n${i}`, coins.next().value ? "\u{1}" : undefined]),
        )
        const { lines, heads } = deriveMarkers([text])
        for (const line of renderTemplate(text, values).split("\n")) {
          const [head = "", ...values] = line.split("\u{1}")
          const folded = fold(values.length === 0 ? line : head)
          if (folded === "") continue
          const covered = heads.some((known) => folded.startsWith(known)) || (values.length === 0 && lines.has(folded))
          expect(covered, `${JSON.stringify(line)} of ${JSON.stringify(text)}`).toBe(true)
        }
      }),
      { numRuns: runs(2000) },
    )
  })
})
