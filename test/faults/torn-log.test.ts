import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, test, vi } from "vitest"
import { openSqliteStore } from "../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { mulberry32 } from "../../src/core/mulberry.ts"
import { agent, turnOf } from "../adapters/stores/sqlite/support/turns.ts"
import { diceOf } from "../support/dice.ts"
import { isLong, runs, seedOf, size } from "../support/size.ts"
import { tempFolder } from "../support/temp-folder.ts"

if (existsSync("/dev/shm")) vi.stubEnv("TMPDIR", "/dev/shm")

const dice = diceOf(mulberry32(seedOf(1_203)))
const conversations = ["a", "b"]
const turns = isLong ? 24 : 8
const newFile = () => join(tempFolder(), "store.sqlite")

/** The files of a store at one moment: nobody had closed it. */
interface Copy {
  readonly database: Buffer
  readonly log: Buffer
}

const copyOf = (file: string): Copy => ({ database: readFileSync(file), log: readFileSync(`${file}-wal`) })

const logHeader = 32
const frameHeader = 24

/** The ends of the frames that belong to the log's present round, and the first byte behind its header. */
function boundaries(log: Buffer): readonly number[] {
  if (log.length < logHeader) return [0]
  const frame = frameHeader + log.readUInt32BE(8)
  const ends = [logHeader]
  for (let at = logHeader; at + frame <= log.length; at += frame) {
    const isOfRound = log.subarray(at + 8, at + 16).equals(log.subarray(16, 24))
    if (!isOfRound) break
    ends.push(at + frame)
  }
  return ends
}

const roundOf = (log: Buffer) => log.subarray(12, 24).toString("hex")

/** A commit that was acknowledged: its turn, and how much of which round of the log held it. */
interface Acknowledged {
  readonly turnId: string
  readonly conversation: string
  readonly round: string
  readonly end: number
}

/** Commits turns to a store, and calls `after` with its files when each one is acknowledged. */
async function talk(file: string, count: number, after: (copy: Copy, done: readonly Acknowledged[]) => Promise<void> | void) {
  const store = await openSqliteStore(file)
  const done: Acknowledged[] = []
  try {
    for (let at = 0; at < count; at++) {
      const conversation = conversations[at % conversations.length] ?? ""
      const { key, commit } = turnOf(`t${at}`, conversation)
      const state = { last: `t${at}`, much: "x".repeat(at % 3 === 0 ? 9_000 : 10) }
      await store.commit(key, { ...commit, state, expectVersion: Math.floor(at / conversations.length) })
      const copy = copyOf(file)
      done.push({ turnId: `t${at}`, conversation, round: roundOf(copy.log), end: boundaries(copy.log).at(-1) ?? 0 })
      await after(copy, done)
    }
  } finally {
    await store.close()
  }
}

/** Opens a copy: it must be sound, hold the first `atLeast` turns or more of those that were begun, and take another. */
async function checkCopy({ database, log }: Copy, done: readonly Acknowledged[], atLeast: number): Promise<void> {
  const file = newFile()
  writeFileSync(file, database)
  writeFileSync(`${file}-wal`, log)
  const store = await openSqliteStore(file)
  try {
    expect(await store.check()).toMatchObject({ ok: true, problems: [] })
    const found: string[] = []
    for (const conversation of conversations) {
      const { key, commit } = turnOf("alive", conversation)
      const { history = [], version = 0, state } = (await store.load(key)) ?? {}
      const turns = history.filter(({ role }) => role === "user").map(({ turnId }) => turnId)
      expect([history.length, version, state?.last]).toEqual([2 * turns.length, turns.length, turns.at(-1)])
      found.push(...turns)
      await store.commit(key, { ...commit, expectVersion: version })
    }
    const inOrder = done.map(({ turnId }) => turnId).slice(0, found.length)
    expect(found.sort()).toEqual(inOrder.sort())
    expect(found.length).toBeGreaterThanOrEqual(atLeast)
  } finally {
    await store.close()
  }
}

/** The turns that a log cut at `end` still holds, with the database as it is. */
const keptAt = (done: readonly Acknowledged[], { log }: Copy, end: number) =>
  done.filter((turn) => turn.round !== roundOf(log) || turn.end <= end).length

/** What can stand behind the place up to which the log was written. */
const tails = {
  nothing: () => Buffer.alloc(0),
  zeros: (log: Buffer, end: number) => Buffer.alloc(log.length - end),
  "half a frame": (log: Buffer, end: number) => log.subarray(end, end + 2_000),
  "later frames without this one": (log: Buffer, end: number) =>
    Buffer.concat([Buffer.alloc(Math.min(4_120, log.length - end)), log.subarray(end + 4_120)]),
  rubbish: (log: Buffer, end: number) => Buffer.alloc(log.length - end, "rubbish"),
} as const

describe("a store whose log was cut", () => {
  test.each(Object.entries(tails).map(([name, tail], number) => ({ name, tail, number })))(
    "at any frame, with $name behind it, holds every commit that was acknowledged before",
    async ({ tail, number }) => {
      let checked = 0
      await talk(newFile(), turns, async (copy, done) => {
        const { log } = copy
        const ends = boundaries(log)
        // The frames of earlier commits were cut when these were the newest; a long run cuts all of them again. In
        // `.ci/run` each tail stands behind each second frame, and what one leaves out another has.
        const before = done.at(-2)
        const since = isLong || before?.round !== roundOf(log) ? 0 : before.end
        const newest = ends.filter((end, place) => end > since && (isLong || (place + number) % 2 === 0))
        const chosen = size === "quick" ? [dice.pick(...ends)] : newest
        for (const end of chosen) {
          const cut = Buffer.concat([log.subarray(0, end), tail(log, end)])
          await checkCopy({ ...copy, log: cut }, done, keptAt(done, copy, end))
          checked += 1
        }
      })
      expect(checked).toBeGreaterThanOrEqual(turns)
    },
  )

  test("inside its header or a frame holds what was acknowledged before that frame", async () => {
    await talk(newFile(), turns, async (copy, done) => {
      const end = dice.below(copy.log.length)
      await checkCopy({ ...copy, log: copy.log.subarray(0, end) }, done, keptAt(done, copy, end))
    })
  })

  test("in its second round, after it began anew, holds every commit of the first", async () => {
    const file = newFile()
    await talk(file, turns, async (copy, done) => {
      const end = dice.pick(...boundaries(copy.log))
      await checkCopy({ ...copy, log: copy.log.subarray(0, end) }, done, keptAt(done, copy, end))
      if (done.length % 5 === 0) moveLog(file, "restart")
    })
  })
})

/** Moves the log into the database, as SQLite does by itself after a thousand pages. */
function moveLog(file: string, how: "passive" | "restart"): void {
  const database = new DatabaseSync(file)
  database.exec(`pragma wal_checkpoint(${how})`)
  database.close()
}

describe("a store whose log was being moved into the database", () => {
  test("holds every acknowledged commit, whichever blocks of the database were written", async () => {
    const file = newFile()
    await talk(file, turns, async ({ database, log }, done) => {
      if (done.length % 4 !== 0) return
      const moved = newFile()
      writeFileSync(moved, database)
      writeFileSync(`${moved}-wal`, log)
      moveLog(moved, "passive")
      const later = readFileSync(moved)
      for (let round = 0; round < runs(40) / 20; round++) {
        const torn = Buffer.from(dice.chance(0.5) ? later : later.subarray(0, Math.max(database.length, 4_096)))
        for (let at = 0; at < Math.min(torn.length, database.length); at += 512)
          if (dice.chance(0.5)) database.copy(torn, at, at, at + 512)
        await checkCopy({ database: torn, log }, done, done.length)
      }
    })
  })
})

test("what was forgotten is gone from every file that a loss of power can leave", async () => {
  const file = newFile()
  await talk(file, 6, () => undefined)
  const store = await openSqliteStore(file)
  await store.forget({ agent, conversation: "a" })
  const { database, log } = copyOf(file)
  for (const end of [...boundaries(log), log.length]) {
    const copy = newFile()
    writeFileSync(copy, database)
    writeFileSync(`${copy}-wal`, log.subarray(0, end))
    const again = await openSqliteStore(copy)
    expect(await again.load(turnOf("", "a").key)).toBeUndefined()
    expect((await again.load(turnOf("", "b").key))?.version).toBe(3)
    await again.close()
  }
  expect([database, log].some((bytes) => bytes.includes("user of a"))).toBe(false)
  await store.close()
})
