export type { DatabaseStore, SqliteStore, SqliteStoreOptions } from "./database-store.ts"
export { openStore } from "./open-store.ts"
export type { PostgresStoreOptions } from "./postgres/postgres-options.ts"
