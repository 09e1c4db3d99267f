import { expect, test } from "vitest"
import { createInMemoryStore } from "../../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { collect } from "../../../../support/collect.ts"

const agent = "fay"
const key = { agent, conversation: "c", audience: "private", user: "ann" } as const
const speaker = { id: "ann", name: "Ann" }

async function filled() {
  const store = createInMemoryStore()
  const append = [{ role: "user" as const, speaker, turnId: "t", text: "tea", atMs: 1 }]
  await store.commit(key, { expectVersion: 0, append, state: {}, jobs: [] })
  return store
}

const memoryOf = (id: string) =>
  ({ ...key, id, kind: "episode", text: "tea", turnId: "t", atMs: 1, importance: 5, speaker }) as never

test("an import puts bytes back once, however often it is read", async () => {
  const store = await filled()
  await store.blobs.put(new Uint8Array([1, 2, 3]), key)
  const lines = await collect(store.export({ agent }))
  const other = createInMemoryStore()
  expect((await other.import(lines)).blob).toBe(1)
  expect((await other.import(lines)).blob ?? 0).toBe(0)
  const [blob = ""] = lines.filter((line) => line.includes('"table":"blob"'))
  const twice = lines.flatMap((line) => (line === blob ? [line, line] : line.includes('"end"') ? [] : [line]))
  expect((await createInMemoryStore().import(twice)).blob).toBe(1)
})

test("a memory that was replaced before an export holds its words back from nobody after an import", async () => {
  const store = await filled()
  await store.memories.put(memoryOf("a"), { hash: "h", key })
  await store.memories.put(memoryOf("b"), { hash: "other", key, supersedes: ["a"] })
  const other = createInMemoryStore()
  await other.import(await collect(store.export({ agent })))
  expect(await other.memories.put(memoryOf("c"), { hash: "h", key })).toMatchObject({ stored: true, id: "c" })
  expect(await other.memories.put(memoryOf("d"), { hash: "other", key })).toMatchObject({ stored: false, id: "b" })
})

test("an export holds the session as it was when it began, also if the session goes on meanwhile", async () => {
  const store = await filled()
  const lines = store.export({ agent })[Symbol.asyncIterator]()
  const { value: first } = await lines.next()
  const more = [{ role: "user" as const, speaker, turnId: "t2", text: "coffee", atMs: 2 }]
  await store.commit(key, { expectVersion: 1, append: more, state: {}, jobs: [] })
  const rest: unknown[] = []
  for (let next = await lines.next(); !next.done; next = await lines.next()) rest.push(JSON.parse(next.value))
  expect(JSON.parse(String(first))).toMatchObject({ table: "session", version: 1 })
  expect(rest).toEqual([expect.objectContaining({ table: "message" })])
})

test("bytes that were forgotten do not come back by an import of their name alone", async () => {
  const store = await filled()
  const there = { ...key, conversation: "there" }
  await store.blobs.put(new Uint8Array([1, 2, 3]), key)
  const { id } = await store.blobs.put(new Uint8Array([1, 2, 3]), there)
  const names = (await collect(store.export({ agent }))).filter((line) => !line.includes('"bytes"'))
  expect(names.filter((line) => line.includes('"table":"blob"'))).toHaveLength(1)
  await store.forget({ agent })
  expect((await store.import(names)).blob ?? 0).toBe(0)
  expect(await store.blobs.get(id, there)).toBeUndefined()
})
