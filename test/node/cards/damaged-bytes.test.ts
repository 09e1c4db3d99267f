import { describe, expect, test } from "vitest"
import { isPng, readPngChunks, readPngText } from "../../../src/node/cards/png-chunks.ts"
import { hasZipBehind, isZip, readZip, writeZip } from "../../../src/node/cards/zip.ts"

/** Another program's zip: a packed file with an extra field, a folder, a file as it is, and a comment. */
const zip = Buffer.from(
  "UEsDBBQAAAAIAIMYIlA4e6ENJgAAADcAAAAJAAYAY2FyZC5qc29uAZkCAGFiq1bKS8xNVbJS8k3NVNJRSkktTi7KLCjJzM8DiiUn5uQqYCGUagFQSwMEFAAAAAAAgxgiUAAAAAAAAAAAAAAAAAcAAABhc3NldHMvUEsDBBQAAAAAAIMYIlDf96xmDQAAAA0AAAAMAAAAYXNzZXRzL2EudHh0QSBzbWFsbCBmaWxlLlBLAQIUAxQAAAAIAIMYIlA4e6ENJgAAADcAAAAJAAYAAAAAAAAAAACAAQAAAABjYXJkLmpzb24BmQIAYWJQSwECFAMUAAAAAACDGCJQAAAAAAAAAAAAAAAABwAAAAAAAAAAAAAAgAFTAAAAYXNzZXRzL1BLAQIUAxQAAAAAAIMYIlDf96xmDQAAAA0AAAAMAAAAAAAAAAAAAACAAXgAAABhc3NldHMvYS50eHRQSwUGAAAAAAMAAwCsAAAArwAAAAoAQSBjb21tZW50Lg==",
  "base64",
)

/** Another program's picture of 4 by 5 pixels, a row of each filter, with a text of each kind. */
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAQAAAAFCAIAAADtz9qMAAAADnRFWHRjaGFyYQBZMkZ5WkE9PQu30YIAAAAaelRYdG5vdGUAAHicK0hMzk5NUSjPL0opBgAeXAS4ERiyZAAAABdpVFh0bG9uZwAAAGVuAGxhbmcAw6kgd29yZHNmyLi9AAAAFmlUWHR6aXAAAQAAAHicK0hMzk5NAQAIhgJpFMZI9gAAAExJREFUeJwBQQC+/wAAJUpvlLneAyhNcpcBCzBVep/E6Q4zWH2iAhY7YIWqz/QZPmOIrQMhRmuQtdr/JEluk7gELFF2m8DlCi9UeZ7DMcAa5bZIJ4UAAAAASUVORK5CYII=",
  "base64",
)

const filesOf = (bytes: Uint8Array) =>
  JSON.stringify([...readZip(bytes, 1_000)].map(([path, file]) => [path, Buffer.from(file).toString()]))
const textsOf = (bytes: Uint8Array) => {
  const chunks = readPngChunks(bytes)
  return JSON.stringify(chunks.map((chunk) => readPngText(chunk, 100)))
}

/** What comes of each version of a file, by the places of those of which the same comes. */
function outcomes(versions: readonly Uint8Array[], read: (bytes: Uint8Array) => string, sound: string): string {
  const lines: { first: number; last: number; what: string }[] = []
  for (const [at, bytes] of versions.entries()) {
    let what: string
    try {
      const found = read(bytes)
      what = found === sound ? "the same" : "other words"
    } catch (error) {
      what = (error as Error).message.replace(/^expected a .*?, but /, "").replace(/\n.*/, "")
    }
    const before = lines.at(-1)
    if (before?.what === what) before.last = at
    else lines.push({ first: at, last: at, what })
  }
  return lines.map(({ first, last, what }) => `${first}–${last}: ${what}`).join("\n")
}

/** The file with one byte changed, for each byte. */
const changed = (bytes: Uint8Array, by: number) => Array.from(bytes, (byte, at) => Uint8Array.from(bytes).with(at, byte ^ by))
const cut = (bytes: Uint8Array) => Array.from(bytes, (_, at) => bytes.subarray(0, at))

describe("a zip of another program", () => {
  test("is read whole, also behind a picture", () => {
    expect(filesOf(zip)).toBe(
      JSON.stringify([
        ["card.json", '{"name":"Mei","description":"calm calm calm calm calm"}'],
        ["assets/a.txt", "A small file."],
      ]),
    )
    const behind = Buffer.concat([png, zip])
    expect([isZip(zip), hasZipBehind(behind), isZip(behind), hasZipBehind(png)]).toEqual([true, true, false, false])
    expect(filesOf(behind)).toBe(filesOf(zip))
    expect(() => readZip(zip, 67)).toThrow("its files have 68 bytes, more than 67")
    expect(() => readZip(zip, 67)).toThrow("Load the card again from where it came from.")
    expect(readZip(zip, 68).size).toBe(2)
  })

  test.each([0x01, 0x80])("with one byte changed by %i is read as it was, or is refused with its reason", (by) => {
    const all = outcomes(changed(zip, by), filesOf, filesOf(zip))
    expect(all).toMatchSnapshot()
  })

  test("that was cut off is refused", () => {
    expect(outcomes(cut(zip), filesOf, filesOf(zip))).toMatchSnapshot()
  })

  test("is written by these bytes", () => {
    const files = new Map(["a.txt", "b/ü.txt"].map((path) => [path, Buffer.from("A small file.")]))
    expect(Buffer.from(writeZip(files)).toString("hex")).toMatchSnapshot()
  })
})

describe("a picture of another program", () => {
  test("has these texts", () => {
    expect(textsOf(png)).toMatchSnapshot()
  })

  test.each([0x01, 0x80])("with one byte changed by %i is read as it was, or is refused with its reason", (by) => {
    expect(outcomes(changed(png, by), textsOf, textsOf(png))).toMatchSnapshot()
  })

  test("that was cut off is refused", () => {
    expect(outcomes(cut(png), textsOf, textsOf(png))).toMatchSnapshot()
  })

  test("is known by its first eight bytes", () => {
    expect(changed(png.subarray(0, 8), 1).map((bytes) => isPng(bytes))).toEqual(Array(8).fill(false))
    expect(() => readPngChunks(png.subarray(0, 9))).toThrow("a program that reduces pictures may have damaged it.")
    expect([isPng(png), isPng(png.subarray(0, 7))]).toEqual([true, false])
  })
})
