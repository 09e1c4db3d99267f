import { join } from "node:path"
import { test } from "vitest"
import { openSqliteStore } from "../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { workAlike } from "../../support/random-work.ts"
import { runs, seedOf } from "../../support/size.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const jobs = { maxAttempts: 1 }

test("random work and forgetting of every kind have the same results in memory and in a file", async () => {
  for (let run = 0; run < runs(6); run++) {
    const file = await openSqliteStore(join(tempFolder(), "store.sqlite"), { jobs })
    await workAlike(seedOf(1_000 * run), 120, [createInMemoryStore({ jobs }), file])
    await file.close()
  }
})
