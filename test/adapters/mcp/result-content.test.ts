import { expect, test } from "vitest"
import { readContent } from "../../../src/adapters/mcp/result-content.ts"
import { mcpWords } from "../../../src/adapters/mcp/words.ts"

test.each([
  ["of a kind that is not known", { type: "hologram", x: 1 }, '{"type":"hologram","x":1}'],
  ["that is no object", 7, "7"],
  ["whose resource holds neither text nor data", { type: "resource", resource: { uri: "a:b" } }, '"uri":"a:b"'],
])("a part %s stands in the text as JSON", (_, part, expected) => {
  const { text, attachments } = readContent([{ type: "text", text: "before" }, part], mcpWords("en"))
  expect(text.replaceAll(/\s/g, "")).toContain(expected)
  expect([text.startsWith("before\n"), attachments]).toEqual([true, []])
})
