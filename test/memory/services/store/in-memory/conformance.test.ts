import { describe, test } from "vitest"
import { createInMemoryStore } from "../../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { sessionStoreConformance, storeConformance } from "../../../../../src/testing/conformance/store/store-conformance.ts"
import { createInMemorySessionStore } from "../../../../support/in-memory-session-store.ts"

describe("createInMemoryStore keeps the rules of a store", () => {
  const open = async () => ({ service: createInMemoryStore({ jobs: { maxAttempts: 3, waitMs: 1, maxWaitMs: 2 } }) })
  for (const { name, run } of storeConformance(open)) test(name, run)
})

describe("createInMemorySessionStore keeps the rules of a session store", () => {
  for (const { name, run } of sessionStoreConformance(async () => ({ service: createInMemorySessionStore() }))) test(name, run)
})
