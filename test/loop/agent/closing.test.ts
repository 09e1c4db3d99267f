import { join } from "node:path"
import { beforeAll, describe, expect, test } from "vitest"
import { openSqliteStore } from "../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import type { BackgroundWarning } from "../../../src/loop/turn/turn-context.ts"
import type { BackgroundJob } from "../../../src/memory/services/background/background-job.ts"
import type { Plugin } from "../../../src/memory/services/plugin.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { JobRunner } from "../../../src/memory/services/store/job-runner.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import { manualClock, manualTimers } from "../../../src/testing/index.ts"
import { turnOf } from "../../adapters/stores/sqlite/support/turns.ts"
import { testAgent } from "../../support/agents.ts"
import { agentWithJob, closingAgent, closingScenes } from "../../support/closing.ts"
import { backgroundModel } from "../../support/remembering.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const openInMemory = async () => createInMemoryStore()
const openFile = () => openSqliteStore(join(tempFolder(), "store.sqlite"))

describe("over the store in memory", () => {
  for (const { name, play } of closingScenes) test(name, () => play(openInMemory, { refuses: false }))
})

describe("over the embedded store", () => {
  for (const { name, play } of closingScenes) test(name, () => play(openFile, { refuses: true }))

  test("an agent closes without waiting for a job that another process runs", async () => {
    const file = join(tempFolder(), "store.sqlite")
    const [here, there] = [await openSqliteStore(file), await openSqliteStore(file)]
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
    const { promise: gate, resolve: release } = Promise.withResolvers<void>()
    const running = async () => {
      begin()
      await gate
    }
    await there.jobs.start({ count: running, work: running }, { agent: closingAgent })
    const { key, commit } = turnOf("theirs", "elsewhere", closingAgent)
    await there.commit(key, { ...commit, expectVersion: 0 })
    await begun
    const done: unknown[] = []
    const { agent, session, warnings } = agentWithJob(here, async ({ payload }) => void done.push(payload.turn))
    await session.send("one").result
    await agent.close()
    expect([done, warnings]).toEqual([[], []])
    expect((await here.check()).counts.job).toBe(2)
    release()
    await there.jobs.idle()
    expect((await here.check()).counts.job).toBe(0)
    await here.close()
    await there.close()
  })
})

describe("over a store that never answers", () => {
  const settle = () => new Promise<void>((resolve) => setImmediate(resolve))
  const never = () => new Promise<never>(() => {})

  // Loads every module that closing uses: none may be loaded while the clock moves on.
  beforeAll(async () => {
    const { agent, session } = agentWithJob(createInMemoryStore(), async () => undefined)
    await session.send("one").result
    await agent.close()
  })

  /** Closes an agent after a turn while nothing but the clock moves on. */
  async function closed(broken: (store: Store) => Partial<Store>, plugins: readonly Plugin[] = []) {
    const clock = manualClock()
    const timers = manualTimers(clock)
    const store = createInMemoryStore()
    const warnings: BackgroundWarning[] = []
    const { agent, session } = testAgent(
      backgroundModel(),
      { agent: { id: closingAgent, name: "Fay" }, memory: { enabled: false } },
      {
        store: { ...store, ...broken(store) },
        plugins,
        ports: { clock, timers },
        onWarning: (warning: BackgroundWarning) => void warnings.push(warning),
      },
    )
    await session.send("one").result
    await settle()
    timers.advance(2_000)
    await settle()
    const closing = agent.close().then(() => "closed")
    for (let round = 0; round < 10; round++) {
      await settle()
      timers.advance(60_000)
    }
    await settle()
    return { outcome: await Promise.race([closing, Promise.resolve("waits")]), codes: warnings.map(({ error }) => error?.code) }
  }

  test.each(["start", "close"] as const)("closing goes on when its jobs never %s, and tells", async (name) => {
    const { outcome, codes } = await closed(({ jobs }) => ({ jobs: { ...jobs, [name]: never } }))
    expect([outcome, codes]).toEqual(["closed", ["closed"]])
  })

  test("closing goes on when a scheduled job waits for its messages, and tells", async () => {
    let runs = 0
    const job: BackgroundJob = {
      kind: "count",
      afterTurn: () => ({}),
      nextRunMs: (afterMs) => afterMs + 1_000,
      async run(_job, context) {
        if (runs++ > 0) await context.messages({ limit: 1 })
      },
    }
    const { outcome, codes } = await closed(() => ({ messages: never }), [{ name: "p", jobs: [job] }])
    expect([outcome, codes]).toEqual(["closed", ["closed"]])
  })
})

test("an agent that runs no jobs leaves those of its store to others when it closes", async () => {
  const store = createInMemoryStore()
  const asked: string[] = []
  const jobs: JobRunner = {
    ...store.jobs,
    start: async () => void asked.push("start"),
    idle: async () => void asked.push("idle"),
    close: async () => void asked.push("close"),
  }
  const { agent, session } = testAgent(backgroundModel(), {}, { store: { ...store, jobs }, runJobs: false })
  await session.send("one").result
  await agent.idle()
  await agent.close()
  expect(asked).toEqual([])
})

describe("over the store in memory, a job that failed once", () => {
  /** An agent whose job fails so many times, and `advance`, which lets all waits of the store pass. */
  async function failing(times: number) {
    const timers = manualTimers(manualClock())
    const store = createInMemoryStore({ ports: { timers, random: () => 1 } })
    const tried: number[] = []
    const made = agentWithJob(store, async (_, { attempt }) => {
      tried.push(attempt)
      if (attempt <= times) throw new Error("not yet")
    })
    await made.session.send("one").result
    await made.agent.idle()
    const advance = async (): Promise<void> => {
      for (let step = 0; step < 8; step++) {
        timers.advance(300_000)
        await new Promise(setImmediate)
      }
    }
    return { ...made, tried, advance, store }
  }

  test("T33: is done before the agent closes, because it would be lost with the process", async () => {
    const { agent, tried, advance, store } = await failing(2)
    expect(tried).toEqual([1])
    const closing = agent.close()
    await advance()
    await closing
    expect(tried).toEqual([1, 2, 3])
    expect((await store.check()).counts.job).toBe(0)
  })

  test("T33: and goes on failing is a dead letter by then", async () => {
    const { agent, advance, store } = await failing(99)
    const closing = agent.close()
    await advance()
    await closing
    expect((await store.jobs.dead()).map(({ attempts }) => attempts)).toEqual([5])
  })
})

describe("an agent whose job runner fails", () => {
  test("closes its plugins all the same, and tells what was wrong", async () => {
    const store = createInMemoryStore()
    const broken = async () => {
      throw new Error("the disk is gone")
    }
    const jobs: JobRunner = { ...store.jobs, start: store.jobs.start, idle: broken, close: broken }
    const { agent, warnings, closed } = agentWithJob({ ...store, jobs }, async () => undefined)
    await agent.close()
    expect(warnings).toMatchObject([{ error: { code: "closed" }, message: expect.stringContaining("the disk is gone") }])
    expect(closed).toEqual(["plugin"])
  })
})
