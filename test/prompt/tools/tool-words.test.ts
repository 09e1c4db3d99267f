import { describe, expect, test } from "vitest"
import { shippedPrompts } from "../../../src/prompt/dialect/shipped-files.ts"
import { toolWords } from "../../../src/prompt/tools/tool-words.ts"

const prompt = (path: string, attributes: Record<string, unknown> = { description: path }, body = "") => ({
  path,
  attributes,
  body,
  firstLine: 4,
})

describe("toolWords", () => {
  test("reads description, hint, parameters and the answer", () => {
    const attributes = { description: "d", usage_hint: "h", parameters: { a: "first", b: 5 } }
    const words = toolWords([prompt("tools/en/t.md", attributes, "Done: ${id}\n")], "en", "t")
    expect(words).toMatchObject({ description: "d", usageHint: "h", parameters: { a: "first" } })
    expect(words.say({ id: 15 }).trim()).toBe("Done: 15")
    expect(words.refuse({ id: 16 })).toMatchObject({ code: "tool-arguments", message: words.say({ id: 16 }) })
  })

  const prompts = [prompt("tools/en/t.md"), prompt("tools/zh-CN/t.md"), prompt("tools/en/deep/t.md"), prompt("fay/de/t.md")]
  test.each([
    ["zh-CN", "tools/zh-CN/t.md"],
    ["zh", "tools/zh-CN/t.md"],
    ["zh-TW", "tools/zh-CN/t.md"],
    ["en", "tools/en/t.md"],
    ["de", "tools/en/t.md"],
    ["__proto__", "tools/en/t.md"],
  ])("in %s takes %s", (locale, path) => expect(toolWords(prompts, locale, "t").description).toBe(path))

  test("mistakes are located", () => {
    expect(() => toolWords(prompts, "en", "u")).toThrow(expect.objectContaining({ code: "prompt-missing" }))
    expect(() => toolWords([prompt("tools/en/t.md", {})], "en", "t")).toThrow(
      expect.objectContaining({ code: "front-matter", message: expect.stringContaining("tools/en/t.md:1") }),
    )
    expect(() => toolWords([prompt("tools/en/t.md", { description: "d" }, "ok\n${x")], "en", "t")).toThrow(
      expect.objectContaining({ code: "template", message: expect.stringContaining("tools/en/t.md:5") }),
    )
  })

  test.each(["zh-CN", "en"])("every built-in tool has words in %s", (locale) => {
    for (const tool of ["current_time", "calculate", "add_schedule", "list_schedule"]) {
      expect(shippedPrompts().some(({ path }) => path === `tools/${locale}/${tool}.md`)).toBe(true)
      expect(toolWords(shippedPrompts(), locale, tool).usageHint).not.toBe("")
    }
  })
})
