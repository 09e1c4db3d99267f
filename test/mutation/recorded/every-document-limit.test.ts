import { expect, test } from "vitest"
import {
  bodyWithin,
  documentBody,
  documentInjections,
  isBlank,
  isNearlyEmpty,
} from "../../../src/prompt/layers/documents/document-injections.ts"
import { markerOf } from "../../prompt/layers/documents/soul-prompt.ts"

const text = `# Head\n\n${"one two three\n".repeat(20)}tail\u{e0041} end 😀`
const base = { trust: "memory", file: "MEMORY.md", marker: markerOf("en") } as const

test("a document at every limit of characters and of tokens", () => {
  const lines: string[] = []
  for (const canRead of [true, false]) {
    for (let maxCharacters = 0; maxCharacters <= 300; maxCharacters += maxCharacters < 12 || maxCharacters > 284 ? 1 : 9) {
      const { text: body, ...rest } = documentBody(text, { ...base, maxCharacters, canRead })
      expect([...body.text].length).toBeLessThanOrEqual(rest.whole ? 1_000 : maxCharacters)
      lines.push(
        `${maxCharacters} ${canRead}: ${JSON.stringify(body.text.length > 120 ? `${body.text.slice(0, 20)} … ${body.text.slice(-100)}` : body.text)} ${JSON.stringify(rest)}`,
      )
    }
  }
  const countTokens = (words: string) => words.split(/\s+/u).filter((word) => word !== "").length
  for (const maxTokens of [0, 1, 2, 10, 20, 30, 62, 63, 64, 65, 66, 67, 100]) {
    const { text: body, ...rest } = bodyWithin(text, { ...base, maxTokens, countTokens, canRead: true })
    lines.push(`${maxTokens} tokens: ${countTokens(body.text)} ${JSON.stringify(rest)}`)
  }
  expect(lines.join("\n")).toMatchSnapshot()
})

test("the injections of documents at the edges of their settings", () => {
  const settings = {
    maxCharacters: 100,
    maxTokens: undefined,
    minShare: 0.25,
    nearlyEmptyCharacters: 10,
    nearLimitShare: 0.8,
    placement: "system",
  }
  const options = { marker: markerOf("en"), canRead: true, countTokens: (words: string) => words.length }
  const read = (words: string) => ({ state: "read", text: words })
  const given: readonly (readonly [documents: object, changed?: object])[] = [
    [{}],
    [{ soul: { state: "missing" }, user: { state: "missing" }, memory: { state: "missing" } }],
    [{ soul: { state: "unreadable" }, memory: { state: "unreadable" } }],
    [{ soul: read(" \u{e0041}\n"), user: read(""), memory: read("\ufeff") }],
    ...[9, 10, 11].map((length) => [{ user: read("x".repeat(length)) }] as const),
    ...[79, 80, 81, 99, 100, 101].map((length) => [{ memory: read("y".repeat(length)) }] as const),
    ...[79, 80, 81, 100, 101].map((length) => [{ memory: read("z".repeat(length)) }, { maxTokens: 100 }] as const),
    ...[1, 24, 25, 26].map((length) => [{ soul: read("s".repeat(length)) }] as const),
    ...[1, 24, 25, 26].map((length) => [{ soul: read("s".repeat(length)) }, { maxTokens: 99 }] as const),
    [{ user: read("about ann\u{e0041} and more of it, much more than the limit of a hundred".repeat(2)) }, { placement: "user" }],
  ]
  const lines = given.map(
    ([documents, changed]) =>
      `${JSON.stringify(documents)} ${JSON.stringify(changed)} → ${JSON.stringify(documentInjections(documents as never, { ...options, settings: { ...settings, ...changed } as never }))}`,
  )
  expect(lines.join("\n")).toMatchSnapshot()
})

test("a document that is blank, or nearly", () => {
  expect(["", " ", "\u{e0041}", "\ufeff \n", `${" ".repeat(600)}x`, `${"\u{e0041}".repeat(600)}x`, "x"].map(isBlank)).toEqual([
    true,
    true,
    true,
    true,
    false,
    false,
    false,
  ])
  const texts = ["abc", "a b-c", "# a\n* b\n_c_", "abc<!-- note -->", "<!--x-->a<!--y-->bc", "ab<!-- open", "<!-->abc", "abcd"]
  expect(texts.map((each) => [3, 4].map((least) => isNearlyEmpty(each, least)))).toEqual([
    [false, true],
    [false, true],
    [false, true],
    [false, true],
    [false, true],
    [false, false],
    [false, false],
    [false, false],
  ])
})
