import { describe, expect, test } from "vitest"
import { connectionTarget } from "../../../../src/adapters/stores/postgres/connection-url.ts"
import {
  agentQueues,
  heartbeatSeconds,
  queueSettings,
  startJobEngine,
  startLock,
} from "../../../../src/adapters/stores/postgres/job-engine.ts"
import { postgresSettings } from "../../../../src/adapters/stores/postgres/postgres-options.ts"
import { heartbeatMs } from "../../../../src/memory/services/store/running-jobs.ts"

const url = "postgres://bot:s3cret@db/chat"
const warnings: string[] = []
const settings = postgresSettings({
  url,
  jobSchema: "own",
  jobs: { superviseSeconds: 7, timeoutMs: 1_500 },
  onWarning: (text) => warnings.push(text),
})

/** An engine that fails where it is told to, and writes down its calls with those of its pool. */
function scene(failing: readonly string[] = []) {
  const calls: unknown[] = []
  let options: unknown
  const step =
    (name: string) =>
    async (...given: unknown[]) => {
      calls.push([name, ...given])
      if (failing.includes(name)) throw new Error(`no ${name}`)
    }
  const listeners = new Map<string, (error: unknown) => void>()
  class PgBoss {
    start = step("start")
    stop = step("stop")
    createQueue = step("createQueue")
    insert = step("insert")
    constructor(given: object) {
      options = { ...given, db: undefined }
    }
    on(event: string, listener: (error: unknown) => void) {
      listeners.set(event, listener)
    }
  }
  const client = { query: step("query"), release: (...given: unknown[]) => calls.push(["release", ...given]) }
  const pool = { connect: async () => client, query: step("pool") }
  const start = () => startJobEngine(pool as never, { boss: { PgBoss } } as never, { settings, target: connectionTarget(url) })
  return { start, calls, listeners, options: () => options, engine: new PgBoss({}) }
}

describe("the engine of jobs", () => {
  test("is started by one process at a time, on the store's own connections, and runs nothing by itself", async () => {
    const { start, calls, options, listeners } = scene()
    await start()
    expect(options()).toEqual({ db: undefined, schema: "own", supervise: false, schedule: false, monitorIntervalSeconds: 7 })
    expect(calls).toEqual([
      ["query", "select pg_advisory_lock($1)", [startLock]],
      ["start"],
      ["createQueue", expect.any(String), { retentionSeconds: 315_360_000 }],
      ["query", "select pg_advisory_unlock($1)", [startLock]],
      ["release"],
    ])
    listeners.get("error")?.(new Error("refused s3cret"))
    expect(warnings).toEqual(["jobs: refused [secret]"])
  })

  test.each(["start", "createQueue"])(
    "that fails at %s is stopped, without the store's connections, and its lock is let go of",
    async (step) => {
      const { start, calls } = scene([step])
      await expect(start()).rejects.toThrow(`no ${step}`)
      expect(calls.slice(-2)).toEqual([
        ["release", true],
        ["stop", { graceful: false, close: false }],
      ])
    },
  )

  test("has queues that give no job up by themselves, and keep it for a process that comes back", () => {
    expect(queueSettings(settings)).toEqual({
      retryLimit: 2 ** 31 - 1,
      retryDelay: 0,
      expireInSeconds: 3,
      heartbeatSeconds,
      retentionSeconds: 315_360_000,
      deleteAfterSeconds: 86_400,
    })
    expect(2 * heartbeatMs, "two heartbeats may be lost").toBeLessThan(1_000 * heartbeatSeconds)
  })

  test("makes an agent's queue once, also for those who ask at the same time, and again if that failed", async () => {
    const failing = ["insert"]
    const { engine, calls } = scene(failing)
    const queueFor = agentQueues(engine as never, settings)
    const [one, other] = [queueFor("fay"), queueFor("fay")]
    await expect(one).rejects.toThrow("no insert")
    await expect(other).rejects.toThrow("no insert")
    failing.pop()
    const name = await queueFor("fay")
    expect(await queueFor("fay")).toBe(name)
    const made = [
      ["createQueue", name, { policy: "key_strict_fifo", ...queueSettings(settings) }],
      ["insert", name, []],
    ]
    expect(calls).toEqual([...made, ...made])
    expect(await queueFor("gil")).not.toBe(name)
  })
})
