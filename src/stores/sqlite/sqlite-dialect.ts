import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely"
import type { SqliteDatabase } from "./load-sqlite.ts"
import { createStatementCache } from "./statement-cache.ts"

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
