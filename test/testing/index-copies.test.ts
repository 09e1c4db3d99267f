import { describe, expect, test } from "vitest"
import type { ServiceKey } from "../../src/core/conversation.ts"
import { createInMemoryStore } from "../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { MemoryRecords } from "../../src/memory/services/store/records.ts"
import type { Store } from "../../src/memory/services/store/store.ts"
import { indexCopyRules } from "../../src/testing/conformance/store/data-rules.ts"
import { storeConformance } from "../../src/testing/conformance/store/store-conformance.ts"

type Keep = NonNullable<MemoryRecords["keepIndex"]>
type Kept = Omit<Parameters<Keep>[0], "parts"> & { parts: Uint8Array[] }

/** The ways in which a store can get copies wrong, each with what a rule expected of it. */
const ways = {
  "keeps nothing": 'what is read to be {"bytes":[[1],[2],[0]]',
  "says that nothing was kept": "whether it was kept to be true",
  "has one place for all scopes": 'in another scope: {"agent":"store: the copy',
  "has one place for private and group": '"audience":"group","user":"ann"} to be undefined',
  "has one place for all users": '"user":"bob"} to be undefined',
  "has one place for all agents": 'alone 2","conversation":"talk"',
  "has a place for each conversation": "in another talk to be",
  "reads any form": "in another form to be undefined",
  "loses the order of parts": 'what is read to be {"bytes":[[1],[2],[0]]',
  "loses parts that are 0": 'what is read to be {"bytes":[[1],[2],[0]]',
  "keeps the first copy for ever": "what is read then to be [[3],[4]]",
  "loses the copy of the other scope": "what is read in the group to be [[9]]",
  "adds parts to the copy before": "what is read then to be [[3],[4]]",
  "tells the place of now": 'what is read to be {"bytes":[[1],[2],[0]]',
  "forgets its place with the next copy": "what changed since to be []",
  "keeps what came before a fault": "what is read to be [[1]]",
  "swallows a fault": "the fault to be refused with code `none`",
  "drops the old copy before a fault": "what is read to be [[1]]",
  "keeps a copy without parts": "whether nothing was kept to be false",
  "drops the old copy for none": "what is read to be [[1]]",
  "keeps a copy after its memories were forgotten": "made before the memory was forgotten to be false",
  "reads a copy whose memories were forgotten": "what is read to be undefined",
  "keeps nothing once something was forgotten": "whether one made after it is kept to be true",
  "mixes copies that are kept at once": "the parts that are read to be",
  "refuses copies that are kept at once": "whether one was kept to be true",
} as const
type Way = keyof typeof ways

/** A store in memory that keeps copies of indexes, right or in one wrong way. */
function storeWithCopies(way?: Way): Store {
  const store = createInMemoryStore()
  const kept = new Map<string, Kept>()
  let [running, most] = [0, 0]
  let hasForgotten = false
  const placeOf = ({ agent, audience, user, conversation }: ServiceKey): string => {
    if (way === "has one place for all scopes") return ""
    const own = audience === "group" ? `group ${conversation}` : way === "has one place for all users" ? "" : `user ${user}`
    const scope = way === "has one place for private and group" ? "" : own
    const talk = way === "has a place for each conversation" ? conversation : ""
    return JSON.stringify([way === "has one place for all agents" ? "" : agent, scope, talk])
  }
  const epochOf = async (key: ServiceKey) => (await store.memories.changes(key, { limit: 99 })).cursor
  const keepIndex: Keep = async ({ parts: given, ...copy }, key) => {
    const place = placeOf(key)
    const before = kept.get(place)
    const parts: Uint8Array[] = way === "adds parts to the copy before" ? [...(before?.parts ?? [])] : []
    const target = way === "mixes copies that are kept at once" ? (before?.parts ?? parts) : parts
    most = Math.max(++running, running === 1 ? 0 : most)
    try {
      if (way === "drops the old copy before a fault") kept.delete(place)
      for await (const part of given) {
        if (way !== "loses parts that are 0" || part[0] !== 0) target.push(part)
        if (way === "keeps what came before a fault") kept.set(place, { ...copy, parts })
      }
      // However few promises the rest of a call waits for, those that are kept at once meet here.
      if (way === "refuses copies that are kept at once") await new Promise(setImmediate)
    } catch (error) {
      if (way !== "swallows a fault") throw error
      return false
    } finally {
      running--
    }
    if (parts.length === 0 && target === parts && way === "drops the old copy for none") kept.delete(place)
    if (parts.length === 0 && target === parts && way !== "keeps a copy without parts") return false
    const isOver = (await epochOf(key)).epoch !== copy.cursor.epoch
    if (isOver && way !== "keeps a copy after its memories were forgotten") return false
    if (way === "keeps nothing once something was forgotten" && hasForgotten) return false
    if (way === "refuses copies that are kept at once" && most > 1) return false
    if (way === "keeps the first copy for ever" && before) return true
    if (way === "loses the order of parts") parts.reverse()
    if (way === "loses the copy of the other scope") kept.clear()
    const cursor = way === "forgets its place with the next copy" ? (before?.cursor ?? copy.cursor) : copy.cursor
    if (way !== "keeps nothing") kept.set(place, { ...copy, cursor, parts: target })
    return way !== "says that nothing was kept"
  }
  const readIndex: NonNullable<MemoryRecords["readIndex"]> = async (key, { form }) => {
    const found = kept.get(placeOf(key))
    if (found === undefined || (found.form !== form && way !== "reads any form")) return undefined
    const cursor = await epochOf(key)
    if (cursor.epoch !== found.cursor.epoch && way !== "reads a copy whose memories were forgotten") return undefined
    return { ...found, ...(way === "tells the place of now" && { cursor: { ...cursor, sequence: cursor.sequence + 1 } }) }
  }
  const forget: Store["forget"] = async (scope) => {
    hasForgotten = true
    return store.forget(scope)
  }
  const memories = new Proxy(store.memories, {
    get: (target, name) => {
      const own = { keepIndex, readIndex }[String(name)] ?? Reflect.get(target, name)
      return typeof own === "function" ? own.bind(target) : own
    },
  })
  return { ...store, memories, forget }
}

/** What the rules of copies say of a store, each by the expectation that failed. */
async function findings(way?: Way): Promise<readonly string[]> {
  const names = Object.keys(indexCopyRules)
  const checks = storeConformance(async () => ({ service: storeWithCopies(way) })).filter(({ name }) =>
    names.some((rule) => name.includes(rule)),
  )
  expect(checks).toHaveLength(names.length)
  const found: string[] = []
  for (const { run } of checks) await run().catch((error: Error) => found.push(error.message))
  return found
}

describe("the rules of copies of recall indexes", () => {
  test("find nothing wrong with a store that keeps them, and with one that keeps none", async () => {
    expect(await findings()).toEqual([])
    const checks = storeConformance(async () => ({ service: createInMemoryStore() }))
    for (const { run } of checks.filter(({ name }) => Object.keys(indexCopyRules).some((rule) => name.includes(rule))))
      await run()
  })

  test.each(Object.keys(ways) as Way[])("find a store that %s", async (way) => {
    expect((await findings(way)).join("\n")).toContain(ways[way])
  })
})
