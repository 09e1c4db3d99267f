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

/** Node's own SQLite, loaded when first needed. Throws `missing-dependency` where this Node was built without it. */
export async function loadSqlite(): Promise<Sqlite> {
  try {
    return await import("node:sqlite")
  } catch (cause) {
    throw new PromptStrataError(
      "missing-dependency",
      "The embedded store needs node:sqlite, which this Node was built without.",
      {
        cause,
        hint: "Use a Node of nodejs.org, 22.13 or newer, or openStore({ url }) with PostgreSQL.",
      },
    )
  }
}

/** Kysely over one connection of node:sqlite, which one statement or transaction after the other has for itself. */
export function sqliteDialect(database: SqliteDatabase): Dialect {
  const connection = connectionTo(database)
  return {
    createAdapter: () => new SqliteAdapter(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
    createDriver: () => ({
      init: async () => {},
      acquireConnection: async () => connection,
      releaseConnection: async () => {},
      async beginTransaction(_, { accessMode }) {
        // One that begins by reading could find at its first change that somebody else was quicker.
        database.exec(accessMode === "read only" ? "begin" : "begin immediate")
      },
      commitTransaction: async () => database.exec("commit"),
      async rollbackTransaction() {
        // Some faults, such as a full disk, have ended the transaction already.
        if (isInTransaction(database)) database.exec("rollback")
      },
      destroy: async () => database.close(),
    }),
  }
}

function connectionTo(database: SqliteDatabase): DatabaseConnection {
  const prepared = createStatementCache(database)
  return {
    async executeQuery<R>({ sql, parameters, query }: CompiledQuery): Promise<QueryResult<R>> {
      const statement = prepared(sql)
      const values = parameters.map(bindable)
      if (query.kind === "SelectQueryNode" || query.kind === "RawNode" || "returning" in query)
        return { rows: statement.all(...values) as R[] }
      const { changes } = statement.run(...values)
      return { numAffectedRows: BigInt(changes), rows: [] }
    },
    streamQuery() {
      throw new Error("Rows are read page by page here.")
    },
  }
}

/** Node before 22.16 cannot tell: then there is one. */
function isInTransaction(database: { readonly isTransaction?: boolean }): boolean {
  return database.isTransaction ?? true
}

type Bindable = null | number | bigint | string | Uint8Array

function bindable(value: unknown): Bindable {
  if (value === null || typeof value === "number" || typeof value === "bigint" || typeof value === "string") return value
  if (value instanceof Uint8Array) return value
  throw new TypeError(`SQLite takes no ${typeof value}.`)
}

type Statement = ReturnType<SqliteDatabase["prepare"]>

const maxStatements = 200

/** Prepares statements, the latest ones only once. */
function createStatementCache(database: SqliteDatabase): (sql: string) => Statement {
  const prepared = new Map<string, Statement>()
  return (sql) => {
    const statement = prepared.get(sql) ?? database.prepare(sql)
    prepared.delete(sql)
    prepared.set(sql, statement)
    const [oldest] = prepared.keys()
    if (prepared.size > maxStatements && oldest !== undefined) prepared.delete(oldest)
    return statement
  }
}
