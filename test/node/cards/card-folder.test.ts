import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { loadCard, readCard } from "../../../src/node/cards/card-file.ts"
import { filesOfCard, isCardPart, loadCardFolder } from "../../../src/node/cards/card-folder.ts"
import { writeZip } from "../../../src/node/cards/zip.ts"
import { near } from "../../support/error-formulas.ts"
import { runs, seedOf, size } from "../../support/size.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { arbitraryCard } from "./arbitrary-card.ts"

const bytesOf = (json: unknown) => Buffer.from(JSON.stringify(json))
const cardWith = (data: object, more: object = {}) =>
  readCard(bytesOf({ ...more, spec: "chara_card_v3", spec_version: "3.0", data: { name: "Mei", ...data } }))

/** Writes the files of a card into a folder that was empty. */
function write(folder: string, files: ReadonlyMap<string, string | Uint8Array>): void {
  rmSync(folder, { recursive: true, force: true })
  for (const [path, content] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content, { flag: "wx" })
  }
}

const jsonOf = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe("a card as files", () => {
  test("C2: comes back equal as JSON, for any card", () => {
    const folder = `${tempFolder()}/card`
    fc.assert(
      fc.property(arbitraryCard, (json) => {
        write(folder, filesOfCard(readCard(bytesOf(json))))
        expect(jsonOf(loadCardFolder(folder).card.json)).toEqual(jsonOf(json))
      }),
      { numRuns: runs(2_000), seed: seedOf(31) },
    )
  })

  const nasty = [
    "---\nname: x\n---\nevil",
    "→ description.md",
    "→→",
    "\ufeffa",
    "a\r",
    "a\r\n",
    "a\n\n",
    "\0",
    "\ud800",
    "---",
    "",
    " ",
  ]
  test.each(nasty)("C2: a text %j comes back wherever it stands", (text) => {
    const entry = { keys: [text], content: text, name: text, [text || "k"]: { [text]: text, list: [text, 1, null] } }
    const fields = Object.fromEntries(
      ["description", "first_mes", "mes_example", "creator_notes", "alternate_greetings"].map((name) => [name, text]),
    )
    const file = cardWith(
      { ...fields, group_only_greetings: [text, null, text], character_book: { entries: [entry, text, entry], name: text } },
      { description: text, first_mes: "another", personality: text },
    )
    const folder = tempFolder()
    write(folder, filesOfCard(file))
    expect(jsonOf(loadCardFolder(folder).card.json)).toEqual(jsonOf(file.card.json))
    const wrong = cardWith({ character_book: { entries: text }, group_only_greetings: { a: text }, first_mes: null })
    write(folder, filesOfCard(wrong))
    expect(jsonOf(loadCardFolder(folder).card.json)).toEqual(jsonOf(wrong.card.json))
  })

  test("C3: no title makes a name that climbs, is a device, or is taken", () => {
    const titles = [
      "../../etc/passwd",
      "CON",
      "aux.txt",
      "a",
      "a",
      "A",
      "/",
      "C:\\x",
      "x".repeat(500),
      "龙与龙",
      "\u202etxt.exe",
      ".",
    ]
    const entries = titles.map((name) => ({ name, keys: ["k"], content: name }))
    const file = cardWith({ character_book: { entries }, alternate_greetings: ["a", "b"] })
    const names = [...filesOfCard(file).keys()].filter((path) => path.startsWith("lore/"))
    expect(names).toEqual([
      ...["001-etc-passwd", "002-CON", "003-aux-txt", "004-a", "005-a", "006-A", "007-k", "008-C-x"].map(
        (name) => `lore/${name}.md`,
      ),
      `lore/009-${"x".repeat(40)}.md`,
      ...["010-龙与龙", "011-txt-exe", "012-k"].map((name) => `lore/${name}.md`),
    ])
  })

  test("C3: fields of 10 MB come back (1 MB in a quick run)", () => {
    const long = "龙---\n".repeat(size === "quick" ? 150_000 : 1_500_000) // 7 bytes each
    const file = cardWith({ description: long, character_book: { entries: [{ keys: [long.slice(0, 20_000)], content: long }] } })
    const folder = tempFolder()
    write(folder, filesOfCard(file))
    expect(readdirSync(`${folder}/lore`)).toEqual([expect.stringMatching(/^001-.*\.json$/)])
    expect(loadCardFolder(folder).card.json).toEqual(file.card.json)
  })

  test("C2: of a title that has no letter among its first two hundred signs no file is named", () => {
    const entries = [199, 200].map((signs, id) => ({ id, name: `${"!".repeat(signs)}a`, keys: ["!"], content: "x" }))
    const made = filesOfCard(readCard(bytesOf(cardWith({ character_book: { entries } }).card.json)))
    expect([...made.keys()].filter((path) => path.startsWith("lore/"))).toEqual(["lore/001-a.md", "lore/002.md"])
  })

  test("C2: assets come back, also those that a system would not take by their names", () => {
    const paths = [
      "assets/a/icon.png",
      "assets/A/ICON.png",
      "assets/con.txt",
      "assets/a/icon.png/x",
      "card.parts.json",
      "assets/.git/config",
    ]
    const zip = writeZip(
      new Map([["card.json", bytesOf(cardWith({}).card.json)], ...paths.map((path) => [path, Buffer.from(path)] as const)]),
    )
    const file = readCard(zip)
    const made = filesOfCard(file)
    expect([...made.keys()]).toEqual(["card.parts.json", "assets/a/icon.png", "other-files.zip"])
    const folder = tempFolder()
    write(folder, made)
    const again = loadCardFolder(folder)
    expect(new Map([...again.files].sort())).toEqual(new Map([...file.files].sort()))
    expect(again.format).toBe("charx")
  })

  test("files that a person adds, changes and takes away are the card's", async () => {
    const folder = tempFolder()
    const entries = [1, 2].map((id) => ({ id, name: `Entry ${id}`, keys: ["a"], content: `Text ${id}` }))
    write(
      folder,
      filesOfCard(cardWith({ description: "Old.", personality: "Calm.", character_book: { entries, scan_depth: 3 } })),
    )
    writeFileSync(`${folder}/description.md`, "\ufeffNew.\r\n")
    writeFileSync(`${folder}/scenario.md`, "Rain.")
    rmSync(`${folder}/personality.md`)
    rmSync(`${folder}/lore/001-Entry-1.md`)
    writeFileSync(`${folder}/lore/tower.md`, "---\r\nkeys: [tower]\r\nextensions:\r\n  sticky: 3\r\n---\r\nHigh.\r\n")
    mkdirSync(`${folder}/alternate_greetings`)
    for (const at of [10, 9]) writeFileSync(`${folder}/alternate_greetings/${at}.md`, `Hi ${at}`)
    writeFileSync(`${folder}/descripton.md`, "typo")
    const { card } = await loadCard(`${folder}/card.parts.json`)
    expect(card).toMatchObject({ description: "New.", scenario: "Rain.", personality: "", greetings: ["Hi 9", "Hi 10"] })
    expect(card.book?.entries.map(({ text, sticky }) => [text.text, sticky])).toEqual([
      ["Text 2", undefined],
      ["High.", 3],
    ])
    expect(card.warnings).toEqual([`descripton.md: the file is no part of a card and is not read.${near("description.md")}`])
  })

  test.each([
    ["lore/a.md", "Text.", "a.md:1:1: expected a lore entry, which begins with front matter"],
    ["lore/a.md", "---\nkeys: [a\n---\nText.", "a.md:"],
    ["lore/a.md", "---\nkeys: [a]\n", "expected a line --- that ends the front matter"],
    ["lore/a.md", `---\na: ${"x".repeat(20_000)}\n---\n`, "expected front matter of at most 16384 characters"],
    ["lore/a.json", "{", "a.json:1: expected JSON"],
    ["card.parts.json", "[]", "card.parts.json:1: expected the JSON object of a card"],
    ["card.parts.json", "{}", "expected a character card with a name"],
    ["portrait.png", "x", "portrait.png:1: expected a PNG picture"],
  ])("C3: a mistake in %s is an error with its place (%j)", async (path, text, expected) => {
    const folder = tempFolder()
    write(folder, new Map([...filesOfCard(cardWith({ description: "A" })), [path, text]]))
    await expect(loadCard(folder)).rejects.toThrow(expected)
  })
})

test("a file belongs to an imported card by its place", () => {
  const own = ["card.parts.json", "portrait.png", "other-files.zip", "description.md", "lore", "alternate_greetings"]
  const inside = ["assets/icon/main.png", "assets/x", "lore/001-tea.md", "lore/2.json", "alternate_greetings/001.md"]
  const others = ["notes.md", "card.json", "lore/notes.txt", "sheets/001.md", "lore.md", "", "Assets/x"]
  expect([...own, ...inside].filter((path) => !isCardPart(path))).toEqual([])
  expect(others.filter((path) => isCardPart(path))).toEqual([])
})
