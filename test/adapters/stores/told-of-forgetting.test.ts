import { describe, expect, test } from "vitest"
import { onForget, onSetAside } from "../../../src/memory/services/store/forgetting.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import { collect } from "../../support/collect.ts"
import { stores } from "./alike.ts"

const key = { agent: "fay", conversation: "talk", audience: "private", user: "ann" } as const
const speaker = { id: "ann", name: "Ann" }
const said = (turnId: string) => ({ role: "user", text: turnId, speaker, turnId, atMs: 1 }) as const

async function commit(store: Store, turnId: string, after?: string | null): Promise<void> {
  const version = (await store.load(key, { last: 0 }))?.version ?? 0
  const branch = after === undefined ? {} : { after }
  await store.commit(key, { expectVersion: version, append: [said(turnId)], state: {}, jobs: [], ...branch })
}

/** What a listener of each kind hears, with how many rows the store had left by then. */
function listening(store: Store): { readonly heard: string[]; readonly stop: () => void } {
  const heard: string[] = []
  const rows = async () => (await collect(store.export({ agent: "fay" }))).length
  const ends = [
    onForget(store.jobs, async (scope) => {
      const left = await rows()
      heard.push(`${JSON.stringify(scope)}: ${left} rows`)
    }),
    onForget(store.jobs, (scope) => void heard.push(Object.keys(scope).join())),
    onSetAside(store.jobs, async (session) => void heard.push(`aside ${JSON.stringify(session)}`)),
  ]
  return {
    heard,
    stop: () => {
      for (const end of ends) end()
    },
  }
}

describe.each(stores)("who keeps copies of what %s holds", (_, open) => {
  test("is told of whatever is forgotten or set aside, once it is gone, and before the caller", async () => {
    const store = await open()
    const { heard, stop } = listening(store)
    const since = () => heard.splice(0)
    const memory = { ...key, id: "m", kind: "dialogue", text: "tea", speaker, atMs: 1, turnId: "t1", turn: 0 } as const
    await commit(store, "t1")
    await commit(store, "t2")
    expect(since(), "turns").toEqual([])
    await commit(store, "t3", "t1")
    expect(since()).toEqual(['aside {"agent":"fay","conversation":"talk","audience":"private"}'])
    await store.memories.put(memory, { hash: "m", key })
    await store.memories.forget(["none"], { atMs: 2, key })
    expect(since(), "nothing was forgotten").toEqual([])
    await store.memories.forget(["m"], { atMs: 2, key })
    const left = (await collect(store.export({ agent: "fay" }))).length
    expect(since()).toEqual([`{"agent":"fay","user":"ann","memories":true}: ${left} rows`, "agent,user,memories"])
    await store.forget({ agent: "fay", conversation: "talk" })
    expect(since()).toEqual(['{"agent":"fay","conversation":"talk"}: 0 rows', "agent,conversation"])
    await store.forget({ agent: "fay", user: "ann" })
    expect(since()).toEqual(['{"agent":"fay","user":"ann"}: 0 rows', "agent,user"])
    await store.forget({ agent: "fay" })
    expect(since()).toEqual(['{"agent":"fay"}: 0 rows', "agent"])
    stop()
    await store.forget({ agent: "fay" })
    expect(since(), "who no longer listens").toEqual([])
    await store.close()
  })
})
