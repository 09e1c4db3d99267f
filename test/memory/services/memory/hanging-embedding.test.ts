import { expect, test } from "vitest"
import type { ServiceKey } from "../../../../src/core/conversation.ts"
import { createMemoryService } from "../../../../src/memory/services/memory/create-memory-service.ts"
import type { EmbeddingModel } from "../../../../src/memory/services/memory/memory-service.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { manualClock, manualTimers } from "../../../../src/testing/index.ts"

const key: ServiceKey = { agent: "fay", conversation: "talk", audience: "private", user: "ann" }

test("an embedding that never answers and is deaf to its signal keeps a memory from its store for its time limit only", async () => {
  const clock = manualClock(Date.UTC(2026, 0, 2))
  const timers = manualTimers(clock)
  const store = createInMemoryStore()
  const warnings: string[] = []
  const embed: EmbeddingModel = { id: "deaf", embed: () => new Promise(() => undefined) }
  const onWarning = (message: string): void => void warnings.push(message)
  const service = createMemoryService({
    records: store.memories,
    clock,
    timers,
    embed,
    duplicateSimilarity: 0.9,
    onWarning,
  })
  const speaker = { id: "ann", name: "Ann" }
  const remembering = service.remember({ id: "m", kind: "note", text: "likes tea", speaker, atMs: 0, turnId: "t", turn: 0 }, key)
  await timers.whenPending(1)
  timers.advance(10_000)
  expect(await remembering).toEqual({ status: "stored", id: "m" })
  expect(warnings).toEqual(["Duplicates were looked for by words alone: embedding took longer than 10000 ms"])
  expect(timers.pending).toBe(0)
})

test("M12 an embedding that never answers costs a recall its own limit, and none of the memories that words find", async () => {
  const clock = manualClock(Date.UTC(2026, 0, 2))
  const timers = manualTimers(clock)
  const store = createInMemoryStore()
  const warnings: string[] = []
  const embed: EmbeddingModel = { id: "deaf", embed: () => new Promise(() => undefined) }
  const plain = createMemoryService({ records: store.memories, clock })
  const speaker = { id: "ann", name: "Ann" }
  await plain.remember({ id: "m", kind: "note", text: "Ann likes tea", speaker, atMs: 0, turnId: "t", turn: 0 }, key)
  const service = createMemoryService({ records: store.memories, clock, timers, embed, onWarning: (text) => warnings.push(text) })
  const recalling = service.recall("tea", key, { limit: 3, signal: new AbortController().signal })
  await timers.whenPending(1)
  timers.advance(1_500)
  expect(await recalling).toMatchObject([{ id: "m" }])
  expect(warnings).toEqual(["Recall went on without an embedding of the question: it took longer than 1500 ms."])
  expect(timers.pending).toBe(0)
})
