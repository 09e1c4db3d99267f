import { sql } from "kysely"
import { PromptStrataError } from "../../../core/errors.ts"
import tables from "./migrations.json" with { type: "json" }
import type { ColumnTypes, Queries, SqlDatabase } from "./sql-database.ts"

/** One change of the schema. Its number is its place in the list, from 1. */
interface Migration {
  readonly name: string
  /** The statements that make it, one after the other. A list is a table: its beginning, then its columns and constraints. */
  readonly statements: readonly (string | readonly string[])[]
}

/**
 * The migrations of the tables of all stores, and those of the jobs of the embedded one, oldest first. A migration that was released is
 * never changed. A table stands after the tables that it points to.
 */
export const migrations: Readonly<Record<"store" | "jobs", readonly Migration[]>> = tables

/**
 * Brings the schema up to date, each part by its migrations, and tells of an update of a store that was there before. Each migration
 * and its number are written in one transaction: a half-done one never shows, and two processes never run the same one. Throws `store`
 * when the schema is newer than this code.
 */
export async function updateSchema(
  database: SqlDatabase,
  parts: Readonly<Record<string, readonly Migration[]>>,
  onWarning: (message: string) => void,
): Promise<void> {
  const made: string[] = []
  for (const [part, migrations] of Object.entries(parts)) {
    const first = await migrateOnce(database, part, migrations)
    for (let found = first; found < migrations.length; ) found = await migrateOnce(database, part, migrations)
    if (first > 0) made.push(...migrations.slice(first).map(({ name }) => name))
  }
  await emptyNewerCaches(database)
  const told = "The store was updated for this version of promptstrata, and older versions will refuse it. What is new in it:"
  if (made.length > 0) onWarning([told, ...made].join("\n"))
}

/** Makes the next migration of a part, if there is one, and returns the version before it. */
async function migrateOnce(database: SqlDatabase, part: string, migrations: readonly Migration[]): Promise<number> {
  return database.write(async (db) => {
    await database.lockSchema(db)
    const found = await versionOf(db, part, database.types)
    if (found > migrations.length) throw newer(part, found, migrations.length)
    const next = migrations[found]
    if (next === undefined) return found
    for (const statement of next.statements) await sql.raw(statementText(statement, database.types)).execute(db)
    await db
      .insertInto("schema_versions")
      .values({ part, version: found + 1 })
      .onConflict((conflict) => conflict.column("part").doUpdateSet({ version: found + 1 }))
      .execute()
    return found
  })
}

function statementText(statement: string | readonly string[], types: ColumnTypes): string {
  const [first = "", ...columns] = [statement].flat()
  const text = columns.length === 0 ? first : `${first} (${columns.join(", ")})`
  return text.replaceAll("{text}", types.text).replaceAll("{bytes}", types.bytes)
}

/** A part of this name with the name of a table behind it is only a cache: older versions do not refuse a store for it. */
const cachePart = "cache "

/**
 * Empties the caches that newer versions have added, when the store is opened and after each deletion: this version cannot know which of
 * their rows hold what was deleted.
 */
export async function emptyNewerCaches(database: SqlDatabase): Promise<void> {
  await database.write(async (db) => {
    const parts = await db.selectFrom("schema_versions").select("part").where("part", "like", `${cachePart}%`).execute()
    for (const { part } of parts) await sql`delete from ${sql.table(part.slice(cachePart.length))}`.execute(db)
  })
}

async function versionOf(db: Queries, part: string, { text }: ColumnTypes): Promise<number> {
  await sql
    .raw(`create table if not exists schema_versions (part ${text} not null primary key, version integer not null)`)
    .execute(db)
  const row = await db.selectFrom("schema_versions").select("version").where("part", "=", part).executeTakeFirst()
  return row?.version ?? 0
}

function newer(part: string, found: number, known: number): PromptStrataError {
  const message = `Expected a schema of version ${known} or older for ${JSON.stringify(part)}, found version ${found}: a newer promptstrata has written to this store.`
  const hint = "Update promptstrata, or open a backup from before the update."
  return new PromptStrataError("store", message, { hint, evidence: { part, foundVersion: found, knownVersion: known } })
}
