import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, test, vi } from "vitest"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
import { turnOf } from "./support/turns.ts"

const newFile = () => join(tempFolder(), "store.sqlite")

/** Runs statements in the file of a closed store, and returns the rows of the last one. */
function inFile(file: string, ...statements: readonly string[]): unknown[] {
  const raw = new DatabaseSync(file)
  const rows = statements.map((statement) => raw.prepare(statement).all())
  raw.close()
  return rows.at(-1) ?? []
}

/** What opening and closing the store of a file warns of. */
async function warningsOf(file: string): Promise<readonly string[]> {
  const warnings: string[] = []
  const store = await openSqliteStore(file, { onWarning: (message) => warnings.push(message) })
  await store.close()
  return warnings
}

/** Makes of a new store one of an older version. */
const older = [
  "drop table index_copies",
  "alter table memory_scopes rename column last_deletion to epoch",
  "drop table blobs",
  "drop table session_blobs",
  "update schema_versions set version = 5 where part = 'store'",
]

describe("M24 a store of an older version", () => {
  test("is updated, and whoever opens it is told what is new and that older versions refuse it, once", async () => {
    const file = newFile()
    expect(await warningsOf(file)).toEqual([])
    inFile(file, ...older)
    expect(await warningsOf(file)).toEqual([
      [
        "The store was updated for this version of promptstrata, and older versions will refuse it. What is new in it:",
        "bytes that messages name",
        "copies of recall indexes",
      ].join("\n"),
    ])
    expect(await warningsOf(file)).toEqual([])
  })

  test("stays as it was if one of the changes fails", async () => {
    const file = newFile()
    await warningsOf(file)
    inFile(file, ...older, "create table index_copies (name text)")
    const schema = () => inFile(file, "select sql, (select max(version) from schema_versions) as version from sqlite_schema")
    const before = schema()
    await expect(warningsOf(file)).rejects.toThrow("table index_copies already exists")
    expect(schema()).toEqual(before)
  })

  test("is told of on the console where nobody listens", async () => {
    const file = newFile()
    await openSqliteStore(file).then((store) => store.close())
    inFile(file, ...older)
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined)
    await openSqliteStore(file).then((store) => store.close())
    expect(warn.mock.calls.flat().join()).toContain("promptstrata: The store was updated")
    warn.mockRestore()
  })
})

describe("M24 a table of a newer version that is only a cache", () => {
  const newer = [
    "create table summaries (agent text, bytes text)",
    "insert into schema_versions (part, version) values ('cache summaries', 3)",
    "insert into summaries values ('fay', 'words of somebody')",
  ]
  const cached = (file: string) => inFile(file, "select * from summaries")

  test("is no reason to refuse a store, and is emptied when an older version opens it", async () => {
    const file = newFile()
    await warningsOf(file)
    inFile(file, ...newer)
    expect(await warningsOf(file)).toEqual([])
    expect(cached(file)).toEqual([])
  })

  test("keeps nothing of what an older version forgets", async () => {
    const file = newFile()
    const store = await openSqliteStore(file)
    const { key, commit } = turnOf("turn", "chat")
    await store.commit(key, { ...commit, expectVersion: 0 })
    inFile(file, ...newer)
    expect(cached(file)).toHaveLength(1)
    await store.forget({ agent: key.agent })
    expect(cached(file)).toEqual([])
    await store.close()
  })
})
