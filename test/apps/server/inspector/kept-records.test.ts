import { readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type KeepOptions, KeptRecords } from "../../../../src/apps/server/inspector/kept-records.ts"
import type { TurnRecord } from "../../../../src/apps/server/inspector/turn-record.ts"
import { manualClock } from "../../../../src/testing/index.ts"
import { tempFolder } from "../../../support/temp-folder.ts"

const day = 86_400_000
const now = 100 * day

/** A folder of records, and what it warned of. Each record has the bytes of its answer and a few hundred more. */
function kept(options: Partial<KeepOptions> = {}) {
  const folder = join(tempFolder(), "turns")
  const warnings: string[] = []
  const open = () =>
    new KeptRecords({ folder, ...options }, manualClock(now), (message) => void warnings.push(message.replaceAll(folder, "~")))
  const records = open()
  const save = (id: string, startedMs = now, { words = "x", name = "Ann" } = {}) =>
    records.save(id, async () => {
      const session = { agent: "fay", conversation: "c", audience: "private" } as const
      const shared = {
        id,
        session,
        speaker: { id: "ann", name },
        outcome: { state: "answered", stopReason: "finish" } as const,
        startedMs,
        usage: {},
      }
      const summary = { ...shared, question: words, answer: words, calls: 1, tools: 0 }
      return {
        record: { ...shared, version: 1, requests: [] } as unknown as TurnRecord,
        summary,
        hasMemory: id.includes("memory"),
      }
    })
  const ids = async () => (await open().summaries()).map(({ id }) => id)
  const files = () => readdirSync(folder).sort()
  return { folder, warnings, open, records, save, ids, files }
}

test("a record has a name that sorts by time, and one that no file can have is named by its hash", async () => {
  const { save, files, ids, records } = kept()
  await save("turn-2", 5)
  await save("turn-1", 4)
  await save("../x", 6)
  await save("n".repeat(100), 7)
  await save("n".repeat(101), 8)
  // What is older than thirty days goes at once.
  expect(await ids()).toEqual([])
  await save("turn-2", now)
  await save("../x", now + 1)
  await save("n".repeat(100), now + 2)
  await save("n".repeat(101), now + 3)
  expect(files().map((name) => name.replaceAll(/n{100}/g, "n…").replace(/[0-9a-f]{64}/, "HASH"))).toEqual([
    ...["000008640000000-turn-2.json", "000008640000001-HASH.json", "000008640000002-n….json", "000008640000003-HASH.json"],
  ])
  expect((await ids()).map((id) => id.slice(0, 6))).toEqual(["turn-2", "../x", "nnnnnn", "nnnnnn"])
  expect(await records.read("../x")).toMatchObject({ id: "../x", startedMs: now + 1 })
  expect(await records.read("nobody")).toBeUndefined()
})

test("the oldest records go first, exactly at each bound", async () => {
  const byNumber = kept({ maxTurns: 2 })
  for (const [at, id] of ["a", "b", "c"].entries()) await byNumber.save(id, now + at)
  expect(await byNumber.ids()).toEqual(["b", "c"])
  const byDays = kept({ maxDays: 3 })
  await byDays.save("late", now - 3 * day - 1)
  await byDays.save("just", now - 3 * day)
  expect(await byDays.ids()).toEqual(["just"])
  const free = kept()
  await free.save("a")
  const [name = ""] = free.files()
  const bytes = readFileSync(join(free.folder, name)).length
  const fits = kept({ maxBytes: 2 * bytes })
  for (const [at, id] of ["a", "b", "c"].entries()) await fits.save(id, now + at)
  expect(await fits.ids()).toEqual(["b", "c"])
  const tight = kept({ maxBytes: 2 * bytes - 1 })
  for (const [at, id] of ["a", "b"].entries()) await tight.save(id, now + at)
  expect(await tight.ids()).toEqual(["b"])
  const small = kept({ maxBytes: bytes - 1 })
  await small.save("a")
  expect(small.warnings).toEqual([`The record of turn a was not kept: it has ${bytes} bytes; the bound is ${bytes - 1}.`])
})

test("a first line is short, and one with names that are too long is not kept", async () => {
  const { save, folder, files, warnings } = kept()
  await save("long", now, { words: "y".repeat(2_001) })
  await save("whole", now + 1, { words: "y".repeat(2_000) })
  const heads = files().map((name) => JSON.parse(readFileSync(join(folder, name), "utf8").split("\n")[0] ?? ""))
  expect(heads.map(({ summary }) => [summary.question.length, summary.answer.slice(-2)])).toEqual([
    [2_001, "y…"],
    [2_000, "yy"],
  ])
  expect(Object.keys(heads[0])).toEqual(["version", "summary", "hasMemory"])
  await save("brief", now, { name: "" })
  const shortest = readFileSync(join(folder, files().find((name) => name.includes("brief")) ?? ""), "utf8").indexOf("\n")
  await save("exact", now, { name: "n".repeat(63_999 - shortest) })
  expect(warnings).toEqual([])
  await save("large", now, { name: "n".repeat(64_000 - shortest) })
  expect(warnings).toEqual(["The record of turn large was not kept: the names in it are too long."])
})

test("damaged files are set aside and told once, ten of them are left, and what was never finished goes after a minute", async () => {
  const { save, folder, files, warnings, ids, records } = kept()
  await save("good")
  const put = (name: string, text: string, ageMs = 0) => {
    writeFileSync(join(folder, name), text)
    utimesSync(join(folder, name), (Date.now() - ageMs) / 1000, (Date.now() - ageMs) / 1000)
  }
  const stamp = (at: number) => String(now + at).padStart(15, "0")
  const summary = { id: "x", startedMs: now, session: {}, speaker: {} }
  for (const [at, head] of [
    "",
    "{",
    "null",
    '{"version":2}',
    JSON.stringify({ version: 1, summary: { ...summary, id: 7 } }),
  ].entries())
    put(`${stamp(at)}-bad.json`, `${head}\n{}\n`)
  for (let at = 5; at < 13; at++) put(`${stamp(at)}-old.json.damaged`, "x")
  put(`${stamp(0)}-new.json.1a-2b.tmp`, "x", -3_600_000)
  put(`${stamp(1)}-dead.json.1a-2b.tmp`, "x", 90_000)
  put("notes.txt", "mine")
  put("1-short.json", "mine")
  expect(await ids()).toEqual(["good"])
  expect(warnings).toHaveLength(5)
  expect(warnings[0]).toBe(
    `The record ~/${stamp(0)}-bad.json is damaged. It was set aside as ${stamp(0)}-bad.json.damaged; the page does not show it.`,
  )
  // Those that were set aside count from the next look on.
  expect(await ids()).toEqual(["good"])
  const left = files()
  expect(left.filter((name) => name.endsWith(".damaged"))).toHaveLength(10)
  expect(left).toEqual(expect.arrayContaining(["notes.txt", "1-short.json", `${stamp(0)}-new.json.1a-2b.tmp`]))
  expect(left).not.toContain(`${stamp(1)}-dead.json.1a-2b.tmp`)
  // A record whose second line broke off is found when it is read.
  put(`${stamp(20)}-half.json`, `${JSON.stringify({ version: 1, summary, hasMemory: false })}\n{"version":1`)
  expect(await records.read("x")).toBeUndefined()
  expect(files()).toContain(`${stamp(20)}-half.json.damaged`)
  const scope = { agent: "fay", conversation: "c" }
  expect(await records.forget(scope as never, async () => true)).toBe(1)
  expect(files()).toEqual(["1-short.json", "notes.txt"])
})

test("fifty records may wait for the disk, and no more", async () => {
  const { save, warnings, ids } = kept()
  await Promise.all(Array.from({ length: 51 }, (_, at) => save(`t${at}`, now + at)))
  expect(warnings).toEqual(["The record of turn t0 was not kept: 50 others wait for the disk."])
  expect(await ids()).toHaveLength(50)
})
