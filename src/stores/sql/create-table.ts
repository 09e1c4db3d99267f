import type { ColumnDataType, CreateTableBuilder, Expression } from "kysely"
import type { ColumnTypes } from "./sql-database.ts"
import type { Queries } from "./tables.ts"

/** A column: text, a whole number, any number, or bytes. With `?` it can be null. */
type ColumnKind = "text" | "text?" | "integer" | "integer?" | "double" | "double?" | "bytes"

/** A table as a migration writes it down. */
export interface TableShape {
  readonly columns: Readonly<Record<string, ColumnKind>>
  /** The primary key. */
  readonly key: readonly string[]
  /** Columns that point to a row of another table by its primary key of the same length. */
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
