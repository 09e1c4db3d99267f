import { expect, test } from "vitest"
import { PromptStrataError } from "../../../src/core/errors.ts"
import { parseFileNodes, parseTemplate } from "../../../src/prompt/template/parse.ts"
import { createLocator, createScanner } from "../../../src/prompt/template/scanner.ts"
import { runs } from "../../support/size.ts"

const shapes: Record<string, string> = {
  openings: "${",
  dollars: "$",
  escapes: "$$${",
  "slots on one line": "${a}",
  "slots on lines": "${a | fence}\n",
  placeholders: "${a = b}",
  conditionals: "${a? b : c}",
  "conditionals with lines": "${a?\n  b\n  :\n  c\n}",
  colons: ":",
  closings: "}",
  "blank lines": "\n",
  spaces: " ",
  names: "x",
  "directive lines": "${messages(h)}\n",
  "directives on one line": "${messages(h)} ",
  "open parentheses": "(",
  emoji: "😀",
}
const openings = ["", "${", "${a", "${a?", "${a? x : ", "${a =", "${a |", "${role(", "${a?\n  "]

function stepsFor(text: string): number {
  const scanner = createScanner(text)
  const state = { file: "t", firstLine: 1, scanner, locate: createLocator(scanner, 1), include: () => [] }
  try {
    parseFileNodes(state, 0)
  } catch (error) {
    if (!PromptStrataError.isInstance(error)) throw error
  }
  return scanner.steps
}

test.each(Object.entries(shapes))("parsing looks at each character a bounded number of times: %s", (_, shape) => {
  for (const opening of openings) {
    const text = opening + shape.repeat(Math.ceil(runs(20_000) / shape.length))
    expect(stepsFor(text)).toBeLessThanOrEqual(5 * text.length)
  }
})

test.each(Object.entries(shapes))("a large text of it parses or ends in a located error: %s", (_, shape) => {
  try {
    parseTemplate(shape.repeat(Math.ceil(runs(1_000_000) / shape.length)))
  } catch (error) {
    expect(PromptStrataError.isInstance(error) && error.source?.column !== undefined).toBe(true)
  }
})

test("a place is counted in code points, also beside halves of surrogate pairs, and each character is walked over once", () => {
  const text = "a😀b\n\udc00\udc00c\ud800d"
  const scanner = createScanner(text)
  const locate = createLocator(scanner, 3)
  const places = Array.from({ length: text.length + 1 }, (_, offset) => offset).map((offset) => {
    const { line, column } = locate(offset)
    return `${line}:${column}`
  })
  expect(places).toEqual(["3:1", "3:2", "3:3", "3:3", "3:4", "4:1", "4:2", "4:3", "4:4", "4:5", "4:6"])
  expect(scanner.steps).toBe(text.length)
})
