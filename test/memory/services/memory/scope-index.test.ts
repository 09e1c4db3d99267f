import { describe, expect, test } from "vitest"
import { ScopeIndex } from "../../../../src/memory/services/memory/scope-index.ts"
import { indexForm } from "../../../../src/memory/services/recall/recall-index.ts"
import type { IndexCopy, MemoryRecords, StoredMemory } from "../../../../src/memory/services/store/records.ts"

const key = { agent: "fay", conversation: "talk", audience: "private", user: "ann" } as const
const memory = (at: number, rest: Partial<StoredMemory> = {}): StoredMemory => ({
  ...key,
  id: `m${at}`,
  kind: "dialogue",
  text: `tea ${at}`,
  speaker: { id: "ann", name: "Ann" },
  atMs: at,
  turnId: `t${at}`,
  turn: at,
  ...rest,
})

type Records = Pick<MemoryRecords, "changes" | "vectors"> & Required<Pick<MemoryRecords, "keepIndex" | "readIndex">>

/** Records that hand out what is put into them, and keep the last copy. */
function recordsOf(model?: string) {
  const log: StoredMemory[] = []
  const copies: (IndexCopy & { readonly parts: readonly Uint8Array[] })[] = []
  const asked: number[] = []
  const records: Records = {
    async changes(_, { after, limit }) {
      const from = after?.sequence ?? 0
      const memories = log.slice(from, from + limit)
      return { cursor: { epoch: 0, sequence: from + memories.length }, reset: false, memories }
    },
    async vectors(ids, of) {
      asked.push(ids.length)
      return of === model ? ids.map((memoryId) => ({ memoryId, model: of, values: vectorOf(memoryId) })) : []
    },
    async readIndex(_, { form }) {
      expect(form).toBe(indexForm)
      return copies.at(-1)
    },
    async keepIndex({ parts, ...copy }) {
      const kept: Uint8Array[] = []
      for await (const part of parts) kept.push(part)
      copies.push({ ...copy, parts: kept })
      return true
    },
  }
  return { records: records as unknown as MemoryRecords, log, copies, asked }
}

const vectorOf = (id: string) => Float32Array.of(Math.cos(Number(id.slice(1))), Math.sin(Number(id.slice(1))))
const indexOf = (records: MemoryRecords, model?: string, warnings: string[] = []) =>
  new ScopeIndex(records, key, { model, maxBytes: 1e9, onWarning: (message) => void warnings.push(message) })

/** Waits until a copy that is being made is over: it gives way to other work between its parts. */
const settled = async () => {
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
}

describe("a copy of an index", () => {
  test("is kept of 2,000 memories, and again when 1,000 of them are new; one of which only numbers changed counts a tenth", async () => {
    const { records, log, copies } = recordsOf()
    const index = indexOf(records)
    const counts: number[] = []
    const put = async (memories: readonly StoredMemory[]) => {
      log.push(...memories)
      await index.update()
      await settled()
      counts.push(copies.length)
    }
    const some = (from: number, count: number, rest = {}) => Array.from({ length: count }, (_, at) => memory(from + at, rest))
    await put(some(0, 1_999))
    await put(some(1_999, 1))
    await put(some(2_000, 999))
    await put(some(2_999, 1))
    expect(counts).toEqual([0, 1, 1, 2])
    for (const usedAtMs of [1, 2, 3]) await put(some(0, 3_000, { usedAtMs }))
    expect(counts.slice(4)).toEqual([2, 2, 2])
    await put(some(0, 1_100, { usedAtMs: 4 }))
    expect(counts.slice(7)).toEqual([3])
    expect([index.size, copies.at(-1)?.cursor.sequence]).toEqual([3_000, log.length])
  })

  test("that the store does not take is tried again with the next memory", async () => {
    const { records, log } = recordsOf()
    let tried = 0
    const keepIndex = async () => {
      tried += 1
      return false
    }
    const index = indexOf({ ...records, keepIndex })
    log.push(...Array.from({ length: 2_000 }, (_, at) => memory(at)))
    for (const expected of [1, 2]) {
      await index.update()
      await settled()
      expect(tried).toBe(expected)
    }
  })

  test("gives the memories, their facts and the vectors of its model, read in pages of 256 at most", async () => {
    const { records, log, copies, asked } = recordsOf("e")
    const facts = [memory(5_000, { text: "I live in Paris now." }), memory(6_000, { text: "I live in Rome now." })]
    log.push(...Array.from({ length: 2_000 }, (_, at) => memory(at)), ...facts)
    const first = indexOf(records, "e")
    expect(await first.update()).toBe(true)
    await settled()
    expect(copies).toHaveLength(1)
    asked.length = 0
    const again = indexOf(records, "e")
    expect(await again.update()).toBe(true)
    expect([again.size, asked.length, Math.max(...asked), asked.reduce((sum, count) => sum + count, 0)]).toEqual([
      2_002, 8, 256, 2_002,
    ])
    const query = { text: "the sea", nowMs: 9_000, limit: 50, vector: { model: "e", values: Float32Array.of(1, 0) } }
    const hits = first.rank(query)
    expect(hits.length).toBeGreaterThan(10)
    expect(again.rank(query)).toEqual(hits)
    expect(again.earlier(facts[1] as StoredMemory)).toEqual(["m5000"])
    expect(again.get("m7")).toEqual(memory(7))
    asked.length = 0
    const without = indexOf(records)
    await without.update()
    expect([asked, without.rank(query).length]).toEqual([[], 0])
    // Nothing changed since, and that is told.
    expect(await again.update()).toBe(false)
  })

  test("that cannot be read is told, and all memories are read", async () => {
    const { records, log } = recordsOf()
    log.push(memory(1), memory(2))
    const warnings: string[] = []
    const readIndex = async () => ({ form: indexForm, cursor: { epoch: 0, sequence: 2 }, parts: [Uint8Array.of(1, 2, 3)] })
    const index = indexOf({ ...records, readIndex }, undefined, warnings)
    expect(await index.update()).toBe(true)
    expect([index.size, warnings]).toEqual([
      2,
      [expect.stringMatching(/^The copy of a recall index cannot be read, so all memories are: expected 8 bytes, found 3/)],
    ])
  })
})
