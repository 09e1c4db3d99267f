import { describe, test } from "vitest"
import { createInMemoryStore } from "../../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { storeConformance } from "../../../../../src/testing/conformance/store/store-conformance.ts"

describe("createInMemoryStore keeps the rules of a store", () => {
  const open = async () => ({ service: createInMemoryStore({ jobs: { maxAttempts: 3, waitMs: 1, maxWaitMs: 2 } }) })
  for (const { name, run } of storeConformance(open)) test(name, run)
})
