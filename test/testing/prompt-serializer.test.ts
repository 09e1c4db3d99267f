import fc from "fast-check"
import { describe, expect, test } from "vitest"
import type { Assembly, Span } from "../../src/core/span.ts"
import { formatAssembly } from "../../src/testing/format-assembly.ts"
import { promptSerializer } from "../../src/testing/index.ts"
import { runs } from "../support/size.ts"

expect.addSnapshotSerializer(promptSerializer)

const span = (text: string, more: Partial<Span> = {}): Span => ({
  text,
  message: 0,
  key: "",
  part: "frame",
  trust: "author",
  stability: "global",
  tokens: text.length,
  ...more,
})

function assemblyOf(contents: readonly string[], more: Partial<Assembly> = {}): Assembly {
  const spans = contents.map((text, message) => span(text, { message }))
  return {
    version: 1,
    messages: contents.map((content) => ({ role: "user", content })),
    spans,
    tokens: spans.reduce((sum, { tokens }) => sum + tokens, 0),
    overheadTokens: 0,
    exact: true,
    prefixes: [],
    decisions: [],
    cut: {},
    sanitised: [],
    ...more,
  }
}

const example: Assembly = {
  ...assemblyOf([]),
  messages: [
    { role: "system", content: "You are Fay.\n\n# Rules\nBe brief." },
    { role: "assistant", content: "", toolCalls: [{ id: "a", name: "now", args: "{}" }] },
    { role: "tool", content: "12:00", toolCallId: "a" },
    { role: "user", content: "Fay:\n```\nwhat | time?\n```\n" },
  ],
  spans: [
    span("You are Fay.\n\n", { key: "persona", part: "content", source: { file: "characters/fay.md", line: 1 } }),
    span("# Rules\n", { source: { file: "planner.md", line: 3 } }),
    span("Be brief.", { source: { file: "planner.md", line: 4 }, tokens: 2 }),
    span("12:00", { message: 2, key: "now", part: "content", trust: "tool", stability: "turn" }),
    span("Fay:\n```\n", { message: 3, key: "question", stability: "turn", source: { file: "question.md", line: 1, column: 3 } }),
    span("what | time?", { message: 3, key: "question", part: "content", trust: "user", stability: "turn" }),
    span("\n```\n", { message: 3, key: "question", stability: "turn", part: "notice" }),
  ],
  tokens: 57,
  overheadTokens: 12,
  exact: false,
  decisions: [
    { key: "persona", fate: "kept", fromTokens: 14, toTokens: 14, reason: "fits" },
    { key: "memories", fate: "dropped", fromTokens: 90, toTokens: 0, reason: "over budget | rank 10" },
  ],
  sanitised: [{ key: "question", removed: 2, kinds: ["bidi", "tags"] }],
}

describe("a prompt as Markdown", () => {
  test("the example reads as this file", async () => {
    await expect(example).toMatchFileSnapshot("__snapshots__/example-prompt.md")
    await expect(formatAssembly(example)).toMatchFileSnapshot("__snapshots__/example-prompt.md")
  })

  test("only an assembly is taken for one", () => {
    expect(promptSerializer.test(example)).toBe(true)
    for (const other of [null, undefined, 1, "x", [], {}, { version: 1 }, { ...example, version: 2 }, { ...example, spans: 1 }])
      expect(promptSerializer.test(other)).toBe(false)
  })

  const hostile = fc.string({
    unit: fc.constantFrom(
      "`",
      "```",
      "\n",
      "\r",
      "## 2. user, 3 tokens",
      "text",
      "json",
      "]",
      "|",
      "\\",
      '"',
      "\u2028",
      "\ud83d",
      "😀",
      "\0",
      "\t",
      " ",
      "你",
    ),
  })

  test("every message's content can be read back exactly, whatever it holds", () => {
    fc.assert(
      fc.property(fc.array(hostile), (contents) => {
        expect(contentsOf(formatAssembly(assemblyOf(contents)))).toEqual(contents)
      }),
      { numRuns: runs(1000) },
    )
  })

  test("what is written survives a text file: no control characters, no half pairs, no other line separators", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(hostile, fc.string({ unit: "binary" }))), hostile, (contents, key) => {
        const written = formatAssembly(
          assemblyOf(contents, {
            spans: [span("x", { key })],
            decisions: [{ key, fate: "dropped", fromTokens: 1, toTokens: 0, reason: key }],
          }),
        )
        expect(Buffer.from(written).toString()).toBe(written)
        expect(written).not.toMatch(/[\u2028\u2029]|[^\P{Cc}\n\t]/u)
      }),
    )
  })
})

/** The messages of a formatted prompt, read by the rules of Markdown alone. */
function contentsOf(markdown: string): string[] {
  const lines = markdown.split("\n")
  const contents: string[] = []
  for (let at = 0; at < lines.length; at++) {
    const opening = /^(`{3,})(text|json)$/.exec(lines[at] ?? "")
    if (!opening) continue
    const closing = lines.indexOf(opening[1] ?? "", at + 1)
    const body = lines.slice(at + 1, closing).join("\n")
    contents.push(opening[2] === "text" ? body : (JSON.parse(body) as string[]).join(""))
    at = closing
  }
  return contents
}

test("a request without tokens has shares of nothing, not of everything", () => {
  const printed = formatAssembly(assemblyOf([""], { tokens: 0 }))
  expect(printed).toMatch(/\b0 %/)
  expect(printed).not.toContain("NaN")
})
