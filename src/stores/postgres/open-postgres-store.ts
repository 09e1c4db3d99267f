import type { Store } from "../../services/store/store.ts"
import { migrate } from "../sql/migrate.ts"
import { schemaMigrations } from "../sql/schema.ts"
import { createSessionCache } from "../sql/session-cache.ts"
import { createSqlStore } from "../sql/sql-store.ts"
import { unheldTimers } from "../unheld-timers.ts"
import { connectionTarget } from "./connection-url.ts"
import { loadDrivers } from "./drivers.ts"
import { openJobs } from "./open-jobs.ts"
import { openPool } from "./pool.ts"
import { postgresDatabase } from "./postgres-database.ts"
import { postgresFault } from "./postgres-fault.ts"
import { type PostgresStoreOptions, postgresSettings } from "./postgres-options.ts"

/**
 * Opens a store in a PostgreSQL database: makes its tables and pg-boss' where they are missing, however many processes do so at once.
 * Throws `store` with advice where the server cannot be reached or refuses, `usage` for a URL that is none, `missing-dependency`
 * without the packages `pg` and `pg-boss`. No error and no warning holds the password.
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<Store> {
  const settings = postgresSettings(options)
  const target = connectionTarget(options.url)
  const drivers = await loadDrivers()
  const pool = openPool(drivers, settings, target)
  const database = postgresDatabase(pool, drivers, target)
  let closing: Promise<void> | undefined
  try {
    await migrate(database, { part: "core", migrations: schemaMigrations })
    const cache = createSessionCache(options.timers ?? unheldTimers)
    const jobs = await openJobs(pool, drivers, { settings, target, onGone: cache.clear })
    return prepared(
      createSqlStore({
        database,
        jobs: jobs.sql,
        runner: jobs.runner,
        cache,
        // Other processes are told; this one hears it without a connection that listens as well.
        stopForgotten: () => undefined,
        async erase() {},
        checkFile: async () => [],
        close: () => {
          closing ??= jobs.close().finally(() => database.close())
          return closing
        },
      }),
      jobs.prepare,
    )
  } catch (error) {
    await database.close()
    throw postgresFault(error, target)
  }
}

/** The store, which makes an agent's queue before the first transaction that needs it: making one takes a connection of its own. */
function prepared(store: Store, prepare: (agent: string) => Promise<unknown>): Store {
  return {
    ...store,
    async commit(key, commit) {
      for (const agent of new Set(commit.jobs.map((job) => job.key.agent))) await prepare(agent)
      return store.commit(key, commit)
    },
  }
}
