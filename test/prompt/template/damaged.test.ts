import { describe, expect, test } from "vitest"
import { parseTemplate } from "../../../src/prompt/template/parse.ts"
import { renderTemplate } from "../../../src/prompt/template/render-template.ts"
import { escapeTemplate, normalizeText } from "../../../src/prompt/template/scanner.ts"

const values = { a: "A", b: "", c: "C\nD", n: 0, "x.y": "XY" }

/** Templates that use each part of the language, with lines of their own and blanks at the edges. */
const templates: readonly string[] = [
  "Hi ${a}!",
  "${b = none} ${x.y}",
  "1\n\n${b}\n\n2",
  " ${a? yes : no} ${b? yes : no} ",
  "A\n${a?\n    B ${b?\n        C\n    : E}\n    F\n: G}\nH",
  "${a? one\n\n\n  two }\n${b? x}\n\nend\n",
  "  - ${c}\n  - ${n}\n",
  "$${a} $: $} $$ ${a = x$}y}",
  "${b? x : ${a? ${c} : z}}",
  "[\n${b}\n]\n\n\n${a}\n",
  "\n\n${a? \n\n ${b} \n\n }\n\n.",
  "\uFEFFa\r\nb\r${a}",
]

function rendered(template: string): string {
  try {
    return JSON.stringify(renderTemplate(template, values))
  } catch (error) {
    return `refused: ${(error as Error).message.replaceAll("\n", " / ")}`
  }
}

describe("templates as they are printed", () => {
  test("each template gives its text or its mistake, also without one of its characters", async () => {
    const rows = templates.flatMap((whole) => {
      const runs: { readonly text: string; readonly from: number; to: number }[] = []
      for (let at = 0; at < whole.length; at++) {
        const text = rendered(whole.slice(0, at) + whole.slice(at + 1))
        const last = runs.at(-1)
        if (last?.text === text) last.to = at
        else runs.push({ text, from: at, to: at })
      }
      const without = runs.map(({ text, from, to }) => `  - without ${from === to ? from : `${from}–${to}`}: ${text}`)
      return [`- ${JSON.stringify(whole)}: ${rendered(whole)}`, ...without]
    })
    await expect(`# Templates\n${rows.join("\n")}\n`).toMatchFileSnapshot("__snapshots__/damaged.md")
  })

  test("is parsed into nodes whose places are those in the file", async () => {
    const nodes = templates.map((template) => JSON.stringify(parseTemplate(template), undefined, 1))
    await expect(`${nodes.join("\n")}\n`).toMatchFileSnapshot("__snapshots__/nodes.txt")
  })

  test("text becomes a template of itself", () => {
    for (const text of ["${a}", "$${a}", "a : b", "$}", "$:", "$$$", "{x}", "${a? b : c}", "$"]) {
      expect(renderTemplate(escapeTemplate(text), values)).toBe(text)
      expect(renderTemplate(`\${a? ${escapeTemplate(text)} : }`, values)).toBe(text)
    }
    expect(normalizeText("\uFEFFa\r\nb\rc\n")).toBe(normalizeText("a\nb\nc\n"))
  })
})
