import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { describe, expect, test } from "vitest"
import { readAuthoredFile } from "../../src/node/authored-text.ts"
import { readCard } from "../../src/node/cards/card-file.ts"
import { fileOfLore, loreOfFile } from "../../src/node/cards/card-parts.ts"
import { writeCard } from "../../src/node/cards/write-card.ts"
import { checkTraits } from "../../src/node/character/character-plugin.ts"
import { parseFrontMatter } from "../../src/node/front-matter.ts"
import { parseToml } from "../../src/node/parse-toml.ts"
import { readTextFile } from "../../src/node/read-text-file.ts"
import { findInFolder, listSkillResources } from "../../src/node/skills/skill-folders.ts"
import { tempFolder } from "../support/temp-folder.ts"

/** The message of what a task throws, without its place and its hint; empty if it throws nothing. */
function refusal(task: () => unknown): string {
  try {
    task()
    return ""
  } catch (error) {
    return (
      String((error as Error).message)
        .split("\n")[0]
        ?.replace(/^\S+:\d+:\d+: ?|^\S+:\d+: ?/, "") ?? ""
    )
  }
}

/** The bounds below, each with a task that goes up to a size, and the words that refuse a larger one. */
const bounds: readonly (readonly [name: string, most: number, task: (size: number) => unknown, refused: string])[] = [
  [
    "a text file, in bytes",
    4 * 1024 * 1024,
    (size) => readTextFile(join(tempFolder({ a: "x".repeat(size) }), "a"), "a"),
    "expected a file of at most 4,194,304 bytes, found 4,194,305 bytes.",
  ],
  [
    "an authored file, in bytes",
    256 * 1024,
    (size) => readAuthoredFile(join(tempFolder({ a: "x".repeat(size) }), "a"), "persona"),
    "expected a persona of at most 262,144 bytes, found 262,145 bytes.",
  ],
  [
    "front matter, in characters",
    16_384,
    (size) => parseFrontMatter(`---\na: [{ b: "${"x".repeat(size - 14)}" }]\n---\n`, "a"),
    "expected front matter of at most 16384 characters, found 16385.",
  ],
  [
    "the front matter of a lore entry, in characters",
    16_384,
    (size) => loreOfFile(`---\na: "${"x".repeat(size - 6)}"\n---\n`, "a"),
    "expected front matter of at most 16384 characters, found 16385.",
  ],
  ["nested TOML, in levels", 100, (size) => parseToml(`a = ${"[".repeat(size)}${"]".repeat(size)}`, "a"), "expected TOML: "],
  [
    "a trait, in characters",
    500,
    (size) => checkedTraits({ mood: "x".repeat(size) }),
    "mood: expected one line of text of at most 500 characters",
  ],
  [
    "the name of a trait, in characters",
    40,
    (size) => checkedTraits({ ["x".repeat(size)]: "a" }),
    "expected a name of one line and at most 40 characters",
  ],
]

function checkedTraits(traits: Readonly<Record<string, unknown>>): void {
  const checked = checkTraits(traits)
  if ("message" in checked) throw new Error(checked.message)
}

describe("the largest", () => {
  test.each(bounds)("%s: %d", (_, most, task, refused) => {
    expect([most - 1, most].map((size) => refusal(() => task(size)))).toEqual(["", ""])
    expect(refusal(() => task(most + 1))).toContain(refused)
  })
})

describe("a folder of skills", () => {
  const skill = "---\nname: a\ndescription: b\n---\nc\n"
  const below = (depth: number, name: string) =>
    `${Array.from({ length: depth }, (_, at) => `f${at}`).join("/")}/${name}`.replace(/^\//, "")

  test.each([
    [0, 1],
    [11, 1],
    [12, 1],
    [13, 0],
  ])("has a skill %d folders down: %d", (depth, count) => {
    const root = tempFolder({ "x/y.txt": "" })
    const path = join(root, below(depth, "SKILL.md"))
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, skill)
    expect(findInFolder(root).found).toHaveLength(count)
  })

  test.each([
    [0, 1],
    [1, 0],
  ])("has a Markdown file of our own form %d folders down: %d", (depth, count) => {
    expect(findInFolder(tempFolder({ [below(depth, "a.md")]: skill })).found).toHaveLength(count)
  })

  test.each([
    [7, 1],
    [8, 1],
    [9, 0],
  ])("a skill has a file %d folders down: %d", (depth, count) => {
    const folder = tempFolder({ "SKILL.md": skill, [below(depth, "a.txt")]: "" })
    expect(listSkillResources(folder, "SKILL.md").resources).toHaveLength(count)
  })

  test.each([
    [999, 999, false],
    [1_000, 1_000, true],
    [998, 998, false],
  ])("a skill of %d files beside its own lists %d, and tells of more: %s", (files, listed, isFull) => {
    const folder = tempFolder({ "SKILL.md": skill })
    for (let at = 0; at < files; at++) writeFileSync(join(folder, `f${String(at).padStart(5, "0")}`), "")
    const { resources, problems } = listSkillResources(folder, "SKILL.md")
    expect([resources.length, problems.length > 0]).toEqual([Math.min(listed, 999), isFull])
  })
})

describe("a file that is no UTF-8", () => {
  const hintOf = (...bytes: readonly number[]) => {
    const folder = tempFolder({ a: Uint8Array.from(bytes) })
    try {
      readTextFile(join(folder, "a"), "a")
      return ""
    } catch (error) {
      return /This looks like UTF-16|Save the file as UTF-8/.exec(String(error))?.[0]
    }
  }

  test.each([
    [[0xff, 0xfe, 0x61, 0], "This looks like UTF-16"],
    [[0xfe, 0xff, 0, 0x61], "This looks like UTF-16"],
    [[0xff, 0xff, 0x61], "Save the file as UTF-8"],
    [[0xfe, 0xfe, 0x61], "Save the file as UTF-8"],
    [[0xff], "Save the file as UTF-8"],
    [[0x61, 0xff, 0xfe], "Save the file as UTF-8"],
  ])("of the bytes %j: %s", (bytes, hint) => {
    expect(hintOf(...bytes)).toBe(hint)
  })

  test.each<[readonly number[], string, string]>([
    [[0x61, 0xff], "0xff", "a:1:2"],
    [[0x0a, 0x61, 0x80, 0x62], "0x80", "a:2:2"],
    [[0xe4, 0xbd], "0xe4", "a:1:1"],
    [[0xef, 0xbf, 0xbd, 0xc3], "0xc3", "a:1:2"],
    [[0xef], "0xef", "a:1:1"],
    [[0xef, 0xbf], "0xef", "a:1:1"],
    [[0xef, 0xbf, 0xbd, 0x0a, 0x09, 0xf0, 0x9f], "0xf0", "a:2:2"],
  ])("%j names the byte and its place", (bytes, byte, place) => {
    const folder = tempFolder({ a: Uint8Array.from(bytes) })
    expect(() => readTextFile(join(folder, "a"), "a")).toThrow(new RegExp(`^${place}: .* ${byte},`))
  })
})

test("a card's JSON is written with two spaces, and a lore entry with a field a line", () => {
  const card = readCard(Buffer.from('{"spec":"chara_card_v3","data":{"name":"Mei"}}'))
  expect(Buffer.from(writeCard(card)).toString()).toBe('{\n  "spec": "chara_card_v3",\n  "data": {\n    "name": "Mei"\n  }\n}')
  const entry = {
    keys: ["a b", "c,", "on", 3],
    order: 1,
    extensions: { depth: 2, name: "x y" },
    empty: {},
    list: [],
    no: "no",
    content: "Words.",
  }
  const file =
    '---\nkeys: [a b, "c,", "on", 3]\norder: 1\nextensions:\n  depth: 2\n  name: x y\nempty: {}\nlist: []\n"no": "no"\n---\nWords.\n'
  expect(fileOfLore(entry)).toBe(file)
  expect(loreOfFile(file, "a")).toEqual(entry)
})
