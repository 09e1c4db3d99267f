import { readFileSync } from "node:fs"
import { expect, expectTypeOf, test } from "vitest"
import { wholePage } from "../../.ci/reference/pages.ts"
import { errorReference } from "../../.ci/write-error-reference.ts"
import type { ErrorCode } from "../../src/core/errors.ts"
import { readSources, root } from "../support/source-files.ts"

const page = errorReference()

/** Every code. A code that is missing here or too much does not compile. */
const sections = {
  template: 1,
  "front-matter": 1,
  "prompt-missing": 1,
  prompt: 1,
  injection: 1,
  encoding: 1,
  budget: 1,
  profile: 1,
  "profile-missing": 1,
  plugin: 1,
  file: 1,
  "file-missing": 1,
  "file-path": 1,
  "file-outside": 1,
  "file-kind": 1,
  "file-size": 1,
  "file-encoding": 1,
  "file-conflict": 1,
  "file-busy": 1,
  "tool-definition": 1,
  "tool-collision": 1,
  "tool-arguments": 1,
  "tool-timeout": 1,
  model: 1,
  "model-stall": 1,
  "model-empty": 1,
  "output-schema": 1,
  approval: 1,
  "turn-timeout": 1,
  "spending-limit": 1,
  aborted: 1,
  "empty-question": 1,
  "session-conflict": 1,
  "version-conflict": 1,
  store: 1,
  background: 1,
  closed: 1,
  decision: 1,
  usage: 1,
  "session-store": 1,
  skill: 1,
  script: 1,
  "missing-dependency": 1,
  mcp: 1,
  test: 1,
} as const

test("docs/errors.md is the page that the comments make: npx node .ci/write-error-reference.ts writes it", () => {
  expect(readFileSync(`${root}docs/errors.md`, "utf8")).toBe(page)
  expect(readFileSync(`${root}docs/errors.zh-CN.md`, "utf8")).toBe(errorReference("zh-CN"))
})

test("a sentence that nobody wrote in Chinese is named, and a number in it needs no sentence of its own", () => {
  const rows = "| `a` | whole number, at least 7 | `1` | Nobody wrote this. |"
  expect(() => wholePage("errors", rows, "zh-CN")).toThrow(/none of:\n"Nobody wrote this\."$/)
})

test("the Chinese of generated pages has no sentence that they do not say", () => {
  const words = JSON.parse(readFileSync(`${root}.ci/reference/zh-CN.json`, "utf8")) as Record<string, string>
  const pages = readFileSync(`${root}docs/profile.md`, "utf8") + page
  const said = pages + pages.replaceAll(/\d+(?:\.\d+)?/g, "#")
  expect(Object.keys(words).filter((text) => !said.includes(text))).toEqual([])
})

test("the page has one section for each code", () => {
  expectTypeOf<keyof typeof sections>().toEqualTypeOf<ErrorCode>()
  const found = [...page.matchAll(/^### `(.+)`$/gm)].map(([, code]) => code)
  expect(found.toSorted()).toEqual(Object.keys(sections).sort())
})

test("every code is thrown somewhere", () => {
  const source = [...readSources("src", ".ts")].filter(([path]) => !path.startsWith("src/core/evidence/")).map(([, text]) => text)
  expect(Object.keys(sections).filter((code) => !source.some((text) => text.includes(`"${code}"`)))).toEqual([])
})
