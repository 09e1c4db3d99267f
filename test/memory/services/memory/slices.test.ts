import { describe, expect, onTestFinished, test } from "vitest"
import type { ServiceKey } from "../../../../src/core/conversation.ts"
import { ScopeIndexes } from "../../../../src/memory/services/memory/recorded-memories.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { MemoryRecords, StoredMemory } from "../../../../src/memory/services/store/records.ts"
import { amount, isLong } from "../../../support/size.ts"

const key: ServiceKey = { agent: "fay", conversation: "talk", audience: "private", user: "ann" }
const many = amount("SLICED_MEMORIES")
/** A copy is read in few calls: of fewer memories it would be one slice. */
const copied = Math.max(many, 16_000)
/** Texts of 100 kB. */
const texts = isLong ? 12 : 4

/** The most work before other work of the process has its turn: a few milliseconds of it. */
const maxMapCalls = 24_000
const maxCharacters = 80_000

function memory(at: number, text: string, user = "ann"): StoredMemory {
  const place = { agent: "fay", conversation: `talk ${at % 40}`, audience: "private", user, turnId: `turn ${at}` } as const
  return { id: `m${at}`, kind: "dialogue", text, speaker: { id: user, name: user }, atMs: at * 60_000, turn: at, ...place }
}

/** A short line of which two words stand nowhere else. */
const line = (at: number) => memory(at, `tea${at} for the guest${at} in garden ${at % 50}`)

async function storeOf(memories: Iterable<StoredMemory>) {
  const store = createInMemoryStore()
  await store.import(
    Array.from(memories, (memory, at) => JSON.stringify({ table: "memory", hash: `h${at} ${memory.id}`, memory })),
  )
  return store
}

/** Keeps one more memory, as another process would. */
async function put({ memories }: { readonly memories: MemoryRecords }, kept: StoredMemory, supersedes: readonly string[] = []) {
  const own = { ...key, conversation: kept.conversation }
  await memories.put(kept, { hash: `put ${kept.id}`, supersedes, key: own })
}

const lines = (count: number) => Array.from({ length: count }, (_, at) => line(at))
const indexesOf = (records: MemoryRecords, maxBytes = 1e9) => new ScopeIndexes(records, { model: undefined, maxBytes })

/**
 * Does some work and counts what it does in each slice, from one `setImmediate` to the next: uses of maps, of which every term that is
 * counted, added or removed needs some, and the characters of texts that are put into one form.
 */
async function slicesOf(work: () => Promise<unknown>) {
  const slices = [{ mapCalls: 0, characters: 0 }]
  const now = () => slices.at(-1) ?? { mapCalls: 0, characters: 0 }
  const { get, set } = Map.prototype
  const { toLowerCase, normalize } = String.prototype
  const { setImmediate } = globalThis
  const restore = () => {
    Object.assign(Map.prototype, { get, set })
    Object.assign(String.prototype, { toLowerCase, normalize })
    Object.assign(globalThis, { setImmediate })
  }
  onTestFinished(restore)
  Object.assign(Map.prototype, {
    get(this: Map<unknown, unknown>, name: unknown) {
      now().mapCalls++
      return get.call(this, name)
    },
    set(this: Map<unknown, unknown>, name: unknown, value: unknown) {
      now().mapCalls++
      return set.call(this, name, value)
    },
  })
  Object.assign(String.prototype, {
    toLowerCase(this: string) {
      now().characters += this.length
      return toLowerCase.call(this)
    },
    normalize(this: string, form?: string) {
      now().characters += this.length
      return normalize.call(this, form)
    },
  })
  Object.assign(globalThis, {
    setImmediate: (resume: () => void) =>
      setImmediate(() => {
        slices.push({ mapCalls: 0, characters: 0 })
        resume()
      }),
  })
  await work()
  restore()
  const mostOf = (name: keyof (typeof slices)[number]) => Math.max(...slices.map((slice) => slice[name]))
  return {
    mapCalls: mostOf("mapCalls"),
    characters: mostOf("characters"),
    all: slices.reduce((sum, { mapCalls }) => sum + mapCalls, 0),
    first: slices.slice(0, 8).map(({ mapCalls }) => mapCalls),
  }
}

/** Expects work that is several slices long to be done in slices. */
async function expectSlices(work: () => Promise<unknown>): Promise<void> {
  const { all, mapCalls, characters } = await slicesOf(work)
  expect(all).toBeGreaterThan(3 * maxMapCalls)
  expect(mapCalls).toBeLessThanOrEqual(maxMapCalls)
  expect(characters).toBeLessThanOrEqual(maxCharacters)
}

const han = Array.from({ length: 100_000 }, (_, at) => String.fromCodePoint(0x4e00 + ((at * 7_919) % 20_000))).join("")
const words = Array.from({ length: 14_000 }, (_, at) => `word${at}`).join(" ")

describe("other work has its turn after a few milliseconds", () => {
  test(`M1 of the first recall over ${many} memories`, async () => {
    const { memories } = await storeOf(lines(many))
    const indexes = indexesOf(memories)
    await expectSlices(() => indexes.current(key))
    expect((await indexes.current(key)).size).toBe(many)
  })

  test("M1 of the first recall, whose first slices are a fraction of later ones, because code is slow before it is compiled", async () => {
    const { memories } = await storeOf(lines(2_000))
    const indexes = indexesOf(memories)
    const { first, mapCalls } = await slicesOf(() => indexes.current(key))
    expect(first).toHaveLength(8)
    expect(Math.max(...first) * 4).toBeLessThan(mapCalls)
  })

  test("M1 of the first recall, whose patterns are slow the first time: no slice runs many that are new", async () => {
    const { memories } = await storeOf(Array.from({ length: 300 }, (_, at) => memory(at, `I live in Oslo with cat ${at}.`)))
    const indexes = indexesOf(memories)
    const { exec } = RegExp.prototype
    const known = new Set<string>()
    const slices = new Map<object, number>()
    let slice = {}
    onTestFinished(() => void Object.assign(RegExp.prototype, { exec }))
    Object.assign(RegExp.prototype, {
      exec(this: RegExp, text: string) {
        if (!known.has(this.source)) slices.set(slice, (slices.get(slice) ?? 0) + 1)
        known.add(this.source)
        return exec.call(this, text)
      },
    })
    let isDone = false
    setImmediate(function next() {
      slice = {}
      if (!isDone) setImmediate(next)
    })
    await indexes.current(key)
    isDone = true
    expect(known.size).toBeGreaterThan(100)
    // The first memory runs those of its words and times at once; those of facts have run by then, a few at a time.
    expect(Math.max(...slices.values())).toBeLessThanOrEqual(60)
    expect([...slices.values()].slice(0, -1).every((count) => count <= 8)).toBe(true)
  })

  test("of reading 4,000 memories that another process added", async () => {
    const store = await storeOf(lines(10))
    const indexes = indexesOf(store.memories)
    await indexes.current(key)
    for (let at = 10; at < 4_010; at++) await put(store, line(at))
    await expectSlices(() => indexes.current(key))
    expect((await indexes.current(key)).size).toBe(4_010)
  })

  test("of making an index again that was dropped for another user's", async () => {
    const other = { ...key, user: "bob" }
    const { memories } = await storeOf([...lines(4_000), memory(many, "I like tea", "bob")])
    const indexes = indexesOf(memories, 1)
    await indexes.current(key)
    await indexes.current(other)
    expect(indexes.size).toBe(1)
    await expectSlices(() => indexes.current(key))
  })

  test.each([
    { name: "words", text: words },
    { name: "Chinese without a break", text: han },
    { name: "letters without a break", text: "a1+".repeat(33_333) },
    { name: "emoji", text: "🍕".repeat(50_000) },
    { name: "half of Chinese and half of words", text: (han.slice(0, 8_000) + words).slice(0, 100_000) },
  ])(`M1 of indexing ${texts} texts of 100 kB ($name), and of taking them out again`, async ({ text }) => {
    const store = await storeOf(Array.from({ length: texts }, (_, at) => memory(at, `${at} ${text}`)))
    const indexes = indexesOf(store.memories)
    const { mapCalls, characters } = await slicesOf(() => indexes.current(key))
    const supersedes = Array.from({ length: texts }, (_, at) => `m${at}`)
    await put(store, memory(99, "short"), supersedes)
    const out = await slicesOf(() => indexes.current(key))
    expect((await indexes.current(key)).size).toBe(1)
    expect(Math.max(mapCalls, out.mapCalls)).toBeLessThanOrEqual(maxMapCalls)
    expect(Math.max(characters, out.characters)).toBeLessThanOrEqual(maxCharacters)
  })

  test(`of removing half of ${many} memories, which makes the whole index anew`, async () => {
    const store = await storeOf(lines(many))
    const indexes = indexesOf(store.memories)
    await indexes.current(key)
    const supersedes = Array.from({ length: many / 2 }, (_, at) => `m${at}`)
    await put(store, line(many), supersedes)
    await expectSlices(() => indexes.current(key))
    expect((await indexes.current(key)).size).toBe(many / 2 + 1)
  })

  test(`of reading the copy of an index of ${copied} memories`, async () => {
    const { memories } = await storeOf(lines(copied))
    const kept = Promise.withResolvers<Awaited<ReturnType<NonNullable<MemoryRecords["readIndex"]>>>>()
    const keepIndex: MemoryRecords["keepIndex"] = async ({ form, cursor, parts }) => {
      const all: Uint8Array[] = []
      for await (const part of parts) all.push(part)
      kept.resolve({ form, cursor, parts: all })
      return true
    }
    await indexesOf({ ...memories, keepIndex }).current(key)
    const copy = await kept.promise
    const indexes = indexesOf({ ...memories, readIndex: async () => copy })
    await expectSlices(() => indexes.current(key))
    expect((await indexes.current(key)).size).toBe(copied)
  })
})
