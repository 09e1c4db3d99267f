import { readFileSync } from "node:fs"
import fc from "fast-check"
import matter from "gray-matter"
import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../src/core/errors.ts"
import { type FrontMatter, parseFrontMatter, readYamlMapping } from "../../src/node/front-matter.ts"
import { runs } from "../support/size.ts"
import { root } from "../support/source-files.ts"

function faultOf(text: string): PromptStrataError {
  try {
    parseFrontMatter(text, "p.md")
  } catch (error) {
    if (PromptStrataError.isInstance(error)) return error
    throw error
  }
  throw new Error(`no error for ${JSON.stringify(text.slice(0, 80))}`)
}

describe("front matter and body", () => {
  test.each<[string, string, FrontMatter]>([
    ["both", "---\na: 1\nb: [x, y]\n---\nbody\n", { attributes: { a: 1, b: ["x", "y"] }, body: "body\n", firstLine: 5 }],
    ["a body that begins with a blank line", "---\na: 1\n---\n\nbody", { attributes: { a: 1 }, body: "\nbody", firstLine: 4 }],
    ["no body", "---\na: 1\n---", { attributes: { a: 1 }, body: "", firstLine: 3 }],
    ["no body but a line break", "---\na: 1\n---\n", { attributes: { a: 1 }, body: "", firstLine: 4 }],
    ["nothing in it", "---\n---\nbody", { attributes: {}, body: "body", firstLine: 3 }],
    ["blank lines in it", "---\n \n\n---\nbody", { attributes: {}, body: "body", firstLine: 5 }],
    ["comments in it", "---\n# a comment\n---\nbody", { attributes: {}, body: "body", firstLine: 4 }],
    ["a named engine: yaml", "---yaml\na: 1\n---\nx", { attributes: { a: 1 }, body: "x", firstLine: 4 }],
    ["a named engine: YML", "--- YML\na: 1\n---\nx", { attributes: { a: 1 }, body: "x", firstLine: 4 }],
    ["white space after the dashes", "--- \t\na: 1\n---\t\nx", { attributes: { a: 1 }, body: "x", firstLine: 4 }],
    ["CRLF and a byte order mark", "\uFEFF---\r\na: 1\r\n---\r\nx\r\ny", { attributes: { a: 1 }, body: "x\ny", firstLine: 4 }],
    [
      "dashes inside, which close nothing",
      "---\na: |\n  x\n  ---\n  y\nb: 2\n---\nz\n---\n",
      { attributes: { a: "x\n---\ny\n", b: 2 }, body: "z\n---\n", firstLine: 8 },
    ],
    ["a longer line inside", "---\na: b\n ----\n---\nz", { attributes: { a: "b ----" }, body: "z", firstLine: 5 }],
    ["none", "body\n---\nmore", { attributes: {}, body: "body\n---\nmore", firstLine: 1 }],
    ["an empty file", "", { attributes: {}, body: "", firstLine: 1 }],
    [
      "a thematic break that nothing closes",
      "---\n\nbody\n----\n",
      { attributes: {}, body: "---\n\nbody\n----\n", firstLine: 1 },
    ],
    ["a longer thematic break", "----\na: 1\n---\n", { attributes: {}, body: "----\na: 1\n---\n", firstLine: 1 }],
    [
      "a heading between dashes",
      "--- Chapter 1 ---\nx\n---\n",
      { attributes: {}, body: "--- Chapter 1 ---\nx\n---\n", firstLine: 1 },
    ],
  ])("%s", (_, text, expected) => {
    expect(parseFrontMatter(text, "p.md")).toEqual(expected)
  })

  test("any body comes back as it was, after any front matter", () => {
    const lines = fc
      .array(fc.constantFrom("---", "a: 1", "", " x", "--- js", "文"), { maxLength: 8 })
      .map((all) => all.join("\n"))
    const text = fc.oneof(
      lines,
      fc.string({ unit: "grapheme" }).filter((any) => !any.includes("\r")),
    )
    fc.assert(
      fc.property(text, (body) => {
        expect(parseFrontMatter(`---\nkey: value\n---\n${body}`, "p.md")).toEqual({
          attributes: { key: "value" },
          body,
          firstLine: 4,
        })
      }),
    )
  })
})

describe("L12: front matter is data only", () => {
  test.each([
    "js",
    "javascript",
    "JS",
    " js",
    "js\t",
    "coffee",
    "coffeescript",
    "cson",
    "json",
    "json5",
    "toml",
    "eval",
    "constructor",
    "__proto__x",
  ])("the engine %j is refused before anything reads it", (engine) => {
    const run = "globalThis.wasRun = true"
    for (const close of ["\n---\n", ""]) {
      const text = `---${engine}\n{ ran: (${run}) }${close}`
      if (engine.startsWith("_")) continue
      const error = faultOf(text)
      expect(error.code).toBe("front-matter")
      expect(error.message).toContain(`found the engine "${engine.trim()}"; nothing of it was run`)
      expect(error.source).toEqual({ file: "p.md", line: 1, column: text.indexOf(engine.trim()) + 1 })
    }
    expect(globalThis).not.toHaveProperty("wasRun")
  })

  test("what no engine is named by never reaches an engine", () => {
    for (const opening of ["--- js js", "---js // x", "---$js"]) {
      const text = `${opening}\nglobalThis.wasRun = true\n---\n`
      expect(parseFrontMatter(text, "p.md").body).toBe(text)
    }
    expect(globalThis).not.toHaveProperty("wasRun")
  })

  test("tags build nothing", () => {
    const { attributes } = parseFrontMatter(
      "---\na: !!js/function 'x'\nb: !!binary aGk=\nc: !!set {d}\ne: !!timestamp 2020-01-01\n---\n",
      "p.md",
    )
    expect(JSON.parse(JSON.stringify(attributes))).toEqual({ a: "x", b: "aGk=", c: { d: null }, e: "2020-01-01" })
  })

  test("__proto__ is refused, where it stands", () => {
    const error = faultOf("---\na:\n  - {__proto__: {polluted: true}}\n---\n")
    expect(error.message).toContain("the key __proto__ is not allowed")
    expect(error.source).toEqual({ file: "p.md", line: 3, column: 6 })
    for (const key of ["__proto__", '"__proto__"', '"\\x5f_proto__"', "? __proto__\n"])
      expect(faultOf(`---\n${key}: {polluted: 1}\n---\n`).code).toBe("front-matter")
    expect({}).not.toHaveProperty("polluted")
  })

  test("constructor and its like are names like any other", () => {
    const { attributes } = parseFrontMatter("---\nconstructor: {prototype: {polluted: true}}\ntoString: x\n---\n", "p.md")
    expect(Object.keys(attributes)).toEqual(["constructor", "toString"])
    expect({}).not.toHaveProperty("polluted")
  })

  test("changing what one caller got changes nothing for the next", () => {
    const text = "---\nlist: [1]\n---\nbody"
    const first = parseFrontMatter(text, "a.md")
    Object.assign(first.attributes, { list: "changed", more: true })
    expect(parseFrontMatter(text, "a.md").attributes).toEqual({ list: [1] })
    expect(parseFrontMatter(text, "b.md").attributes).not.toBe(parseFrontMatter(text, "b.md").attributes)
  })
})

describe("mistakes are located in the file", () => {
  test.each<[string, string, number, number, string]>([
    ["broken YAML", "---\na: 1\nb: [x\n---\n", 3, 6, "expected YAML"],
    ["a key twice", "---\na: 1\na: 2\n---\n", 3, 1, "Map keys must be unique"],
    ["a tab as indentation", "---\na:\n\tb: 1\n---\n", 3, 1, "expected YAML"],
    ["a list", "---\n\n- a\n---\n", 3, 1, "expected the front matter to be a mapping"],
    ["text", "---\nJust a quotation.\n---\nand more", 2, 1, "put a blank line before it"],
    ["a key that is no text", "---\n? [a]\n: b\n---\n", 2, 3, "keys must be strings"],
    ["two documents", "---\na: 1\n...\nb: 2\n---\n", 4, 1, "multiple documents"],
    ["a missing anchor", "---\na: *x\n---\n", 1, 4, "Unresolved alias"],
    ["an alias in its own anchor", "---\na: &a\n  b: *a\n---\n", 1, 4, "an alias inside its own anchor"],
    ["a named engine that nothing closes", "---yaml\na: 1\n", 1, 1, "expected a line --- that ends the front matter"],
    ["too much", `---\na: ${"x".repeat(20_000)}\n---\n`, 1, 1, "at most 16384 characters, found 20003"],
  ])("%s", (_, text, line, column, message) => {
    const error = faultOf(text)
    expect(error.code).toBe("front-matter")
    expect(error.message).toContain(message)
    expect(error.source).toEqual({ file: "p.md", line, column })
    expect(error.frame).toContain("^")
  })

  test("an alias bomb ends in an error", () => {
    const names = [..."abcdefghi"]
    const lines = names.map(
      (name, i) =>
        `${name}: &${name} [${Array(9)
          .fill(i === 0 ? "x" : `*${names[i - 1]}`)
          .join(", ")}]`,
    )
    expect(faultOf(`---\n${lines.join("\n")}\n---\n`).message).toContain("Excessive alias count")
  })

  test.each(["[", "{", "- ", "? ", "a: {b: "])("%j without end is an error, not a full stack", (opening) => {
    expect(faultOf(`---\nx: ${opening.repeat(16_000 / opening.length)}\n---\n`).code).toBe("front-matter")
  })

  test("nothing but PromptStrataError is thrown", () => {
    const pieces = fc.constantFrom(..."---|\n|a|: |- |[|]|{|}|&x |*x |!|'|\"|\\|>|||%|#|? |~|1|\t|,|...".split("|"))
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 40 }), (all) => {
        try {
          parseFrontMatter(`---\n${all.join("")}\n---\n`, "p.md")
        } catch (error) {
          expect(PromptStrataError.isInstance(error)).toBe(true)
        }
      }),
      { numRuns: runs(3000) },
    )
  })
})

test("L12 keys with plain values are read as the package `yaml` reads them", () => {
  const pieces = [
    ...[
      "",
      "Fay",
      "true",
      "Null",
      "FALSE",
      "文",
      "-",
      "1",
      "#",
      " #",
      ":",
      ": ",
      "'",
      '"',
      "[",
      "{",
      "}",
      ",",
      "~",
      "&",
      "*",
      "!",
      "|",
    ],
    ...[
      " ",
      "\t",
      "\u00a0",
      "\u3000",
      "\u2028",
      "\u0085",
      "\ufeff",
      "\u200b",
      "…",
      "？",
      "e\u0301",
      "😀",
      "\\",
      "%",
      "@",
      "`",
      "?",
    ],
  ]
  const words = pieces.flatMap((first) => pieces.flatMap((second) => [`${first}${second}`, `F${first}${second} x`]))
  const at = (value: string) => `a: ${value}`
  const keys = ["b-c", "__proto__", "constructor", "true", "1", "name ", "- a", "a: b", "文"].map((key) => `${key}: Fay`)
  const blocks = [
    ...words.map((value) => `name: ${value}`),
    ...keys,
    "name:Fay",
    "name:  Fay",
    " name: Fay",
    "a: x\na: y",
    "a: x\n y: z",
    ...["a:", "a:\nb: c", "a:\n  b: c", "a:\n  b: c\n  b: d", "a:\n  b: c\nd: e\n  f: g", "a:\n  b:\n  c: d", "a: \n  b: c"],
    ...[
      "a: b\n  c: d",
      "  a: b",
      "a:\n  b: c\n   d",
      "a:\n   b: c",
      "a:\n  __proto__: c",
      "you call them: my friend",
      "a: b:c",
      "a: true",
      "a: True",
      "a: false",
      "称呼: 主人",
      "亲近 x: 40/100",
      "a: b:",
    ],
    ...["0", "7", "110", "007", "1_0", "-1", "1.5", "1e3", "0x1", "40/100", "1/", "2026-01-01", "1234567890123", ".5", "+1"].map(
      at,
    ),
    ...[
      "''",
      "'it''s'",
      "'a: b'",
      "'a",
      "'a' b",
      "'a\\n'",
      '""',
      '"#fff"',
      '"a\\nb"',
      '"a" b',
      "\"a''b\"",
      "'a\u2028b'",
      '" a "',
    ].map(at),
    ...[
      "[a]",
      "[a, b]",
      "[a,b]",
      "[a, true]",
      "[a b, c]",
      "[a, ]",
      "[]",
      "[1, 2]",
      "[a, [b]]",
      "[a-b, c_d]",
      "[a: b]",
      "[~]",
      "[a b, 猫, Mulberry Lane]",
      "[a,b c]",
      "[a,  b]",
      "[a -b]",
      "[a- b]",
      "[书店,看书]",
    ].map(at),
    ...words.filter((_, nth) => nth % 7 === 0).map((value) => `a:\n  b: ${value}`),
  ]
  const outcome = (read: () => unknown) => {
    try {
      return { data: read() }
    } catch (error) {
      return { code: PromptStrataError.isInstance(error) ? error.code : error }
    }
  }
  const differ = blocks.filter((block) => {
    const whole = `---\n${block}\n---\n`
    const expected = outcome(() => readYamlMapping(block, { file: "p.md", whole, offset: 3 }))
    return JSON.stringify(outcome(() => parseFrontMatter(whole, "p.md").attributes)) !== JSON.stringify(expected)
  })
  expect(differ).toEqual([])
})

describe("L12 the parts of gray-matter that are not used", () => {
  test.each([
    ["a line of more than three dashes ends a block", "---\na: |\n  b\n---- c\n---\nx", "- c\n---\nx"],
    ["a blank line at the beginning of the body goes", "---\na: 1\n---\n\nx", "x"],
    ["a line of dashes that nothing closes takes the body", "---\n\nx: y\n", ""],
  ])("its split: %s", (_, text, theirs) => {
    expect(matter(text, {}).content.replace(/^\n/u, "")).toBe(theirs)
    expect(readOr(text)).not.toBe(theirs)
  })

  test("its YAML reader: values of YAML 1.1 stay words here", () => {
    const text = "---\nat: 2026-01-01\nsize: 1_000\n---\n"
    expect(matter(text, {}).data).toEqual({ at: new Date("2026-01-01"), size: 1000 })
    expect(parseFrontMatter(text, "p.md").attributes).toEqual({ at: "2026-01-01", size: "1_000" })
  })

  test("one version of yaml is installed, and js-yaml only by gray-matter", () => {
    const { packages } = JSON.parse(readFileSync(`${root}package-lock.json`, "utf8")) as {
      packages: Record<string, { dependencies?: Record<string, string> }>
    }
    const named = (name: string) => Object.keys(packages).filter((path) => path.endsWith(`node_modules/${name}`))
    expect([named("yaml"), named("js-yaml")]).toEqual([["node_modules/yaml"], ["node_modules/js-yaml"]])
    const users = Object.entries(packages).filter(([, { dependencies }]) => dependencies?.["js-yaml"] !== undefined)
    expect(users.map(([path]) => path)).toEqual(["node_modules/gray-matter"])
  })
})

/** The body, or the code of the error. */
function readOr(text: string): string {
  try {
    return parseFrontMatter(text, "p.md").body
  } catch (error) {
    if (PromptStrataError.isInstance(error)) return error.code
    throw error
  }
}
