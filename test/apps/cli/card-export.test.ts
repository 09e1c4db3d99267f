import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { basename } from "node:path"
import { deflateSync } from "node:zlib"
import { describe, expect, onTestFinished, test } from "vitest"
import { cardPathAt } from "../../../src/apps/cli/import/import-card.ts"
import { loadCard, readCard } from "../../../src/node/cards/card-file.ts"
import { writePngChunks } from "../../../src/node/cards/png-chunks.ts"
import { writeCard } from "../../../src/node/cards/write-card.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { run } from "./run.ts"

const json = Buffer.from(JSON.stringify({ spec: "chara_card_v3", data: { name: "Mei", first_mes: "Hi." } }))
const header = Buffer.alloc(13)
header.writeUInt32BE(1)
header.writeUInt32BE(1, 4)
header.set([8, 2], 8)
const picture = writePngChunks([
  { type: "IHDR", data: header },
  { type: "IDAT", data: deflateSync(Buffer.from([0, 1, 2, 3])) },
  { type: "IEND", data: Buffer.alloc(0) },
])
const card = readCard(json)
const files = {
  "mei.json": json,
  "mei.png": writeCard(card, { format: "png", image: picture }),
  "mei.charx": writeCard(card, { format: "charx" }),
  "p.png": picture,
}

/** Makes a new folder the working folder of a test. */
function work(given: Readonly<Record<string, string | Uint8Array>> = files): string {
  const folder = tempFolder(given)
  const before = process.cwd()
  onTestFinished(() => process.chdir(before))
  process.chdir(folder)
  return folder
}

describe("promptstrata card export", () => {
  test.each<[string, readonly string[], string]>([
    ["a PNG card without a name is JSON", ["mei.png"], "mei.json json"],
    ["a CHARX without a name is JSON", ["mei.charx"], "mei.json json"],
    ["the name's ending says the form", ["mei.png", "a.charx"], "a.charx charx"],
    ["in any letters", ["mei.png", "a.JSON"], "a.JSON json"],
    ["an animated picture is a PNG", ["mei.png", "a.apng"], "a.apng png"],
    ["an unknown ending keeps the form", ["mei.charx", "a.bin"], "a.bin charx"],
    ["--format goes before the ending", ["mei.png", "a.png", "--format", "charx"], "a.png charx"],
    ["--format names a file without a name", ["mei.png", "--format", "charx"], "mei.charx charx"],
    ["--image gives a picture", ["mei.json", "a.png", "--image", "p.png"], "a.png png"],
    ["--force replaces", ["mei.json", "mei.charx", "--force"], "mei.charx charx"],
  ])("%s", async (_, args, expected) => {
    const folder = work()
    const [name = "", form] = expected.split(" ")
    if (!args.includes("--force")) rmSync(name, { force: true })
    const { code, stdout, stderr } = await run(["card", "export", ...args])
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "", stderr: `Wrote ${name}.\n` })
    const made = readCard(readFileSync(name))
    expect([made.format, made.card.name]).toEqual([form, "Mei"])
    expect(readdirSync(folder).sort()).toEqual([...new Set([...Object.keys(files), name])].sort())
  })

  test("names a folder's card after the folder, in the form that it came in, also as a project", async () => {
    work({ "mei.png": files["mei.png"] })
    await run(["card", "import", "mei.png", "shop"])
    for (const from of ["shop", "shop/prompts/characters/mei"]) {
      rmSync("mei.png")
      expect(await run(["card", "export", from])).toEqual({ code: 0, stdout: "", stderr: "Wrote mei.png.\n" })
      expect((await loadCard("mei.png")).format).toBe("png")
    }
  })

  test.each<[readonly string[], number, string]>([
    [["none.json"], 1, "error: expected a card at none.json, found none.\n"],
    [["mei.json", "mei.charx"], 1, "error: expected to write a new file mei.charx, but EEXIST: file already exists, open '"],
    [["mei.json", "no/a.json"], 1, "error: expected to write a new file no/a.json, but ENOENT: "],
    [
      ["mei.json", "a.png"],
      2,
      "error: expected a picture for a PNG card, found none.\nPass image, the bytes of a PNG file (--image FILE in the terminal), or write the card as JSON.\n",
    ],
    [["mei.json", "a.png", "--image", "mei.json"], 2, "error: expected the bytes of a PNG file as image, found others.\n"],
    [
      ["mei.json", "--format", "gif"],
      2,
      "error: option '--format <format>' argument 'gif' is invalid. Allowed choices are json, png, charx.\n",
    ],
  ])("%j is refused, and writes nothing", async (args, code, words) => {
    const folder = work()
    const result = await run(["card", "export", ...args])
    expect([result.code, result.stdout, result.stderr.slice(0, words.length)]).toEqual([code, "", words])
    expect(readdirSync(folder).sort()).toEqual(Object.keys(files).sort())
  })
})

test("lint of a card without problems says so, with its costs, and ends well", async () => {
  work()
  expect(await run(["card", "lint", "mei.json"])).toEqual({
    code: 0,
    stdout:
      "No problems found.\n\nCosts\nPART       TOKENS  WHEN\nfirst_mes  2       every turn\n2 tokens in every turn, up to 2 with all lore\n",
    stderr: "",
  })
})

describe("the card that a path means", () => {
  const parts = { "card.parts.json": "{}" }
  const below = (...names: readonly string[]) =>
    Object.fromEntries(
      names.flatMap((name) => Object.entries(parts).map(([file, text]) => [`prompts/characters/${name}/${file}`, text])),
    )

  test.each<[string, Readonly<Record<string, string>>, string]>([
    ["a file", { "a.json": "{}" }, "a.json"],
    ["a folder without a card", { "a/b.txt": "" }, "a"],
    ["the folder of a card", { "c/card.parts.json": "{}", ...below("x") }, "c"],
    ["a project with one", below("mei"), "."],
  ])("is that of %s", (_, given, path) => {
    work(given)
    expect(cardPathAt(path)).toBe(path === "." ? "prompts/characters/mei" : path)
  })

  test("is none where there is none, or more than one", () => {
    const folder = work({ ...below("b", "a"), "prompts/characters/z.md": "" })
    expect(() => cardPathAt(".")).toThrow(
      "expected the folder of one card, as prompts/characters has 2: prompts/characters/a, prompts/characters/b.",
    )
    mkdirSync(`${folder}/other/prompts/characters/none`, { recursive: true })
    writeFileSync(`${folder}/other/prompts/characters/none/a.md`, "")
    expect(() => cardPathAt("other")).toThrow(
      "expected an imported card in other/prompts/characters, found no folder with card.parts.json.",
    )
  })
})

describe("promptstrata card import", () => {
  /** The language of a project that is made of a card with these texts. */
  async function languageOf(data: object): Promise<string | undefined> {
    work({ "c.json": JSON.stringify({ spec: "chara_card_v3", data: { name: "Mei", ...data } }) })
    const { code, stderr } = await run(["card", "import", "c.json", "made"])
    expect(code).toBe(0)
    return / in (en|zh-CN), /.exec(stderr)?.[1]
  }

  test.each<[string, object]>([
    ["en", { description: `字${"a".repeat(8)}b` }],
    ["zh-CN", { description: `字${"a".repeat(8)}` }],
    ["zh-CN", { first_mes: "你好" }],
    ["zh-CN", { personality: "你好" }],
    ["zh-CN", { scenario: "你好" }],
    ["en", { description: "日本の人" }],
    ["en", { description: "学校カフェ" }],
    ["en", { description: "學校 학교" }],
    ["en", { description: "!!", system_prompt: "你好" }],
    ["en", { description: `${"a".repeat(20_000)}${"字".repeat(9_000)}` }],
  ])("speaks %s for %j", async (locale, data) => {
    expect(await languageOf(data)).toBe(locale)
  })

  const filesIn = (folder: string) =>
    readdirSync(folder, { recursive: true, withFileTypes: true }).filter((found) => found.isFile()).length

  test("says what it made, and the next steps", async () => {
    work()
    const { stderr } = await run(["card", "import", "mei.json", "--locale", "en"])
    expect(stderr.split("\n")).toEqual([
      `Imported the card of Mei into mei: ${filesIn("mei")} files, of which 2 are the card, in prompts/characters/mei.`,
      "",
      "Next steps:",
      "  cd mei",
      "  npm install",
      "  npm start                    # talk",
      "  npx promptstrata card lint . # problems, and what each part costs",
      "  npx promptstrata card export . mei.json",
      "",
    ])
  })

  test("takes this folder, and a card whose name has no letters of ASCII", async () => {
    const folder = work({ "小.json": JSON.stringify({ name: "小月", description: "猫" }) })
    const { stderr } = await run(["card", "import", "小.json", "."])
    const id = basename(folder)
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, "-")
    expect(stderr.split("\n").slice(0, 5)).toEqual([
      `Imported the card of 小月 into .: ${filesIn(".") - 1} files, of which 2 are the card, in prompts/characters/${id}.`,
      "Its prompts are in zh-CN, as its texts seem to be. --locale names another language.",
      "",
      "Next steps:",
      "  cd .",
    ])
  })
})
