import type { SqliteDatabase } from "./load-sqlite.ts"

type Statement = ReturnType<SqliteDatabase["prepare"]>

const maxStatements = 200

/** Prepares statements, the latest ones only once. */
export function createStatementCache(database: SqliteDatabase): (sql: string) => Statement {
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
