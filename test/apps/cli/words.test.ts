import { describe, expect, test } from "vitest"
import { chatWords, initWords, mcpWords, serveWords, storeWords, workerWords } from "../../../src/apps/cli/words/command-words.ts"

const tables: Readonly<Record<string, (locale: string) => object>> = {
  ...{ chatWords, initWords, mcpWords, serveWords, storeWords, workerWords },
}

/** Nothing is said of a tool that may be called. */
const silent = "mcpWords.verdicts.approved"

/** Every text of a table under its path; a sentence with values is made of some. */
function textsOf(
  words: unknown,
  path: string,
  values: readonly unknown[] = ["AnyName", "AnyName", 3],
): readonly (readonly [path: string, text: unknown])[] {
  if (typeof words === "function") return textsOf(words(...values), path, values)
  if (typeof words !== "object" || words === null) return path === silent ? [] : [[path, words]]
  return Object.entries(words).flatMap(([name, inner]) => textsOf(inner, `${path}.${name}`, values))
}

const sorted = (texts: readonly (readonly [string, unknown])[]) => texts.map(([path]) => path).sort()

describe.each(Object.entries(tables))("the words of %s", (name, words) => {
  const [en, zh] = [textsOf(words("en"), name), textsOf(words("zh-CN"), name)]

  test("are there in both languages", () => {
    for (const [path, text] of [...en, ...zh]) expect(text, path).toMatch(/\S/)
    expect(sorted(zh.filter(([path]) => !path.includes(".yes.")))).toEqual(sorted(en.filter(([path]) => !path.includes(".yes."))))
  })

  test("are these, with any numbers and names in them", () => {
    const shown = (table: (locale: string) => object) =>
      (["en", "zh-CN"] as const).flatMap((locale) =>
        [["AnyName", "AnyName", 3] as const, [1, "b", 1] as const, ["", "", 0] as const].flatMap((values) =>
          textsOf(table(locale), name, values).map(([path, text]) => `${locale} ${path}: ${text}`),
        ),
      )
    expect([...new Set(shown(words))].join("\n")).toMatchSnapshot()
  })

  test("are in the language that was asked for", () => {
    for (const [path, text] of en) expect(text, path).not.toMatch(/\p{Script=Han}/u)
    const foreign = zh.filter(([, text]) => /^[A-Za-z ]{6,}$/.test(String(text)))
    expect(foreign).toEqual([])
  })
})
