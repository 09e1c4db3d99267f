import { Kysely, PostgresDialect, sql } from "kysely"
import type { Client, ClientConfig, Pool } from "pg"
import { messageOf, PromptStrataError } from "../../../core/errors.ts"
import { keyText } from "../../../memory/services/store/rows/row-tables.ts"
import { storeClosed } from "../../../memory/services/store/store.ts"
import type { Queries, SqlDatabase, Tables } from "../sql/sql-database.ts"
import { type ConnectionTarget, withoutSecrets } from "./connection-url.ts"
import { NamedStatements } from "./named-statements.ts"
import { codeOf, isConnectionLost, postgresFault } from "./postgres-fault.ts"
import type { PostgresSettings } from "./postgres-options.ts"

/** How often a transaction is tried that lost against another one or found its connection broken. */
const attempts = 12

/** The advisory lock for changes of the schema: "prom" in ASCII. Nothing else in the database may use this number. */
const schemaLock = 0x70_72_6f_6d

/** The first number of the advisory locks of agents: "agen" in ASCII. Nothing else in the database may use it with a second one. */
const agentLock = 0x61_67_65_6e

/** Losses against another transaction after which nothing was written, so that another try can succeed. */
const lostAgainst: Readonly<Record<string, string>> = { "40P01": "a deadlock", "40001": "a serialization failure" }

/** A transaction, or a connection for one statement. */
interface StatementRunner {
  execute<T>(work: (db: Queries) => Promise<T>): Promise<T>
}

/**
 * A PostgreSQL database as the shared statements use it. Each `read` and each `write` is one transaction. `onWarning` is told of every
 * transaction that is tried again because another one was first, with their number so far.
 */
export function postgresDatabase(
  pool: Pool,
  { target, onWarning }: { readonly target: ConnectionTarget; readonly onWarning: (message: string) => void },
): SqlDatabase {
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  let closing: Promise<void> | undefined
  let losses = 0

  async function run<T>(transaction: StatementRunner, work: (db: Queries) => Promise<T>): Promise<T> {
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
        // A connection that broke while idle fails at its next use, before the transaction has begun.
        const loss = lostAgainst[codeOf(error) ?? ""]
        const isHarmless = loss !== undefined || (!hasBegun && isConnectionLost(error))
        if (attempt >= attempts || !isHarmless) throw postgresFault(error, target)
        if (loss === undefined) continue
        losses += 1
        onWarning(
          `a transaction is tried again after ${loss}, try ${attempt + 1} of ${attempts}; ${losses} so far in this process`,
        )
      }
    }
  }

  return {
    types: { text: 'text collate "C"', bytes: "bytea" },
    read: (work) => run(db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only"), work),
    readOnce: (work) => run(db.connection(), work),
    write: (work) => run(db.transaction(), work),
    async lockSchema(transaction) {
      await sql`select pg_advisory_xact_lock(${schemaLock})`.execute(transaction)
    },
    async lockAgent(transaction, agent, how) {
      const lock = sql.raw(how === "alone" ? "pg_advisory_xact_lock" : "pg_advisory_xact_lock_shared")
      await sql`select ${lock}(${agentLock}, hashtext(${keyText(agent)}))`.execute(transaction)
    },
    // This ends the pool too.
    close: () => (closing ??= db.destroy()),
  }
}

/** The optional packages that this store works with. */
export interface Drivers {
  readonly pg: Pick<typeof import("pg"), "Client" | "Pool" | "types">
  readonly boss: typeof import("pg-boss")
}

/** Loads the packages when a store is opened. Throws `missing-dependency`, which says what to install. */
export async function loadDrivers(load = () => Promise.all([import("pg"), import("pg-boss")])): Promise<Drivers> {
  try {
    const [pg, boss] = await load()
    return { pg: pg.default, boss }
  } catch (cause) {
    const message =
      "A store on PostgreSQL needs the packages `pg` (version 8) and `pg-boss` (version 12), of which one could not be loaded."
    throw new PromptStrataError("missing-dependency", message, { cause, hint: "Run `npm install pg@8 pg-boss@12.35.0`." })
  }
}

/** The number of the type `bigint`, the type of counts. */
const bigintType = 20

/** The connections of the store. A broken one is replaced at its next use. */
export function openPool({ pg }: Pick<Drivers, "pg">, settings: PostgresSettings, target: ConnectionTarget): Pool {
  const statements = new NamedStatements()
  const pool = new pg.Pool({
    ...connection(settings, "promptstrata"),
    max: settings.maxConnections,
    // A pooler that gives out connections by transaction may not know the names.
    onConnect: (client) => (settings.jobs.listen ? statements.use(client) : undefined),
    types: {
      getTypeParser: (type: number, format?: "text" | "binary") =>
        type === bigintType ? Number : pg.types.getTypeParser(type, format),
    },
  })
  pool.on("error", (error) => {
    if (!pool.ending) settings.onWarning(withoutSecrets(`a connection was lost: ${messageOf(error)}`, target))
  })
  // A client in use reports its fault to the statement at hand. Without a listener the event would also end the process.
  pool.on("connect", (client) => client.on("error", () => undefined))
  const end = pool.end.bind(pool)
  // A pool that has ended leaves those who wait for a connection to their time limit.
  pool.end = async () => {
    await end()
    const { _pendingQueue: waiting = [] } = pool as { _pendingQueue?: { callback(error: Error): void }[] }
    for (const { callback } of waiting.splice(0)) callback(new Error("The store was closed."))
  }
  return pool
}

/** A client for listening; it connects only once. */
export function listeningClient({ pg }: Pick<Drivers, "pg">, settings: PostgresSettings): Client {
  return new pg.Client(connection(settings, "promptstrata listening"))
}

function connection({ url, connectTimeoutMs }: PostgresSettings, name: string): ClientConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: name,
  }
}
