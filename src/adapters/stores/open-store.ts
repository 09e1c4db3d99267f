import { checkType } from "../../core/check-options.ts"
import type { DatabaseStore, SqliteStore, SqliteStoreOptions } from "./database-store.ts"
import type { PostgresStoreOptions } from "./postgres/postgres-options.ts"
import { storeFile } from "./sqlite/store-file.ts"

/**
 * Opens the embedded store of a folder (`<folder>/.promptstrata/store.sqlite`, made if it is missing), or with `{ url }` the store of a
 * PostgreSQL database. Throws `store` when it cannot be used, `usage` for options that are wrong, and `missing-dependency` when an
 * optional package is missing.
 */
export function openStore(folder: string, options?: SqliteStoreOptions): Promise<SqliteStore>
export function openStore(options: PostgresStoreOptions): Promise<DatabaseStore>
export async function openStore(where: string | PostgresStoreOptions, options: SqliteStoreOptions = {}): Promise<DatabaseStore> {
  if (typeof where === "string") {
    const { openSqliteStore } = await import("./sqlite/open-sqlite-store.ts")
    return openSqliteStore(storeFile(where), options)
  }
  checkType("the folder or the options of openStore", where, "object")
  const { openPostgresStore } = await import("./postgres/open-postgres-store.ts")
  return openPostgresStore(where)
}
