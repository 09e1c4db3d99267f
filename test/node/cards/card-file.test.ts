import { deflateRawSync, deflateSync } from "node:zlib"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { loadCard, readCard } from "../../../src/node/cards/card-file.ts"
import { type PngChunk, pngTextChunk, readPngChunks, writePngChunks } from "../../../src/node/cards/png-chunks.ts"
import { writeCard } from "../../../src/node/cards/write-card.ts"
import { readZip, writeZip } from "../../../src/node/cards/zip.ts"
import { amount, runs, seedOf } from "../../support/size.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { arbitraryCard } from "./arbitrary-card.ts"

const picture: readonly PngChunk[] = [
  { type: "IHDR", data: Uint8Array.of(0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0) },
  { type: "IDAT", data: deflateSync(Uint8Array.of(0, 255)) },
  { type: "IEND", data: new Uint8Array() },
]
const png = writePngChunks(picture)
const base64 = (json: unknown) => Buffer.from(JSON.stringify(json)).toString("base64")
const pngWith = (...texts: readonly PngChunk[]) => writePngChunks(picture.toSpliced(2, 0, ...texts))
const bytesOf = (json: unknown) => Buffer.from(JSON.stringify(json))
const zipOf = (files: Readonly<Record<string, string>>) =>
  writeZip(new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)])))
const v2 = { spec: "chara_card_v2", spec_version: "2.0", data: { name: "Mei", description: "A keeper." } }
const v3 = { ...v2, spec: "chara_card_v3", spec_version: "3.0", data: { ...v2.data, name: "Mei 3", nickname: "Mimi" } }
const message = (bytes: Uint8Array, limits = {}) => {
  try {
    readCard(bytes, limits)
    return "read"
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : ""
  }
}

describe("reading a card", () => {
  test("C1: JSON of all versions, by its spec", () => {
    const v1 = { name: "Mei", description: "A keeper.", first_mes: "Hi" }
    expect([v1, v2, v3].map((json) => readCard(bytesOf(json)).card.version)).toEqual([1, 2, 3])
    expect(readCard(bytesOf(v1)).card).toMatchObject({ name: "Mei", greetings: ["Hi"], warnings: [] })
    expect(readCard(bytesOf(v3)).card).toMatchObject({ name: "Mei 3", shownName: "Mimi", json: v3 })
  })

  test("C1: a PNG chunk of any kind; ccv3 goes before chara", () => {
    const zipped = deflateSync(Buffer.from(base64(v2)))
    const chunks: PngChunk[] = [
      pngTextChunk("chara", base64(v2)),
      pngTextChunk("Chara", base64(v2)),
      { type: "zTXt", data: Buffer.concat([Buffer.from("chara\0\0"), zipped]) },
      { type: "iTXt", data: Buffer.from(`chara\0\0\0\0\0${base64(v2)}`) },
      { type: "iTXt", data: Buffer.concat([Buffer.from("chara\0\u0001\0en\0Zeichen\0"), zipped]) },
    ]
    for (const chunk of chunks) expect(readCard(pngWith(chunk)).card.name).toBe("Mei")
    expect(readCard(pngWith(pngTextChunk("chara", base64(v2)), pngTextChunk("ccv3", base64(v3)))).card.name).toBe("Mei 3")
    expect(readCard(pngWith(pngTextChunk("chara", base64(v2)), pngTextChunk("chara", base64(v3)))).card).toMatchObject({
      name: "Mei",
      warnings: ["The picture has 2 chunks chara; the first one is read."],
    })
  })

  test("C1: a CHARX, with its assets, also behind a picture", () => {
    const charx = zipOf({ "card.json": JSON.stringify(v3), "assets/icon/images/main.png": "picture" })
    const { card, files, format } = readCard(charx)
    expect([card.name, format, [...files.keys()]]).toEqual(["Mei 3", "charx", ["assets/icon/images/main.png"]])
    expect(readZip(Buffer.concat([png, charx]), 10_000).size).toBe(2)
  })

  test("C1: a file by its path; what is not there is said", async () => {
    const folder = tempFolder({ "mei.json": JSON.stringify(v2), "no.json": "{}" })
    expect((await loadCard(`${folder}/mei.json`)).card.name).toBe("Mei")
    await expect(loadCard(`${folder}/nobody.png`)).rejects.toMatchObject({ code: "prompt-missing" })
    await expect(loadCard(folder)).rejects.toThrow("expected a card, found a folder or a device.")
    await expect(loadCard(`${folder}/no.json`)).rejects.toThrow(/no\.json:1: expected a character card with a name, found none/)
    await expect(loadCard(`${folder}/mei.json`, { maxFileBytes: 9 })).rejects.toThrow("a card of at most 9 bytes")
  })

  test("C3: what other programs write wrong gets a default and a warning that names the field", () => {
    const data = {
      name: "Mei",
      tags: "cat",
      description: 7,
      alternate_greetings: null,
      character_book: { entries: [{ keys: "a", content: "A", insertion_order: "3", enabled: 1, constant: "false" }, null] },
    }
    const { card } = readCard(bytesOf({ ...v2, data }))
    expect(card).toMatchObject({ description: "7", tags: ["cat"], greetings: [] })
    expect(card.book?.entries[0]).toMatchObject({ keys: ["a"], order: 3, disabled: false, constant: false })
    expect(card.warnings).toEqual([
      "description: expected a text, found 7; read as a text.",
      'tags: expected a list of texts, found "cat"; read as a list of one.',
      'character_book.entries[0].keys: expected a list of texts, found "a"; read as a list of one.'.replaceAll('\\"', '"'),
      "character_book.entries[0].enabled: expected true or false, found 1; read as true.",
      'character_book.entries[0].constant: expected true or false, found "false"; read as false.',
      'character_book.entries[0].insertion_order: expected a finite number, found "3"; read as 3.',
      "character_book.entries[1]: expected an entry, found none.",
    ])
  })

  const broken = (bytes: Uint8Array, at: number) => Buffer.from(bytes).fill((bytes[at] ?? 0) ^ 0xff, at, at + 1)
  const card = pngWith(pngTextChunk("chara", base64(v2)))
  const encrypted = zipOf({ "card.json": "{}" })
  const list = Buffer.from(encrypted).indexOf(Buffer.from("PK\u0001\u0002"))

  test("brackets in a text are no levels, and 500 levels are read", () => {
    const description = `\\"${"[".repeat(600)}\\`
    expect(message(bytesOf({ ...v2, data: { ...v2.data, description } }))).toBe("read")
    const deep = `{"name":"x","a":${"[".repeat(499)}${"]".repeat(499)}}`
    expect(message(Buffer.from(deep))).not.toContain("levels deep")
  })

  test.each([
    ["a PNG that was cut off", card.subarray(0, 90), "the file ends inside the chunk"],
    ["a PNG without an end and without a card", png.subarray(0, -12), "the file ends before its chunk IEND"],
    ["a text without its checksum", broken(card, 90), 'the chunk "tEXt" at byte 55 does not have its checksum'],
    ["a picture alone", png, "found one without"],
    ["base64 that is none", pngWith(pngTextChunk("chara", "%%%")), "expected base64 in the chunk chara"],
    ["base64 of no JSON", pngWith(pngTextChunk("chara", "AAAA")), "expected the chunk chara to be JSON in UTF-8"],
    ["text that is no UTF-8", Buffer.from([0x7b, 0xff]), "expected the file to be JSON in UTF-8"],
    ["deep JSON", Buffer.from(`{"name":"x","a":${"[".repeat(600)}${"]".repeat(600)}}`), "at most 500 levels deep"],
    [
      "deep JSON behind texts",
      Buffer.from(`{"name":"\\"[\\\\","a":${"[".repeat(600)}${"]".repeat(600)}}`),
      "at most 500 levels deep",
    ],
    ["one level too many", Buffer.from(`{"name":"x","a":${"[".repeat(500)}${"]".repeat(500)}}`), "at most 500 levels deep"],
    ["no card", bytesOf({ hello: 1 }), "expected a character card with a name"],
    ["a sound", Buffer.from("RIFF\u0024\0\0\0WAVEfmt "), "expected the file to be JSON"],
    ["a list", bytesOf([v2]), "expected the JSON object of a character card"],
    ["another spec", bytesOf({ spec: "lorebook_v3", data: {} }), 'found "lorebook_v3"'],
    ["V2 without data", bytesOf({ spec: "chara_card_v2" }), "expected the fields of the card in data"],
    ["a zip without a card", zipOf({ "a.txt": "a" }), "found a zip without"],
    ["a zip that was cut off", zipOf({ "card.json": "{}" }).subarray(0, -4), "the record at its end is missing"],
    ["a path that climbs", zipOf({ "../card.json": "{}" }), 'the path "../card.json" leads out'],
    ["an absolute path", zipOf({ "/card.json": "{}" }), "leads out"],
    ["a path of Windows", zipOf({ "a\\b": "{}" }), "leads out"],
    ["a file with wrong bytes", broken(zipOf({ "card.json": JSON.stringify(v2) }), 60), "card.json"],
    ["an encrypted zip", Buffer.from(encrypted).fill(1, list + 8, list + 9), '"card.json" is encrypted'],
  ])("C3: %s is an error that says what is wrong", (_, bytes, expected) => {
    expect(message(bytes)).toContain(expected)
  })

  test("C23: a picture that is cut off behind its whole card is read with a warning, and written whole", () => {
    const behind = writePngChunks(picture.toSpliced(1, 0, pngTextChunk("chara", base64(v2))))
    const cuts = [behind.length - 4, behind.length - 12, behind.length - 14, behind.length - 22, behind.length - 30]
    for (const cut of cuts) {
      const file = readCard(behind.subarray(0, cut))
      expect(file.card).toMatchObject({ name: "Mei", warnings: ["The picture is cut off; the card in it is whole."] })
      expect(readCard(writeCard(file)).card).toMatchObject({ name: "Mei", warnings: [] })
    }
    expect(message(behind.subarray(0, 80))).toContain("the file ends inside the chunk")
  })

  test("C46: a picture that is damaged, or of which a chunk has a wrong length, is read with a warning, and written whole", () => {
    const whole = writePngChunks(picture.toSpliced(1, 0, pngTextChunk("chara", base64(v2))))
    const before = Buffer.from(writePngChunks(picture.toSpliced(-1, 0, pngTextChunk("chara", base64(v2)))))
    const changed = (png: Uint8Array, change: (bytes: Buffer, data: number) => void) => {
      const bytes = Buffer.from(png)
      change(bytes, bytes.indexOf("IDAT"))
      return bytes
    }
    const damaged = ["The picture is damaged; the card in it is whole."]
    const cut = ["The picture is cut off; the card in it is whole."]
    for (const [png, warnings] of [
      [changed(whole, (bytes, data) => bytes.writeUInt8(bytes.readUInt8(data + 4) ^ 1, data + 4)), damaged],
      [changed(before, (bytes) => bytes.writeUInt32BE(0, bytes.indexOf("IHDR") + 4)), damaged],
      [changed(before, (bytes, data) => bytes.writeUInt32BE(0x7fffffff, data - 4)), cut],
      [Buffer.concat([before.subarray(0, before.indexOf("IDAT") + 5), before.subarray(before.indexOf("IDAT") + 7)]), cut],
    ] as const) {
      const file = readCard(png)
      expect(file.card).toMatchObject({ name: "Mei", warnings: expect.arrayContaining(warnings) })
      expect(readCard(writeCard(file)).card.name).toBe("Mei")
    }
    // The card itself is never guessed.
    const broken = changed(before, (bytes, data) => bytes.writeUInt32BE(0x7fffffff, data - 4))
    broken.writeUInt8(broken.readUInt8(broken.indexOf("chara") + 9) ^ 1, broken.indexOf("chara") + 9)
    expect(message(broken)).toContain("the file ends inside the chunk")
  })

  test("C3: what would unpack to more than the ceilings is not unpacked", () => {
    const zeros = Buffer.alloc(3_000_000)
    const bomb = { type: "zTXt", data: Buffer.concat([Buffer.from("chara\0\0"), deflateSync(zeros)]) }
    expect(message(pngWith(bomb), { maxJsonBytes: 1_000_000 })).toContain('"chara" unpacks to more than 2000000 bytes')
    const zip = writeZip(new Map([["card.json", zeros]]))
    expect(message(zip, { maxUnpackedBytes: 1_000_000 })).toContain("its files have 3000000 bytes, more than 1000000")
    expect(message(zip, { maxJsonBytes: 1_000_000 })).toContain("expected card.json of at most 1,000,000 bytes")
    expect(message(zip, { maxFileBytes: 100 })).toContain("expected a card of at most 100 bytes")
    // Without limits of the caller, too.
    expect(message(writeZip(new Map([["a.bin", Buffer.alloc(70 * 1024 * 1024)]])))).toMatch(
      /its files have 73400320 bytes, more than 67/,
    )
    // A file that says it is small and is not.
    const lying = Buffer.from(zip)
    lying.writeUInt32LE(10, lying.indexOf(Buffer.from("PK\u0001\u0002")) + 24)
    expect(message(lying)).toContain("cannot be unpacked to the 10 bytes")
    // Two files in the same bytes.
    const body = deflateRawSync(zeros)
    const twice = Buffer.from(writeZip(new Map(["a", "b"].map((path) => [path, body]))))
    twice.writeUInt32LE(twice.length, twice.lastIndexOf(Buffer.from("PK\u0001\u0002")) + 20)
    expect(message(twice)).toContain("overlap")
  })
})

describe("writing a card", () => {
  test.each(["json", "png"] as const)("C2: as %s loses no field, for any card", (format) => {
    fc.assert(
      fc.property(arbitraryCard, (json) => {
        const plain = JSON.parse(JSON.stringify(json)) as unknown
        const file = readCard(bytesOf(json))
        expect(file.card.json).toEqual(plain)
        const written = readCard(writeCard(file, { format, image: png }))
        expect(written.card).toEqual(file.card)
        expect(JSON.stringify(written.card.json)).toBe(JSON.stringify(plain))
      }),
      { numRuns: runs(2_000), seed: seedOf(22) },
    )
  })

  test("C22: as CHARX is a card of V3 with every value that it had, for any card", () => {
    fc.assert(
      fc.property(arbitraryCard, (json) => {
        const file = readCard(bytesOf(json))
        const { card } = readCard(writeCard(file, { format: "charx" }))
        if (file.card.version === 3) {
          expect(JSON.stringify(card.json)).toBe(JSON.stringify(file.card.json))
          return
        }
        expect(card).toEqual({ ...file.card, version: 3, json: card.json })
        const isRecord = (value: unknown): value is Record<string, unknown> =>
          typeof value === "object" && value !== null && !Array.isArray(value)
        const { data: nested, spec, spec_version, ...outer } = file.card.json
        const { character_book: book, ...given } = isRecord(nested) ? nested : file.card.json
        const { character_book: newBook, ...data } = card.json.data as Record<string, unknown>
        expect(data).toMatchObject(given)
        if (isRecord(nested)) expect(card.json).toMatchObject(outer)
        if (isRecord(book)) expect(newBook).toMatchObject(book)
        else expect(newBook).toEqual(book)
      }),
      { numRuns: runs(2_000), seed: seedOf(22) },
    )
  })

  test("C22: a V2 card with a picture is a V3 CHARX with its icon, and back a PNG with that picture", () => {
    const charx = writeCard(readCard(pngWith(pngTextChunk("chara", base64(v2)))), { format: "charx" })
    const { card, files } = readCard(charx)
    expect(card.json).toMatchObject({
      spec: "chara_card_v3",
      spec_version: "3.0",
      data: { ...v2.data, first_mes: "", group_only_greetings: [], extensions: {} },
    })
    expect(card.assets).toEqual([{ type: "icon", name: "main", ext: "png", uri: "embeded://assets/icon/images/main.png" }])
    expect(Buffer.from(files.get("assets/icon/images/main.png") ?? [])).toEqual(Buffer.from(png))
    const back = readPngChunks(writeCard(readCard(charx), { format: "png" }))
    expect(back.filter(({ type }) => type !== "tEXt")).toEqual(readPngChunks(png))
    const noPicture = zipOf({ "card.json": JSON.stringify(card.json), "assets/icon/images/main.png": "webp" })
    expect(() => writeCard(readCard(noPicture), { format: "png" })).toThrow("expected a picture for a PNG card")
  })

  test("C2: keeps the picture, other texts of a PNG and the assets of a CHARX", () => {
    const other = pngTextChunk("chara-ext-asset_:0", "AAAA")
    const file = readCard(pngWith(other, pngTextChunk("chara", base64(v2))))
    const again = readPngChunks(writeCard(file))
    expect(again.map(({ type }) => type)).toEqual(["IHDR", "IDAT", "tEXt", "tEXt", "IEND"])
    expect(again[2]).toEqual({ type: "tEXt", data: expect.objectContaining(Buffer.from(other.data)) })
    const charx = zipOf({ "card.json": JSON.stringify(v3), "assets/a.txt": "A", "module.risum": "B" })
    expect(readCard(writeCard(readCard(charx))).files).toEqual(readCard(charx).files)
    expect(() => writeCard(readCard(bytesOf(v2)), { format: "png" })).toThrow("expected a picture for a PNG card")
    expect(() => writeCard(readCard(bytesOf(v2)), { format: "png", image: charx })).toThrow("expected the bytes of a PNG file")
  })

  test("C2: a CHARX lists its files where they stand in it, for any program that unpacks it", () => {
    const zip = Buffer.from(zipOf({ "card.json": "{}", "assets/a.txt": "a" }))
    const directory = zip.readUInt32LE(zip.length - 22 + 16)
    const first = zip.readUInt32LE(directory + 42)
    expect(zip.subarray(first, first + 4).toString("latin1")).toBe("PK\u0003\u0004")
    const second = zip.readUInt32LE(directory + 46 + "card.json".length + 42)
    expect(zip.subarray(second, second + 4).toString("latin1")).toBe("PK\u0003\u0004")
  })

  test("C2: a V3 card in a PNG has a V2 card beside it, without decorators and with a note", () => {
    const book = { entries: [{ keys: ["a"], content: "@@depth 3\n\nA secret." }] }
    const json = { ...v3, data: { ...v3.data, creator_notes: "Be kind.", character_book: book } }
    const chunks = readPngChunks(writeCard(readCard(bytesOf(json)), { format: "png", image: png }))
    const old = readCard(writePngChunks(chunks.filter(({ data }) => !Buffer.from(data).toString().startsWith("ccv3"))))
    expect(old.card).toMatchObject({ version: 2, name: "Mei 3" })
    expect(old.card.creatorNotes).toMatch(/^This character card is Character Card V3.*\n\nBe kind\.$/s)
    expect(old.card.book?.entries[0]?.text.text).toBe("A secret.")
    expect((old.card.json.data as typeof json.data).character_book).toEqual({ entries: [{ keys: ["a"], content: "A secret." }] })
  })
})

describe("damaged cards", () => {
  test("C3: no change of a file's bytes crashes the reader or lets it hang", () => {
    const json = bytesOf({ ...v3, data: { ...v3.data, character_book: { entries: [{ keys: ["a"], content: "@@depth 1\nA" }] } } })
    const good = [
      json,
      pngWith(pngTextChunk("chara", base64(v2)), {
        type: "zTXt",
        data: Buffer.concat([Buffer.from("ccv3\0\0"), deflateSync(base64(v3))]),
      }),
      zipOf({ "card.json": json.toString(), "assets/a.txt": "A".repeat(200) }),
    ]
    const edit = fc.tuple(fc.nat(), fc.constantFrom("set", "cut", "drop", "copy"), fc.nat(255))
    fc.assert(
      fc.property(fc.constantFrom(...good), fc.array(edit, { minLength: 1, maxLength: 4 }), (bytes, edits) => {
        let damaged = Buffer.from(bytes)
        for (const [place, kind, byte] of edits) {
          const at = place % Math.max(1, damaged.length)
          if (kind === "set") damaged[at] = byte
          else if (kind === "cut") damaged = damaged.subarray(0, at)
          else if (kind === "drop") damaged = Buffer.concat([damaged.subarray(0, at), damaged.subarray(at + byte)])
          else damaged = Buffer.concat([damaged.subarray(0, at + byte), damaged.subarray(at)])
        }
        try {
          expect(readCard(damaged).card.name).toBeTypeOf("string")
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: "file", message: expect.stringMatching(/^.*expected /) })
        }
      }),
      { numRuns: amount("DAMAGED_CARDS"), seed: seedOf(23) },
    )
  })
})

describe("pictures that hold no card here", () => {
  test("C1: a CHARX behind a JPEG picture is read, and the picture is not kept, as a warning says", () => {
    const zip = writeZip(
      new Map([
        ["card.json", Buffer.from(JSON.stringify({ spec: "chara_card_v3", data: { name: "Mei" } }))],
        ["assets/a.png", Buffer.from("x")],
      ]),
    )
    const picture = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(40)])
    const { card, format, files } = readCard(Buffer.concat([picture, zip]))
    expect([card.name, format, [...files.keys()]]).toEqual(["Mei", "charx", ["assets/a.png"]])
    expect(card.warnings).toEqual(["The JPEG picture before the CHARX is not kept when the card is written."])
    expect(() => readCard(Buffer.concat([picture, writeZip(new Map([["a", Buffer.from("x")]]))]))).toThrow(
      "expected a CHARX with card.json at its root",
    )
  })

  test.each([
    ["WebP", Buffer.concat([Buffer.from("RIFF\0\0\0\0WEBPVP8 "), Buffer.alloc(40)])],
    ["JPEG", Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(40)])],
  ])("C1 C3: a %s picture is refused by its name, with what to do", (kind, bytes) => {
    expect(() => readCard(bytes)).toThrow(
      expect.objectContaining({
        code: "file",
        message: expect.stringContaining(`expected a card as PNG, APNG, CHARX or JSON, found a ${kind} picture`),
        hint: expect.stringContaining("Get the card as PNG"),
      }),
    )
  })
})
