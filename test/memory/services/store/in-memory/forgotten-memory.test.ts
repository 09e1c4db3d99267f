import { expect, test } from "vitest"
import { createInMemoryStore } from "../../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { StoredMemory } from "../../../../../src/memory/services/store/records.ts"

const key = { agent: "fay", conversation: "talk", audience: "private", user: "ann" } as const

function memory(id: string): StoredMemory {
  const speaker = { id: key.user, name: "Ann" }
  return { ...key, id, kind: "dialogue", text: "I like tea", speaker, atMs: 0, turnId: id, turn: 0, importance: 5 }
}

test("what was said by a memory that is forgotten can be remembered again", async () => {
  const store = createInMemoryStore()
  const hash = "tea"
  expect(await store.memories.put(memory("a"), { hash, key })).toEqual({ stored: true, id: "a" })
  expect(await store.memories.put(memory("b"), { hash, key })).toEqual({ stored: false, id: "a" })
  await store.forget({ agent: key.agent, user: key.user })
  expect(await store.memories.put(memory("c"), { hash, key })).toEqual({ stored: true, id: "c" })
  await store.close()
})

test("the receipt of a memory that was forgotten counts what went with it, and holds none of its words", async () => {
  const store = createInMemoryStore()
  await store.memories.put(memory("a"), { hash: "tea", key })
  await store.memories.forget(["a"], { atMs: 7, key })
  expect(await store.receipts.ofTurn("a", key)).toEqual([
    {
      key,
      turnId: "a",
      kind: "forget a",
      outcome: "ok",
      attempt: 1,
      startedMs: 7,
      durationMs: 0,
      message: "forgotten: 1 memory and 0 facts about the user",
      value: { memories: 1, statements: 0 },
    },
  ])
  await store.close()
})
