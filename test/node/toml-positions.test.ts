import fc from "fast-check"
import { parse } from "smol-toml"
import { describe, expect, test } from "vitest"
import { locateToml, offsetOf } from "../../src/node/toml-positions.ts"
import { runs } from "../support/size.ts"

/** A generated document, and the offset of each of its paths. */
interface Written {
  readonly text: string
  readonly places: readonly { readonly path: readonly (string | number)[]; readonly offset: number }[]
}

type Path = readonly (string | number)[]

/** Writes text, and remembers the offset of each path that is written. */
function writer() {
  let text = ""
  const places: { path: Path; offset: number }[] = []
  return {
    add: (piece: string) => {
      text += piece
    },
    at: (path: Path) => {
      places.push({ path, offset: text.length })
    },
    done: (): Written => ({ text, places }),
  }
}

type Writer = ReturnType<typeof writer>
type Drawn = string | { readonly list: readonly Drawn[] } | { readonly table: ReadonlyMap<string, Drawn> }

const quotings = {
  bare: (name: string) => name,
  basic: (name: string) => JSON.stringify(name),
  escaped: (name: string) => `"${[...name].map((c) => `\\U${(c.codePointAt(0) ?? 0).toString(16).padStart(8, "0")}`).join("")}"`,
  literal: (name: string) => `'${name}'`,
}

const anyName = fc.oneof(
  fc.stringMatching(/^[a-z_0-9-]{1,4}$/),
  fc.string({ unit: "grapheme-ascii", maxLength: 4 }),
  fc.constantFrom("你好", "a.b", "=", "#", "]", "\t", "😀"),
)

function writtenName(name: string, choice: number): string {
  const possible = [
    ...(/^[A-Za-z0-9_-]+$/.test(name) ? [quotings.bare] : []),
    ...(name.includes("'") ? [] : [quotings.literal]),
    quotings.basic,
    quotings.escaped,
  ]
  return (possible[choice % possible.length] ?? quotings.escaped)(name)
}

const scalar = fc.constantFrom(
  "1",
  "-2.5e3",
  "true",
  "1979-05-27 07:32:00",
  "nan",
  '"a # \\" ] }"',
  "'''\n[x]\ny = 1''''",
  '"""\n\\""" = [1\n"""""',
  "'it = ]'",
  '""',
  "''",
  "0xff",
)

const { value: drawnValue } = fc.letrec<{ value: Drawn }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.record({ list: fc.array(tie("value"), { maxLength: 3 }) }),
    fc.record({ table: fc.dictionary(anyName, tie("value"), { maxKeys: 3 }).map((table) => new Map(Object.entries(table))) }),
  ),
}))

function writeValue(out: Writer, value: Drawn, path: Path, choice: number): void {
  if (typeof value === "string") {
    out.add(value)
    return
  }
  const entries = "list" in value ? value.list.map((inner, at) => [at, inner] as const) : [...value.table]
  out.add("list" in value ? "[" : "{")
  for (const [index, [key, inner]] of entries.entries()) {
    out.add(index === 0 ? " " : ", ")
    if ("list" in value && choice % 2 === 1) out.add("# ] comment\n\t")
    out.at([...path, key])
    if (typeof key === "string") out.add(`${writtenName(key, choice)} = `)
    writeValue(out, inner, [...path, key], choice)
  }
  out.add("list" in value ? " ]" : " }")
}

const pairs = fc.dictionary(anyName, fc.tuple(drawnValue, fc.nat(7)), { maxKeys: 4 })
const section = fc.record({ name: anyName, second: fc.option(anyName), isArray: fc.boolean(), pairs, choice: fc.nat(7) })

function writePairs(out: Writer, entries: Readonly<Record<string, readonly [Drawn, number]>>, path: Path): void {
  for (const [name, [value, choice]] of Object.entries(entries)) {
    out.add(choice % 3 === 0 ? "  # a = [ comment\n\n\t" : "")
    out.at([...path, name])
    out.add(`${writtenName(name, choice)}${choice % 2 ? "  =\t" : "="}`)
    writeValue(out, value, [...path, name], choice)
    out.add(choice % 4 === 0 ? " # end\r\n" : "\n")
  }
}

/** Sections with distinct names, so that every generated document is valid. Arrays of tables come twice. */
function writeDocument({
  top,
  sections,
}: {
  top: Readonly<Record<string, readonly [Drawn, number]>>
  sections: readonly (typeof section extends fc.Arbitrary<infer S> ? S : never)[]
}): Written {
  const out = writer()
  writePairs(out, top, [])
  for (const [index, { name, second, isArray, pairs: inside, choice }] of sections.entries()) {
    const first = `s${index}${name}`
    for (let item = 0; item < (isArray ? 2 : 1); item++) {
      const path: Path = [first, ...(second === null ? [] : [second]), ...(isArray ? [item] : [])]
      out.add(isArray ? "[[ " : "[ ")
      if (second === null) out.at(isArray ? path : [first])
      else if (item === 0) out.at([first])
      out.add(writtenName(first, choice))
      if (second !== null) {
        out.add(" . ")
        out.at(path)
        out.add(writtenName(second, choice))
      }
      out.add(isArray ? " ]] # [x]\n" : " ]\n")
      writePairs(out, inside, path)
    }
  }
  return out.done()
}

describe("locateToml", () => {
  test("everything a random document holds is found where it was written", () => {
    const documents = fc.record({ top: pairs, sections: fc.array(section, { maxLength: 4 }) }).map(writeDocument)
    let found = 0
    fc.assert(
      fc.property(documents, ({ text, places }) => {
        fc.pre(isValid(text))
        const root = locateToml(text)
        for (const { path, offset } of places) expect([path, offsetOf(root, path)]).toEqual([path, offset])
        found += places.length
      }),
      { numRuns: runs(1_000) },
    )
    expect(found).toBeGreaterThan(runs(1_000) * 5)
  })

  test("dotted keys stand where each part is first mentioned", () => {
    const text = 'a.b = 1\na . "c.d" .e = 2\n[x.y]\nz.w = 3\n[x.q]\n'
    const root = locateToml(text)
    const at = (...path: string[]) => text.slice(offsetOf(root, path)).split("\n")[0]
    expect(at("a")).toBe("a.b = 1")
    expect(at("a", "b")).toBe("b = 1")
    expect(at("a", "c.d")).toBe('"c.d" .e = 2')
    expect(at("a", "c.d", "e")).toBe("e = 2")
    expect(at("x")).toBe("x.y]")
    expect(at("x", "y", "z", "w")).toBe("w = 3")
    expect(at("x", "q")).toBe("q]")
  })

  test("tables below an array of tables belong to its last item", () => {
    const text = "[[a]]\n[a.b]\nc = 1\n[[a]]\n[a.b]\nc = 2\n[[a.d]]\n[[a.d]]\ne = 3\n"
    const root = locateToml(text)
    const lineOf = (...path: (string | number)[]) => text.slice(0, offsetOf(root, path)).split("\n").length
    expect([lineOf("a", 0), lineOf("a", 0, "b", "c"), lineOf("a", 1), lineOf("a", 1, "b", "c")]).toEqual([1, 3, 4, 6])
    expect([lineOf("a", 1, "d", 0), lineOf("a", 1, "d", 1, "e")]).toEqual([7, 9])
  })

  test("what is not there is placed at the nearest thing around it", () => {
    const text = "x = 1\n[a]\nb = 2\n"
    const root = locateToml(text)
    expect(offsetOf(root, ["a", "b", "c", 3])).toBe(text.indexOf("b ="))
    expect(offsetOf(root, ["a", "missing"])).toBe(text.indexOf("a]"))
    expect(offsetOf(root, ["__proto__"])).toBe(0)
  })

  test("any text at all is read to an end without an error", () => {
    const pieces = fc.constantFrom(
      "[",
      "]",
      "[[",
      "{",
      "}",
      "=",
      ".",
      ",",
      '"',
      "'",
      '"""',
      "'''",
      "\\",
      "#",
      "\n",
      "\r\n",
      " ",
      "a",
      "1",
      "😀",
      "\0",
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (drawn) => void locateToml(drawn.join(""))),
      { numRuns: runs(3_000) },
    )
  })

  test.each([
    ["one dotted key", (n: number) => `${"a.".repeat(n)}a = 1`],
    ["many keys", (n: number) => Array.from({ length: n }, (_, k) => `k${k} = [{a=1}]`).join("\n")],
    ["one string", (n: number) => `a = "${"\\u0041".repeat(n)}"`],
    ["many strings that never close", (n: number) => `${'a = """ '.repeat(n)}`],
    ["a comment", (n: number) => `#${"#".repeat(n)}`],
    ["a deep array", (n: number) => `a = ${"[".repeat(Math.min(n, 900))}${"]".repeat(Math.min(n, 900))}`],
  ])("%s that is very long does not exhaust the stack", (_, make) => {
    expect(() => locateToml(make(50_000))).not.toThrow()
  })
})

function isValid(text: string): boolean {
  try {
    parse(text)
    return true
  } catch {
    return false
  }
}
