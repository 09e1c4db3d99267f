import { sql } from "kysely"
import { PromptStrataError } from "../../../core/errors.ts"
import type { ColumnTypes, Queries, SqlDatabase } from "./sql-database.ts"

/** One change of the schema. Its number is its place in the list, from 1. */
export interface Migration {
  readonly name: string
  /** The statements that make it, one after the other. */
  readonly statements: (types: ColumnTypes) => readonly string[]
}

/**
 * Brings a part of the schema up to date. Each migration and its number are written in one transaction: a half-done one never shows,
 * and two processes never run the same one. Throws `store` when the schema is newer than this code.
 */
export async function migrate(database: SqlDatabase, part: string, migrations: readonly Migration[]): Promise<void> {
  for (;;) {
    const isDone = await database.write(async (db) => {
      await database.lockSchema(db)
      const found = await versionOf(db, part, database.types)
      if (found > migrations.length) throw newer(part, found, migrations.length)
      const next = migrations[found]
      if (next === undefined) return true
      for (const statement of next.statements(database.types)) await sql.raw(statement).execute(db)
      await db
        .insertInto("schema_versions")
        .values({ part, version: found + 1 })
        .onConflict((conflict) => conflict.column("part").doUpdateSet({ version: found + 1 }))
        .execute()
      return false
    })
    if (isDone) return
  }
}

/** Advice for a statement that fails because a table or column has gone since the store was opened. */
export const newerSchemaHint =
  "Nothing was written. Most likely a newer promptstrata has changed this store while this process ran: start it again with that version."

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
