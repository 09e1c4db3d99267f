import { test } from "vitest"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { workAlike } from "../../../support/random-work.ts"
import { runs, seedOf } from "../../../support/size.ts"
import { makeDatabase } from "./support/database.ts"
import { openStoreFor } from "./support/open-store.ts"

const jobs = { maxAttempts: 1 }

test("random work and forgetting of every kind have the same results in memory and in PostgreSQL", async () => {
  for (let run = 0; run < runs(2); run++) {
    const store = await openStoreFor(await makeDatabase(), { jobs })
    await workAlike(seedOf(1_000 * run + 500), 120, [createInMemoryStore({ jobs }), store])
    await store.close()
  }
})
