import { describe, expect, test } from "vitest"
import { createReflectionService } from "../../../../src/memory/services/background/create-reflection-service.ts"
import type { ReflectionTriggers } from "../../../../src/memory/services/background/reflection.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { StoredMemory } from "../../../../src/memory/services/store/records.ts"
import { manualClock } from "../../../../src/testing/index.ts"

const key = { agent: "fay", conversation: "talk", audience: "private", user: "ann" } as const
const signal = new AbortController().signal

function scene(triggers: ReflectionTriggers, answer = "[]") {
  const store = createInMemoryStore()
  const clock = manualClock(0)
  const shown: string[] = []
  const service = createReflectionService({
    records: store.memories,
    clock,
    ask: async (_, injections) => {
      shown.push(JSON.stringify(injections[0]?.content))
      return { text: answer, model: "m", assembly: { cut: {} } as never }
    },
    ...triggers,
  })
  let count = 0
  const keep = async (importance = 5, kind: StoredMemory["kind"] = "dialogue"): Promise<StoredMemory> => {
    clock.advance(1_000)
    const id = `m${++count}`
    const memory: StoredMemory = {
      ...key,
      id,
      kind,
      text: `text ${id}`,
      speaker: { id: "ann", name: "Ann" },
      atMs: clock.nowMs(),
      turnId: id,
      turn: count,
      importance,
    }
    await store.memories.put(memory, { hash: id, key })
    return memory
  }
  return { service, keep, clock, shown, store }
}

describe("createReflectionService", () => {
  test("T36 is due after so many memories since the last insight, and after an answer without insights not again at once", async () => {
    const { service, keep } = scene({ every: 3 })
    const memories = [await keep(), await keep()]
    expect(await service.due(key)).toBe(false)
    memories.push(await keep())
    expect(await service.due(key)).toBe(true)
    expect(await service.reflect(memories, key, { signal })).toEqual([])
    expect(await service.due(key)).toBe(false)
    await keep()
    await keep()
    await keep(9, "insight")
    await keep()
    expect(await service.due(key)).toBe(false)
  })

  test("remembers of the last 10,000 users alone that they gave no insight, so that it does not grow for ever", async () => {
    const { service, keep } = scene({ every: 1 })
    const memories = [await keep()]
    await service.reflect(memories, key, { signal })
    const reflectFor = (count: number) =>
      Promise.all(Array.from({ length: count }, (_, at) => service.reflect(memories, { ...key, user: `u${at}` }, { signal })))
    await reflectFor(9)
    expect(await service.due(key)).toBe(false)
    await reflectFor(10_000)
    expect(await service.due(key)).toBe(true)
  })

  test("T36 counts from the newest insight", async () => {
    const { service, keep } = scene({ every: 3 })
    await keep(9, "insight")
    for (let count = 0; count < 2; count++) await keep()
    await keep(9, "insight")
    for (let count = 0; count < 2; count++) await keep()
    expect(await service.due(key)).toBe(false)
    await keep()
    expect(await service.due(key)).toBe(true)
  })

  test("T36 is due by accumulated importance, where that is asked for", async () => {
    const { service, keep } = scene({ every: 0, importanceSum: 12 })
    await keep(7)
    expect(await service.due(key)).toBe(false)
    await keep(5)
    expect(await service.due(key)).toBe(true)
  })

  test("T36 is due by schedule once its moment has come, and with no new memories never", async () => {
    const everyHour = (afterMs: number): number => (Math.floor(afterMs / 3_600_000) + 1) * 3_600_000
    const { service, keep, clock } = scene({ every: 0, nextRunMs: everyHour })
    clock.advance(10 * 3_600_000)
    expect(await service.due(key)).toBe(false)
    const memory = await keep()
    expect(await service.due(key)).toBe(false)
    clock.advance(3_600_000)
    expect(await service.due(key)).toBe(true)
    await service.reflect([memory], key, { signal })
    expect(await service.due(key)).toBe(false)
  })

  test("shows memories under short numbers, links what the model names, and all where it names none", async () => {
    const answer = '[{"insight": "likes tea", "memories": ["2", "9"]}, {"insight": "is kind"}]'
    const { service, keep, shown } = scene({}, answer)
    const memories = [await keep(), await keep()]
    expect(await service.reflect(memories, key, { signal })).toEqual([
      { text: "likes tea", sources: ["m2"] },
      { text: "is kind", sources: ["m1", "m2"] },
    ])
    expect(shown[0]).toContain('"id":"2"')
    expect(shown[0]).toContain('"trust":"memory"')
    expect(shown[0], "who said it, and on which day").toContain(
      '"speaker":{"text":"Ann","trust":"memory"},"at":{"text":"1970-01-01"',
    )
  })

  test("with no memories asks nothing, and an answer that cannot be read is an error and no insight", async () => {
    const { service, keep, shown } = scene({}, "nothing to say")
    expect(await service.reflect([], key, { signal })).toEqual([])
    expect(shown).toEqual([])
    await expect(service.reflect([await keep()], key, { signal })).rejects.toMatchObject({ code: "decision" })
  })
})

test("M21 a reflection reads at most 200 characters of a memory", async () => {
  const { service, keep, shown } = scene({})
  await service.reflect([{ ...(await keep()), text: "sea ".repeat(400) }], key, { signal })
  expect(shown[0]?.match(/sea/g)?.length).toBeLessThanOrEqual(50)
  expect(shown[0]?.match(/sea/g)?.length).toBeGreaterThan(40)
})
