import { join } from "node:path"
import { onTestFinished } from "vitest"
import type { SqliteStoreOptions } from "../../../../../src/adapters/stores/database-store.ts"
import { openSqliteStore } from "../../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import type { JobAttempt } from "../../../../../src/memory/services/store/job-runner.ts"
import type { Store } from "../../../../../src/memory/services/store/store.ts"
import { manualClock, manualTimers } from "../../../../../src/testing/index.ts"
import { tempFolder } from "../../../../support/temp-folder.ts"
import { agent, turnOf } from "./turns.ts"

/** Several stores on one file, as of several processes, and the clock of their timers. With `options.clock` they read another one. */
export function processes(options: SqliteStoreOptions = {}) {
  const file = join(tempFolder(), "store.sqlite")
  const clock = manualClock(1_000_000)
  const timers = manualTimers(clock)
  // A wait for the other store's transaction ends at once.
  const set = (callback: () => void, delayMs: number) => (delayMs <= 50 ? setImmediate(callback) : timers.set(callback, delayMs))
  const mixed = { set, clear: (handle: unknown) => timers.clear(handle) }
  const warnings: string[] = []
  const open = async (): Promise<Store> => {
    const onWarning = (message: string) => void warnings.push(message)
    const store = await openSqliteStore(file, { clock, timers: mixed, random: () => 1, onWarning, ...options })
    onTestFinished(() => store.close())
    return store
  }
  return { file, clock, timers, warnings, open }
}

/** Commits a turn with one job. */
export async function commit(store: Store, turnId: string, conversation = "chat"): Promise<void> {
  const turn = turnOf(turnId, conversation)
  const record = await store.load(turn.key, { last: 0 })
  await store.commit(turn.key, { ...turn.commit, expectVersion: record?.version ?? 0 })
}

/** Starts a store's runner and lists the jobs that it did. */
export async function working(
  store: Store,
  work: (attempt: JobAttempt) => void | Promise<void> = () => undefined,
): Promise<string[]> {
  const done: string[] = []
  await store.jobs.start(
    {
      async work(job, attempt) {
        done.push(job.turnId)
        await work(attempt)
      },
    },
    { agent },
  )
  return done
}

/** Waits until all jobs that can be done now are done. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
}
