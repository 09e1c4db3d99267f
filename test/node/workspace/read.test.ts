import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { appendFileSync, chmodSync, linkSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { type FileSystem, nodeFileSystem, type OpenFile, stillLeadsTo } from "../../../src/node/workspace/file-system.ts"
import { openFolder } from "../../../src/node/workspace/open-workspace.ts"
import { tempFolder } from "../../support/temp-folder.ts"
import { failureOf, judgments, outcomeOf, snapshot } from "./support/workspaces.ts"

const by = "test"

describe.each(judgments)("reading, paths checked as $pathCheck", ({ pathCheck, fs }) => {
  const open = (files: Record<string, string | Uint8Array>, options = {}) => {
    const folder = tempFolder({ "outside/secret.md": "OUTSIDE", "ws/.keep": "", ...files })
    return openFolder(join(folder, "ws"), { fs, ...options }).then((workspace) => ({ workspace, folder }))
  }

  test("gives the text exactly, with its hash, size and mode", async () => {
    const { workspace, folder } = await open({ "ws/a/雨.md": "\uFEFFone\r\ntwo\n" })
    chmodSync(join(folder, "ws/a/雨.md"), 0o640)
    expect(workspace.pathCheck).toBe(pathCheck)
    expect(await workspace.read("./a/雨.md")).toEqual({
      path: "a/雨.md",
      text: "\uFEFFone\r\ntwo\n",
      hash: createHash("sha256").update("\uFEFFone\r\ntwo\n").digest("hex"),
      sizeBytes: 12,
      mode: 0o640,
    })
    expect(await workspace.readBytes("a/雨.md", { maxBytes: 12 })).toMatchObject({ sizeBytes: 12, path: "a/雨.md" })
  })

  test.each(["soul.MD", "ＳＯＵＬ.md", "./SOUL.md", "SOUL\u200d.md"])(
    "D12 %s reads SOUL.md, under its own name",
    async (spelling) => {
      const { workspace } = await open({ "ws/SOUL.md": "I am", "ws/Notes/Today.md": "x" })
      expect(await workspace.read(spelling)).toMatchObject({ path: "SOUL.md", text: "I am" })
      expect(await workspace.resolve(spelling)).toBe("SOUL.md")
      expect(await workspace.read("notes/TODAY.md")).toMatchObject({ path: "Notes/Today.md" })
    },
  )

  test("D12 of two files of one folded name, each is read by its exact name and neither by a third", async () => {
    const { workspace } = await open({ "ws/a.md": "1", "ws/A.MD": "2" })
    expect((await workspace.read("a.md")).text + (await workspace.read("A.MD")).text).toBe("12")
    const error = await failureOf(workspace.read("A.md"))
    expect(error).toMatchObject({ code: "file-path", evidence: { alike: expect.arrayContaining(["a.md", "A.MD"]) } })
  })

  test("what is not there is file-missing, also below a folder that is not", async () => {
    const { workspace } = await open({ "ws/a.md": "" })
    for (const path of ["b.md", "b/c.md"]) expect(await failureOf(workspace.read(path))).toMatchObject({ code: "file-missing" })
    expect(await failureOf(workspace.read("a.md/b.md"))).toMatchObject({ code: "file-kind" })
    expect(await workspace.stat("b/c.md")).toBeUndefined()
  })

  test("links inside the workspace are followed to where they lead; those out of it are refused", async () => {
    const { workspace, folder } = await open({ "ws/real/a.md": "in", "ws/.env": "hidden" })
    const link = (to: string, name: string) => symlinkSync(to, join(folder, "ws", name))
    link("real", "alias")
    link("real/a.md", "a-link.md")
    link("../outside", "out")
    link(join(folder, "outside/secret.md"), "secret.md")
    link("nowhere", "dangling.md")
    link("loop.md", "loop.md")
    link(".env", "env.md")
    for (const path of ["alias/a.md", "a-link.md"])
      expect(await workspace.read(path)).toMatchObject({ path: "real/a.md", text: "in" })
    expect(await workspace.stat("a-link.md")).toMatchObject({ path: "real/a.md", kind: "file", sizeBytes: 2 })
    expect(await outcomeOf(workspace.read("out/secret.md"))).toBe("file-outside")
    expect(await outcomeOf(workspace.read("secret.md"))).toBe("file-outside")
    expect(await outcomeOf(workspace.stat("secret.md"))).toBe("file-outside")
    expect(await outcomeOf(workspace.list("out"))).toBe("file-kind")
    expect(await outcomeOf(workspace.read("env.md"))).toBe("file-path")
    expect(await outcomeOf(workspace.read("dangling.md"))).toBe("file-missing")
    expect(await outcomeOf(workspace.read("loop.md"))).toBe("file-kind")
  })

  test("hard links are refused, or let in by option", async () => {
    const { workspace, folder } = await open({})
    linkSync(join(folder, "outside/secret.md"), join(folder, "ws/hard.md"))
    const error = await failureOf(workspace.read("hard.md"))
    expect([error.code, error.evidence]).toEqual(["file-kind", { path: "hard.md", kind: "hard-link", links: 2 }])
    expect(await outcomeOf(workspace.write("hard.md", "x", { by }))).toBe("file-kind")
    const lenient = await openFolder(join(folder, "ws"), { fs, hardLinks: "allow" })
    expect((await lenient.read("hard.md")).text).toBe("OUTSIDE")
    await lenient.write("hard.md", "mine", { by })
    expect(snapshot(join(folder, "outside"))).toEqual({ "secret.md": "OUTSIDE" })
  })

  test.each([
    ["a byte that begins no character", [0x61, 0xff, 0x62], 1, "the byte 0xff at offset 1"],
    ["a character that is cut off", [0x61, 0xe4, 0xb8], 3, "half a character at its end at offset 3"],
    ["an overlong slash", [0xc0, 0xaf], 0, "the byte 0xc0 at offset 0"],
    ["half a surrogate pair", [0x61, 0xed, 0xa0, 0x80], 2, "the byte 0xa0 at offset 2"],
    ["UTF-16", [0xff, 0xfe, 0x61, 0x00], 3, "a NUL byte: this is not text at offset 3"],
  ])("%s is refused with its offset, and left as it is", async (_, bytes, offset, found) => {
    const { workspace, folder } = await open({ "ws/MEMORY.md": Uint8Array.from(bytes) })
    const before = snapshot(join(folder, "ws"))
    const error = await failureOf(workspace.read("MEMORY.md"))
    expect([error.code, error.evidence]).toEqual(["file-encoding", { path: "MEMORY.md", offsetBytes: offset }])
    expect(error.message).toContain(found)
    expect(await outcomeOf(workspace.update("MEMORY.md", () => "x", { by }))).toBe("file-encoding")
    expect(snapshot(join(folder, "ws"))).toMatchObject(before)
    expect((await workspace.readBytes("MEMORY.md", { maxBytes: 9 })).bytes).toEqual(Uint8Array.from(bytes))
  })

  test("a file over the limit is refused before it is read", async () => {
    const { workspace } = await open({ "ws/a.md": "x".repeat(11) }, { maxFileBytes: 10 })
    const error = await failureOf(workspace.read("a.md"))
    expect([error.code, error.evidence]).toEqual(["file-size", { path: "a.md", sizeBytes: 11, maxBytes: 10 }])
    expect(await outcomeOf(workspace.update("a.md", () => "x", { by }))).toBe("file-size")
    expect(await outcomeOf(workspace.write("b.md", "字字字字", { by }))).toBe("file-size")
    expect((await workspace.write("b.md", "字字字x", { by })).hash).toBeDefined()
  })

  test.each(["SOUL.md", "MEMORY.md"])("a folder named %s is no file", async (name) => {
    const { workspace } = await open({ [`ws/${name}/x.md`]: "" })
    expect(await outcomeOf(workspace.read(name))).toBe("file-kind")
    expect(await outcomeOf(workspace.write(name, "x", { by }))).toBe("file-kind")
    expect(await outcomeOf(workspace.remove(name, { by }))).toBe("file-kind")
    expect(await workspace.stat(name)).toMatchObject({ kind: "folder" })
  })

  test("a file that grows while it is read is read again; one that never rests is file-busy", async () => {
    const growing = (rounds: number): FileSystem => {
      let left = rounds
      const grow = (path: string, file: OpenFile): OpenFile => ({
        ...file,
        read: async (target, offset) => {
          if (left-- > 0) appendFileSync(path, "+")
          return file.read(target, offset)
        },
      })
      return { ...fs, open: async (path, ...rest) => grow(join(folder, "ws/a.md"), await fs.open(path, ...rest)) }
    }
    const folder = tempFolder({ "ws/a.md": "start" })
    expect((await (await openFolder(join(folder, "ws"), { fs: growing(2) })).read("a.md")).text).toBe("start++")
    const restless = await openFolder(join(folder, "ws"), { fs: growing(1_000) })
    expect(await outcomeOf(restless.read("a.md"))).toBe("file-busy")
  })

  test("a file that is changed in place while it is read is read again, not half and half", async () => {
    const folder = tempFolder({ "ws/a.md": "old old " })
    let rounds = 1
    const inHalves = (file: OpenFile): OpenFile => ({
      ...file,
      read: async (target, offset) => {
        if (offset === 4 && rounds-- > 0) writeFileSync(join(folder, "ws/a.md"), "new new ")
        return file.read(target.subarray(0, Math.min(offset + 4, target.length)), offset)
      },
    })
    const slow: FileSystem = { ...fs, open: async (...args) => inHalves(await fs.open(...args)) }
    expect((await (await openFolder(join(folder, "ws"), { fs: slow })).read("a.md")).text).toBe("new new ")
    expect(rounds).toBeLessThan(0)
  })

  test("a file that is replaced while it is opened is found again", async () => {
    let rounds = 3
    const folder = tempFolder({ "ws/a.md": "old" })
    const replacing: FileSystem = {
      ...fs,
      open: async (path, flags, mode) => {
        const file = await fs.open(path, flags, mode)
        if (path.endsWith("a.md") && rounds-- > 0) {
          writeFileSync(join(folder, "ws/b"), `new ${rounds}`)
          renameSync(join(folder, "ws/b"), join(folder, "ws/a.md"))
        }
        return file
      },
    }
    expect((await (await openFolder(join(folder, "ws"), { fs: replacing })).read("a.md")).text).toBe("new 0")
  })

  test("a file whose name ends in (deleted) is not gone", async () => {
    const { workspace } = await open({ "ws/a (deleted)": "here" })
    expect(await workspace.read("a (deleted)")).toMatchObject({ path: "a (deleted)", text: "here" })
  })

  test("stopping a read throws aborted", async () => {
    const { workspace } = await open({ "ws/a.md": "x" })
    const signal = AbortSignal.abort()
    expect(await outcomeOf(workspace.read("a.md", { signal }))).toBe("aborted")
    expect(await outcomeOf(workspace.list(".", { signal }))).toBe("aborted")
    expect(await outcomeOf(workspace.write("a.md", "y", { by, signal }))).toBe("aborted")
    expect((await workspace.read("a.md")).text).toBe("x")
  })
})

describe("opening a workspace", () => {
  test("a folder that is missing, a file, and the whole disk are no workspace", async () => {
    const folder = tempFolder({ "a.md": "" })
    expect(await outcomeOf(openFolder(join(folder, "none")))).toBe("file-missing")
    expect(await outcomeOf(openFolder(join(folder, "a.md")))).toBe("file-kind")
    expect(await outcomeOf(openFolder("/"))).toBe("file-outside")
    await expect(openFolder("/")).rejects.toThrow("found the whole disk")
  })

  test("a real path that leads through a link by now leads to another file", async () => {
    const path = join(tempFolder({ "a.md": "x" }), "a.md")
    const stats = await nodeFileSystem.stat(path)
    const linked: FileSystem = { ...nodeFileSystem, realPath: async () => "/elsewhere" }
    expect([await stillLeadsTo(nodeFileSystem, path, stats), await stillLeadsTo(linked, path, stats)]).toEqual([true, false])
  })

  test("names decide where a system does not show what a descriptor has open", async () => {
    const folder = tempFolder({ "a.md": "x" })
    const descriptors = { folder: "/nowhere", locateFlag: 0 }
    const [shown, hidden] = [
      await openFolder(folder, { fs: { ...nodeFileSystem, descriptors, readLink: async () => folder } }),
      await openFolder(folder, { fs: { ...nodeFileSystem, descriptors, readLink: async () => "/elsewhere" } }),
    ]
    expect([shown.pathCheck, hidden.pathCheck]).toEqual(["opened", "named"])
  })

  test("its largest file has at least a byte", async () => {
    const folder = tempFolder({ "a.md": "x" })
    expect(await outcomeOf(openFolder(folder, { maxFileBytes: 0 }))).toBe("usage")
    expect((await (await openFolder(folder, { maxFileBytes: 1 })).read("a.md")).text).toBe("x")
  })

  test("a link to a folder opens that folder, and nothing is made in it before the first change", async () => {
    const folder = tempFolder({ "real/a.md": "x" })
    symlinkSync("real", join(folder, "link"))
    const workspace = await openFolder(join(folder, "link"))
    expect([workspace.root, (await workspace.read("a.md")).text]).toEqual([join(folder, "real"), "x"])
    expect([await workspace.history(), await workspace.list()]).toMatchObject([[], { entries: [{ path: "a.md" }] }])
    expect(snapshot(join(folder, "real"))).toEqual({ "a.md": "x" })
  })
})

/** Every kind of thing that is not a file, in every place: forty cases. */
const places = ["", "deep/er/"]
const names = ["MEMORY.md", "SOUL.md"]
const kinds = ["fifo", "socket", "null", "zero", "disk", "out-file", "out-folder", "dangling", "loop", "proc"] as const

function makeNode(kind: (typeof kinds)[number], path: string, outside: string): void {
  const node = (...args: string[]) => execFileSync("mknod", [path, ...args])
  const make = {
    fifo: () => execFileSync("mkfifo", [path]),
    socket: () => {
      const server = createServer().listen(path)
      onTestFinished(() => {
        server.close()
      })
    },
    null: () => node("c", "1", "3"),
    zero: () => node("c", "1", "5"),
    disk: () => node("b", "7", "200"),
    "out-file": () => symlinkSync(join(outside, "secret.md"), path),
    "out-folder": () => symlinkSync(outside, path),
    dangling: () => symlinkSync(join(outside, "made.md"), path),
    loop: () => symlinkSync(path, path),
    proc: () => symlinkSync("/proc/self/environ", path),
  }
  make[kind]()
}

const mayMakeDevices = process.platform === "linux" && process.getuid?.() === 0
if (!mayMakeDevices) console.log("skipped: only root on Linux makes devices, for the special files of a workspace")

describe.skipIf(!mayMakeDevices).each(judgments)("D12 special files, paths checked as $pathCheck", ({ fs }) => {
  const cases = kinds.flatMap((kind) => places.flatMap((place) => names.map((name) => ({ kind, path: `${place}${name}` }))))

  test.each(cases)("a $kind at $path is never read, written, removed or shown, and hangs nothing", async ({ kind, path }) => {
    const folder = tempFolder({ "outside/secret.md": "OUTSIDE", "ws/plain.md": "", "ws/deep/er/plain.md": "" })
    makeNode(kind, join(folder, "ws", path), join(folder, "outside"))
    await new Promise(setImmediate)
    const workspace = await openFolder(join(folder, "ws"), { fs })
    const codes = ["file-kind", "file-outside", "file-missing"]
    expect(codes).toContain(await outcomeOf(workspace.read(path)))
    expect(codes).toContain(await outcomeOf(workspace.readBytes(path.toLowerCase(), { maxBytes: 99 })))
    expect(await outcomeOf(workspace.write(path, "x", { by }))).toBe("file-kind")
    expect(await outcomeOf(workspace.update(path, () => "x", { by }))).toBe("file-kind")
    expect(await outcomeOf(workspace.remove(path, { by }))).toBe("file-kind")
    expect(["file-kind", "file-outside", undefined]).toContain(await outcomeOf(workspace.stat(path)))
    const { entries } = await workspace.list(".", { depth: 9 })
    expect(entries.map((entry) => entry.path)).toEqual(["deep", "deep/er", "deep/er/plain.md", "plain.md"])
    expect(await workspace.search("OUTSIDE")).toEqual({ matches: [], skipped: [], truncated: false })
    expect(snapshot(join(folder, "outside"))).toEqual({ "secret.md": "OUTSIDE" })
  })
})

describe.skipIf(!nodeFileSystem.descriptors)("on Linux", () => {
  test("a file is found before it is opened: what lies outside is never opened", async () => {
    const folder = tempFolder({ "outside/secret.md": "OUTSIDE", "ws/a.md": "" })
    mkdirSync(join(folder, "ws/b"))
    symlinkSync(join(folder, "outside/secret.md"), join(folder, "ws/link.md"))
    const flagsSeen: number[] = []
    const watching: FileSystem = {
      ...nodeFileSystem,
      open: (path, flags, mode) => {
        if (path.endsWith("link.md")) flagsSeen.push(flags)
        return nodeFileSystem.open(path, flags, mode)
      },
    }
    expect(await outcomeOf((await openFolder(join(folder, "ws"), { fs: watching })).read("link.md"))).toBe("file-outside")
    expect(flagsSeen).toEqual([nodeFileSystem.descriptors?.locateFlag])
  })
})
