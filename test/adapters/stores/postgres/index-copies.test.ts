import { beforeEach, expect, test } from "vitest"
import type { ServiceKey } from "../../../../src/core/conversation.ts"
import { createMemoryService } from "../../../../src/memory/services/memory/create-memory-service.ts"
import type { MemoryRecords } from "../../../../src/memory/services/store/records.ts"
import { makeDatabase } from "./support/database.ts"
import { openStoreFor } from "./support/open-store.ts"

let url = ""
beforeEach(async () => {
  url = await makeDatabase()
})

const key: ServiceKey = { agent: "fay", conversation: "talk", audience: "private", user: "ann" }
const clock = { nowMs: () => 1_000_000 }
const many = 2_100

/** What a worker that has read nothing yet recalls, and how many memories it had to read. */
async function asked(records: MemoryRecords) {
  let read = 0
  const counted: MemoryRecords = {
    ...records,
    async changes(...given) {
      const changes = await records.changes(...given)
      read += changes.memories.length
      return changes
    },
  }
  const service = createMemoryService({ records: counted, clock })
  const found = await service.recall("the museum 311", key, { limit: 5, signal: new AbortController().signal })
  return { ids: found.map(({ id }) => id), read }
}

test("M1 the index that one worker has made serves another one from the shared copy", async () => {
  const [one, other] = [await openStoreFor(url), await openStoreFor(url)]
  const speaker = { id: "ann", name: "Ann" }
  await one.import(
    Array.from({ length: many }, (_, at) => {
      const said = {
        ...key,
        id: `m${at}`,
        kind: "dialogue",
        text: `the museum ${at}`,
        speaker,
        atMs: at,
        turnId: `t${at}`,
        turn: at,
      }
      return JSON.stringify({ table: "memory", hash: `h${at}`, memory: said })
    }),
  )
  const first = await asked(one.memories)
  expect([first.read, first.ids[0]]).toEqual([many, "m311"])
  // It waits for a copy that is being written.
  await one.close()
  expect(await asked(other.memories)).toEqual({ ids: first.ids, read: 0 })
})
