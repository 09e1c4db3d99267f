import type { Pool } from "pg"
import { storeClosed } from "../../services/store/store.ts"
import type { SqlDatabase } from "../sql/sql-database.ts"
import type { Queries, Tables } from "../sql/tables.ts"
import type { ConnectionTarget } from "./connection-url.ts"
import type { Drivers } from "./drivers.ts"
import { codeOf, isConnectionLost, postgresFault } from "./postgres-fault.ts"

/** A transaction that lost against another, or found its connection broken, is run again so often before that becomes an error. */
const attempts = 12

/** Any number, as long as nobody else in the database locks by it: "prompt" in ASCII. */
const schemaLock = 0x70_72_6f_6d

/** The shared statements' view of a PostgreSQL: one transaction for each read of one moment and for each write. */
export function postgresDatabase(pool: Pool, { kysely }: Pick<Drivers, "kysely">, target: ConnectionTarget): SqlDatabase {
  const { Kysely, PostgresDialect, sql } = kysely
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })

  let closing: Promise<void> | undefined

  async function run<T>(transaction: ReturnType<typeof db.transaction>, work: (db: Queries) => Promise<T>): Promise<T> {
    const refusal = () => storeClosed(`The store at ${target.shown}`, { database: target.shown })
    if (closing) throw refusal()
    for (let attempt = 1; ; attempt += 1) {
      let hasBegun = false
      try {
        return await transaction.execute((queries) => {
          hasBegun = true
          return work(queries)
        })
      } catch (error) {
        if (closing && !hasBegun) throw refusal()
        // A connection that broke while nobody used it shows when it is next used: before anything was done.
        const isHarmless = lostAgainstAnother(error) || (!hasBegun && isConnectionLost(error))
        if (attempt >= attempts || !isHarmless) throw postgresFault(error, target)
      }
    }
  }

  return {
    types: { text: sql`text collate "C"`, bytes: sql`bytea` },
    read: (work) => run(db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only"), work),
    write: (work) => run(db.transaction(), work),
    async lockSchema(transaction) {
      await sql`select pg_advisory_xact_lock(${schemaLock})`.execute(transaction)
    },
    // Ends the pool: every connection of this store.
    close() {
      closing ??= db.destroy()
      return closing
    },
  }
}

/** A deadlock, a serialization failure or two transactions that made the same row: nothing was written, and a second try can succeed. */
function lostAgainstAnother(error: unknown): boolean {
  return ["40001", "40P01"].includes(codeOf(error) ?? "")
}
