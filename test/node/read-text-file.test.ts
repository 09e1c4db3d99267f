import { describe, expect, test } from "vitest"
import { readTextFile } from "../../src/node/read-text-file.ts"
import { tempFolder } from "../support/temp-folder.ts"

function failure(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return error
  }
}

describe("readTextFile", () => {
  test("hands back the text as it is, byte order mark and line breaks included", () => {
    const folder = tempFolder({ "a.md": "\uFEFFa\r\nb\uFFFD😀" })
    expect(readTextFile(`${folder}/a.md`)).toBe("\uFEFFa\r\nb\uFFFD😀")
  })

  test.each([
    { what: "a lone byte", bytes: [0x61, 0x0a, 0xff], line: 2, column: 1, byte: "0xff" },
    { what: "a character cut off by the end", bytes: [0xc3, 0xa9, 0xef, 0xbf], line: 1, column: 2, byte: "0xef" },
    { what: "a character cut off by another", bytes: [0xef, 0xbf, 0x41], line: 1, column: 1, byte: "0xef" },
    { what: "a stray byte after a true U+FFFD", bytes: [0xef, 0xbf, 0xbd, 0x80], line: 1, column: 2, byte: "0x80" },
    { what: "half a surrogate pair", bytes: [0x61, 0xed, 0xa0, 0x80], line: 1, column: 2, byte: "0xed" },
  ])("$what is found where it stands", ({ bytes, line, column, byte }) => {
    const folder = tempFolder({ "a.md": new Uint8Array(bytes) })
    expect(failure(() => readTextFile(`${folder}/a.md`, "a.md"))).toMatchObject({
      code: "file",
      source: { file: "a.md", line, column },
      message: expect.stringContaining(byte),
    })
  })

  test("a missing file, a folder and a path that no file can have are errors of their own", () => {
    const folder = tempFolder({ "folder/a.md": "" })
    expect(failure(() => readTextFile(`${folder}/b.md`))).toMatchObject({ code: "prompt-missing" })
    expect(failure(() => readTextFile(`${folder}/folder`))).toMatchObject({ code: "file" })
    expect(failure(() => readTextFile(`${folder}/a\0b`))).toMatchObject({ code: "file" })
  })
})
