import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { afterEach, describe, expect, test, vi } from "vitest"
import { fileApprovals } from "../../src/adapters/mcp/approvals.ts"
import { mulberry32 } from "../../src/core/mulberry.ts"
import { hostPorts } from "../../src/core/ports.ts"
import { openDocuments } from "../../src/node/living-documents.ts"
import { scheduleTools } from "../../src/node/schedule-tools.ts"
import { nodeFileSystem } from "../../src/node/workspace/file-system.ts"
import { openFolder } from "../../src/node/workspace/open-workspace.ts"
import { faultyFileSystem } from "../node/workspace/support/faulty-file-system.ts"
import { judgments, leftovers } from "../node/workspace/support/workspaces.ts"
import { answerOf } from "../prompt/tools/builtin/run-tool.ts"
import { diceOf } from "../support/dice.ts"
import { isLong, seedOf, size } from "../support/size.ts"
import { tempFolder } from "../support/temp-folder.ts"
import { type DiskHabits, type DiskImage, virtualDisk } from "./support/virtual-disk.ts"

// A file system in memory, if there is one: thousands of small disks are written.
if (existsSync("/dev/shm")) vi.stubEnv("TMPDIR", "/dev/shm")
afterEach(() => vi.restoreAllMocks())

/** Something that the library writes, one acknowledged change after another. */
interface Subject {
  readonly name: string
  /** Files that are there before the first change. */
  readonly files: Readonly<Record<string, string>>
  /** The file that changes. */
  readonly file: string
  readonly changes: readonly ((folder: string) => Promise<unknown>)[]
  /** The syncs, counted from 1, without which nothing is lost: those of the folder of the lock, if it only holds the lock. */
  readonly needlessSyncs: readonly number[]
  /** True if `text` is the file after this many changes. */
  readonly isAfter: (text: string | undefined, changes: number) => boolean
  /** Reads, changes and reads the file once more, after the power has come back. Throws where that fails. */
  readonly goesOn: (folder: string) => Promise<void>
}

const by = "test"
const texts = ["first ".repeat(150), "second ".repeat(250), "third"]

async function documentsGoOn(folder: string): Promise<void> {
  const { workspace } = await openDocuments(join(folder, "documents"))
  const before = await workspace.read("MEMORY.md").catch(() => undefined)
  const [last] = await workspace.history({ path: "MEMORY.md" })
  // What is on the disk is what the history says, and it can be taken back.
  expect(last?.afterHash).toBe(before?.hash)
  expect(leftovers(folder)).toEqual([])
  await workspace.write("MEMORY.md", "alive", { by })
  await workspace.undo({ by })
  expect((await workspace.read("MEMORY.md").catch(() => undefined))?.text).toBe(before?.text)
  if (last !== undefined) await workspace.undo({ by, id: last.id }).catch(refused)
}

const refused = (error: { readonly code?: string }) => expect(error.code).toBe("file-conflict")

const documents: Subject = {
  name: "documents",
  files: { "other.md": "other" },
  file: "documents/MEMORY.md",
  changes: [
    async (folder) => (await openDocuments(join(folder, "documents"))).workspace.write("MEMORY.md", texts[0] ?? "", { by }),
    async (folder) => (await openFolder(join(folder, "documents"))).update("MEMORY.md", () => texts[1], { by }),
    async (folder) => (await openFolder(join(folder, "documents"))).undo({ by, id: "2" }),
    async (folder) => (await openFolder(join(folder, "documents"))).remove("MEMORY.md", { by }),
    async (folder) => (await openFolder(join(folder, "documents"))).write("MEMORY.md", texts[2] ?? "", { by }),
  ],
  needlessSyncs: [],
  isAfter: (text, changes) => text === [undefined, texts[0], texts[1], texts[0], undefined, texts[2]][changes],
  goesOn: documentsGoOn,
}

const clock = { nowMs: () => 0 }
const titles = (text: string | undefined): readonly string[] =>
  text === undefined ? [] : JSON.parse(text).items.map(({ title }: { readonly title: string }) => title)
/** Adds an entry; throws where the tool says that it did not. */
async function addEntry(folder: string, title: string): Promise<string> {
  const [add] = scheduleTools({ folder: join(folder, "data/deep"), clock, locale: "en" })
  const answer = await answerOf(add, { title, schedule_time: "soon" })
  if (!answer.startsWith("Noted")) throw new Error(answer)
  return answer
}
const entries = ["a".repeat(900), "b", "c"]

const schedule: Subject = {
  name: "a schedule",
  files: { "other.md": "other" },
  file: "data/deep/schedule.json",
  changes: entries.map((title) => (folder: string) => addEntry(folder, title)),
  needlessSyncs: [3, 4],
  // An entry whose answer was an error may have been added all the same; it is there twice when it is added again.
  isAfter: (text, changes) => [...new Set(titles(text))].join() === entries.slice(0, changes).join(),
  async goesOn(folder) {
    const file = join(folder, "data/deep/schedule.json")
    const before = titles(textOf(file))
    expect(await addEntry(folder, "alive")).toContain(`ID: ${before.length + 1}`)
    expect(titles(textOf(file))).toEqual([...before, "alive"])
    expect(halfWritten(folder)).toEqual([])
  },
}

/** Temporary files. An empty file of the lock that was never made is no harm; a workspace removes it when it is opened. */
const halfWritten = (folder: string) => leftovers(folder).filter((path) => !path.includes("/lock-"))

const keysOf = (text: string | undefined) => (text === undefined ? [] : Object.keys(JSON.parse(text).approved))
const approvals: Subject = {
  name: "approvals",
  files: { "kept/other.md": "other" },
  file: "kept/approvals.json",
  changes: entries.map((name) => (folder: string) => fileApprovals(join(folder, "kept/approvals.json")).save({ [name]: "1" })),
  needlessSyncs: [1, 2],
  isAfter: (text, changes) => keysOf(text).join() === entries.slice(0, changes).join(),
  async goesOn(folder) {
    const store = fileApprovals(join(folder, "kept/approvals.json"))
    const before = Object.keys(await store.load())
    await store.save({ z: "1" })
    expect(Object.keys(await store.load())).toEqual([...before, "z"])
    expect(halfWritten(folder)).toEqual([])
  },
}

const subjects = [documents, schedule, approvals]

function textOf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, "utf8") : undefined
}

/** A disk as it can be found after a loss of power, and how many changes its file may hold. */
interface Found {
  /** The same for the same files and changes. */
  readonly key: string
  readonly image: DiskImage
  readonly atLeast: number
  readonly atMost: number
}

/**
 * Makes all changes of a subject on a disk and returns what a loss of power can leave at every moment. A change that fails, because
 * the call `failing` does, is made again.
 */
async function losses(
  { name: subject, files, changes }: Subject,
  fs: typeof nodeFileSystem,
  { failing, skipsSync, limit }: { readonly failing?: number; readonly limit: number } & Pick<DiskHabits, "skipsSync">,
) {
  const folder = tempFolder(files)
  const found = new Map<string, Found>()
  const dice = diceOf(mulberry32(seedOf(12)))
  const progress = { atLeast: 0, atMost: 0 }
  const note = (disk: ReturnType<typeof virtualDisk>) => {
    for (const image of disk.images(limit, dice)) {
      const files = [...image].map(([path, bytes]) => `${path}\0${bytes?.toString("latin1")}`).sort()
      const key = createHash("sha256")
        .update(JSON.stringify([subject, progress, files]))
        .digest("base64")
      found.set(key, { key, image, ...progress })
    }
  }
  const disk = virtualDisk({ ...fs }, folder, { onChange: note, ...(skipsSync && { skipsSync }) })
  const faulty = faultyFileSystem(disk.fs, "EIO", (call) => call === failing)
  const { calls } = faulty
  let beginning = 0
  const { descriptors, syncsFolders, ...methods } = faulty.fs
  for (const [name, method] of Object.entries(methods))
    vi.spyOn(nodeFileSystem, name as keyof typeof methods).mockImplementation(method as never)
  const first = nodeFileSystem.descriptors
  Object.assign(nodeFileSystem, { descriptors })
  // The same names and times in every run, so that the same disk is known again.
  let ids = 0
  vi.spyOn(hostPorts.ids, "next").mockImplementation((prefix) => `${prefix}_${progress.atMost}_${++ids}`)
  vi.spyOn(hostPorts.clock, "nowMs").mockReturnValue(0)
  try {
    for (const [at, change] of changes.entries()) {
      ids = 0
      progress.atMost = at + 1
      await change(folder).catch(() => change(folder))
      progress.atLeast = at + 1
      if (at === 0) beginning = calls.length
      note(disk)
    }
  } finally {
    Object.assign(nodeFileSystem, { descriptors: first })
    vi.restoreAllMocks()
  }
  return { found: [...found.values()], calls, beginning, syncs: disk.syncs() }
}

/** Says what is wrong with a disk after the power has come back; undefined when all is well. */
async function faultIn(subject: Subject, { image, atLeast, atMost }: Found): Promise<string | undefined> {
  const folder = tempFolder()
  for (const [path, bytes] of [...image].sort(([one], [other]) => (one < other ? -1 : 1))) {
    if (bytes === undefined) mkdirSync(join(folder, path), { recursive: true })
    else {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), bytes)
    }
  }
  const seen = `${readdirSync(folder, { recursive: true }).join(" ")}, after ${atLeast} to ${atMost} changes`
  try {
    const text = textOf(join(folder, subject.file))
    if (!isWhole(subject, text, atLeast, atMost)) return `${JSON.stringify(text)?.slice(0, 40)}: ${seen}`
    for (const [path, other] of Object.entries(subject.files))
      if (textOf(join(folder, path)) !== other) return `${path} is lost: ${seen}`
    await subject.goesOn(folder)
    return undefined
  } catch (error) {
    return `${error}: ${seen}`
  }
}

function isWhole({ isAfter }: Subject, text: string | undefined, atLeast: number, atMost: number): boolean {
  try {
    return isAfter(text, atLeast) || isAfter(text, atMost)
  } catch {
    return false
  }
}

/** What is wrong with each disk that was looked at: most disks are met again after another failed call, and cost the same again. */
const judged = new Map<string, string | undefined>()

async function faultsIn(
  subject: Subject,
  found: readonly Found[],
  enough = Number.POSITIVE_INFINITY,
): Promise<readonly string[]> {
  const faults: string[] = []
  for (const one of found) {
    const fault = judged.has(one.key) ? judged.get(one.key) : await faultIn(subject, one)
    judged.set(one.key, fault)
    if (fault !== undefined) faults.push(fault)
    if (faults.length >= enough) break
  }
  return faults
}

const cases = subjects.flatMap((subject) =>
  judgments.map(({ fs, pathCheck }) => ({ subject, fs, pathCheck, name: subject.name })),
)

/** Those that this run tries: a few by chance unless the run is long, twice as many in that of `.ci/run`. */
function some<T>(items: readonly T[], few: number): readonly T[] {
  if (isLong) return items
  const shuffled = diceOf(mulberry32(seedOf(items.length))).shuffle(items)
  return shuffled.slice(0, size === "ci" ? few * 2 : few)
}
/** The calls whose failure can matter here. What else fails is in the workspace's own tests. */
const changes = new Set(["write", "fsync", "rename", "unlink", "mkdir", "link"])
const numbersTo = (last: number) => Array.from({ length: last }, (_, at) => at + 1)
const opened = cases.filter(({ pathCheck }) => pathCheck === judgments[0]?.pathCheck)

describe("power that is lost while files change", () => {
  test.each(cases)(
    "leaves of $name the old or the new, whole, and every acknowledged change ($pathCheck)",
    async ({ subject, fs }) => {
      const { found } = await losses(subject, fs, { limit: isLong ? 200 : 8 })
      expect(found.length).toBeGreaterThan(10)
      expect(await faultsIn(subject, some(found, 12), 5)).toEqual([])
    },
  )

  test.each(opened)("and a call that failed before leaves the same of $name", async ({ subject, fs }) => {
    const { calls, beginning } = await losses(subject, fs, { limit: 1 })
    // The folders are there from the first change on: a folder whose sync failed is found, and not synced a second time.
    const later = numbersTo(calls.length).filter((number) => number > beginning)
    const changing = later.filter((number) => changes.has(calls[number - 1] ?? ""))
    // The last sync of all is that of a change which is made: made again, it must be durable.
    for (const failing of [calls.lastIndexOf("fsync") + 1, ...some(changing, 3)]) {
      const { found } = await losses(subject, fs, { limit: isLong ? 20 : 2, failing })
      expect([failing, await faultsIn(subject, some(found, 4), 5)]).toEqual([failing, []])
    }
  })

  test.each(opened)("would lose changes of $name if one sync were missing", async ({ subject, fs }) => {
    const { syncs } = await losses(subject, fs, { limit: 1 })
    const unseen: number[] = []
    for (const number of isLong ? numbersTo(syncs) : [syncs]) {
      const { found } = await losses(subject, fs, { limit: 30, skipsSync: (one) => one === number })
      if ((await faultsIn(subject, found.toReversed(), 1)).length === 0) unseen.push(number)
    }
    expect(unseen.filter((number) => !subject.needlessSyncs.includes(number))).toEqual([])
  })
})
