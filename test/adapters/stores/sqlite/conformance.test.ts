import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, test } from "vitest"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { storeConformance } from "../../../../src/testing/index.ts"

const folder = mkdtempSync(join(tmpdir(), "promptstrata-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe("the embedded store keeps the rules of every store", () => {
  const open = async () => {
    const service = await openSqliteStore(join(folder, "store.sqlite"), {
      jobs: { maxAttempts: 3, waitMs: 1, maxWaitMs: 2 },
      pollMs: 20,
      onWarning: () => {},
    })
    return { service, close: () => service.close() }
  }
  for (const { name, run } of storeConformance(open)) test(name, run)
})
