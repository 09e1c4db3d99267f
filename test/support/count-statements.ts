import { DatabaseSync, StatementSync } from "node:sqlite"
import { onTestFinished } from "vitest"
import { isOfEngine, watchPostgres } from "./watch-postgres.ts"

/** Statements that databases received: those that begin or end a transaction, and all others. */
export class StatementCount {
  readonly seen: string[] = []

  clear(): void {
    this.seen.length = 0
  }

  get transactions(): number {
    return this.seen.filter((sql) => /^(begin|start transaction)/i.test(sql)).length
  }

  get statements(): number {
    return this.seen.filter((sql) => !/^(begin|start transaction|commit|rollback)/i.test(sql)).length
  }
}

/** Counts everything that SQLite runs in this process until the test ends. */
export function countSqlite(): StatementCount {
  const count = new StatementCount()
  const { exec } = DatabaseSync.prototype
  DatabaseSync.prototype.exec = function (sql) {
    count.seen.push(sql)
    return exec.call(this, sql)
  }
  const { all, run } = StatementSync.prototype
  for (const [name, original] of Object.entries({ all, run })) {
    const counted = function (this: StatementSync, ...values: unknown[]): unknown {
      count.seen.push(this.sourceSQL)
      return (original as (...values: unknown[]) => unknown).apply(this, values)
    }
    Object.assign(StatementSync.prototype, { [name]: counted })
  }
  onTestFinished(() => {
    DatabaseSync.prototype.exec = exec
    Object.assign(StatementSync.prototype, { all, run })
  })
  return count
}

/** Counts what PostgreSQL receives from this process until the test ends, but for the statements of pg-boss about its own tables. */
export function countPostgres(): StatementCount {
  const count = new StatementCount()
  onTestFinished(watchPostgres((sql) => void (isOfEngine(sql) || count.seen.push(sql))))
  return count
}
