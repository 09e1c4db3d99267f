import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../../src/core/errors.ts"
import { type ParseOptions, parseTemplate } from "../../../src/prompt/template/parse.ts"
import { maxDepth } from "../../../src/prompt/template/parse-state.ts"
import { near } from "../../support/error-formulas.ts"

function faultOf(text: string, options?: ParseOptions): PromptStrataError {
  try {
    parseTemplate(text, { file: "p.md", ...options })
  } catch (error) {
    if (PromptStrataError.isInstance(error)) return error
    throw error
  }
  throw new Error(`no error for ${text}`)
}

describe("R1: mistakes are located", () => {
  test.each<[string, string, number, string]>([
    ["an unclosed slot, at its opening", "a ${name", 3, "expected a } for this ${, found the end of the file"],
    ["an unclosed branch, at its opening", "ab${c? x ${d}", 3, "expected a } for this ${"],
    ["an unclosed inner expression, at the inner one", "${c? x ${d }", 1, "expected a } for this ${"],
    ["an empty name", "${}", 3, 'expected a name after ${, found "}"'],
    ["a name of nothing but marks", "${ ! }", 4, 'expected a name after ${, found "!"'],
    ["text after a name", "${a b}", 5, 'after the name a, found "b"'],
    ["two dots", "${a..b}", 4, 'found "."'],
    ["text after an encoder", "${a | fence b}", 13, 'expected } or =, found "b"'],
    ["an unknown encoder", "${a | fense}", 7, `found "fense".${near("fence")}`],
    ["no encoder", "${a | }", 7, "expected an encoder (lines, inline, tail, fence, indent, transcript, speaker)"],
    [
      "a raw encoder, which does not exist",
      "${a | raw}",
      7,
      "expected an encoder (lines, inline, tail, fence, indent, transcript, speaker)",
    ],
    ["an unknown directive", "${file_lod(x)}", 1, near("file_load")],
    ["an unknown role", "${role(sistem)}", 8, `found "sistem".${near("system")}`],
    ["no role", "${role()}", 8, "expected a role (system, developer, user, assistant) in role(), found nothing"],
    ["a missing parenthesis", "${role(user}", 12, 'expected a ) after role(user, found "}"'],
    ["a missing parenthesis at a line's end", "${role(user\n}", 12, "found a line break"],
    ["text after a directive", "${role(user) x}", 14, 'expected }, found "x"'],
    ["a list's name with spaces", "${messages(a b)}", 12, "expected the name of a list"],
    ["file_load without a loader", "${file_load(a.md)}", 1, "parsed without a loader"],
  ])("%s", (_, text, column, message) => {
    const error = faultOf(text)
    expect(error.code).toBe("template")
    expect(error.source).toEqual({ file: "p.md", line: 1, column })
    expect(error.message).toContain(message)
    expect(error.message).toContain(`p.md:1:${column}: `)
  })

  test("the frame shows the lines around, counted in the whole file, and a caret", () => {
    const error = faultOf("你好\n${问候 | fense}\nend", { firstLine: 5 })
    expect(error.source).toEqual({ file: "p.md", line: 6, column: 8 })
    expect(error.frame).toBe("5 | 你好\n6 | ${问候 | fense}\n  |          ^\n7 | end")
  })

  test("nesting ends in an error, not in a full stack", () => {
    expect(() => parseTemplate("${a?".repeat(maxDepth) + "}".repeat(maxDepth))).not.toThrow()
    const error = faultOf("${a?".repeat(100_000))
    expect(error.message).toContain(`at most ${maxDepth} deep`)
    expect(error.source?.column).toBe(maxDepth * 4 + 1)
  })
})
