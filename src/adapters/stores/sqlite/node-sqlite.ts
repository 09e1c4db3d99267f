import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from "kysely"
import { PromptStrataError } from "../../../core/errors.ts"
import { NewestMap } from "../../../core/memo.ts"

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

/** A Kysely dialect over one connection of node:sqlite, for statements. Transactions begin and end outside of it. */
export function sqliteDialect(run: RunQuery): Dialect {
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
      beginTransaction: noTransaction,
      commitTransaction: noTransaction,
      rollbackTransaction: noTransaction,
      destroy: async () => {},
    }),
  }
}

async function noTransaction(): Promise<never> {
  throw new Error("Transactions begin and end outside of Kysely here.")
}

type RunQuery = (query: CompiledQuery) => QueryResult<unknown>
type RunPrepared = (parameters: readonly unknown[]) => QueryResult<unknown>

/** Prepares a statement on a connection. */
export function preparedOn(database: SqliteDatabase, { sql, query }: CompiledQuery): RunPrepared {
  const statement = database.prepare(sql)
  if (query.kind === "SelectQueryNode" || query.kind === "RawNode" || "returning" in query)
    return (parameters) => ({ rows: statement.all(...parameters.map(bindable)) })
  return (parameters) => {
    const { changes } = statement.run(...parameters.map(bindable))
    return { numAffectedRows: BigInt(changes), rows: [] }
  }
}

function bindable(value: unknown): null | number | bigint | string | Uint8Array {
  if (value === null || typeof value === "number" || typeof value === "bigint" || typeof value === "string") return value
  if (value instanceof Uint8Array) return value
  throw new TypeError(`SQLite takes no ${typeof value}.`)
}

const maxStatements = 200

/** Runs the statements of one connection. The most recently used ones stay prepared. */
export function statementRunner(database: SqliteDatabase): RunQuery {
  const prepared = new NewestMap<string, RunPrepared>(maxStatements)
  return (query) => {
    const { sql, parameters } = query
    const run = prepared.get(sql) ?? preparedOn(database, query)
    prepared.set(sql, run)
    return run(parameters)
  }
}
