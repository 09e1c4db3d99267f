import { describe, test } from "vitest"
import { createReflectionService } from "../../../src/memory/services/background/create-reflection-service.ts"
import { createUserProfileService } from "../../../src/memory/services/create-user-profile-service.ts"
import { createMemoryService } from "../../../src/memory/services/memory/create-memory-service.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { manualClock } from "../../../src/testing/deterministic-ports.ts"
import { memoryServiceConformance } from "../../support/conformance/memory-service.ts"
import { reflectionConformance } from "../../support/conformance/reflection-service.ts"
import { userProfileConformance } from "../../support/conformance/user-profile-service.ts"

const clock = manualClock(10_000)
const records = () => createInMemoryStore().memories

describe("createMemoryService keeps the rules of a memory service", () => {
  const embed = { id: "lengths", embed: async (texts: readonly string[]) => texts.map((text) => [text.length, 1]) }
  for (const { name, run } of memoryServiceConformance(async () => ({
    service: createMemoryService({ records: records(), clock }),
  })))
    test(name, run)
  for (const { name, run } of memoryServiceConformance(async () => ({
    service: createMemoryService({ records: records(), clock, embed, maxIndexBytes: 1 }),
  })))
    test(`${name}, with embeddings and hardly any room`, run)
})

describe("createUserProfileService keeps the rules of a user profile service", () => {
  const open = async () => ({ service: createUserProfileService({ records: createInMemoryStore().users }) })
  for (const { name, run } of userProfileConformance(open)) test(name, run)
})

describe("createReflectionService keeps the rules of a reflection service", () => {
  const ask = async () => ({
    text: '[{"insight": "likes tea", "memories": ["1", "77"]}, {"insight": "all of it", "memories": []}]',
    model: "m",
    assembly: {} as never,
  })
  const open = async () => ({ service: createReflectionService({ ask, records: records(), clock }) })
  for (const { name, run } of reflectionConformance(open)) test(name, run)
})
