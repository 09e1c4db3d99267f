import { join } from "node:path"
import { expect, test } from "vitest"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import type { ServiceKey } from "../../../../src/core/conversation.ts"
import type { MemoryCursor } from "../../../../src/memory/services/store/records.ts"
import type { Store } from "../../../../src/memory/services/store/store.ts"
import { countSqlite } from "../../../support/count-statements.ts"
import { tempFolder } from "../../../support/temp-folder.ts"

const ann: ServiceKey = { agent: "fay", conversation: "chat", audience: "private", user: "ann" }
const bob: ServiceKey = { ...ann, conversation: "other chat", user: "bob" }

async function remember({ memories }: Store, key: ServiceKey, id: string): Promise<void> {
  const speaker = { id: key.user, name: key.user }
  await memories.put({ ...key, id, kind: "dialogue", text: id, speaker, atMs: 1, turnId: id, turn: 0 }, { hash: id, key })
}

const opened = () => openSqliteStore(join(tempFolder(), "store.sqlite"))

test("who has read all of a user that is then forgotten forgets it too, and sees what comes after; others read on", async () => {
  const store = await opened()
  for (const id of ["a1", "a2", "a3"]) await remember(store, ann, id)
  await remember(store, bob, "b1")
  const { cursor } = await store.memories.changes(ann, { limit: 9 })
  const { cursor: ofBob } = await store.memories.changes(bob, { limit: 9 })
  await store.forget({ agent: "fay", user: "ann" })
  expect(await store.memories.changes(ann, { after: cursor, limit: 9 })).toMatchObject({ reset: true, memories: [] })
  for (const id of ["a4", "a5", "a6", "a7"]) await remember(store, ann, id)
  const anew = await store.memories.changes(ann, { after: cursor, limit: 9 })
  expect(anew).toMatchObject({ reset: true, memories: [{ id: "a4" }, { id: "a5" }, { id: "a6" }, { id: "a7" }] })
  expect(await store.memories.changes(ann, { after: anew.cursor, limit: 9 })).toMatchObject({ reset: false, memories: [] })
  expect(await store.memories.changes(bob, { after: ofBob, limit: 9 })).toMatchObject({ reset: false, memories: [] })
  await store.close()
})

test("numbers go on where a part of a scope was forgotten, so nothing new is passed over", async () => {
  const store = await opened()
  const elsewhere = { ...ann, conversation: "elsewhere" }
  await remember(store, ann, "a1")
  await remember(store, elsewhere, "e1")
  const { cursor } = await store.memories.changes(ann, { limit: 9 })
  await store.forget({ agent: "fay", conversation: "elsewhere" })
  await remember(store, ann, "a2")
  const found = await store.memories.changes(ann, { after: cursor, limit: 1 })
  expect(found).toMatchObject({ reset: true, memories: [{ id: "a1" }] })
  expect(await store.memories.changes(ann, { after: found.cursor, limit: 9 })).toMatchObject({
    reset: false,
    memories: [{ id: "a2" }],
  })
  await store.close()
})

test.each([
  ["in private", ann],
  ["in a group", { ...ann, audience: "group" as const }],
])("M34 %s, memories and facts are read only where some were added or changed", async (_, key) => {
  const store = await opened()
  const count = countSqlite()
  const readings = async (read: () => Promise<unknown>) => {
    count.clear()
    const found = await read()
    return [found, count.statements]
  }
  const changes = (after?: MemoryCursor) => readings(() => store.memories.changes(key, { after, limit: 9 }))
  const facts = () => readings(() => store.users.load(key))
  const begin = { cursor: { epoch: 0, sequence: 0 }, reset: false, memories: [] }
  expect(await changes()).toEqual([begin, 1])
  await remember(store, key, "first")
  const cursor = { epoch: 0, sequence: 1 }
  expect(await changes(begin.cursor)).toEqual([expect.objectContaining({ cursor, memories: [expect.anything()] }), 2])
  expect(await changes(cursor)).toEqual([{ cursor, reset: false, memories: [] }, 1])
  await store.memories.markUsed(["first"], { atMs: 2, key })
  expect(await changes(cursor)).toEqual([expect.objectContaining({ cursor: { epoch: 0, sequence: 2 } }), 2])
  expect(await facts()).toEqual([{ version: 0, statements: [] }, 1])
  const home = {
    name: "home",
    value: "Oslo",
    confidence: 1,
    turnId: "t",
    conversation: key.conversation,
    audience: key.audience,
    atMs: 1,
  }
  await store.users.append([home], { turnId: "t", expectVersion: 0, key })
  expect(await facts()).toEqual([{ version: 1, statements: [home] }, 2])
  await store.close()
})
