import { DatabaseSync, StatementSync } from "node:sqlite"
import { onTestFinished } from "vitest"

/** When a statement fails: instead of being run, or once it is done, so that nobody hears of it. */
export type FailsWhen = "before" | "behind"

/** Lets statements of all connections of this process fail until the test has ended. */
export function failingStatements() {
  let left = Number.POSITIVE_INFINITY
  let fails: { readonly when: FailsWhen; readonly lasts: boolean } = { when: "before", lasts: false }
  let failed: string | undefined

  function watched<Given extends unknown[], T>(call: (...given: Given) => T, sqlOf: (self: unknown, given: Given) => string) {
    return function watching(this: unknown, ...given: Given): T {
      const { when, lasts } = fails
      const sql = sqlOf(this, given)
      // One that begins a transaction is done or fails. SQLite takes back in memory, also where the disk is gone.
      if (when === "before" ? sql !== "rollback" : !sql.startsWith("begin")) left -= 1
      if (left > 0 || sql === "rollback") return call.apply(this, given)
      if (!lasts) left = Number.POSITIVE_INFINITY
      if (when === "behind" && !sql.startsWith("begin")) call.apply(this, given)
      failed ??= sql
      throw Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR", errcode: 10 })
    }
  }

  const ofStatement = (self: unknown) => (self as StatementSync).sourceSQL
  const [database, statement] = [DatabaseSync.prototype, StatementSync.prototype]
  const { exec } = database
  const { all, get, run } = statement
  database.exec = watched(exec, (_, [sql]) => sql)
  statement.all = watched(all, ofStatement) as typeof all
  statement.get = watched(get, ofStatement) as typeof get
  statement.run = watched(run, ofStatement) as typeof run
  onTestFinished(() => {
    database.exec = exec
    Object.assign(statement, { all, get, run })
  })
  return {
    /** The statement of this number fails, counted from 1, and with `lasts` all that follow. */
    arm(number: number, when: FailsWhen, lasts = false): void {
      left = number
      failed = undefined
      fails = { when, lasts }
    },
    /** Lets all go well again. Returns the statement that failed first; undefined if none came so far. */
    disarm(): string | undefined {
      left = Number.POSITIVE_INFINITY
      return failed
    },
  }
}
