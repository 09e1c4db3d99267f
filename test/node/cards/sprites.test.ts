import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { readCard } from "../../../src/node/cards/card-file.ts"
import { filesOfCard } from "../../../src/node/cards/card-folder.ts"
import { pngTextChunk, readPngChunks, writePngChunks } from "../../../src/node/cards/png-chunks.ts"
import { createSprites } from "../../../src/node/cards/sprites.ts"
import { writeCard } from "../../../src/node/cards/write-card.ts"
import { writeZip } from "../../../src/node/cards/zip.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const chunk = (type: string, text = type) => ({ type, data: Buffer.from(text, "latin1") })
/** A picture, with texts, a camera's data and a chunk of somebody's own between what it is drawn from. */
const png = (mark: string) =>
  writePngChunks([
    chunk("IHDR", `\0\0\0\x01\0\0\0\x01${mark.padEnd(5)}`),
    pngTextChunk("parameters", "a prompt"),
    chunk("eXIf"),
    chunk("caRD", "secret"),
    chunk("IDAT", mark),
    chunk("IEND", ""),
  ])
const drawn = (mark: string) => ["IHDR", "IDAT", "IEND"].map((type) => [type, type === "IDAT" ? mark : expect.anything()])
const jpeg = Buffer.from("\xff\xd8\xffrest", "latin1")
const gif = Buffer.from("GIF89a\x01\0\x01\0")
const webp = Buffer.from("RIFF....WEBPVP8 ")
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')

function chunksOf(picture: Uint8Array | undefined): unknown {
  return readPngChunks(picture ?? Buffer.alloc(0)).map(({ type, data }) => [type, Buffer.from(data).toString("latin1")])
}

function folderOf(files: Readonly<Record<string, Uint8Array>>): string {
  const folder = tempFolder({})
  for (const [name, bytes] of Object.entries(files)) writeFileSync(`${folder}/${name}`, bytes)
  return folder
}

const asset = (name: string, uri: string, type = "emotion") => ({ type, name, uri, ext: "png" })
const cardWith = (assets: readonly object[]) => ({ spec: "chara_card_v3", data: { name: "Mei", assets } })
const spritesOf = (bytes: Uint8Array, ending: string, folder?: string) =>
  createSprites(`${folderOf({ [`mei.${ending}`]: bytes })}/mei.${ending}`, folder)()
const charxOf = (assets: readonly object[], files: Readonly<Record<string, Uint8Array>>) =>
  writeZip(new Map([["card.json", Buffer.from(JSON.stringify(cardWith(assets)))], ...Object.entries(files)]))

describe("C41 the sprites of a folder", () => {
  test("are its pictures of the four kinds, by the bytes and not by the ending, under the folded name of the file", () => {
    const folder = folderOf({ "Joy.png": png("joy"), "neutral.svg": jpeg, "ÉMU.gif": gif, "portrait.jpg": webp })
    const { pictures, problems } = createSprites(undefined, folder)()
    expect([...pictures.keys()].sort()).toEqual(["joy", "neutral", "portrait", "ému"])
    expect(pictures.get("neutral")).toEqual(jpeg)
    expect(problems).toEqual([])
  })

  test("of a PNG have the chunks alone that it is drawn from", () => {
    const folder = folderOf({ "joy.png": Buffer.concat([png("joy"), Buffer.from("PK behind the picture")]) })
    const { pictures } = createSprites(undefined, folder)()
    expect(chunksOf(pictures.get("joy"))).toEqual(drawn("joy"))
    expect(Buffer.from(pictures.get("joy") ?? []).includes("PK behind")).toBe(false)
  })

  test("what is no such picture, too large, a link or a second one of a name is refused, and told", () => {
    const huge = Buffer.concat([jpeg, Buffer.alloc(8 * 1024 * 1024)])
    const files = { "a.svg": svg, "b.png": svg, "c.png": Buffer.from("%PDF-1.4"), "d.jpg": huge, "e.gif": gif, "e.png": png("e") }
    const folder = folderOf({ ...files, "g.png": Buffer.alloc(0), ".hidden.png": png("h") })
    symlinkSync("/etc/passwd", `${folder}/f.png`)
    mkdirSync(`${folder}/sub.png`)
    const { pictures, problems } = createSprites(undefined, folder)()
    expect([...pictures.keys()]).toEqual(["e"])
    const noPicture = "its first bytes are those of no PNG, JPEG, WebP or GIF"
    expect(problems).toEqual([
      `The picture "a.svg" is not shown: ${noPicture}.`,
      `The picture "b.png" is not shown: ${noPicture}.`,
      `The picture "c.png" is not shown: ${noPicture}.`,
      'The picture "d.jpg" is not shown: expected a picture of at most 8,388,608 bytes, found 8,388,615 bytes.',
      'The picture "e.png" is not shown: another one has this name.',
      'The picture "f.png" is not shown: it is no file, or a link.',
      `The picture "g.png" is not shown: ${noPicture}.`,
      'The picture "sub.png" is not shown: it is no file, or a link.',
    ])
  })

  test("that would be drawn larger than any screen is refused, however small its file is", () => {
    const huge = Buffer.from(png("huge"))
    const header = huge.indexOf("IHDR") + 4
    huge.writeUInt32BE(100_000, header)
    huge.writeUInt32BE(401, header + 4)
    const wide = Buffer.from(huge)
    wide.writeUInt32BE(400, header + 4)
    const { pictures, problems } = createSprites(undefined, folderOf({ "huge.png": huge, "wide.png": wide }))()
    expect([...pictures.keys()]).toEqual(["wide"])
    expect(problems).toEqual(['The picture "huge.png" is not shown: expected at most 40,000,000 pixels, found 100000 × 401.'])
  })

  test("are at most 200, and those over it are told", () => {
    const names = Array.from({ length: 203 }, (_, at) => `e${String(at).padStart(3, "0")}.gif`)
    const { pictures, problems } = createSprites(undefined, folderOf(Object.fromEntries(names.map((name) => [name, gif]))))()
    expect([pictures.size, problems.length]).toEqual([200, 3])
    expect(problems[0]).toBe('The picture "e200.gif" is not shown: there are more than 200 pictures.')
  })

  test("are at most 64 MiB together, and those over it are told", () => {
    const large = Buffer.concat([jpeg, Buffer.alloc(8 * 1024 * 1024 - jpeg.length)])
    const names = Array.from({ length: 9 }, (_, at) => `e${at}.jpg`)
    const { pictures, problems } = createSprites(undefined, folderOf(Object.fromEntries(names.map((name) => [name, large]))))()
    expect(pictures.size).toBe(8)
    expect(problems).toEqual(['The picture "e8.jpg" is not shown: expected at most 0 bytes, found 8,388,608 bytes.'])
  })
})

describe("C41 the sprites of a card", () => {
  test("of a PNG is its picture as the portrait, without its card and its texts", () => {
    const card = readCard(Buffer.from(JSON.stringify({ name: "Mei", description: "x" })))
    const { pictures } = spritesOf(writeCard(card, { format: "png", image: png("mei") }), "png")
    expect(chunksOf(pictures.get("portrait"))).toEqual(drawn("mei"))
  })

  test("of a CHARX are its icon and its assets for emotions, also of an imported one", () => {
    const assets = [
      asset("other", "embeded://assets/b.png", "icon"),
      asset("main", "embeded://assets/a.png", "icon"),
      asset("Joy", "embedded://assets/joy.png"),
      asset("wave", `data:image/gif;base64,${gif.toString("base64")}`),
    ]
    const bytes = charxOf(assets, { "assets/a.png": png("a"), "assets/b.png": png("b"), "assets/joy.png": png("joy") })
    const folder = tempFolder({})
    mkdirSync(`${folder}/assets`)
    for (const [path, text] of filesOfCard(readCard(bytes))) writeFileSync(`${folder}/${path}`, text)
    for (const sprites of [spritesOf(bytes, "charx"), createSprites(`${folder}/card.parts.json`)()]) {
      expect([...sprites.pictures.keys()]).toEqual(["portrait", "joy", "wave"])
      expect(chunksOf(sprites.pictures.get("portrait"))).toEqual(drawn("a"))
      expect(chunksOf(sprites.pictures.get("joy"))).toEqual(drawn("joy"))
      expect(Buffer.from(sprites.pictures.get("wave") ?? [])).toEqual(gif)
      expect(sprites.problems).toEqual([])
    }
  })

  test("of a PNG of V3 are the assets in its chunks", () => {
    const assets = [asset("main", "ccdefault:", "icon"), asset("joy", "__asset:0"), asset("sad", "__asset:7")]
    const image = writePngChunks([
      ...readPngChunks(png("mei")).slice(0, -1),
      pngTextChunk("chara-ext-asset_:0", Buffer.from(png("joy")).toString("base64")),
      chunk("IEND", ""),
    ])
    const card = readCard(Buffer.from(JSON.stringify(cardWith(assets))))
    const { pictures, problems } = spritesOf(writeCard(card, { format: "png", image }), "png")
    expect(chunksOf(pictures.get("portrait"))).toEqual(drawn("mei"))
    expect(chunksOf(pictures.get("joy"))).toEqual(drawn("joy"))
    expect(problems).toEqual(['The picture "sad: __asset:7" is not shown: the card has no such file.'])
  })

  test("are never fetched and never a file of this computer; each that cannot be shown is told", () => {
    const assets = [
      asset("a", "https://example.com/a.png"),
      asset("b", "file:///etc/passwd"),
      asset("c", "embeded://../../etc/passwd"),
      asset("d", "/etc/passwd"),
      asset("e", `data:image/svg+xml;base64,${svg.toString("base64")}`),
      asset("f", "ccdefault:"),
    ]
    const { pictures, problems } = spritesOf(charxOf(assets, {}), "charx")
    expect([...pictures.keys()]).toEqual([])
    expect(problems.map((problem) => problem.replace(/^.*is not shown: /, ""))).toEqual([
      "it stands at an address, and nothing is fetched.",
      "the card has no such file.",
      "the card has no such file.",
      "the card has no such file.",
      "its first bytes are those of no PNG, JPEG, WebP or GIF.",
      "the card has no picture of its own.",
    ])
  })

  test("give way to those of the folder", () => {
    const assets = [asset("joy", "embeded://assets/joy.png"), asset("sad", "embeded://assets/joy.png")]
    const bytes = charxOf(assets, { "assets/joy.png": png("card") })
    const { pictures, problems } = spritesOf(bytes, "charx", folderOf({ "joy.png": png("folder") }))
    expect(chunksOf(pictures.get("joy"))).toEqual(drawn("folder"))
    expect(chunksOf(pictures.get("sad"))).toEqual(drawn("card"))
    expect(problems).toEqual([])
  })
})
