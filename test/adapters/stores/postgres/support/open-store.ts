import { onTestFinished } from "vitest"
import { openPostgresStore } from "../../../../../src/adapters/stores/postgres/open-postgres-store.ts"
import type { PostgresStoreOptions } from "../../../../../src/adapters/stores/postgres/postgres-options.ts"
import type { Store } from "../../../../../src/memory/services/store/store.ts"

/** A store that is closed with its test. Failed jobs are due at once. It polls too rarely, and waits too long for a connection, to help: a test that needs either fails. */
export async function openStoreFor(url: string, { jobs, ...options }: Partial<PostgresStoreOptions> = {}): Promise<Store> {
  const store = await openPostgresStore({
    url,
    onWarning: () => undefined,
    maxConnections: 4,
    connectTimeoutMs: 600_000,
    ...options,
    jobs: { waitMs: 0, pollMs: 600_000, superviseSeconds: 1, ...jobs },
  })
  onTestFinished(() => store.close())
  return store
}
