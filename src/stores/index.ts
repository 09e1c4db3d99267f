export { openStore } from "./open-store.ts"
export type { PostgresStoreOptions } from "./postgres/postgres-options.ts"
export type { DatabaseStore } from "./sql/sql-store.ts"
export type { SqliteStore, SqliteStoreOptions } from "./sqlite/open-sqlite-store.ts"
