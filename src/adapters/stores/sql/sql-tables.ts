import type { Kysely } from "kysely"
import type { RowTables, SessionColumns } from "../../../memory/services/store/rows/row-tables.ts"

/** Builds statements over the store's tables, within a transaction. */
export type Queries = Kysely<Tables>

/** A row as databases keep it: plain JSON as text, which keeps any string and the order of members. */
type StoredRow<Row> = {
  [Column in keyof Row]: Column extends "body" | "whole_state" ? string | Extract<Row[Column], null> : Row[Column]
}

/**
 * The tables, the same in every database. Strings but those of bodies are stored as `keyText`. Times are doubles, which hold every number
 * that a clock gives.
 */
export type Tables = { [Table in keyof RowTables]: StoredRow<RowTables[Table]> } & {
  /** The number of the last migration of each part of the schema. */
  schema_versions: { part: string; version: number }
  /** Changes of a session's state since `whole_state` was written, one `Change` for each version. */
  state_changes: SessionColumns & { version: number; body: string }
  /** `checksum` is the CRC-32 of the bytes as hexadecimal digits. Rows of older versions have none. */
  vectors: { checksum: string | null }
  index_copies: { checksum: string | null }
}
