import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { expect, test } from "vitest"
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
