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
 * Brings the schema up to date, each part by its migrations, and tells of an update of a store that was there before. All of it is
 * written in one transaction: a half-done update never shows, and two processes never run the same migration. Throws `store` when the
 * schema is newer than this code.
 */
export async function updateSchema(
  database: SqlDatabase,
  parts: Readonly<Record<string, readonly Migration[]>>,
  onWarning: (message: string) => void,
): Promise<void> {
  const { types, lockSchema } = database
  const made = await database.write(async (db) => {
    await lockSchema(db)
    const columns = `part ${types.text} not null primary key, version integer not null`
    await sql.raw(`create table if not exists schema_versions (${columns})`).execute(db)
    const rows = await db.selectFrom("schema_versions").select(["part", "version"]).execute()
    const names: string[] = []
    for (const [part, migrations] of Object.entries(parts)) {
      const [found, known] = [rows.find((row) => row.part === part)?.version ?? 0, migrations.length]
      if (found > known) throw newer(part, found, known)
      const missing = migrations.slice(found)
      for (const statement of missing.flatMap(({ statements }) => statements))
        await sql.raw(statementText(statement, types)).execute(db)
      if (missing.length > 0) await putVersion(db, part, known)
      if (found > 0) names.push(...missing.map(({ name }) => name))
    }
    await emptyCaches(db)
    return names
  })
  const told = "The store was updated for this version of promptstrata, and older versions will refuse it. What is new in it:"
  if (made.length > 0) onWarning([told, ...made].join("\n"))
}

async function putVersion(db: Queries, part: string, version: number): Promise<void> {
  const row = db.insertInto("schema_versions").values({ part, version })
  await row.onConflict((conflict) => conflict.column("part").doUpdateSet({ version })).execute()
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
export const emptyNewerCaches = (database: SqlDatabase): Promise<void> => database.write(emptyCaches)

async function emptyCaches(db: Queries): Promise<void> {
  const parts = await db.selectFrom("schema_versions").select("part").where("part", "like", `${cachePart}%`).execute()
  for (const { part } of parts) await sql`delete from ${sql.table(part.slice(cachePart.length))}`.execute(db)
}

function newer(part: string, found: number, known: number): PromptStrataError {
  const message = `Expected a schema of version ${known} or older for ${JSON.stringify(part)}, found version ${found}: a newer promptstrata has written to this store.`
  const hint = "Update promptstrata, or open a backup from before the update."
  return new PromptStrataError("store", message, { hint, evidence: { part, foundVersion: found, knownVersion: known } })
}
