import type { OpenSqlite } from "./sqlite-database.ts"

const restore = "Go back to a backup, or export what can be read and import it into a new store."

/** What SQLite finds wrong with the file, one line each. */
export async function checkFile({ exclusively }: Pick<OpenSqlite, "exclusively">): Promise<readonly string[]> {
  return exclusively((database) => {
    const found = database.prepare("pragma integrity_check").all()
    const faults = found.map(({ integrity_check }) => String(integrity_check)).filter((fault) => fault !== "ok")
    const broken = database.prepare("pragma foreign_key_check").all()
    const byTable = Map.groupBy(broken, ({ table, parent }) => `${String(table)} without ${String(parent)}`)
    return [
      ...faults.map((fault) => `file: ${fault}. ${restore}`),
      ...[...byTable].map(([what, rows]) => `file: ${rows.length} rows of ${what}. ${restore}`),
    ]
  })
}
