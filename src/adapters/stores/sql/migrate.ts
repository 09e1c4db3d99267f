import type { ColumnDataType, CreateTableBuilder, Expression } from "kysely"
import { PromptStrataError } from "../../../core/errors.ts"
import type { ColumnTypes, Queries, SqlDatabase } from "./sql-database.ts"

/** One change of the schema. Its number is its place in the list, from 1. */
export interface Migration {
  readonly name: string
  up(db: Queries, types: ColumnTypes): Promise<void>
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
      await next.up(db, database.types)
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
  await db.schema
    .createTable("schema_versions")
    .ifNotExists()
    .addColumn("part", text, (column) => column.notNull().primaryKey())
    .addColumn("version", "integer", (column) => column.notNull())
    .execute()
  const row = await db.selectFrom("schema_versions").select("version").where("part", "=", part).executeTakeFirst()
  return row?.version ?? 0
}

function newer(part: string, found: number, known: number): PromptStrataError {
  const message = `Expected a schema of version ${known} or older for ${JSON.stringify(part)}, found version ${found}: a newer promptstrata has written to this store.`
  const hint = "Update promptstrata, or open a backup from before the update."
  return new PromptStrataError("store", message, { hint, evidence: { part, foundVersion: found, knownVersion: known } })
}

/** The type of a column: text, a whole number, any number, or bytes. With `?` it can be null. */
type ColumnKind = "text" | "text?" | "integer" | "integer?" | "double" | "double?" | "bytes"

/** A table as a migration describes it. */
export interface TableShape {
  readonly columns: Readonly<Record<string, ColumnKind>>
  /** The primary key. */
  readonly key: readonly string[]
  /** A foreign key: these columns point to the primary key of another table. */
  readonly references?: { readonly columns: readonly string[]; readonly table: string; readonly key: readonly string[] }
  readonly indexes?: readonly (readonly string[])[]
}

/** Makes a table with its constraints and indexes. */
export async function createTable({ schema }: Queries, types: ColumnTypes, name: string, shape: TableShape): Promise<void> {
  let table: CreateTableBuilder<string, string> = schema.createTable(name)
  for (const [column, kind] of Object.entries(shape.columns))
    table = table.addColumn(column, typeOf(kind, types), (build) => (kind.endsWith("?") ? build : build.notNull()))
  table = table.addPrimaryKeyConstraint(`${name}_key`, [...shape.key])
  const { references, indexes = [] } = shape
  if (references)
    table = table.addForeignKeyConstraint(`${name}_${references.table}`, [...references.columns], references.table, [
      ...references.key,
    ])
  await table.execute()
  for (const columns of indexes)
    await schema
      .createIndex(`${name}_${columns.slice(1).join("_")}`)
      .on(name)
      .columns([...columns])
      .execute()
}

function typeOf(kind: ColumnKind, { text, bytes }: ColumnTypes): ColumnDataType | Expression<unknown> {
  if (kind === "bytes") return bytes
  if (kind.startsWith("double")) return "double precision"
  return kind.startsWith("integer") ? "integer" : text
}
