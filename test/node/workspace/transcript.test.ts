import { chmodSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { PromptStrataError } from "../../../src/core/errors.ts"
import { nodeFileSystem } from "../../../src/node/workspace/file-system.ts"
import { openFolder } from "../../../src/node/workspace/open-workspace.ts"
import type { FileWorkspace, FileWorkspaceOptions } from "../../../src/node/workspace/workspace.ts"
import { countingIds, manualClock } from "../../../src/testing/index.ts"
import { shortRuns } from "../../support/short-runs.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const by = "ann"
const large = 1024 * 1024

/** A folder with files of every kind that a workspace treats in a way of its own. */
function folderOfAll(): string {
  const folder = tempFolder({
    "outside/secret.md": "secret",
    "ws/SOUL.md": "calm\r\nand kind\r\n",
    "ws/notes/a.md": "one\ntwo\nthree",
    "ws/notes/deep/b.md": "Two here\nnone there\nTWO again",
    "ws/notes/.hidden.md": "two in hiding",
    "ws/notes/image.bin": Uint8Array.of(0x74, 0x77, 0x6f, 0xff, 0x00),
    "ws/notes/cut.md": Uint8Array.of(0x61, 0xe4, 0xbd),
    "ws/notes/latin.md": Uint8Array.of(0x61, 0xe9, 0x62),
    "ws/large.md": "x".repeat(large),
    "ws/larger.md": "x".repeat(large + 1),
    "ws/lines.md": "hit\n".repeat(101),
    "ws/.promptstrata-old.tmp": "left",
  })
  const at = (path: string) => join(folder, "ws", path)
  for (const path of ["SOUL.md", "notes/a.md", "notes/image.bin", "large.md"]) chmodSync(at(path), 0o640)
  symlinkSync("notes/a.md", at("inside.md"))
  symlinkSync("../outside/secret.md", at("outside.md"))
  symlinkSync("notes/.hidden.md", at("hiding.md"))
  symlinkSync("nowhere.md", at("nowhere.md"))
  symlinkSync("notes", at("linked"))
  writeFileSync(at("twin.md"), "twin")
  linkSync(at("twin.md"), at("other twin.md"))
  writeFileSync(at("alike.md"), "1")
  writeFileSync(at("ALIKE.md"), "2")
  mkdirSync(at(`d/${Array.from({ length: 20 }, (_, depth) => depth).join("/")}`), { recursive: true })
  writeFileSync(at("d/0/1/2/3/4/5/6/7/8/9/10/11/12/13/14.md"), "deep two")
  writeFileSync(at("d/0/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15.md"), "deeper two")
  return folder
}

type Call = (workspace: FileWorkspace) => Promise<unknown>

/** Calls by what they do, one after the other on one folder. */
const calls: Readonly<Record<string, Call>> = {
  ...Object.fromEntries(
    ["SOUL.md", "./soul.MD", "notes//a.md", "inside.md", "linked/a.md", "large.md"].map((path) => [
      `read ${path}`,
      (ws: FileWorkspace) => ws.read(path),
    ]),
  ),
  ...Object.fromEntries(
    ["none.md", "none/a.md", "notes", "SOUL.md/a.md", "outside.md", "hiding.md", "nowhere.md", "twin.md", "larger.md"].map(
      (path) => [`read ${path}`, (ws: FileWorkspace) => ws.read(path)],
    ),
  ),
  ...Object.fromEntries(
    ["notes/image.bin", "notes/cut.md", "notes/latin.md", "Alike.md", ".", "..", "/etc/passwd", ".env", ".promptstrata/lock"].map(
      (path) => [`read ${path}`, (ws: FileWorkspace) => ws.read(path)],
    ),
  ),
  "read bytes of the image": (ws) => ws.readBytes("notes/image.bin", { maxBytes: 5 }),
  "read too few bytes of the image": (ws) => ws.readBytes("notes/image.bin", { maxBytes: 4 }),
  "read while stopped": (ws) => ws.read("SOUL.md", { signal: AbortSignal.abort("enough") }),
  ...Object.fromEntries(
    [".", "soul.MD", "notes", "inside.md", "linked", "outside.md", "nowhere.md", "none.md", "none/a.md"].map((path) => [
      `stat ${path}`,
      (ws: FileWorkspace) => ws.stat(path),
    ]),
  ),
  ...Object.fromEntries(
    ["soul.MD", "memory.md", "Notes/New.md", "none/é.md", "inside.md", "linked/a.md"].map((path) => [
      `resolve ${path}`,
      (ws: FileWorkspace) => ws.resolve(path),
    ]),
  ),
  list: (ws) => ws.list(),
  "list notes, two deep": (ws) => ws.list("notes", { depth: 2 }),
  "list three of them": (ws) => ws.list("notes", { depth: 2, limit: 3 }),
  "list all five of them": (ws) => ws.list("notes", { depth: 2, limit: 6 }),
  "list a file": (ws) => ws.list("SOUL.md"),
  "list what is not there": (ws) => ws.list("none"),
  "list a link": (ws) => ws.list("linked"),
  "list while stopped": (ws) => ws.list(".", { signal: AbortSignal.abort("enough") }),
  "search two": (ws) => ws.search("two"),
  "search two in any case, in notes": (ws) => ws.search("two", { ignoreCase: true, path: "notes" }),
  "search in one file": (ws) => ws.search("o", { path: "notes/a.md" }),
  "search kind behind a carriage return": (ws) => ws.search("kind", { path: "soul.md" }),
  "search a hundred lines": async (ws) => {
    const { matches, ...rest } = await ws.search("hit")
    return { ...rest, count: matches.length, last: matches.at(-1) }
  },
  "search just as many lines as there are": async (ws) => {
    const { matches, ...rest } = await ws.search("hit", { limit: 101 })
    return { ...rest, count: matches.length, last: matches.at(-1) }
  },
  "search nothing": (ws) => ws.search(""),
  "history of nothing yet": (ws) => ws.history(),
  "undo nothing": (ws) => ws.undo({ by }),
  "write a new file": (ws) => ws.write("new/Memory.md", "first\n", { by }),
  "write it again, the same": (ws) => ws.write("new/Memory.md", "first\n", { by }),
  "write a name that matters": (ws) => ws.write("memory.MD", "kept", { by, expect: "absent" }),
  "write where a file is": (ws) => ws.write("MEMORY.md", "other", { by, expect: "absent" }),
  "write what changed since": (ws) => ws.write("MEMORY.md", "other", { by, expect: { hash: "00" } }),
  "write what is gone": (ws) => ws.write("none.md", "other", { by, expect: { hash: "00" } }),
  "write what is as expected": async (ws) =>
    ws.write("MEMORY.md", "kept\nmore", { by, expect: { hash: (await ws.read("MEMORY.md")).hash } }),
  "write a line into the middle": (ws) => ws.write("notes/a.md", "one\ntwo and a half\nthree", { by }),
  "write too much": (ws) => ws.write("new.md", "x".repeat(large + 1), { by }),
  "write just enough": (ws) => ws.write("new.md", "x".repeat(large), { by }),
  "write half a character": (ws) => ws.write("new.md", "ab\ud83d", { by }),
  "write a NUL": (ws) => ws.write("new.md", "\0", { by }),
  "write through a link": (ws) => ws.write("inside.md", "x", { by }),
  "write into a linked folder": (ws) => ws.write("linked/x.md", "x", { by }),
  "write into a file": (ws) => ws.write("SOUL.md/x.md", "x", { by }),
  "write a folder": (ws) => ws.write("notes", "x", { by }),
  "write the workspace": (ws) => ws.write(".", "x", { by }),
  "write a twin": (ws) => ws.write("twin.md", "x", { by }),
  "write one of two alike": (ws) => ws.write("aLIKE.md", "x", { by }),
  "write while stopped": (ws) => ws.write("new.md", "x", { by, signal: AbortSignal.abort("enough") }),
  "update a file": (ws) => ws.update("SOUL.md", (file) => `${file?.text.trim()}!`, { by }),
  "update what is not there": (ws) => ws.update("none.md", (file) => (file === undefined ? undefined : "x"), { by }),
  "update with nothing": (ws) => ws.update("SOUL.md", () => undefined, { by }),
  "update with a number": (ws) => ws.update("SOUL.md", (() => 7) as never, { by }),
  "update with a promise": (ws) => ws.update("SOUL.md", (() => Promise.resolve("x")) as never, { by }),
  "remove a file": (ws) => ws.remove("new/memory.md", { by }),
  "remove it again": (ws) => ws.remove("new/memory.md", { by }),
  "remove what changed since": (ws) => ws.remove("SOUL.md", { by, expect: { hash: "00" } }),
  "undo the removal": (ws) => ws.undo({ by, path: "NEW/memory.md" }),
  "undo that": (ws) => ws.undo({ by }),
  "undo the first change": (ws) => ws.undo({ by, id: "2" }),
  "undo what is as expected": (ws) => ws.undo({ by, path: "soul.md", expect: "absent" }),
  "undo what is not there": (ws) => ws.undo({ by, id: "99" }),
  "undo a file without changes": (ws) => ws.undo({ by, path: "twin.md" }),
  "history of all": (ws) => ws.history(),
  "history of one file": (ws) => ws.history({ path: "soul.MD", limit: 1 }),
  "history of none": (ws) => ws.history({ limit: 0 }),
}

/** Moments and places differ from run to run. */
function plain(value: unknown, folder: string): string {
  const text = JSON.stringify(value, (name, one) => {
    if (name === "modifiedAtMs") return undefined
    return one instanceof Uint8Array ? `bytes ${[...one].join(" ")}` : one
  })
  return shortRuns((text ?? "undefined").replaceAll(folder, "FOLDER").replaceAll(/"([0-9a-f]{8})[0-9a-f]{56}"/g, '"$1…"'))
}

async function transcript(options: FileWorkspaceOptions): Promise<string> {
  const folder = folderOfAll()
  const clock = manualClock(1_000)
  const names = ["MEMORY.md", "SOUL.md"]
  const workspace = await openFolder(join(folder, "ws"), { clock, ids: countingIds(), names, ...options })
  const shown: string[] = []
  for (const [name, call] of Object.entries(calls)) {
    clock.advance(1)
    const outcome = await call(workspace).then(
      (value) => plain(value, folder),
      (error) => {
        if (!PromptStrataError.isInstance(error)) throw error
        const { call: _call, ...evidence } = error.evidence as Readonly<Record<string, unknown>>
        return `✗ ${error.code} ${error.message.replaceAll(folder, "FOLDER")}\n  ${plain(evidence, folder)}`
      },
    )
    shown.push(`> ${name}\n${outcome}\n`)
  }
  return shown.join("\n")
}

test("D10 D11 D12 what a workspace answers and refuses, also where a system cannot ask descriptors", async () => {
  const opened = await transcript({})
  await expect(opened).toMatchFileSnapshot("__snapshots__/transcript.md")
  const named = await transcript({ fs: { ...nodeFileSystem, descriptors: undefined } })
  expect(named).toBe(opened)
})
