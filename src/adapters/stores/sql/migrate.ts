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
    await sql
      .raw(`create table if not exists schema_versions (part ${types.text} not null primary key, version integer not null)`)
      .execute(db)
    const rows = await db.selectFrom("schema_versions").select(["part", "version"]).execute()
    const versions = new Map(rows.map(({ part, version }) => [part, version]))
    const names: string[] = []
    for (const [part, migrations] of Object.entries(parts)) {
      const found = versions.get(part) ?? 0
      const missing = await migrate(db, { part, found, migrations, types })
      if (found > 0) names.push(...missing.map(({ name }) => name))
    }
    await emptyCaches(db, [...versions.keys()])
    return names
  })
  const told = "The store was updated for this version of promptstrata, and older versions will refuse it. What is new in it:"
  if (made.length > 0) onWarning([told, ...made].join("\n"))
}

/** The migrations of a part, and the version that a store has of it. */
interface PartOfSchema {
  readonly part: string
  readonly found: number
  readonly migrations: readonly Migration[]
  readonly types: ColumnTypes
}

/** Makes the migrations that a store lacks of a part, and returns them. */
async function migrate(db: Queries, { part, found, migrations, types }: PartOfSchema): Promise<readonly Migration[]> {
  if (found > migrations.length) throw newer(part, found, migrations.length)
  const missing = migrations.slice(found)
  if (missing.length === 0) return missing
  for (const { statements } of missing)
    for (const statement of statements) await sql.raw(statementText(statement, types)).execute(db)
  const { length: version } = migrations
  const row = db.insertInto("schema_versions").values({ part, version })
  await row.onConflict((conflict) => conflict.column("part").doUpdateSet({ version })).execute()
  return missing
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
    const rows = await db.selectFrom("schema_versions").select("part").where("part", "like", `${cachePart}%`).execute()
    await emptyCaches(
      db,
      rows.map(({ part }) => part),
    )
  })
}

async function emptyCaches(db: Queries, parts: readonly string[]): Promise<void> {
  for (const part of parts)
    if (part.startsWith(cachePart)) await sql`delete from ${sql.table(part.slice(cachePart.length))}`.execute(db)
}

function newer(part: string, found: number, known: number): PromptStrataError {
  const message = `Expected a schema of version ${known} or older for ${JSON.stringify(part)}, found version ${found}: a newer promptstrata has written to this store.`
  const hint = "Update promptstrata, or open a backup from before the update."
  return new PromptStrataError("store", message, { hint, evidence: { part, foundVersion: found, knownVersion: known } })
}
