import { expect, test } from "vitest"
import { createFileReferences } from "../../../src/node/files/create-file-references.ts"
import { createFileTools } from "../../../src/node/files/create-file-tools.ts"
import { createReadLedger } from "../../../src/node/files/read-ledger.ts"
import { emptyWorkspace, workspaceOnDemand } from "../../../src/node/files/workspace-on-demand.ts"
import { openFolder } from "../../../src/node/workspace/open-workspace.ts"
import type { ToolRecord } from "../../../src/prompt/tools/tool.ts"
import { endings } from "../../support/endings.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { type CallOptions, callTool } from "./file-scene.ts"

const key = { agent: "fay", conversation: "c", audience: "private", user: "u" } as const

test.each(["en", "zh-CN"])("what a model is told by each file tool, in %s", async (locale) => {
  const many = Object.fromEntries(Array.from({ length: 201 }, (_, at) => [`many/${String(at).padStart(3, "0")}.txt`, "hit\n"]))
  const folder = tempFolder({
    "a.md": "one\ntwo\nthree\n",
    "b.txt": "same\nsame\n\nsame\n",
    "win.txt": "one\r\ntwo\r\n",
    "data.bin": Buffer.from([0xff, 0xfe, 0, 1]),
    "empty.txt": "",
    "inner/c.md": "needle in a haystack\n",
    "long.txt": `${"x".repeat(300)}NEEDLE${"y".repeat(300)}\n`,
    "secret.txt": "hidden\n",
    ...many,
  })
  const skills = await openFolder(tempFolder({ "pdf/SKILL.md": "Read the needle.\n" }))
  const tools = createFileTools(await openFolder(folder), {
    locale,
    mounts: [{ prefix: "skills", workspace: skills }],
    allow: (path) => path !== "secret.txt",
    confirmRule: ({ path }) => (path.startsWith("ask") ? "ask" : path.startsWith("maybe") ? "ask-if-possible" : "free"),
    pageCharacters: 60,
  })
  const records: ToolRecord[] = []
  const parts: string[] = []
  const call = async (name: string, args: Record<string, unknown>, options: CallOptions = {}) => {
    const said = await callTool(tools, name, args, { records, ...options })
    const short =
      said.split("\n").length > 12
        ? `${said.split("\n").slice(0, 2).join("\n")}\n…\n${said.split("\n").slice(-2).join("\n")}`
        : said
    parts.push(`> ${name} ${JSON.stringify(args)}\n${short}`)
  }
  await call("read", {})
  await call("read", { path: " " })
  await call("read", { path: 7, offset: "x", limit: 0 })
  for (const path of [
    "nobody.md",
    "inner",
    "data.bin",
    "empty.txt",
    "../x",
    "secret.txt",
    "skills/pdf/SKILL.md",
    "skills/none.md",
  ])
    await call("read", { path })
  await call("edit", { path: "a.md", old_text: "two", new_text: "2" })
  await call("write", { path: "a.md", content: "new" })
  await call("read", { path: "a.md", limit: 1 })
  await call("edit", { path: "a.md", old_text: "three", new_text: "3" })
  await call("write", { path: "a.md", content: "new" })
  await call("read", { path: "a.md" })
  for (const [old, fresh] of [
    ["", "x"],
    ["two", "two"],
    ["tow", "2"],
    ["two", "$& 2"],
  ] as const)
    await call("edit", { path: "a.md", old_text: old, new_text: fresh })
  await call("write", { path: "a.md", content: "all new\n" })
  await call("read", { path: "b.txt" })
  await call("edit", { path: "b.txt", old_text: "same", new_text: "other" })
  await call("edit", { path: "b.txt", old_text: "same\n\nsame", new_text: "other" })
  await call("read", { path: "win.txt" })
  await call("edit", { path: "win.txt", old_text: "one\ntwo", new_text: "1\n2" })
  await call("edit", { path: "nobody.md", old_text: "a", new_text: "b" })
  for (const path of ["new.md", "skills/new.md", "inner", "secret.txt", "ask.md", "maybe.md"])
    await call("write", { path, content: "x\n" })
  await call("write", { path: "ask.md", content: "x\n" }, { confirm: () => false })
  await call("write", { path: "ask.md", content: "x\n" }, { confirm: () => true })
  await call("write", { path: "bad.md", content: "\ud800" })
  for (const path of [undefined, "inner", "many", "skills", "nowhere", "a.md"])
    await call("list", path === undefined ? {} : { path })
  for (const [query, path] of [
    ["needle"],
    ["needle", "inner"],
    ["needle", "skills"],
    ["nothing"],
    ["hit"],
    ["hidden"],
    ["needle", "nowhere"],
  ] as const)
    await call("search", { query, ...(path !== undefined && { path }) })
  const noted = records.map((record) => JSON.stringify(record)).join("\n")
  await expect(`${parts.join("\n\n")}\n\nIn the trace:\n${noted}\n`.replaceAll(folder, "~")).toMatchFileSnapshot(
    `__snapshots__/tools.${locale}.txt`,
  )
})

test("a file that an answer shows has the type of its ending, and the lines that it names", async () => {
  const endingsOf = [
    ...["txt", "log", "md", "csv", "html", "json", "toml", "yaml", "png", "jpg", "jpeg", "gif", "webp", "svg"],
    ...["mp3", "ogg", "wav", "mp4", "webm", "pdf", "zip", "xyz"],
  ]
  const folder = tempFolder({
    ...Object.fromEntries(endingsOf.map((ending) => [`a.${ending}`, "one\ntwo\nthree\n"])),
    "b.TXT": "B",
    ".hidden.txt": "h",
    none: "n",
    "data.txt": Uint8Array.of(0xff, 0xfe),
    "large.txt": "x".repeat(51),
    "full.txt": "x".repeat(50),
  })
  const references = createFileReferences(await openFolder(folder), {
    formats: [...endingsOf.map((ending) => ending.toUpperCase()), ""],
    maxBytes: 50,
    allow: (path) => path !== "a.zip",
  })
  const open = (path: string, lines?: { readonly from: number; readonly to: number }) => async () => {
    const opened = await references.open({ path, lines } as never, { key, signal: new AbortController().signal })
    return opened.ok ? { ...opened.attachment, base64: Buffer.from(opened.attachment.base64, "base64").toString() } : opened
  }
  const tasks = {
    ...Object.fromEntries(endingsOf.map((ending) => [ending, open(`a.${ending}`)])),
    "an ending in capitals": open("b.TXT"),
    "an ending that is not asked for": open("a.exe"),
    "no ending": open("none"),
    "a hidden file": open(".hidden.txt"),
    "a file that is not there": open("gone.txt"),
    "a file outside": open("../x.txt"),
    "a folder": open("."),
    "as large as may be": async () => Object.keys(await open("full.txt")()),
    "too large": open("large.txt"),
    "the first line": open("a.txt", { from: 1, to: 1 }),
    "the last lines": open("a.txt", { from: 2, to: 3 }),
    "a line too far": open("a.txt", { from: 2, to: 4 }),
    "lines in the wrong order": open("a.txt", { from: 3, to: 2 }),
    "a line before the first": open("a.txt", { from: 0, to: 2 }),
    "lines of no text": open("data.txt", { from: 1, to: 1 }),
    "an unknown option": () => createFileReferences({} as never, { format: [] } as never),
    "an unknown option of tools": () => createFileTools(emptyWorkspace(), { tool: [] } as never),
    "a workspace that nobody opened": () => emptyWorkspace().write("a.md", "x", { by: "fay" }),
    "a file of it": () => emptyWorkspace().read("a.md"),
    "a list of it": () => emptyWorkspace().list(),
    "a search of it": () => emptyWorkspace().search("x"),
    "a folder that is not there": async () => [
      await workspaceOnDemand(`${folder}/later`).list(),
      String(await workspaceOnDemand(`${folder}/later`).stat("a.md")),
    ],
  }
  await expect(await endings(tasks, folder)).toMatchFileSnapshot("__snapshots__/shown.txt")
})

test("what was shown of a file counts part by part, and moves with the model's own changes", () => {
  const context = { key, turnId: "t", isShownWhole: (name: string) => name === "whole" } as never
  const other = { key, turnId: "other" } as never
  const ledger = createReadLedger()
  const file = { path: "a.md", hash: "1" }
  const seen = (start: number, end: number, of = file) => ledger.shown(context, of, { start, end })
  expect(seen(0, 0)).toBe("unread")
  ledger.show(context, file, { start: 10, end: 20 })
  ledger.show(context, file, { start: 20, end: 30 })
  ledger.show(context, file, { start: 50, end: 60 })
  expect([seen(10, 30), seen(9, 11), seen(29, 31), seen(30, 50), seen(50, 60), seen(10, 10)]).toEqual([
    ...["shown", "partly", "partly", "partly", "shown", "shown"],
  ])
  expect(ledger.shown(other, file, { start: 10, end: 20 })).toBe("unread")
  expect(seen(10, 20, { path: "a.md", hash: "2" })).toBe("changed")
  const next = { path: "a.md", hash: "2" }
  // Five units more before the last part, in place of two.
  ledger.edited(context, next, { range: { start: 30, end: 32 }, insertedUnits: 7 })
  expect([seen(10, 30, next), seen(55, 65, next), seen(54, 65, next)]).toEqual(["shown", "shown", "partly"])
  ledger.edited(context, { ...next, hash: "3" }, { range: { start: 12, end: 14 }, insertedUnits: 0 })
  expect([seen(10, 28, { ...next, hash: "3" }), seen(53, 63, { ...next, hash: "3" })]).toEqual(["shown", "shown"])
  ledger.show(context, { path: "b.md", hash: "1" }, { injection: "whole" })
  ledger.show(context, { path: "c.md", hash: "1" }, { injection: "cut" })
  ledger.show(context, { path: "d.md", hash: "1" }, "whole")
  expect(["b.md", "c.md", "d.md"].map((path) => seen(0, 99, { path, hash: "1" }))).toEqual(["shown", "unread", "shown"])
})
