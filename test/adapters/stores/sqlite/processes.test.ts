import { readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { amount, seedOf } from "../../../support/size.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
import { applyEffects } from "../turn-effects.ts"
import { killAfter, startChild } from "./support/children.ts"
import { allRows, checkEffects, storedTurns } from "./support/effects.ts"
import { agent } from "./support/turns.ts"

const rounds = amount("STORE_KILL_ROUNDS")
const turnsEach = amount("SQLITE_TURNS")

const acknowledged = (lines: readonly string[]) => lines.filter((line) => line.startsWith("ack ")).map((line) => line.slice(4))

/** Settings of a runner that soon takes over from a killed process. */
const impatient = { leaseMs: 300, pollMs: 20, jobs: { waitMs: 1, maxWaitMs: 2, maxAttempts: 1_000 } }

describe("processes that are killed", () => {
  test.each([
    { of: "", conversations: 3, atOnce: false },
    { of: " of many conversations", conversations: 12, atOnce: true },
  ])("T33 one killed in mid-commit$of loses no acknowledged turn and leaves none torn", async ({ of: _, ...talking }) => {
    const mostUnderWay = talking.atOnce ? talking.conversations : 1
    const file = join(tempFolder(), "store.sqlite")
    const all: string[] = []
    for (let round = 0; round < rounds; round++) {
      const child = startChild("talk-child", { file, name: `round${round}`, turns: 100_000, ...talking })
      await child.until("ack", 3 + (round % 5))
      await killAfter(child, (seedOf(round) * 37) % 500)
      all.push(...acknowledged(child.lines))
      const store = await openSqliteStore(file)
      const rows = await allRows(store)
      const stored = storedTurns(rows)
      expect(stored, "every acknowledged turn").toEqual(expect.arrayContaining(all))
      // A commit under way may be stored although it was not acknowledged.
      expect(stored.length - all.length).toBeLessThanOrEqual((round + 1) * mostUnderWay)
      const jobs = rows.flatMap((row) => (row.table === "job" ? [row.job.turnId] : []))
      expect(jobs.sort(), "each turn's job").toEqual([...stored].sort())
      expect(await store.check()).toMatchObject({ ok: true })
      await store.close()
    }
  })

  test("T33 one killed in mid-job is taken over: each turn has one memory, one revision and one receipt of each kind", async () => {
    const file = join(tempFolder(), "store.sqlite")
    for (let round = 0; round < rounds; round++) {
      const talking = startChild("talk-child", { file, name: `round${round}`, turns: 12, conversations: 3 })
      const working = startChild("work-child", { file })
      await working.until("begin", 1 + (round % 6))
      await killAfter(working, (seedOf(round) % 4) * 25)
      expect(await talking.ended).toBe(0)
    }
    const store = await openSqliteStore(file, impatient)
    await store.jobs.start({ work: (job) => applyEffects(store, job) }, { agent })
    await store.jobs.idle()
    const rows = await allRows(store)
    expect(storedTurns(rows)).toHaveLength(rounds * 12)
    checkEffects(rows)
    await store.close()
  })

  test("one killed in mid-migration leaves a file that opens whole", async () => {
    for (let round = 0; round < rounds; round++) {
      const folder = tempFolder()
      const child = startChild("open-child", { folder })
      await child.until("open", 2 + (round % 3))
      await killAfter(child, (seedOf(round) * 53) % 400)
      for (const name of readdirSync(folder)) {
        const store = await openSqliteStore(join(folder, name, "store.sqlite"))
        expect(await store.check()).toMatchObject({ ok: true, problems: [] })
        await store.close()
      }
    }
  })
})

describe("several processes on one file", () => {
  test(`T33 3 × ${turnsEach} turns while those who do the jobs are killed: nothing is lost, nothing done twice`, async () => {
    const file = join(tempFolder(), "store.sqlite")
    const talk = (at: number) => startChild("talk-child", { file, name: `web${at}`, turns: turnsEach, conversations: 4 })
    const talking = [0, 1].map(talk)
    const working = [startChild("work-child", { file }), startChild("work-child", { file })]
    for (const worker of working) await worker.until("ready")
    await Promise.race(working.map((worker) => worker.until("begin", 3)))
    const owner = working.find(({ lines }) => lines.some((line) => line.startsWith("begin"))) ?? working[0]
    if (owner) await killAfter(owner, 10)
    // The first one may have done all jobs by now: these are for the other one.
    talking.push(talk(2))
    expect(await Promise.all(talking.map(({ ended }) => ended))).toEqual([0, 0, 0])
    const other = working.find((worker) => worker !== owner)
    await other?.until("begin", 1)
    if (other) await killAfter(other, 10)
    const store = await openSqliteStore(file, impatient)
    await store.jobs.start({ work: (job) => applyEffects(store, job) }, { agent })
    await store.jobs.idle()
    const rows = await allRows(store)
    expect([...storedTurns(rows)].sort()).toEqual(talking.flatMap(({ lines }) => acknowledged(lines)).sort())
    checkEffects(rows)
    await store.close()
  })

  test("of many that make a store at once each finds it whole", async () => {
    const file = join(tempFolder(), "store.sqlite")
    const children = [0, 1, 2].map((at) => startChild("talk-child", { file, name: `first${at}`, turns: 1, conversations: 1 }))
    expect(await Promise.all(children.map(({ ended }) => ended))).toEqual([0, 0, 0])
    const store = await openSqliteStore(file)
    expect(storedTurns(await allRows(store))).toHaveLength(3)
    await store.close()
  })
})
