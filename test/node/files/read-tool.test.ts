import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { createFileTools, textPage } from "../../../src/node/files/create-file-tools.ts"
import { openFolder } from "../../../src/node/workspace/open-workspace.ts"
import type { ToolRecord } from "../../../src/prompt/tools/tool.ts"
import { png } from "../../support/pictures.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { callTool, fileScene } from "./file-scene.ts"

test("the file tools ask for paths and texts as text, and for lines as whole numbers from 1", async () => {
  const tools = createFileTools(await openFolder(tempFolder()))
  const types = tools.flatMap(({ inputSchema }) => Object.entries(inputSchema.properties as Record<string, object>))
  const counts = types.filter(([, type]) => "minimum" in type).map(([name, type]) => [name, type])
  expect(counts.map(([name]) => name)).toEqual(expect.arrayContaining(["offset", "limit"]))
  for (const [, type] of counts) expect(type).toMatchObject({ type: "integer", minimum: 1 })
  for (const [name, type] of types) if (/path|text|content/.test(name)) expect(type).toMatchObject({ type: "string" })
})

describe("read", () => {
  test("a file that fits on a page is its text and nothing else", async () => {
    const { call } = await fileScene({ "a.md": "one\n  two\n" })
    expect(await call("read", { path: "a.md" })).toBe("one\n  two\n")
  })

  test("N17 a picture is given to a model that sees it, and a file that only has a picture's name to none", async () => {
    const folder = tempFolder()
    writeFileSync(join(folder, "cat.png"), png(8, 8))
    writeFileSync(join(folder, "note.png"), "no picture")
    writeFileSync(join(folder, "a.md"), "words")
    mkdirSync(join(folder, "private"))
    writeFileSync(join(folder, "private/own.png"), png(8, 8))
    const tools = createFileTools(await openFolder(folder), { allow: (path) => !path.startsWith("private"), locale: "en" })
    const records: ToolRecord[] = []
    const read = (path: string, takes = () => true) => callTool(tools, "read", { path }, { records, takes })
    expect(await read("cat.png")).toBe("cat.png is a picture, shown to you here.")
    expect(records).toMatchObject([{ attachment: { mediaType: "image/png", bytes: 64, base64: expect.any(String) } }])
    expect(await read("a.md")).toBe("words")
    for (const [path, sees] of [
      ["note.png", true],
      ["private/own.png", true],
      ["none.png", true],
      ["cat.png", false],
    ] as const)
      expect(await read(path, () => sees)).toMatch(/^! /)
    expect(records).toHaveLength(1)
  })

  test("a longer one comes in pages of whole lines that say how to go on, without line numbers in the text", async () => {
    const lines = Array.from({ length: 10 }, (_, at) => `line ${at + 1}`)
    const { call } = await fileScene({ "a.md": `${lines.join("\n")}\n` }, { pageCharacters: 30 })
    expect(await call("read", { path: "a.md" })).toBe(
      "a.md, lines 1–4 of 10. There is more: go on with offset=5.\n\nline 1\nline 2\nline 3\nline 4\n",
    )
    expect(await call("read", { path: "a.md", offset: "5", limit: 2 })).toBe(
      "a.md, lines 5–6 of 10. There is more: go on with offset=7.\n\nline 5\nline 6\n",
    )
    expect(await call("read", { path: "a.md", offset: 9 })).toBe("a.md, lines 9–10 of 10. This is the end.\n\nline 9\nline 10\n")
    expect(await call("read", { path: "a.md", offset: 11 })).toBe("! a.md has only 10 lines; there is no line 11.")
  })

  test("a page is as small as the turn's budget needs it, as what is cut out of it counts as unread", async () => {
    const text = Array.from({ length: 200 }, (_, at) => `line ${at + 1}\n`).join("")
    const { call } = await fileScene({ "a.md": text })
    const resultFits = (result: string) => result.length <= 600
    const first = await call("read", { path: "a.md" }, { resultFits })
    expect(first.length).toBeLessThanOrEqual(600)
    expect(first).toMatch(/^a\.md, lines 1–\d+ of 200\. There is more: go on with offset=\d+\.\n\nline 1\n/)
    expect(await call("write", { path: "a.md", content: "x" })).toMatch(/^! You have not read all of a\.md/)
    expect(await call("read", { path: "a.md" }, { resultFits: () => false })).toContain("\n\nline 1\nline 2\n")
  })

  test("a line that is longer than a page comes in parts", async () => {
    const { call } = await fileScene({ "a.json": `${"x".repeat(25)}\nend` }, { pageCharacters: 10 })
    expect(await call("read", { path: "a.json" })).toBe(
      `a.json, lines 1–1 of 2. There is more: go on with offset=1, character=11.\n\n${"x".repeat(10)}`,
    )
    expect(await call("read", { path: "a.json", offset: 1, character: 21 })).toBe(
      `a.json, lines 1–2 of 2. This is the end.\n\n${"x".repeat(5)}\nend`,
    )
  })

  test("pages that follow each other join to the text, whatever it is", () => {
    const line = fc.string({ unit: fc.constantFrom("a", "字", "😀", "👨‍👩‍👧", "\n", " "), maxLength: 60 })
    fc.assert(
      fc.property(line, fc.integer({ min: 1, max: 20 }), (text, maxCharacters) => {
        let joined = ""
        let next: { line: number; character?: number } | undefined = { line: 1 }
        for (let pages = 0; next && pages < 200; pages++) {
          const page = textPage(text, { line: next.line, character: next.character ?? 1, maxCharacters })
          if (!page) throw new Error(`no page at ${JSON.stringify(next)} of ${JSON.stringify(text)}`)
          joined += text.slice(page.range.start, page.range.end)
          next = page.next
        }
        expect(joined).toBe(text)
      }),
    )
  })

  test.each([
    ["missing.md", "! There is no file missing.md."],
    ["folder", "! folder is no file that can be read or written; it may be a folder or a link."],
    ["binary.bin", "! binary.bin is no UTF-8 text and can neither be read nor changed."],
    ["latin.txt", "! latin.txt is no UTF-8 text and can neither be read nor changed."],
    ["../secret", '! The path "../secret" cannot be used. Give a path inside the workspace, such as notes/today.md.'],
    ["/etc/passwd", '! The path "/etc/passwd" cannot be used. Give a path inside the workspace, such as notes/today.md.'],
    ["large.md", "! large.md is too large: 1048577 bytes, where at most 1048576 are possible."],
  ])("refuses %s kindly", async (path, words) => {
    const { call, folder } = await fileScene({
      "binary.bin": new Uint8Array([1, 0, 2]),
      "latin.txt": new Uint8Array([0x63, 0x61, 0x66, 0xe9]),
      "large.md": "x".repeat(1_048_577),
    })
    mkdirSync(join(folder, "folder"))
    expect(await call("read", { path })).toBe(words)
  })

  test("an empty file says that it is empty; a byte order mark and CRLF are not shown", async () => {
    const { call } = await fileScene({ "empty.md": "", "dos.txt": "\uFEFFone\r\ntwo\r\n" })
    expect(await call("read", { path: "empty.md" })).toBe("empty.md is an empty file.")
    expect(await call("read", { path: "dos.txt" })).toBe("one\ntwo\n")
  })

  test("its words come in Chinese, and names can be others", async () => {
    const { call } = await fileScene(
      { "a.md": "一\n二\n三" },
      { locale: "zh-CN", pageCharacters: 3, names: { read: "read_file" } },
    )
    expect(await call("read_file", { path: "a.md" })).toBe("a.md 第 1–1 行，共 3 行。未完，继续读取请用 offset=2。\n\n一\n")
    expect(await call("read_file", { path: "无" })).toBe("! 没有文件 无。")
  })

  test.each([
    [{}, "! path: expected a path, received undefined"],
    [{ path: " " }, '! path: expected a path, received " "'],
    [{ path: "a.md", offset: 0 }, "! offset: expected a whole number of at least 1, received 0"],
    [{ path: ["a.md"] }, "! path: expected a path, received array"],
    [{ path: null }, "! path: expected a path, received undefined"],
    [{ path: "a.md", offset: {} }, "! offset: expected a whole number of at least 1, received object"],
    [{ path: "a.md", offset: [1] }, "! offset: expected a whole number of at least 1, received array"],
    [{ path: "a.md", limit: "all" }, '! limit: expected a whole number of at least 1, received "all"'],
  ])("arguments %j are refused with what was expected", async (args, words) => {
    const { call } = await fileScene({ "a.md": "x" })
    expect(await call("read", args)).toBe(words)
  })
})
