import { afterAll, beforeAll, describe, test } from "vitest"
import { openPostgresStore } from "../../../../src/adapters/stores/postgres/open-postgres-store.ts"
import type { Store } from "../../../../src/memory/services/store/store.ts"
import { storeConformance } from "../../../../src/testing/conformance/store/store-conformance.ts"
import { makeDatabase } from "./support/database.ts"

let url = ""
const opened: Store[] = []
beforeAll(async () => {
  url = await makeDatabase()
})
afterAll(() => Promise.all(opened.map((store) => store.close())))

describe("a store on PostgreSQL", () => {
  const open = async () => {
    const service = await openPostgresStore({
      url,
      maxConnections: 3,
      onWarning: () => undefined,
      jobs: { waitMs: 5, maxWaitMs: 5, maxAttempts: 3, pollMs: 600_000 },
    })
    return { service, close: () => service.close() }
  }
  for (const { name, run } of storeConformance(open)) test(name, run)
})
