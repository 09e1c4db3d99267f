import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../../src/core/errors.ts"
import { compileDialect } from "../../../src/prompt/dialect/compile-dialect.ts"
import { overlayDialect, overlayLoader, sourceLoader } from "../../../src/prompt/dialect/source-loader.ts"
import type { TemplateLoader } from "../../../src/prompt/template/parse.ts"
import { promptFiles } from "./prompt-files.ts"

const base = promptFiles({
  "fay/en/planner.md": "base ${rest} ${file_load(words.txt)}",
  "fay/en/history.md": "base",
  "fay/en/words.txt": "base words",
})

describe("a user's files over a dialect's", () => {
  test("replace those of the same name and add new ones", () => {
    const over = promptFiles({ "/home/me/prompts/history.md": "mine", "/home/me/prompts/extra.md": "new" })
    const paths = overlayDialect(base, over).map(({ path }) => path)
    expect(paths).toEqual(["fay/en/planner.md", "fay/en/words.txt", "/home/me/prompts/history.md", "/home/me/prompts/extra.md"])
  })

  test("neither list is changed", () => {
    const before = structuredClone(base)
    overlayDialect(base, promptFiles({ "x/planner.md": "" }))
    expect(base).toEqual(before)
  })

  test("replace what shipped files load, too", () => {
    const over = promptFiles({ "me/words.txt": "my words" })
    const load = overlayLoader(sourceLoader(base), sourceLoader(over, ["me"]))
    const { files } = compileDialect({ name: "fay", locale: "en", files: overlayDialect(base, over), load })
    expect(files.get("planner")?.template.nodes.at(-1)).toMatchObject({
      type: "literal",
      text: "my words",
      source: { file: "me/words.txt" },
    })
  })
})

describe("overlayLoader", () => {
  const found: TemplateLoader = (path) => ({ text: "base", file: path })

  test("asks below only for what is missing above", () => {
    const missing: TemplateLoader = () => {
      throw new PromptStrataError("prompt-missing", "none")
    }
    expect(overlayLoader(found, missing)("a", { file: "f", line: 1 }).text).toBe("base")
  })

  test("lets every other error through", () => {
    const broken: TemplateLoader = () => {
      throw new PromptStrataError("file", "leads outside")
    }
    expect(() => overlayLoader(found, broken)("a", { file: "f", line: 1 })).toThrow("leads outside")
  })
})
