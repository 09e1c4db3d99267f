import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { type FileSystem, openFlags } from "../../../src/node/workspace/file-system.ts"
import { openFolder } from "../../../src/node/workspace/open-workspace.ts"
import { samePath } from "../../../src/node/workspace/paths.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { faultyFileSystem } from "./support/faulty-file-system.ts"
import { countingIds, failureOf, judgments, leftovers, outcomeOf, snapshot } from "./support/workspaces.ts"

const by = "test"

describe.each(judgments)("changing files, paths checked as $pathCheck", ({ fs }) => {
  const open = async (files: Record<string, string> = {}, options = {}) => {
    const folder = tempFolder({ "ws/.keep": "", ...files })
    const at = (name: string) => join(folder, "ws", name)
    return { workspace: await openFolder(join(folder, "ws"), { fs, ids: countingIds(), ...options }), folder, at }
  }

  test("D11 makes and replaces files, and keeps the mode of what was there", async () => {
    const { workspace, at } = await open({ "ws/private.md": "old" })
    chmodSync(at("private.md"), 0o604)
    await workspace.write("private.md", "new", { by })
    await workspace.write("notes/2026/today.md", "fresh", { by })
    expect(readFileSync(at("private.md"), "utf8") + readFileSync(at("notes/2026/today.md"), "utf8")).toBe("newfresh")
    expect([statSync(at("private.md")).mode & 0o777, statSync(at("notes/2026/today.md")).mode & 0o777]).toEqual([
      0o604,
      0o644 & ~process.umask(),
    ])
    expect(statSync(at(".promptstrata")).mode & 0o777).toBe(0o700)
    expect(statSync(at(`.promptstrata/history/${readdirSync(at(".promptstrata/history"))[0]}`)).mode & 0o777).toBe(0o600)
    expect(leftovers(at(""))).toEqual([])
  })

  test.skipIf(process.getuid?.() !== 0)("D11 keeps the owner, where root writes", async () => {
    const { workspace, at } = await open({ "ws/a.md": "old" })
    const { chownSync } = await import("node:fs")
    chownSync(at("a.md"), 65534, 65533)
    await workspace.write("a.md", "new", { by })
    expect([statSync(at("a.md")).uid, statSync(at("a.md")).gid]).toEqual([65534, 65533])
  })

  test("D11 content is written through before the name is, and the folder after it", async () => {
    const { folder } = await open({ "ws/a.md": "old" })
    const faulty = faultyFileSystem(fs, "none")
    const workspace = await openFolder(join(folder, "ws"), { fs: faulty.fs })
    await workspace.write("a.md", "older", { by })
    const before = faulty.calls.length
    await workspace.write("a.md", "new", { by })
    const steps = faulty.calls.slice(before).filter((name) => ["write", "fsync", "rename"].includes(name))
    // The history's entry and its folder; the file, its name and its folder; the entry's name.
    expect(steps).toEqual(["write", "fsync", "fsync", "write", "fsync", "rename", "fsync", "rename"])
    expect(faulty.openFiles()).toBe(0)
  })

  test("a short write goes on where it stopped", async () => {
    const { folder, at } = await open({ "ws/a.md": "old" })
    const short: FileSystem = {
      ...fs,
      open: async (...args) => {
        const file = await fs.open(...args)
        return { ...file, write: (source, offset) => file.write(source.subarray(0, offset + 3), offset) }
      },
    }
    await (await openFolder(join(folder, "ws"), { fs: short })).write("a.md", "0123456789", { by })
    expect(readFileSync(at("a.md"), "utf8")).toBe("0123456789")
  })

  test.each(["soul.MD", "ＳＯＵＬ.md", "./SOUL.md", "SOUL\u200d.md"])(
    "D12 writing %s changes SOUL.md and makes no other file",
    async (spelling) => {
      const { workspace, at } = await open({ "ws/SOUL.md": "old" })
      expect(await workspace.write(spelling, "new", { by })).toMatchObject({ path: "SOUL.md" })
      expect(readdirSync(at("")).filter((name) => samePath(name, "SOUL.md"))).toEqual(["SOUL.md"])
      expect(await outcomeOf(workspace.write(spelling, "x", { by, expect: "absent" }))).toBe("file-conflict")
      await workspace.remove(spelling, { by })
      expect(existsSync(at("SOUL.md"))).toBe(false)
    },
  )

  test("D12 a name that matters is made in its one spelling, others composed", async () => {
    const { workspace, at } = await open({}, { names: ["SOUL.md", "notes/INDEX.md"] })
    expect((await workspace.write("soul.MD", "x", { by })).path).toBe("SOUL.md")
    expect((await workspace.write("notes/index.md", "x", { by })).path).toBe("notes/INDEX.md")
    expect((await workspace.write("cafe\u0301.md", "x", { by })).path).toBe("café.md")
    expect(await workspace.resolve("nowhere/Café.md")).toBe("nowhere/Café.md")
    expect(readdirSync(at(""))).toContain("SOUL.md")
  })

  test("D12 a change goes through no link, so a name can stand for no other", async () => {
    const { workspace, folder, at } = await open({ "ws/SOUL.md": "me", "ws/real/a.md": "a", "outside/x": "OUTSIDE" })
    symlinkSync("SOUL.md", at("notes.md"))
    symlinkSync("real", at("alias"))
    symlinkSync(".", at("here"))
    symlinkSync("../outside", at("out"))
    for (const path of ["notes.md", "alias/a.md", "here/SOUL.md", "out/x", "out/new.md"]) {
      expect(await outcomeOf(workspace.write(path, "x", { by }))).toBe("file-kind")
      expect(await outcomeOf(workspace.update(path, () => "x", { by }))).toBe("file-kind")
      expect(await outcomeOf(workspace.remove(path, { by }))).toBe("file-kind")
      expect(await outcomeOf(workspace.resolve(path))).toBe("file-kind")
    }
    expect((await failureOf(workspace.write("alias/a.md", "x", { by }))).message).toBe(
      "alias: expected a folder, found a link.\nWrite to the folder it leads to, by its own path.",
    )
    expect(snapshot(join(folder, "outside"))).toEqual({ x: "OUTSIDE" })
    expect(readFileSync(at("SOUL.md"), "utf8")).toBe("me")
  })

  test("D10 a write that expects something else than is there is a conflict and changes nothing", async () => {
    const { workspace, at } = await open({ "ws/a.md": "one" })
    const { hash } = await workspace.read("a.md")
    expect(await workspace.write("a.md", "two", { by, expect: { hash } })).toMatchObject({ path: "a.md" })
    const error = await failureOf(workspace.write("a.md", "three", { by, expect: { hash } }))
    const found = (await workspace.read("a.md")).hash
    expect([error.code, error.evidence]).toEqual(["file-conflict", { path: "a.md", expectedHash: hash, foundHash: found }])
    expect(await outcomeOf(workspace.write("a.md", "x", { by, expect: "absent" }))).toBe("file-conflict")
    expect(await outcomeOf(workspace.write("b/c.md", "x", { by, expect: { hash } }))).toBe("file-conflict")
    expect(await outcomeOf(workspace.remove("a.md", { by, expect: { hash } }))).toBe("file-conflict")
    expect(await workspace.remove("a.md", { by, expect: { hash: found } })).toMatchObject({ path: "a.md" })
    expect([existsSync(at("a.md")), existsSync(at("b"))]).toEqual([false, false])
    expect((await workspace.history()).map((record) => record.id)).toEqual(["2", "1"])
  })

  test.each(["ENOTDIR", "ELOOP"])(
    "D12 a link is told from a file also where it came just now and the system says %s",
    async (code) => {
      const { folder } = await open({ "ws/a/b.md": "b", "ws/real/b.md": "b", "ws/file/b.md": "b" })
      let kind: "link" | "file" | undefined
      const swapping: FileSystem = {
        ...fs,
        async open(path, flags, ...rest) {
          if (kind === undefined || flags !== openFlags.folder || !path.endsWith("a")) return fs.open(path, flags, ...rest)
          rmSync(join(folder, "ws/a"), { recursive: true })
          if (kind === "link") symlinkSync("real", join(folder, "ws/a"))
          else writeFileSync(join(folder, "ws/a"), "x")
          return fs.open(path, flags, ...rest).catch((error) => {
            throw Object.assign(error, { code })
          })
        },
      }
      const workspace = await openFolder(join(folder, "ws"), { fs: swapping })
      for (kind of ["link", "file"] as const) {
        expect(await failureOf(workspace.write("a/b.md", "x", { by }))).toMatchObject({
          code: "file-kind",
          message: expect.stringMatching(`^a: expected a folder, found a ${kind}\\.`),
        })
        const [now, again] = [join(folder, "ws/a"), kind]
        kind = undefined
        rmSync(now)
        await workspace.write("a/b.md", "b", { by })
        kind = again
      }
    },
  )

  test("D11 an editor that saves between our reading and our writing is not overwritten", async () => {
    const { folder, at } = await open({ "ws/a.md": "one" })
    const meddling: FileSystem = {
      ...fs,
      open: async (path, ...rest) => {
        if (path.endsWith(".tmp")) writeFileSync(at("a.md"), "by the editor")
        return fs.open(path, ...rest)
      },
    }
    const workspace = await openFolder(join(folder, "ws"), { fs: meddling })
    await expect(workspace.write("a.md", "mine", { by })).rejects.toMatchObject({
      code: "file-conflict",
      message: expect.stringMatching(/^a\.md: expected the file that was just read, found it changed by another program\./),
      hint: "Nothing was written. Read it again.",
      evidence: { path: "a.md" },
    })
    expect([readFileSync(at("a.md"), "utf8"), leftovers(at("")), await workspace.history()]).toEqual(["by the editor", [], []])
    rmSync(at("a.md"))
    expect(await outcomeOf(workspace.write("a.md", "mine", { by }))).toBe("file-conflict")
    expect(readFileSync(at("a.md"), "utf8")).toBe("by the editor")
  })

  test("an update sees what is there, and leaves it alone when it gives nothing or the same", async () => {
    const { workspace, at } = await open({ "ws/a.md": "\uFEFFone\r\n" })
    const seen: (string | undefined)[] = []
    const look = (path: string, next: (text: string | undefined) => string | undefined) =>
      workspace.update(
        path,
        (current) => {
          seen.push(current?.text)
          return next(current?.text)
        },
        { by },
      )
    expect(await look("a.md", () => undefined)).toEqual({ path: "a.md", hash: (await workspace.read("a.md")).hash })
    expect((await look("a.md", (text) => text)).record).toBeUndefined()
    expect(await look("b/c.md", () => undefined)).toEqual({ path: "b/c.md" })
    expect((await look("b/c.md", () => "made")).record).toMatchObject({ path: "b/c.md" })
    expect((await look("a.md", (text) => `${text}two\r\n`)).record).toMatchObject({ path: "a.md" })
    expect(seen).toEqual(["\uFEFFone\r\n", "\uFEFFone\r\n", undefined, undefined, "\uFEFFone\r\n"])
    expect(readFileSync(at("a.md"), "utf8")).toBe("\uFEFFone\r\ntwo\r\n")
  })

  test("an update that waits for something is refused: nobody waits with the workspace locked", async () => {
    const { workspace, at } = await open({ "ws/a.md": "one" })
    const change = (async () => {
      throw new Error("later")
    }) as unknown as () => string
    expect(await failureOf(workspace.update("a.md", change, { by }))).toMatchObject({ code: "usage" })
    await expect(
      workspace.update(
        "a.md",
        () => {
          throw new RangeError("the caller's own")
        },
        { by },
      ),
    ).rejects.toThrow(RangeError)
    expect([readFileSync(at("a.md"), "utf8"), leftovers(at(""))]).toEqual(["one", []])
  })

  test("half a character is refused with its place, not changed to something else", async () => {
    const { workspace, at } = await open({ "ws/a.md": "one" })
    const error = await failureOf(workspace.write("a.md", "雨\ud83dx", { by }))
    expect([error.code, error.evidence]).toEqual(["file-encoding", { path: "a.md", characterIndex: 1 }])
    expect(await outcomeOf(workspace.update("a.md", () => "\udc00", { by }))).toBe("file-encoding")
    expect((await failureOf(workspace.write("a.md", "雨\0x", { by }))).message).toContain("a NUL as character 2")
    expect(readFileSync(at("a.md"), "utf8")).toBe("one")
  })

  test("a hundred updates at once in one process lose none and keep their order", async () => {
    const { workspace, folder } = await open({ "ws/a.md": "" })
    const other = await openFolder(join(folder, "ws"), { fs })
    await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        (at % 2 ? workspace : other).update("a.md", (current) => `${current?.text}${at}\n`, { by }),
      ),
    )
    expect((await workspace.read("a.md")).text.trim().split("\n")).toEqual(Array.from({ length: 100 }, (_, at) => `${at}`))
  })

  test("D12 our own folder is never read, written, listed or led out of the workspace", async () => {
    const { workspace, folder, at } = await open({ "ws/a.md": "one", "outside/x": "OUTSIDE" })
    await workspace.write("a.md", "two", { by })
    const lenient = await openFolder(join(folder, "ws"), { fs, hidden: "allow" })
    symlinkSync(".promptstrata/history", at("h"))
    for (const one of [workspace, lenient]) {
      for (const path of [".promptstrata/lock", ".PromptStrata/history", "．promptstrata/lock"]) {
        expect(await outcomeOf(one.read(path))).toBe("file-path")
        expect(await outcomeOf(one.write(path, "x", { by }))).toBe("file-path")
        expect(await outcomeOf(one.list(path))).toBe("file-path")
      }
      const entry = readdirSync(at(".promptstrata/history"))[0]
      expect(await outcomeOf(one.read(`h/${entry}`))).toBe("file-path")
    }
    expect((await workspace.list(".", { depth: 9 })).entries.map(({ path }) => path)).toEqual(["a.md"])
    expect((await lenient.list(".", { depth: 9 })).entries.map(({ path }) => path)).toEqual([".keep", "a.md"])
    for (const own of [".promptstrata/history", ".promptstrata"]) {
      rmSync(at(own), { recursive: true })
      symlinkSync(join(folder, "outside"), at(own))
      expect(await outcomeOf(workspace.write("a.md", "three", { by }))).toBe("file-kind")
      expect(await outcomeOf(workspace.history())).toBe("file-kind")
    }
    expect(snapshot(join(folder, "outside"))).toEqual({ x: "OUTSIDE" })
    expect(readFileSync(at("a.md"), "utf8")).toBe("two")
  })

  test("a folder may stand in the way, and a file where a folder is needed", async () => {
    const { workspace, at } = await open({ "ws/a.md": "one" })
    mkdirSync(at("b.md"))
    expect(await outcomeOf(workspace.write("a.md/b.md", "x", { by }))).toBe("file-kind")
    expect(await outcomeOf(workspace.write(".", "x", { by }))).toBe("file-kind")
    expect(await outcomeOf(workspace.remove("none.md", { by }))).toEqual({ path: "none.md" })
  })
})
