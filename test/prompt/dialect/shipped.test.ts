import { globSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { compilePrompts, writeModules, writtenPrompts } from "../../../.ci/compile-prompts.ts"
import { shippedDialectFiles } from "../../../src/node/read-dialect.ts"
import { compileDialect } from "../../../src/prompt/dialect/compile-dialect.ts"
import { isBackground } from "../../../src/prompt/dialect/dialect.ts"
import { dialectWith, shippedDialect, shippedDialectNames } from "../../../src/prompt/dialect/shipped.ts"
import { shippedPrompts } from "../../../src/prompt/dialect/shipped-files.ts"
import { toolWords } from "../../../src/prompt/tools/tool-words.ts"
import { tempFolder } from "../../support/temp-folder.ts"

test("the generated modules are equal to the files under prompts/ (else run `npm run prompts`)", () => {
  expect(Object.fromEntries(writtenPrompts())).toEqual(Object.fromEntries(compilePrompts()))
})

test("old modules are written anew and removed whatever their times are, as in a copy; equal ones stay untouched", () => {
  const folder = tempFolder()
  const names = ["old.ts", "removed.ts", "equal.ts"]
  for (const name of names) {
    writeFileSync(join(folder, name), name)
    utimesSync(join(folder, name), 4_000_000_000, 4_000_000_000)
  }
  const modules = new Map(Object.entries({ "old.ts": "new", "equal.ts": "equal.ts", "added.ts": "added" }))
  writeModules(modules, folder)
  expect(writtenPrompts(folder)).toEqual(new Map([...modules].sort()))
  expect(statSync(join(folder, "equal.ts")).mtimeMs).toBe(4_000_000_000_000)
  expect(readFileSync("package.json", "utf8")).not.toContain("--if-older")
})

describe("shipped dialects", () => {
  test("each is what its files compile to, with the same order of files and of markers, and without the prompts behind turns", () => {
    for (const name of shippedDialectNames())
      for (const locale of ["en", "zh-CN"]) {
        const [shipped, compiled] = [shippedDialect(name, locale), compileDialect(shippedDialectFiles(name, locale))]
        const behind = [...compiled.files].flatMap(([name, file]) => (isBackground(name, file) ? [name] : []))
        expect(behind).toEqual(expect.arrayContaining(["importance", "observe", "reflection"]))
        expect(behind.filter((name) => shipped.files.has(name))).toEqual([])
        expect(dialectWith("reflection", shipped)).toEqual(compiled)
        expect(shipped.markers).toEqual(compiled.markers)
        expect([...shipped.files.keys()]).toEqual([...compiled.files.keys()].filter((name) => !behind.includes(name)))
        expect([...shipped.markers.lines]).toEqual([...compiled.markers.lines])
      }
  })

  test("a dialect of the user's own is left as it is, and so is a shipped one without such a prompt", () => {
    const shipped = shippedDialect("fay", "en")
    expect(dialectWith("planner", shipped)).toBe(shipped)
    expect(dialectWith("unknown", shipped)).toBe(shipped)
    const own = { ...shipped, name: "mine" }
    expect(dialectWith("reflection", own)).toBe(own)
    expect(dialectWith("reflection", shipped)).toBe(dialectWith("tidy", shipped))
  })

  test("fay, layered and stack ship in English and Chinese", () => {
    expect(shippedDialectNames()).toEqual(expect.arrayContaining(["fay", "layered", "stack"]))
    for (const name of shippedDialectNames())
      for (const locale of ["en", "zh-CN"]) expect(shippedDialect(name, locale)).toMatchObject({ name, locale })
  })

  test("each has the same files in every locale", () => {
    for (const name of shippedDialectNames())
      expect([...shippedDialect(name, "en").files.keys()]).toEqual([...shippedDialect(name, "zh-CN").files.keys()])
  })

  test("no branch of theirs begins with white space that was meant to be printed: branches are trimmed", () => {
    const files = globSync("prompts/**/*.{md,txt}")
    expect(files.length).toBeGreaterThan(200)
    const lost = files.filter((file) => /\$\{\w+\?(?: {2,}|\t)\S/.test(readFileSync(file, "utf8")))
    expect(lost).toEqual([])
  })

  test("each is compiled once, also by way of a fallback", () => {
    expect(shippedDialect("fay", "fr")).toBe(shippedDialect("fay", "en"))
  })

  test("an unknown one is an error with a suggestion", () => {
    expect(() => shippedDialect("fai", "en")).toThrow(/fay, layered, .*stack.* "fay"\?/)
  })

  test("of the words of tools, those of one language are read, and the same words are found", () => {
    for (const [asked, found] of [
      ["zh-TW", "zh-CN"],
      ["fr", "en"],
    ] as const) {
      const one = shippedPrompts("tools", asked)
      expect(new Set(one.map(({ path }) => path.split("/", 2).join("/")))).toEqual(new Set([`tools/${found}`]))
      const words = toolWords(one, asked, "calculate")
      const { say, refuse, ...texts } = toolWords(shippedPrompts("tools"), asked, "calculate")
      expect(words).toEqual({ ...texts, say: words.say, refuse: words.refuse })
      const values = { unreadable: "1 +", functions: "sqrt", constants: "pi" }
      expect(words.say(values)).toBe(say(values))
      expect(words.refuse(values).message).toBe(refuse(values).message)
    }
  })

  test("its files can be taken as they are", () => {
    const { files, locale } = shippedDialectFiles("fay", "zh-CN")
    expect(locale).toBe("zh-CN")
    expect(files.map(({ path }) => path)).toContain("fay/zh-CN/planner.md")
  })
})
