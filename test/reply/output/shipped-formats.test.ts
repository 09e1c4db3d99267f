import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"
import { loadPrompts } from "../../../src/node/load-prompts.ts"
import { formatNamed, formats } from "../../../src/reply/output/formats.ts"
import { readParts, stageOf } from "./parts.ts"

const files = loadPrompts(fileURLToPath(new URL("../../../prompts/formats/", import.meta.url)), { shownAs: "" })

describe("the format files that ship", () => {
  test("L4: every format ships in both languages", () => {
    const names = formats.flatMap(({ name }) => [`en/${name}.md`, `zh-CN/${name}.md`])
    expect(files.map(({ path }) => path).sort()).toEqual(names.sort())
  })

  test.each(files)(
    "L4: $path names its parser, is short, and its own example keeps to its form",
    ({ path, attributes, body }) => {
      const format = formatNamed(String(attributes.parser))
      expect(path).toMatch(new RegExp(`/${format?.name}\\.md$`))
      expect(body.length).toBeLessThan(800)
      const example = body.split(/^(?:For example:|例如：)\n/m)[1]
      if (format === undefined || example === undefined) return expect(format?.name).toBe("plain")
      const parts = readParts([example], stageOf(format))
      expect(parts[0]?.type).toBe("emotion")
      expect(parts.filter(({ type }) => type === "warning")).toEqual([])
    },
  )

  test("a plain reply passes as it comes", () => {
    const reader = formatNamed("plain")?.createReader({})
    expect([reader?.push("a"), reader?.push(""), reader?.end()]).toEqual([[{ type: "text", delta: "a" }], [], []])
  })
})
