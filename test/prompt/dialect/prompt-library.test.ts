import { describe, expect, test } from "vitest"
import { dialectNames } from "../../../.ci/compile-prompts.ts"
import { compileDialect } from "../../../src/prompt/dialect/compile-dialect.ts"
import { chooseLocale, isLocale } from "../../../src/prompt/dialect/locales.ts"
import { dialectFiles, type PromptLibrary } from "../../../src/prompt/dialect/prompt-library.ts"
import { near } from "../../support/error-formulas.ts"
import { promptFiles } from "./prompt-files.ts"

const files = promptFiles({
  "both/en/planner.md":
    "en ${rest} ${file_load(words.txt)} ${file_load(notice.txt)} ${file_load(characters/a.md)} ${file_load(./characters/../characters/a.md)}",
  "both/en/words.txt": "own words",
  "both/en/failed.md": "own",
  "both/zh-CN/planner.md": "zh ${rest}",
  "chinese/zh-CN/chat.md": "zh ${rest} ${file_load(../../both/en/words.txt)}",
  "characters/a.md": "A",
  "tools/en/clock.md": "no dialect",
  "shared/en/failed.md": "shared failed",
  "shared/en/lost.md": "shared lost",
  "shared/en/notice.txt": "shared notice",
  "shared/en/planner.md": "${rest}",
  "shared/zh-CN/lost.md": "丢了",
})

function foldersOf(sources: typeof files) {
  return Map.groupBy(sources, ({ path }) => path.split("/").slice(0, -1).slice(0, 2).join("/"))
}

const library: PromptLibrary = {
  folders: [...foldersOf(files).keys()],
  dialects: dialectNames(foldersOf(files)),
  read: (folder) => files.filter(({ path }) => path.startsWith(`${folder}/`)),
}

function textOf(name: string, locale: string, file: string): string | undefined {
  const nodes = compileDialect(dialectFiles(library, name, locale)).files.get(file)?.template.nodes
  return nodes?.map((node) => (node.type === "literal" ? node.text : "_")).join("")
}

describe("a library of prompts", () => {
  test("dialects are the folders with prompts in folders of locales", () => {
    expect(library.dialects).toEqual(["both", "chinese"])
  })

  test("a dialect's own files go before the shared ones of its locale", () => {
    expect([textOf("both", "en", "failed"), textOf("both", "en", "lost")]).toEqual(["own", "shared lost"])
    expect([textOf("both", "zh-CN", "failed"), textOf("both", "zh-CN", "lost")]).toEqual([undefined, "丢了"])
  })

  test("file_load looks beside the file, in the dialect, among the shared files, then from the root", () => {
    expect(textOf("both", "en", "planner")).toBe("en _ own words shared notice A A")
    expect(textOf("chinese", "zh-CN", "chat")).toBe("zh _ own words")
  })

  test.each([
    ["both", "zh-CN", "zh-CN"],
    ["both", "fr", "en"],
    ["both", "zh-TW", "zh-CN"],
    ["both", "en-GB", "en"],
    ["chinese", "en", "zh-CN"],
  ])("%s in %s is found in %s", (name, asked, found) => {
    expect(dialectFiles(library, name, asked).locale).toBe(found)
  })

  test.each(["bot", "shared", "characters", "tools", "__proto__"])(
    "an unknown dialect %j is an error that names the known ones",
    (name) => {
      expect(() => dialectFiles(library, name, "en")).toThrow(`(both, chinese), found "${name}"`)
    },
  )

  test("a near miss is suggested", () => {
    expect(() => dialectFiles(library, "bth", "en")).toThrow(near("both"))
  })
})

test.each([
  ["en", true],
  ["zh-CN", true],
  ["zh-Hans-CN", true],
  ["es-419", true],
  ["EN", false],
  ["partials", false],
  ["", false],
])("isLocale(%j) is %j", (name, expected) => {
  expect(isLocale(name)).toBe(expected)
})

test("with neither the locale nor a fallback, any will do; with none there is none", () => {
  expect(chooseLocale("fr", ["de", "it"])).toBe("de")
  expect(chooseLocale("fr", ["fi", "zh-CN"])).toBe("zh-CN")
  expect(chooseLocale("zh-TW", ["en", "zh-CN"])).toBe("zh-CN")
  expect(chooseLocale("fr", [])).toBeUndefined()
})
