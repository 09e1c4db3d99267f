import { describe, expect, test } from "vitest"
import type { Store } from "../../../src/memory/services/store/store.ts"
import { collect } from "../../support/collect.ts"
import { stores } from "./alike.ts"

const key = { agent: "fay", conversation: "talk", audience: "private", user: "ann" } as const
const speaker = { id: "ann", name: "Ann" }
const message = { role: "user", text: "hi", speaker, turnId: "t", atMs: 1 } as const
const job = { id: "j", kind: "work", key, turnId: "t", atMs: 1, payload: {} } as const
const memory = { ...key, id: "m", kind: "dialogue", text: "tea", speaker, atMs: 1, turnId: "t", turn: 0 } as const
const statement = { name: "city", value: "Rome", confidence: 1, atMs: 1, turnId: "t", conversation: "talk", audience: "private" }
const receipt = { key, turnId: "t", kind: "k", outcome: "ok", attempt: 1, startedMs: 1, durationMs: 1 } as const
const commit = { expectVersion: 0, append: [message], state: {}, jobs: [] }
const odd = new Date(0) as never

/** Each way to give a store a value, with one that JSON cannot hold, and the place that the refusal names. */
const writes: readonly (readonly [place: string, write: (store: Store) => Promise<unknown>])[] = [
  ["append[0].odd", (store) => store.commit(key, { ...commit, append: [{ ...message, odd } as never] })],
  ["state.hook.odd", (store) => store.commit(key, { ...commit, state: { hook: { odd } } })],
  ["jobs[0].payload.odd", (store) => store.commit(key, { ...commit, jobs: [{ ...job, payload: { odd } }] })],
  ["messages[1].odd", (store) => store.append(key, [message, { ...message, odd } as never])],
  ["note.payload.odd", (store) => store.post(key, { id: "n", owner: "hook", payload: { odd } })],
  ["memory.odd", (store) => store.memories.put({ ...memory, odd } as never, { hash: "m", key })],
  ["receipt.odd", (store) => store.receipts.put({ ...receipt, odd } as never)],
  [
    "statements[1].odd",
    (store) => {
      const statements = [statement, { ...statement, odd }] as never
      return store.users.append(statements, { turnId: "t", expectVersion: 0, key })
    },
  ],
]

describe.each(stores)("in %s", (_, open) => {
  test.each(writes)("a value at %s that is no plain JSON is refused by that name, and nothing is kept", async (place, write) => {
    const store = await open()
    const refused = await write(store).then(
      () => undefined,
      (error: unknown) => error as { readonly code: string; readonly message: string },
    )
    expect([refused?.code, refused?.message.includes(place), refused?.message]).toEqual(["usage", true, expect.any(String)])
    expect(await collect(store.export({ agent: "fay" }))).toEqual([])
    await store.close()
  })
})
