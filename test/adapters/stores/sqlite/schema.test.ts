import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, test, vi } from "vitest"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { tempFolder } from "../../../support/temp-folder.ts"

test("a new file has these tables, columns, keys and indexes", async () => {
  const file = join(tempFolder(), "store.sqlite")
  const store = await openSqliteStore(file)
  await store.close()
  const database = new DatabaseSync(file)
  const rows = database.prepare("select sql from sqlite_schema where sql is not null order by type desc, name").all()
  database.close()
  const lines = rows.map(({ sql }) =>
    String(sql)
      .replaceAll('"', "")
      .replace(/\s+/g, " ")
      .replace(/(?<=^CREATE TABLE \w+ \(|, )(?=constraint |\w+ (?:text|integer|double|blob))/g, "\n  "),
  )
  await expect(`${lines.join("\n\n").replace(/ +$/gm, "")}\n`).toMatchFileSnapshot("schema.sql")
})

test("a new file is made in one transaction, and one that is there is opened in one", async () => {
  const file = join(tempFolder(), "store.sqlite")
  const exec = vi.spyOn(DatabaseSync.prototype, "exec")
  const commits = () => exec.mock.calls.filter(([statement]) => statement === "commit").length
  try {
    const store = await openSqliteStore(file)
    expect(commits()).toBe(1)
    await store.close()
    exec.mockClear()
    const again = await openSqliteStore(file)
    expect(commits()).toBe(1)
    await again.close()
  } finally {
    exec.mockRestore()
  }
})
