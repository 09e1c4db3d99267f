import { beforeAll, describe, expect, test } from "vitest"
import { amount, seedOf } from "../../../support/size.ts"
import { checkState } from "../../../support/turn-states.ts"
import { applyEffects } from "../turn-effects.ts"
import { checkCommits, checkEffects, storedTurns } from "./support/check-effects.ts"
import { type Child, startChild } from "./support/children.ts"
import { makeDatabase } from "./support/database.ts"
import { openStoreFor } from "./support/open-store.ts"
import { commitJobs, jobOf, keyOf } from "./support/turns.ts"

const rounds = amount("POSTGRES_KILL_ROUNDS")
const webs = 4
const turnsEach = amount("POSTGRES_TURNS")

let url = ""
beforeAll(async () => {
  url = await makeDatabase()
})

/** The turns that a process has acknowledged. */
const acknowledged = (child: Child) =>
  child.lines.filter((line) => line.startsWith("ack ")).map((line) => line.split(" ")[1] ?? "")

describe("processes that are killed", () => {
  test("a process killed in mid-commit loses no acknowledged turn and leaves none torn", async () => {
    const agent = "killed in mid-commit"
    const all: string[] = []
    for (let round = 0; round < rounds; round++) {
      const settings = { url, agent, name: `round${round}`, seed: seedOf(round), turns: 10_000, conversations: 3, users: 2 }
      const child = startChild("web-child", settings)
      await child.until(`ack round${round}-${3 + (round % 5)}`)
      // At no particular moment of the commit that follows.
      for (let turn = 0; turn < round * 37; turn++) await new Promise(setImmediate)
      child.process.kill("SIGKILL")
      expect(await child.ended).toBe("SIGKILL")
      all.push(...acknowledged(child))
      const stored = (await storedTurns(url, agent)).map(({ turnId }) => turnId)
      expect(stored, "every acknowledged turn").toEqual(expect.arrayContaining(all))
      // What was under way may have been kept without having been acknowledged.
      expect(stored.length - all.length).toBeLessThanOrEqual(round + 1)
      await checkCommits(url, agent)
    }
    const store = await openStoreFor(url)
    for (const at of [0, 1, 2]) checkState(await store.load(keyOf(`conversation ${at}`, { agent })))
  })

  test("a worker killed in mid-job is taken over: each turn has one memory, one revision and one receipt of each kind", async () => {
    const agent = "killed in mid-job"
    const store = await openStoreFor(url, { jobs: { timeoutMs: 2_000 } })
    for (let round = 0; round < rounds; round++) {
      const key = keyOf(`conversation ${round}`, { agent })
      for (let turn = 0; turn < 6; turn++) await commitTurn(`round${round}-${turn}`, key)
      const worker = startChild("worker-child", { url, agent })
      await worker.until(`begin job of round${round}-${round % 6}`)
      for (let turn = 0; turn < (round % 4) * 25; turn++) await new Promise(setImmediate)
      worker.process.kill("SIGKILL")
      expect(await worker.ended).toBe("SIGKILL")
    }
    await store.jobs.start({ work: (job) => applyEffects(store, job) }, { agent })
    await store.jobs.idle()
    await checkEffects(url, agent)

    async function commitTurn(turnId: string, key: ReturnType<typeof keyOf>): Promise<void> {
      await commitJobs(store, key, [jobOf(`job of ${turnId}`, key, { turnId })])
    }
  })

  test(`${webs} processes × ${turnsEach} turns with workers killed and jobs delivered twice: nothing is lost and nothing done twice`, async () => {
    const agent = "many processes"
    // All statements of a user are read each time. With few for each user, the test's time grows only with the turns.
    const users = 5 + Math.floor((webs * turnsEach) / 100)
    const talking = Array.from({ length: webs }, (_, at) =>
      startChild("web-child", { url, agent, name: `web${at}`, seed: seedOf(at), turns: turnsEach, conversations: 16, users }),
    )
    let isTalking = true
    const talked = Promise.all(talking.map(({ ended }) => ended)).finally(() => {
      isTalking = false
    })
    let kills = 0
    const workers = [startChild("worker-child", { url, agent }), startChild("worker-child", { url, agent })]
    await Promise.all(workers.map((worker) => worker.until("ready")))
    const killEvery = Math.max(25, Math.min(150, Math.floor(turnsEach / 10)))
    while (isTalking || kills < 2) {
      const at = kills % 2
      const worker = workers[at] as Child
      const atLeast = worker.lines.length + killEvery
      await Promise.race([talked, expect.poll(() => worker.lines.length >= atLeast, { interval: 20 }).toBe(true)])
      worker.process.kill("SIGKILL")
      kills += 1
      workers[at] = startChild("worker-child", { url, agent })
    }
    expect(await talked).toEqual(talking.map(() => 0))
    const store = await openStoreFor(url, { jobs: { timeoutMs: 2_000, maxAttempts: 1_000 } })
    await store.jobs.start({ work: (job) => applyEffects(store, job) }, { agent })
    await store.jobs.idle()
    for (const worker of workers) worker.process.kill("SIGKILL")
    const stored = (await storedTurns(url, agent)).map(({ turnId }) => turnId).sort()
    expect(stored).toEqual(talking.flatMap(acknowledged).sort())
    expect(stored).toHaveLength(webs * turnsEach)
    await checkCommits(url, agent)
    await checkEffects(url, agent)
    console.log(`${stored.length} turns, ${kills} workers killed`)
  })
})
