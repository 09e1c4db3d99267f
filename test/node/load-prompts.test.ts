import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { fileLoader, loadPrompts, readPrompt } from "../../src/node/load-prompts.ts"
import { maxFileBytes } from "../../src/node/read-text-file.ts"
import { compileDialect } from "../../src/prompt/dialect/compile-dialect.ts"
import { parseTemplate } from "../../src/prompt/template/parse.ts"

let home: string
let root: string

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "prompts-"))
  root = join(home, "prompts")
  mkdirSync(root)
})

afterEach(() => rmSync(home, { recursive: true }))

function write(path: string, content: string | Uint8Array): string {
  const file = join(home, path)
  mkdirSync(join(file, ".."), { recursive: true })
  writeFileSync(file, content)
  return file
}

describe("loadPrompts", () => {
  test("reads .md files with their front matter and .txt files as they are, in order of their paths", () => {
    write("prompts/b.md", "---\nseparator: comma\n---\nB\n")
    write("prompts/a/c.txt", "---\nno: front matter\n---\r\nC")
    write("prompts/a.md", "A")
    write("prompts/.hidden.md", "x")
    write("prompts/.git/x.md", "x")
    write("prompts/notes.pdf", "x")
    expect(loadPrompts(root, { shownAs: "" })).toEqual([
      { path: "a.md", attributes: {}, body: "A", firstLine: 1 },
      { path: "a/c.txt", attributes: {}, body: "---\nno: front matter\n---\nC", firstLine: 1 },
      { path: "b.md", attributes: { separator: "comma" }, body: "B\n", firstLine: 4 },
    ])
  })

  test("paths begin with the folder as it was given, or with the name it is shown as", () => {
    write("prompts/a.md", "A")
    expect(loadPrompts(root).map(({ path }) => path)).toEqual([`${root}/a.md`])
    expect(loadPrompts(`${root}/`, { shownAs: "mine" }).map(({ path }) => path)).toEqual(["mine/a.md"])
  })

  test("a folder that is not there is an error", () => {
    expect(() => loadPrompts(join(home, "nope"))).toThrow(expect.objectContaining({ code: "prompt-missing" }))
    expect(() => loadPrompts(write("file.md", ""))).toThrow("expected a folder of prompt files, found none")
  })

  test("R2: a link that leaves the folder is an error, one that stays inside is followed", () => {
    write("prompts/a.md", "A")
    symlinkSync(join(root, "a.md"), join(root, "b.md"))
    expect(loadPrompts(root, { shownAs: "" }).map(({ path, body }) => [path, body])).toEqual([
      ["a.md", "A"],
      ["b.md", "A"],
    ])
    symlinkSync(write("secret.md", "secret"), join(root, "c.md"))
    expect(() => loadPrompts(root)).toThrow(`"c.md" leads outside`)
  })

  test("linked folders are passed over, so that circles end", () => {
    write("prompts/a.md", "A")
    symlinkSync(root, join(root, "again"))
    expect(loadPrompts(root, { shownAs: "" }).map(({ path }) => path)).toEqual(["a.md"])
  })

  test("what was loaded compiles to a dialect whose errors name the file", () => {
    write("prompts/planner.md", "---\noptional: [x]\n---\n${role(user)}\n${rest}\n${oops")
    const compile = () => compileDialect({ name: "mine", locale: "en", files: loadPrompts(root, { shownAs: "mine" }) })
    expect(compile).toThrow(/^mine\/planner\.md:6:1: /)
  })
})

describe("what is not a text file is a located error", () => {
  test.each<[string, Uint8Array, number, number]>([
    ["a lone byte", Buffer.from([0x61, 0x0a, 0xe4, 0xb8, 0xad, 0xff, 0x62]), 2, 2],
    ["UTF-16", Buffer.from("\uFEFFabc", "utf16le"), 1, 1],
    ["a cut character at the end", Buffer.from([0x61, 0xe4, 0xb8]), 1, 2],
    ["a bad byte after a written U+FFFD", Buffer.from([0xef, 0xbf, 0xbd, 0x80]), 1, 2],
  ])("%s", (_, bytes, line, column) => {
    const path = write("prompts/x.md", bytes)
    expect(() => readPrompt(path, "x.md")).toThrow(
      expect.objectContaining({ code: "file", source: { file: "x.md", line, column } }),
    )
    expect(() => readPrompt(path, "x.md")).toThrow("expected UTF-8 text")
  })

  test("U+FFFD that was written is text, and a byte order mark is dropped", () => {
    expect(readPrompt(write("prompts/x.txt", "\uFEFFa\uFFFDb")).body).toBe("a\uFFFDb")
  })

  test("a file may have 4 MiB and not a byte more", () => {
    expect(maxFileBytes).toBe(4 * 1024 * 1024)
    expect(readPrompt(write("prompts/x.txt", "x".repeat(maxFileBytes))).body.length).toBe(maxFileBytes)
    expect(() => readPrompt(write("prompts/y.txt", "x".repeat(maxFileBytes + 1)))).toThrow(
      "at most 4,194,304 bytes, found 4,194,305 bytes",
    )
  })

  test("a missing file and a folder", () => {
    expect(() => readPrompt(join(root, "no.md"))).toThrow(expect.objectContaining({ code: "prompt-missing" }))
    mkdirSync(join(root, "folder.md"))
    expect(() => readPrompt(join(root, "folder.md"))).toThrow("expected a file, found a folder or a device")
  })
})

describe("R2: file_load reads only inside the prompt roots", () => {
  function load(path: string, from = join(root, "deep/x.md"), roots = [root]): string {
    const { nodes } = parseTemplate(`\${file_load(${path})}`, { file: from, load: fileLoader({ roots }) })
    return nodes.map((node) => (node.type === "literal" ? `${node.text}@${node.source.file}:${node.source.line}` : "?")).join()
  }

  beforeEach(() => {
    write("secret.txt", "secret")
    write("prompts/top.md", "---\na: 1\n---\ntop")
    write("prompts/deep/near.txt", "near")
    write("prompts/..dots.txt", "dots")
    write("promptsX/other.txt", "other")
  })

  test.each([
    ["near.txt", "near", "deep/near.txt:1"],
    ["deep/near.txt", "near", "deep/near.txt:1"],
    ["top.md", "top", "top.md:4"],
    ["../top.md", "top", "top.md:4"],
    ["../deep/../top.md", "top", "top.md:4"],
    ["..dots.txt", "dots", "..dots.txt:1"],
  ])("%s is found beside the file that asks, or from a root", (path, text, place) => {
    expect(load(path)).toBe(`${text}@${root}/${place}`)
  })

  test("a path from the disk's root counts when it lies inside", () => {
    expect(load(join(root, "top.md"))).toContain("top@")
  })

  test.each(["../../secret.txt", "../../../../../../etc/passwd", "/etc/passwd", "../../promptsX/other.txt", "../../nothing.txt"])(
    "%s leads outside: an error that names the roots",
    (path) => {
      expect(() => load(path)).toThrow(
        expect.objectContaining({ message: expect.stringMatching(new RegExp(`inside ${root}, .*${JSON.stringify(path)}`)) }),
      )
    },
  )

  test("a symbolic link to a file or a folder outside leads outside", () => {
    symlinkSync(join(home, "secret.txt"), join(root, "link.txt"))
    symlinkSync(home, join(root, "up"))
    for (const path of ["link.txt", "up/secret.txt"]) expect(() => load(path)).toThrow("leads outside")
    symlinkSync(join(root, "top.md"), join(root, "fine.md"))
    expect(load("fine.md")).toContain("top@")
  })

  test("a root may itself be a link", () => {
    symlinkSync(root, join(home, "linked"))
    expect(load("top.md", "elsewhere.md", [join(home, "linked")])).toBe(`top@${home}/linked/top.md:4`)
  })

  test("there may be several roots, and none", () => {
    expect(load("other.txt", "x.md", [root, join(home, "promptsX")])).toContain("other@")
    expect(() => load("top.md", join(root, "x.md"), [])).toThrow(
      "expected a file of that path in a folder of prompts (none was given), found none.",
    )
  })

  test("a file outside the roots may ask for what is in them; what they lack is missing, not outside", () => {
    expect(load("top.md", "fay/en/planner.md")).toContain("top@")
    expect(() => fileLoader({ roots: [root] })("nope.txt", { file: "fay/en/planner.md", line: 1 })).toThrow(
      expect.objectContaining({ code: "prompt-missing" }),
    )
  })

  test("what is inside but missing, a folder, or no path at all is an error", () => {
    expect(() => load("nope.txt")).toThrow(`cannot load "nope.txt": expected a file of that path in ${root}, found none.`)
    expect(() => load("deep")).toThrow("expected a file, found a folder")
    expect(() => load("a\0b")).toThrow("cannot load")
  })

  test("files that load one another are an error that shows the chain", () => {
    write("prompts/a.md", "${file_load(b.md)}")
    write("prompts/b.md", "${file_load(a.md)}")
    const files = loadPrompts(root).filter(({ path }) => path.endsWith("/a.md"))
    const compile = () => compileDialect({ name: "x", locale: "en", files, load: fileLoader({ roots: [root] }) })
    expect(compile).toThrow(`in a circle: ${root}/a.md → ${root}/b.md → ${root}/a.md`)
  })
})
