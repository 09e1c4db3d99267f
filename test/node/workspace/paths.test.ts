import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { PromptStrataError } from "../../../src/core/errors.ts"
import { canonicalPath, nameKey, samePath, splitPath } from "../../../src/node/workspace/paths.ts"

function codeOf(path: string): string {
  try {
    return splitPath(path).join("/")
  } catch (error) {
    if (PromptStrataError.isInstance(error)) return error.code
    throw error
  }
}

/** Spellings that some file system treats as SOUL.md. */
const souls = [
  "SOUL.md",
  "soul.MD",
  "./SOUL.md",
  "ＳＯＵＬ.md",
  "SOUL．md",
  "ſoul.md",
  "SOUL\u200d.md",
  "SOUL.md\ufe0f",
  "Ｓoul.ⅿd",
]

describe("spellings of one path", () => {
  test.each(souls)("D12 %s is SOUL.md to a guard and has one canonical name", (spelling) => {
    expect(samePath(spelling, "SOUL.md")).toBe(true)
    expect(samePath("SOUL.md", spelling)).toBe(true)
    expect(canonicalPath(spelling, ["USER.md", "SOUL.md"])).toBe("SOUL.md")
  })

  test.each([
    ["日记/Café.md", "日记/cafe\u0301.md"],
    ["STRASSE.md", "straße.md"],
    ["ΟΔΟΣ.md", "οδος.md"],
    ["a/./b.md", "A/B.MD"],
    ["notes/", "Notes"],
  ])("D12 %s and %s are one", (one, other) => {
    expect(samePath(one, other)).toBe(true)
  })

  test.each([
    ["SOUL.md", "SOUL.mdx"],
    ["SOUL.md", "a/SOUL.md"],
    ["SOUL.md", "ЅOUL.md"],
    ["../SOUL.md", "../SOUL.md"],
    ["a/b", "a b"],
  ])("%s and %s are not", (one, other) => {
    expect(samePath(one, other)).toBe(false)
  })

  test("folding twice changes nothing, and neither do case, composition or invisible characters", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 40 }), (name) => {
        // In upper case the iota subscript becomes a separate letter. Its position depends on other marks.
        fc.pre(!name.normalize("NFD").includes("\u0345"))
        const key = nameKey(name)
        expect(nameKey(key)).toBe(key)
        for (const form of ["NFC", "NFD", "NFKC", "NFKD"]) expect(nameKey(name.normalize(form))).toBe(key)
        expect(nameKey(name.toUpperCase())).toBe(key)
        expect(nameKey([...name].join("\u2060"))).toBe(key)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe("what a path may be", () => {
  test.each([
    ["SOUL.md", "SOUL.md"],
    ["./notes/./today.md", "notes/today.md"],
    ["日记/2026年（一）：雨.md", "日记/2026年（一）：雨.md"],
    ["notes/", "notes"],
    [".", ""],
    ["", ""],
    ["…等等.md", "file-path"],
    ["%2e%2e/x", "%2e%2e/x"],
    ["❤️.md", "❤️.md"],
    ["👨‍👩‍👧.md", "👨‍👩‍👧.md"],
    ["concert.md", "concert.md"],
    ["com10.md", "com10.md"],
  ])("%j is %j", (path, found) => {
    expect(codeOf(path)).toBe(found)
  })

  test.each([
    "..",
    "../x",
    "a/../b",
    "a/..",
    "/etc/passwd",
    "/",
    "//server/share",
    "~/x",
    "~root/x",
    "．．/x",
    "‥/x",
    ".\u200d./x",
  ])("D12 %j points outside", (path) => {
    expect(codeOf(path)).toBe("file-outside")
  })

  test.each([
    "a\\b",
    "..\\x",
    "C:/x",
    "C:x",
    "SOUL.md:stream",
    "SOUL.md::$DATA",
    "a\0b",
    "a\nb",
    "a\x1b[0m",
    "a\u202eb",
    "SO\u200bUL.md",
    "a\u2028b",
    "\ud800",
    "a//b",
    "a／b",
    "a＼b",
    "CON",
    "con.md",
    "NUL.tar.gz",
    "aux .md",
    "COM1",
    "com¹.txt",
    "LPT³",
    "ＣＯＮ",
    "CONIN$",
    "a.",
    "a ",
    " a",
    "a．",
    "a\u3000",
    "SOUL~1.MD",
    ".git/config",
    ".env",
    "．env",
    "a/.b",
    ".promptstrata/history/x",
    "a?b",
    "a*b",
    "a|b",
    '"a"',
    "a<b",
    "x".repeat(256),
    "字".repeat(86),
    "a/".repeat(33),
    "x/".repeat(600),
  ])("D12 %j is refused", (path) => {
    expect(codeOf(path)).toBe("file-path")
  })

  test("D12 each refusal names what it found, each limit is allowed itself", () => {
    const long = (count: number) => `${`${"x".repeat(200)}/`.repeat(5)}${"y".repeat(count)}`
    const paths = {
      ...Object.fromEntries(
        [
          "",
          ".",
          "..",
          "a/../b",
          "/a",
          "~",
          "a\\b",
          "a\nb",
          "\ud800",
          "a//b",
          "./a/",
          "a／b",
          "a:b",
          "a ",
          "a.",
          "S~1",
          "con",
          "com4.x",
        ].map((path) => [JSON.stringify(path), path]),
      ),
      ...Object.fromEntries([".a", "b/.a", ".promptstrata", ".promptstrata-x"].map((path) => [path, path])),
      "a path of 1,024 characters": long(19),
      "a path of 1,025 characters": long(20),
      "a name of 255 bytes": "字".repeat(85),
      "a name of 256 bytes": `${"字".repeat(85)}x`,
      "32 folders": `${"a/".repeat(31)}a`,
      "33 folders": `${"a/".repeat(32)}a`,
      "a number": 7 as never,
    }
    const outcomes = Object.entries(paths).map(([name, path]) => {
      try {
        return `${name}: ${splitPath(path).length} names`
      } catch (error) {
        return `${name}: ${(error as { code: string }).code}, ${/found (.*)\.\n/.exec((error as Error).message)?.[1]}`
      }
    })
    expect(outcomes).toMatchSnapshot()
  })

  test("hidden names can be let in, but never the workspace's own", () => {
    expect(splitPath(".env", "allow")).toEqual([".env"])
    for (const own of [".promptstrata/lock", ".PromptStrata", "．promptstrata", "a/.promptstrata-1-x.tmp"]) {
      expect(() => splitPath(own, "allow")).toThrow("a file of the workspace's own")
    }
  })

  test("the error shows the path as data and says what to do", () => {
    expect(() => splitPath("a\nb")).toThrow(
      /^"a\\nb": expected a path inside the workspace, found a character that cannot be seen\.\nWrite it/,
    )
  })

  test("whatever it is, a path is split or refused, in time", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 2_000 }), (path) => {
        codeOf(path)
      }),
    )
    codeOf("\u0301".repeat(100_000))
    codeOf(`${"a\u0301\u0323".repeat(300)}`)
  })
})
