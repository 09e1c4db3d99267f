import { deflateSync } from "node:zlib"
import { expect, test } from "vitest"
import { loadCard, readCard } from "../../../src/node/cards/card-file.ts"
import { loreOfFile } from "../../../src/node/cards/card-parts.ts"
import { cardPersona } from "../../../src/node/cards/card-persona.ts"
import { optionedLorebook, readLorebook } from "../../../src/node/cards/lorebook-file.ts"
import { type PngChunk, pngTextChunk, readPngChunks, readPngText, writePngChunks } from "../../../src/node/cards/png-chunks.ts"
import { writeCard } from "../../../src/node/cards/write-card.ts"
import { readZip, writeZip } from "../../../src/node/cards/zip.ts"
import { manualClock } from "../../../src/testing/index.ts"
import { endings } from "../../support/endings.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const picture: readonly PngChunk[] = [
  { type: "IHDR", data: Uint8Array.of(0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0) },
  { type: "IDAT", data: deflateSync(Uint8Array.of(0, 255)) },
  { type: "IEND", data: new Uint8Array() },
]
const pngWith = (...texts: readonly PngChunk[]) => writePngChunks(picture.toSpliced(2, 0, ...texts))
const bytes = (text: string) => Buffer.from(text)
const mei = { spec: "chara_card_v2", data: { name: "Mei", first_mes: "Hi", alternate_greetings: ["Hello"] } }
const card = readCard(bytes(JSON.stringify(mei)))
const nested = (depth: number) => bytes(`{"name":"Mei","x":${"[".repeat(depth)}${"]".repeat(depth)}}`)
const webp = Buffer.concat([bytes("RIFF"), Buffer.alloc(4), bytes("WEBP")])
const jpeg = Uint8Array.of(0xff, 0xd8, 0xff, 0xe0)

/** A zip of files, changed at some places; the end counts from behind. */
function zip(files: Readonly<Record<string, string>>, change: (data: Buffer) => void = () => undefined): Buffer {
  const made = Buffer.from(writeZip(new Map(Object.entries(files).map(([path, text]) => [path, bytes(text)]))))
  change(made)
  return made
}
const listAt = (data: Buffer) => data.readUInt32LE(data.length - 6)

test("a file that is no card, or a damaged one, is told with what was found and what to do", async () => {
  const folder = tempFolder({
    "folder/a.txt": "",
    "no.json": "{}",
    "broken.json": '{"name": ',
    "mei/card.parts.json": "{",
    "list/card.parts.json": "[]",
    "nameless/card.parts.json": "{}",
    "painted/card.parts.json": '{"name": "Mei"}',
    "painted/portrait.png": "no picture",
    "lored/card.parts.json": '{"name": "Mei"}',
    "lored/lore/001.json": "{",
    "typed/card.parts.json": '{"name": "Mei"}',
    "typed/descripton.md": "Calm.",
    "typed/lore/notes.txt": "not read",
  })
  const load = (name: string) => () => loadCard(`${folder}/${name}`)
  const read = (given: Uint8Array, limits = {}) => {
    return () => readCard(given, limits).card.warnings
  }
  const tasks = {
    "no file": load("nobody.png"),
    "a file in a file": load("no.json/card.png"),
    "a folder": load("folder"),
    "a path that is too long": load(`${"x".repeat(300)}.png`),
    "no name": load("no.json"),
    "half of a JSON": load("broken.json"),
    "an unknown limit": () => loadCard("x", { maxBytes: 1 } as object),
    "another unknown limit": () => readCard(bytes("{}"), { maxBytes: 1 } as object),
    "larger than the file may be": read(bytes("{}  "), { maxFileBytes: 3 }),
    "larger than the JSON may be": read(bytes("{}  "), { maxJsonBytes: 3 }),
    "no UTF-8": read(Uint8Array.of(0x7b, 0xff, 0x7d)),
    "500 levels": read(nested(499)),
    "501 levels": read(nested(500)),
    "braces in a text": read(bytes(`{"name":"${'{[\\"'.repeat(300)}"}`)),
    "a WebP picture": read(webp),
    "a JPEG picture": read(jpeg),
    "a JPEG picture before a CHARX": read(Buffer.concat([jpeg, zip({ "card.json": JSON.stringify(mei) })])),
    "a picture without a card": read(pngWith(pngTextChunk("note", "hello"))),
    "a picture with a card that is no base64": read(pngWith(pngTextChunk("chara", "{}"))),
    "a picture with a card of another kind": read(pngWith(pngTextChunk("ccv3", bytes("[1]").toString("base64")))),
    "a zip without a card": read(zip({ "a.txt": "a" })),
    "the folder of a card whose JSON breaks off": load("mei"),
    "the folder of a card that is a list": load("list"),
    "the folder of a card without a name": load("nameless"),
    "the folder of a card with a portrait that is none": load("painted"),
    "the folder of a card with lore that breaks off": load("lored"),
    "the folder of a card with other files": async () => (await loadCard(`${folder}/typed`)).card.warnings,
  }
  await expect(await endings(tasks, folder)).toMatchFileSnapshot("__snapshots__/no-card.txt")
})

test("a zip that cannot be read is told with its reason", async () => {
  const two = { "a.txt": "aaaa", "b.txt": "bbbb" }
  const tasks: Record<string, () => unknown> = {}
  const add = (name: string, data: Buffer, maxBytes = 1_000) => {
    tasks[name] = () => [...readZip(data, maxBytes)].map(([path, file]) => `${path}: ${Buffer.from(file)}`)
  }
  add("whole", zip(two))
  add("as many bytes as may be", zip(two), 8)
  add("a byte more", zip(two), 7)
  add("with a folder", zip({ "a/": "", "a/b.txt": "b" }))
  add("cut off", zip(two).subarray(0, -1))
  add(
    "ZIP64",
    zip(two, (data) => data.writeUInt16LE(0xffff, data.length - 12)),
  )
  add(
    "ZIP64 by its place",
    zip(two, (data) => data.writeUInt32LE(0xffffffff, data.length - 6)),
  )
  add(
    "too many files",
    zip(two, (data) => data.writeUInt16LE(20_001, data.length - 12)),
  )
  add(
    "a count that is too small",
    zip(two, (data) => data.writeUInt16LE(1, data.length - 12)),
  )
  add(
    "a count that is too large",
    zip(two, (data) => data.writeUInt16LE(3, data.length - 12)),
  )
  add(
    "two files of one name",
    zip(two, (data) => data.write("a.txt", data.lastIndexOf("b.txt"))),
  )
  add(
    "encrypted",
    zip(two, (data) => data.writeUInt16LE(0x0801, listAt(data) + 8)),
  )
  add(
    "encrypted in another way",
    zip(two, (data) => data.writeUInt16LE(0x0840, listAt(data) + 8)),
  )
  add(
    "encrypted in its list",
    zip(two, (data) => data.writeUInt16LE(0x2800, listAt(data) + 8)),
  )
  add(
    "packed by another method",
    zip(two, (data) => data.writeUInt16LE(12, listAt(data) + 10)),
  )
  add(
    "a file that is missing",
    zip(two, (data) => data.writeUInt32LE(0, 0)),
  )
  add(
    "a file behind the end",
    zip(two, (data) => data.writeUInt32LE(5_000, listAt(data) + 42)),
  )
  add(
    "a file with another byte",
    zip(two, (data) => data.write("x", data.indexOf("aaaa"))),
  )
  add(
    "a file that is longer than the zip",
    zip(two, (data) => data.writeUInt16LE(60_000, 26)),
  )
  add(
    "files that share their bytes",
    zip(two, (data) => data.writeUInt32LE(data.length, listAt(data) + 20)),
  )
  add(
    "packed to another size",
    zip({ a: "a".repeat(200) }, (data) => data.writeUInt32LE(100, listAt(data) + 24)),
  )
  for (const path of ["/etc/x", "C:/x", "a/../../x", "a\\b", "a\0b", "", "é".repeat(101)])
    add(`the path ${JSON.stringify(path)}`, zip({ [path]: "x" }))
  await expect(await endings(tasks)).toMatchFileSnapshot("__snapshots__/zip.txt")
})

test("a picture, a greeting and a lorebook that are none are told", async () => {
  const entries = { entries: [{ keys: ["a"], content: "A" }] }
  const folder = tempFolder({
    "none.json": "{}",
    "broken.json": "[",
    "book.json": JSON.stringify({ spec: "lorebook_v3", data: entries }),
    "card.json": JSON.stringify({ ...mei, data: { ...mei.data, character_book: entries } }),
    "plain.json": JSON.stringify(mei),
  })
  const surroundings = { locale: "en", userName: "Ann", clock: manualClock() }
  const lorebook = (options: object) => () => optionedLorebook(options as Record<string, unknown>, { locale: "en", folder }).name
  const yaml = (text: string) => () => loreOfFile(text, "lore/1.md")
  const packed = { type: "zTXt", data: Buffer.concat([Buffer.from("note\0\0"), deflateSync(Buffer.alloc(100))]) }
  const garbled = { type: "zTXt", data: Buffer.from("note\0\0nothing") }
  const tasks = {
    "no picture for a PNG card": () => writeCard(card, { format: "png" }),
    "another file as its picture": () => writeCard(card, { format: "png", image: bytes("GIF89a") }),
    "an unknown option": () => writeCard(card, { picture: bytes("") } as object),
    "the first greeting": () => cardPersona(card.card, { ...surroundings, greeting: 1 }).greeting,
    "the last greeting": () => cardPersona(card.card, { ...surroundings, greeting: 2 }).greeting,
    "one greeting more": () => cardPersona(card.card, { ...surroundings, greeting: 3 }).greeting,
    "a text chunk of as many bytes as may be": () => readPngText(packed, 100)?.text.length,
    "a text chunk that unpacks to more": () => readPngText(packed, 99),
    "a text chunk that cannot be unpacked": () => readPngText(garbled, 99),
    "a file that is no PNG": () => readPngChunks(bytes("GIF89a")),
    "no lorebook": () => readLorebook(`${folder}/nobody.json`),
    "a lorebook that breaks off": () => readLorebook(`${folder}/broken.json`),
    "a lorebook without entries": () => readLorebook(`${folder}/none.json`),
    "a card without a lorebook": () => readLorebook(`${folder}/plain.json`),
    "the lorebook of a card": () => readLorebook(`${folder}/card.json`).book.entries.length,
    "options of the plugin": lorebook({ files: ["book.json", "card.json", "book.json"] }),
    "a misspelt option of the plugin": lorebook({ file: [], scan_depths: 1 }),
    "wrong options of the plugin": lorebook({
      files: "book.json",
      scan_depth: -1,
      recursive: "yes",
      place: "top",
      budget_share: 2,
    }),
    "lore without front matter": yaml("Text."),
    "lore whose front matter does not end": yaml("---\nkeys: [a]\nText."),
    "lore with long front matter": yaml(`---\n#${"x".repeat(16_382)}\n---\n`),
    "lore with front matter that is too long": yaml(`---\n#${"x".repeat(16_383)}\n---\n`),
    "lore with wrong front matter": yaml("---\nkeys: [a\n---\nText."),
    "lore of empty lines": yaml("---\nkeys: [a]\n---\n\n\n"),
  }
  await expect(await endings(tasks, folder)).toMatchFileSnapshot("__snapshots__/no-lore.txt")
})
