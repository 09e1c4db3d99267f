import { stripVTControlCharacters } from "node:util"
import { describe, expect, test } from "vitest"
import { displayWidth } from "../../../src/core/display-width.ts"
import { sampleCard } from "../../support/sample-card.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { run } from "./run.ts"

const prose =
  "Mei keeps the lighthouse at the end of the harbour and writes down every ship that passes, with its colours and its hour. 她守着港口尽头的灯塔，把每一条经过的船记下来，颜色和时辰都不漏；下雨的晚上，她会给迟归的人多点一盏灯。"
const assets = [{ type: "icon", name: "main", uri: `embeded://assets/${"long/".repeat(20)}mei.webp`, ext: "webp" }]
const card = { spec: "chara_card_v3", spec_version: "3.0", data: { ...sampleCard, description: prose, assets } }
const profile = `extends = "layered"\n[agent]\nname = "Mei"\nbubbels = "${"a long value ".repeat(4)}"\n[budget]\ntokens = 700\n`
const script = `start 2026-01-05
days 3
day 2 at 20:00 say "My cat is called Miso."
every day say "Good morning!" | "Hello!"
expect remembered "a dog that nobody ever spoke of, neither at home nor anywhere else" on day 3
`
/** A folder with a card, two profiles and a script. */
const filled = () =>
  tempFolder({
    "mei.json": JSON.stringify(card),
    "mei.toml": profile,
    "short.toml": profile.replace("long value a long value ", "long value "),
    "good.toml": profile.replace(/bubbels.*\n/, ""),
    "cat.sim": script,
  })
const question = "帮我算 17*23"

/** Each with words that its output has at every width. */
const commandsIn = (folder: string): readonly (readonly [args: readonly string[], words: RegExp])[] => [
  [["render", "layered", "--tokens", "--question", question], /prefix ends|前缀到此为止/],
  [["render", `${folder}/good.toml`, "--tokens"], /shortened|dropped|缩短|舍弃/],
  [["render", `${folder}/mei.json`, "--lore"], /entry|条目/],
  [["card", "show", `${folder}/mei.json`], /Costs|花费/],
  [["card", "lint", `${folder}/mei.json`], /Costs|花费/],
  [["lint", `${folder}/mei.toml`], /bubbels/],
  [["lint", "--list-rules"], /window-room/],
  [["simulate", `${folder}/cat.sim`, "--profile", "root", "--with", "fay"], /background tokens|后台 token/],
  [["chat", "layered", "--once", question], /391/],
  [["chat", "layered", "--once", question, "--show", "trace"], /prefix ends|前缀到此为止/],
  [["chat", "nosuch", "--once", question], /nosuch/],
  [["chat", "--onec"], /--once/],
  [["chat", "--prices", "prices.json", "--once", question], /--inspect/],
]
const languages = { en: "en_US.UTF-8", "zh-CN": "zh_CN.UTF-8" }
const locales = ["en", "zh-CN"] as const
const colours = ["NO_COLOR", "FORCE_COLOR"] as const

interface Look {
  readonly columns: number
  readonly locale: (typeof locales)[number]
  readonly colour: (typeof colours)[number]
}
const looks: readonly Look[] = [60, 80, 200].flatMap((columns) =>
  locales.flatMap((locale) => colours.map((colour) => ({ columns, locale, colour }))),
)

/** All that a command writes to a terminal. */
async function shown(args: readonly string[], { columns, locale, colour }: Look): Promise<string> {
  const { stdout, stderr } = await run(args, { terminal: true, columns, env: { LANG: languages[locale], [colour]: "1" } })
  return `${stdout}${stderr}`
}

describe("on a terminal", () => {
  test.each(looks)("of $columns columns, in $locale, with $colour, no line is wider, and colours are as asked", async (look) => {
    const folder = filled()
    // A path is never cut: one that is wider than the terminal has a line of its own.
    const isPath = (line: string) => line.includes(folder) && !/\s/.test(stripVTControlCharacters(line).trim())
    for (const [args, words] of commandsIn(folder)) {
      const text = await shown(args, look)
      expect([args, text]).toEqual([args, expect.stringMatching(words)])
      const wide = text.split("\n").filter((line) => displayWidth(line) > look.columns && !isPath(line))
      expect([args, wide]).toEqual([args, []])
      if (look.colour === "NO_COLOR") expect(text).toBe(stripVTControlCharacters(text))
      else if (/^(?:card|lint|chat \S+ --once)/.test(args.join(" "))) expect(text).not.toBe(stripVTControlCharacters(text))
    }
  })

  const look = { columns: 60, locale: "en", colour: "NO_COLOR" } as const
  const asOneLine = (text: string) => text.replaceAll(/\s+/g, "")

  test.each([
    ["lint", "FOLDER/short.toml"],
    ["lint", "--list-rules"],
    ["chat", "--prices", "prices.json", "--once", question],
  ])("of 60 columns `%s %s` says every word that it says to one of 200", async (...words) => {
    const folder = filled()
    const args = words.map((word) => word.replace("FOLDER", folder))
    expect(asOneLine(await shown(args, look))).toBe(asOneLine(await shown(args, { ...look, columns: 200 })))
  })

  test("of 60 columns a table of a request has each layer, its tokens, its share and its fate, and names what it leaves out", async () => {
    const args = ["render", "layered", "--tokens", "--question", question]
    const rows = (text: string) => text.split("\n").filter((line) => /^ {2}[\w(]/.test(line))
    const [narrow, whole] = [await shown(args, look), await shown(args, { ...look, columns: 200 })]
    const cells = (text: string) => rows(text).map((row) => row.split(/ {2,}/))
    const [[, ...kept] = [], [, ...columns] = []] = [cells(narrow)[0], cells(whole)[0]]
    expect(kept).toEqual(expect.arrayContaining(["layer", "tokens", "share", "fate"]))
    const withoutCut = (row: readonly string[]) =>
      row.filter((_, at) => at === 0 || (kept.includes(columns[at - 1] ?? "") && columns[at - 1] !== "source"))
    const plain = (row: readonly string[]) => row.filter((_, at) => at === 0 || kept[at - 1] !== "source")
    expect(cells(narrow).map(plain)).toEqual(cells(whole).map(withoutCut))
    expect(narrow).toMatch(/no room for the columns changes/)
    expect(whole).not.toContain("no room")
  })

  test("of 60 columns a table of days goes on in further tables, each with the day", async () => {
    const text = await shown(["simulate", `${filled()}/cat.sim`, "--profile", "root"], look)
    const heads = text.split("\n").filter((line) => line.startsWith("  day "))
    expect(heads.length).toBeGreaterThan(1)
    for (const name of ["turns", "cached", "background calls", "memories", "events"]) expect(heads.join("\n")).toContain(name)
  })
})

test("a pipe gets lines as they are, whatever the width", async () => {
  const { stdout } = await run(["card", "show", `${filled()}/mei.json`], { columns: 60 })
  expect(stdout.split("\n")).toContain(prose)
})
