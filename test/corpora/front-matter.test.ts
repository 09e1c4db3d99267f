import { Buffer } from "node:buffer"
import { describe, expect, test } from "vitest"
import { parse } from "yaml"
import { PromptStrataError } from "../../src/core/errors.ts"
import { parseFrontMatter } from "../../src/node/front-matter.ts"
import { dataPresent, readJsonLines } from "../support/corpora.ts"

/** What reading gives, or the code of its error; anything else is thrown on. */
function outcome(text: string): "read" | "front-matter" {
  try {
    const { attributes, body, firstLine } = parseFrontMatter(text, "p.md")
    expect(JSON.parse(JSON.stringify(attributes))).toBeTypeOf("object")
    expect(body.split("\n").length + firstLine - 1).toBe(text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/).length)
    return "read"
  } catch (error) {
    if (!PromptStrataError.isInstance(error) || error.code !== "front-matter") throw error
    expect(error.source?.column).toBeGreaterThan(0)
    return "front-matter"
  }
}

function wraps(text: string): string[] {
  return [text, `---\n${text}\n---\nbody`, `---\n${text}`, `---yaml\n${text}\n---`]
}

describe.skipIf(!dataPresent)("every test document goes through the front matter wrapper", () => {
  const suite = dataPresent ? readJsonLines<{ id: string; src: string }>("formats/yaml-test-suite.jsonl") : []
  const cases = suite.flatMap(({ id, src }) =>
    (parse(src, { logLevel: "silent" }) as { yaml?: string; json?: string; fail?: boolean }[]).map((one) => ({
      id,
      ...one,
      yaml: written(one.yaml ?? ""),
    })),
  )

  test("the YAML test suite: each is read or a located error", () => {
    expect(cases.length).toBeGreaterThan(350)
    for (const { src } of suite) for (const text of wraps(src)) outcome(text)
    for (const { yaml } of cases) for (const text of wraps(yaml)) outcome(text)
  })

  test("the YAML test suite: one mapping is read as its JSON says, with text for keys", () => {
    let read = 0
    for (const { id, yaml, json, fail } of cases) {
      const expected = oneMapping(json)
      if (fail || expected === undefined || /^(?:---|%)/m.test(yaml)) continue
      if (outcome(`---\n${yaml}\n---\n`) !== "read") continue
      const { attributes } = parseFrontMatter(`---\n${yaml}\n---\n`, id)
      expect(attributes, id).toEqual(expected)
      read++
    }
    expect(read).toBeGreaterThan(80)
  })

  test("toml-test: TOML is read as YAML or a located error, and refused by its name", () => {
    for (const { b64 } of readJsonLines<{ b64: string }>("formats/toml-test-1.0.0.jsonl")) {
      const text = Buffer.from(b64, "base64").toString("utf8")
      for (const wrapped of wraps(text)) outcome(wrapped)
      expect(outcome(`---toml\n${text}\n---\n`)).toBe("front-matter")
    }
  })
})

/** The suite writes white space and line ends as visible signs. */
function written(yaml: string): string {
  return yaml
    .replaceAll("␣", " ")
    .replaceAll(/—*»/g, "\t")
    .replaceAll("⇔", "\uFEFF")
    .replaceAll("↵", "")
    .replaceAll("←", "\r")
    .replaceAll(/∎\n$/g, "")
}

function oneMapping(json: string | undefined): unknown {
  try {
    const value: unknown = JSON.parse(json ?? "null")
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
