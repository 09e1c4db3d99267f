import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely"
import { PromptStrataError } from "../../core/errors.ts"

export type Sqlite = typeof import("node:sqlite")
export type SqliteDatabase = InstanceType<Sqlite["DatabaseSync"]>

/** Loads Node's own SQLite. Throws `missing-dependency` when this Node was built without it. */
export async function loadSqlite(): Promise<Sqlite> {
  try {
    return await import("node:sqlite")
  } catch (cause) {
    const message = "The embedded store needs node:sqlite, which this Node was built without."
    const hint = "Use a Node of nodejs.org, 22.13 or newer, or openStore({ url }) with PostgreSQL."
    throw new PromptStrataError("missing-dependency", message, { cause, hint })
  }
}

/** A Kysely dialect over one connection of node:sqlite. Transactions use the connection one after the other. */
export function sqliteDialect(database: SqliteDatabase, run: RunQuery): Dialect {
  const connection: DatabaseConnection = {
    executeQuery: async <R>(query: CompiledQuery) => run(query) as QueryResult<R>,
    streamQuery() {
      throw new Error("Rows are read page by page here.")
    },
  }
  return {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createDriver: () => ({
      init: async () => {},
      acquireConnection: async () => connection,
      releaseConnection: async () => {},
      async beginTransaction(_, { accessMode }) {
        // A write transaction that begins with a read can fail at its first write, when another process has written since.
        database.exec(accessMode === "read only" ? "begin" : "begin immediate")
      },
      commitTransaction: async () => database.exec("commit"),
      async rollbackTransaction() {
        // Some faults, such as a full disk, end the transaction. Node before 22.16 has no `isTransaction` to tell that.
        const { isTransaction = true }: { readonly isTransaction?: boolean } = database
        if (isTransaction) database.exec("rollback")
      },
      destroy: async () => database.close(),
    }),
  }
}

export type RunQuery = (query: CompiledQuery) => QueryResult<unknown>

/** Runs the statements of one connection. */
export function statementRunner(database: SqliteDatabase): RunQuery {
  const prepared = statementCache(database)
  return ({ sql, parameters, query }) => {
    const statement = prepared(sql)
    const values = parameters.map(bindable)
    if (query.kind === "SelectQueryNode" || query.kind === "RawNode" || "returning" in query)
      return { rows: statement.all(...values) }
    const { changes } = statement.run(...values)
    return { numAffectedRows: BigInt(changes), rows: [] }
  }
}

function bindable(value: unknown): null | number | bigint | string | Uint8Array {
  if (value === null || typeof value === "number" || typeof value === "bigint" || typeof value === "string") return value
  if (value instanceof Uint8Array) return value
  throw new TypeError(`SQLite takes no ${typeof value}.`)
}

const maxStatements = 200

/** Prepares statements and keeps the most recently used ones. */
function statementCache(database: SqliteDatabase) {
  const prepared = new Map<string, ReturnType<SqliteDatabase["prepare"]>>()
  return (sql: string) => {
    const statement = prepared.get(sql) ?? database.prepare(sql)
    prepared.delete(sql)
    prepared.set(sql, statement)
    const [oldest] = prepared.keys()
    if (prepared.size > maxStatements && oldest !== undefined) prepared.delete(oldest)
    return statement
  }
}
