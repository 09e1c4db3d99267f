import { describe, expect, test } from "vitest"
import type { ServiceKey } from "../../../../src/core/conversation.ts"
import { createMemoryService } from "../../../../src/memory/services/memory/create-memory-service.ts"
import type { EmbeddingModel, NewMemory } from "../../../../src/memory/services/memory/memory-service.ts"
import { ScopeIndexes } from "../../../../src/memory/services/memory/recorded-memories.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { countingIds, manualClock } from "../../../../src/testing/index.ts"

const key: ServiceKey = { agent: "fay", conversation: "talk", audience: "private", user: "ann" }
const signal = new AbortController().signal
const clock = manualClock(Date.UTC(2026, 0, 2))
const words = ["tea", "cats", "Hangzhou", "piano", "mother", "garden", "rain", "football"]

function said(text: string, rest: Partial<NewMemory> = {}): NewMemory {
  return {
    id: text,
    kind: "dialogue",
    text,
    speaker: { id: "ann", name: "Ann" },
    atMs: clock.nowMs() - 1_000,
    turnId: `turn ${text}`,
    turn: 0,
    ...rest,
  }
}

/** Vectors in which "feline" equals "cats". */
const animals: EmbeddingModel = {
  id: "animals",
  embed: async (texts) => texts.map((text) => (/cats|feline/.test(text) ? [1, 0] : [0, 1])),
}

describe("createMemoryService", () => {
  test("gives the same top 50 after an export and import as before, and over one index or many", async () => {
    const store = createInMemoryStore()
    const service = createMemoryService({ records: store.memories, clock })
    const ids = countingIds()
    for (let at = 0; at < 120; at++) {
      const text = `${words[at % 8]} and ${words[(at * 5 + 3) % 8]} number ${at}`
      await service.remember(
        said(text, { id: ids.next("m"), atMs: at * 1_000_000, turnId: `t${at}`, turn: at, importance: at % 11 }),
        key,
      )
    }
    await service.remember(said("rain no more", { id: "late", supersedes: ["m-7"] }), key)
    const imported = createInMemoryStore()
    const lines: string[] = []
    for await (const line of store.export({ agent: "fay" })) lines.push(line)
    await imported.import(lines)
    const fresh = createMemoryService({ records: imported.memories, clock })
    for (const question of ["tea and cats", "what about the garden?", "rain", ""]) {
      const before = await service.recall(question, key, { limit: 50, signal })
      expect(before).toHaveLength(50)
      expect(await fresh.recall(question, key, { limit: 50, signal })).toEqual(before)
    }
  })

  test("H18 a question that a memory answers brings none that has only `I` of it; one that none answers brings those", async () => {
    const store = createInMemoryStore()
    const service = createMemoryService({ records: store.memories, clock })
    const told = ["My cat hid in the piano.", "I am allergic to walnuts.", "I am late.", "I read proofs.", "The bus was late."]
    for (const [turn, text] of told.entries())
      await service.remember(said(text, { turn, atMs: turn * 86_400_000, turnId: `${turn}` }), key)
    const found = async (question: string) => (await service.recall(question, key, { limit: 8, signal })).map(({ text }) => text)
    expect(await found("What is my cat called?")).toEqual([told[0]])
    expect(await found("What am I allergic to?")).toEqual([told[1]])
    expect((await found("What did I injure?")).toSorted()).toEqual([told[1], told[2], told[3], told[0]])
  })

  test("H18 a question that a memory answers brings what was so before, too, and nothing else that has only `I` of it", async () => {
    const service = createMemoryService({ records: createInMemoryStore().memories, clock })
    const told = ["I moved to Hangzhou.", "I read proofs.", "I live in Oslo now."]
    for (const [turn, text] of told.entries())
      await service.remember(said(text, { turn, atMs: turn * 86_400_000, turnId: `${turn}` }), key)
    const found = await service.recall("Which city do I live in now?", key, { limit: 8, signal })
    expect(found.map(({ text }) => text)).toEqual([told[2], told[0]])
  })

  test("lets other work run while it makes the index of many memories", async () => {
    const store = createInMemoryStore()
    const service = createMemoryService({ records: store.memories, clock })
    for (let at = 0; at < 400; at++) await service.remember(said(`tea number ${at} in the garden`), key)
    let ticks = 0
    let tick = setImmediate(function again() {
      ticks++
      tick = setImmediate(again)
    })
    const [found, same] = await Promise.all([
      service.recall("tea", key, { limit: 500, signal }),
      service.recall("tea", key, { limit: 500, signal }),
    ])
    clearImmediate(tick)
    // Some 90 characters of work each, 4,096 at a time.
    expect(ticks).toBeGreaterThanOrEqual(8)
    expect(found).toHaveLength(400)
    expect(same).toEqual(found)
  })

  test("M11 rejects with the signal's reason, before it begins and while a store or an embedding hangs", async () => {
    const store = createInMemoryStore()
    const reason = new Error("enough")
    const plain = createMemoryService({ records: store.memories, clock })
    await expect(plain.recall("tea", key, { limit: 1, signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const hanging = { ...store.memories, changes: () => new Promise<never>(() => {}) }
    const embed: EmbeddingModel = { id: "hangs", embed: () => new Promise<never>(() => {}) }
    for (const options of [{ records: hanging }, { records: store.memories, embed }]) {
      const abort = new AbortController()
      const recalled = createMemoryService({ clock, ...options }).recall("tea", key, { limit: 1, signal: abort.signal })
      setImmediate(() => abort.abort(reason))
      await expect(recalled).rejects.toBe(reason)
    }
  })

  test("M4 M11 leaves out what answers too little of the question, and refuses a weight that is no number", async () => {
    const store = createInMemoryStore()
    const service = createMemoryService({ records: store.memories, clock })
    for (const text of ["I drink tea with my mother", "My piano is out of tune", "It will rain"])
      await service.remember(said(text), key)
    const ids = async (query: string, minScore = 0) =>
      (await service.recall(query, key, { limit: 5, signal, minScore })).map(({ id }) => id)
    expect(await ids("tea with my mother", 0.9)).toEqual(["I drink tea with my mother"])
    expect((await ids("a piano, a violin, a cello and a drum kit"))[0]).toBe("My piano is out of tune")
    expect(await ids("a piano, a violin, a cello and a drum kit", 0.5)).toEqual([])
    expect(await ids("football")).toEqual([])
    expect(() => createMemoryService({ records: store.memories, clock, weights: { words: Number.NaN } })).toThrow(/weight words/)
  })

  test("leaves out what is less likely to help than asked, and nothing of a blank question", async () => {
    const store = createInMemoryStore()
    const service = createMemoryService({ records: store.memories, clock })
    for (const text of [
      "I drink tea with my mother",
      "My mother called",
      "Tea is up",
      ...Array.from("abcdefgh", (c) => `My ${c}`),
    ])
      await service.remember(said(text), key)
    const recall = (query: string, minConfidence = 0) => service.recall(query, key, { limit: 3, signal, minConfidence })
    const [first, second] = await recall("tea with my mother")
    expect(first?.confidence).toBeGreaterThan(second?.confidence ?? 1)
    expect((await recall("tea with my mother", first?.confidence)).map(({ id }) => id)).toEqual(["I drink tea with my mother"])
    expect((await recall("", 1)).map(({ confidence }) => confidence)).toEqual([undefined, undefined, undefined])
  })

  test("takes in what another process stored, superseded and deleted", async () => {
    const store = createInMemoryStore()
    const [one, other] = [
      createMemoryService({ records: store.memories, clock }),
      createMemoryService({ records: store.memories, clock }),
    ]
    const ids = async (question: string) => (await one.recall(question, key, { limit: 9, signal })).map(({ id }) => id)
    await one.remember(said("I like tea"), key)
    expect(await ids("tea")).toEqual(["I like tea"])
    await other.remember(said("I like black tea", { supersedes: ["I like tea"] }), key)
    expect(await ids("tea")).toEqual(["I like black tea"])
    await store.forget({ agent: "fay", user: "ann" })
    expect(await ids("tea")).toEqual([])
  })

  test("takes in more than a page of what another process stored", async () => {
    const store = createInMemoryStore()
    for (let at = 0; at < 501; at++) {
      const memory = { ...said(at === 500 ? "a zebra" : `tea ${at}`, { id: `m${at}` }), ...key, importance: 5 }
      await store.memories.put(memory, { hash: memory.id, key })
    }
    const service = createMemoryService({ records: store.memories, clock })
    const hits = await service.recall("zebra", key, { limit: 1, signal })
    expect(hits.map(({ text }) => text)).toEqual(["a zebra"])
  })

  test("leaves out the turns that stand in the prompt already, and still fills the limit", async () => {
    const service = createMemoryService({ records: createInMemoryStore().memories, clock })
    for (const text of ["tea one", "tea two", "tea three"]) await service.remember(said(text), key)
    const hits = await service.recall("tea", key, { limit: 2, signal, excludeTurns: ["turn tea two"] })
    expect(hits.map(({ text }) => text).sort()).toEqual(["tea one", "tea three"])
  })

  test("T36 recalls insights and notes of turns that stand in the prompt: only their words do", async () => {
    const service = createMemoryService({ records: createInMemoryStore().memories, clock })
    const turnId = "turn tea"
    await service.remember(said("I drink tea at four", { turnId }), key)
    await service.remember(said("likes tea in the afternoon", { turnId, kind: "insight" }), key)
    await service.remember(said("tea is in the cupboard", { turnId, kind: "note" }), key)
    const hits = await service.recall("tea", key, { limit: 9, signal, excludeTurns: [turnId] })
    expect(hits.map(({ text }) => text).sort()).toEqual(["likes tea in the afternoon", "tea is in the cupboard"])
  })

  test("explains each hit by signals whose shares are a whole", async () => {
    const service = createMemoryService({ records: createInMemoryStore().memories, clock })
    await service.remember(said("I like tea"), key)
    const [hit] = await service.recall("do I like tea?", key, { limit: 1, signal })
    expect(hit).toMatchObject({ speaker: "Ann", atMs: clock.nowMs() - 1_000 })
    expect(hit?.why?.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1, 6)
  })

  test("with embeddings finds by meaning once vectors were made up for; a model that fails leaves words", async () => {
    const store = createInMemoryStore()
    const service = createMemoryService({ records: store.memories, clock, embed: animals })
    for (const text of ["my cats sleep all day", "football on Sunday"]) await service.remember(said(text), key)
    const best = async () => (await service.recall("feline companions", key, { limit: 1, signal }))[0]?.text
    expect(await service.embedMissing?.(key, { limit: 9, signal })).toBe(2)
    expect(await service.embedMissing?.(key, { limit: 9, signal })).toBe(0)
    expect(await best()).toBe("my cats sleep all day")
    const warnings: string[] = []
    const broken: EmbeddingModel = { id: "animals", embed: () => Promise.reject(new Error("no network")) }
    const lexical = createMemoryService({
      records: store.memories,
      clock,
      embed: broken,
      onWarning: (message) => void warnings.push(message),
    })
    expect((await lexical.recall("football", key, { limit: 1, signal }))[0]?.text).toBe("football on Sunday")
    expect(warnings).toEqual([expect.stringContaining("no network")])
    await expect(lexical.embedMissing?.(key, { limit: 9, signal })).resolves.toBe(0)
  })

  test("refuses vectors of a wrong number, length or with no numbers in them", async () => {
    const answers: (readonly number[])[][] = [[], [[1], [2]], [[Number.NaN]], [[]]]
    for (const vectors of answers) {
      const store = createInMemoryStore()
      const service = createMemoryService({ records: store.memories, clock, embed: { id: "m", embed: async () => vectors } })
      await service.remember(said("tea"), key)
      await expect(service.embedMissing?.(key, { limit: 9, signal })).rejects.toMatchObject({ code: "model" })
    }
  })

  test("lets a newer memory of the same meaning take the older one's place, and keeps that as history", async () => {
    const store = createInMemoryStore()
    const service = createMemoryService({ records: store.memories, clock, embed: animals, duplicateSimilarity: 0.95 })
    const [old, anew] = [said("my cats sleep all day"), { ...said("the feline sleeps"), atMs: said("").atMs + 5 }]
    await service.remember(old, key)
    expect(await service.remember(anew, key)).toEqual({ status: "stored", id: anew.id })
    expect((await service.recent(key, 9)).map(({ id }) => id)).toEqual([anew.id])
    expect(await service.get(old.id, key)).toMatchObject({ text: old.text, supersededBy: anew.id })
    expect((await service.remember(said("football on Sunday"), key)).status).toBe("stored")
    // A job that runs late, or again, does not bring the older memory back.
    expect(await service.remember({ ...said("the cats nap"), atMs: old.atMs }, key)).toEqual({ status: "duplicate", id: anew.id })
    expect(await service.remember(old, key)).toEqual({ status: "duplicate", id: old.id })
    // The same words are a duplicate, whatever the embedding says.
    expect(await service.remember({ ...anew, id: "again", atMs: anew.atMs + 5 }, key)).toEqual({
      status: "duplicate",
      id: anew.id,
    })
    expect((await service.recent(key, 9)).map(({ id }) => id)).toEqual(["football on Sunday", anew.id])
  })

  test.each([
    ["another speaker", { speaker: { id: "bob", name: "Bob" } }, {}],
    ["a group", {}, { audience: "group", conversation: "club" }],
    ["another user", {}, { user: "bob" }],
  ] as const)("what %s says takes nobody's place, however alike", async (_, other, place) => {
    const store = createInMemoryStore()
    const service = createMemoryService({ records: store.memories, clock, embed: animals, duplicateSimilarity: 0.95 })
    await service.remember(said("my cats sleep all day"), key)
    await service.remember({ ...said("the feline sleeps"), atMs: said("").atMs + 5, ...other }, { ...key, ...place })
    expect((await service.recent(key, 9)).map(({ id }) => id)).toContain("my cats sleep all day")
  })

  test("M1 drops the indexes of the users that were not seen for longest, once all take too much, and makes them again", async () => {
    const { memories } = createInMemoryStore()
    const made: string[] = []
    const changes: typeof memories.changes = (asked, options) => {
      if (options.after === undefined) made.push(asked.user)
      return memories.changes(asked, options)
    }
    const users = ["a", "b", "c", "d"]
    for (const user of users) {
      const own = { ...key, user }
      await memories.put({ ...said(`tea of ${user}`), ...own }, { hash: user, key: own })
    }
    const one = await new ScopeIndexes(memories, { model: undefined, maxBytes: 1e9 }).current({ ...key, user: "a" })
    const indexes = new ScopeIndexes({ ...memories, changes }, { model: undefined, maxBytes: 3.5 * one.bytes })
    // With three in memory, "a" is seen again, so that "b" is the one not seen for longest when "d" comes.
    for (const user of ["a", "b", "c", "a", "d"]) await indexes.current({ ...key, user })
    expect(indexes.size).toBe(3)
    expect(made).toEqual(["a", "b", "c", "d"])
    for (const user of ["a", "c", "d"]) await indexes.current({ ...key, user })
    expect(made).toEqual(["a", "b", "c", "d"])
    const again = await indexes.current({ ...key, user: "b" })
    expect([again.size, made.at(-1), indexes.size]).toEqual([1, "b", 3])
  })

  test("makes room for the indexes of users without memories, too", async () => {
    const indexes = new ScopeIndexes(createInMemoryStore().memories, { model: undefined, maxBytes: 100_000 })
    for (let user = 0; user < 50; user++) await indexes.current({ ...key, user: `user ${user}` })
    expect(indexes.size).toBeLessThan(15)
  })
})
