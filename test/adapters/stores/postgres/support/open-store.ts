import { onTestFinished } from "vitest"
import { openPostgresStore } from "../../../../../src/adapters/stores/postgres/open-postgres-store.ts"
import type { PostgresStoreOptions } from "../../../../../src/adapters/stores/postgres/postgres-options.ts"
import type { Store } from "../../../../../src/memory/services/store/store.ts"

/** A store that is closed with its test. Failed jobs are due at once. It polls too rarely to help: a test that needs a poll fails. */
export async function openStoreFor(url: string, { jobs, ...options }: Partial<PostgresStoreOptions> = {}): Promise<Store> {
  const store = await openPostgresStore({
    url,
    onWarning: () => undefined,
    maxConnections: 4,
    ...options,
    jobs: { waitMs: 0, pollMs: 600_000, superviseSeconds: 1, ...jobs },
  })
  onTestFinished(() => store.close())
  return store
}
