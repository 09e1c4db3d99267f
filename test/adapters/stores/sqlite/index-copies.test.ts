import { copyFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest"
import type { SqliteStore } from "../../../../src/adapters/stores/database-store.ts"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import type { ServiceKey } from "../../../../src/core/conversation.ts"
import { createMemoryService } from "../../../../src/memory/services/memory/create-memory-service.ts"
import { factsOf } from "../../../../src/memory/services/memory/memory-facts.ts"
import { indexForm } from "../../../../src/memory/services/recall/recall-index.ts"
import { documentTerms } from "../../../../src/memory/services/recall/text/document-terms.ts"
import { textMarks } from "../../../../src/memory/services/recall/text-marks.ts"
import type { MemoryRecords, StoredMemory } from "../../../../src/memory/services/store/records.ts"
import { tempFolder } from "../../../support/temp-folder.ts"

const key: ServiceKey = { agent: "fay", conversation: "talk", audience: "private", user: "ann" }
const dayMs = 86_400_000
const clock = { nowMs: () => 5_000 * dayMs }
const words = ["tea", "rain", "museum", "race", "图书馆", "下雨", "photo", "garden", "sister", "train"]

/** A memory whose words follow from its number. */
function memory(at: number): StoredMemory {
  const said = Array.from({ length: 8 }, (_, i) => `${words[(at * 7 + i * i) % words.length]} ${(at * 31 + i) % 400}`)
  const { agent, audience, user } = key
  const place = { agent, audience, user, conversation: `talk ${at % 40}`, turn: Math.floor(at / 40), turnId: `turn ${at}` }
  const speaker = at % 2 === 0 ? { id: "ann", name: "Ann" } : { id: "fay", name: "Fay" }
  return { id: `m${at}`, kind: "dialogue", text: said.join(" "), speaker, atMs: at * dayMs, ...place }
}

const questions = [
  "the museum 311 in the rain",
  "What did Fay say about tea 17 and the train?",
  "图书馆 25",
  "my sister's garden 40",
  "",
]

/** The answers of a service that has read nothing yet, with the ids of memories that it had to read. */
async function asked(records: MemoryRecords) {
  const read: string[] = []
  const warnings: string[] = []
  const counted: MemoryRecords = {
    ...records,
    async changes(...given) {
      const changes = await records.changes(...given)
      read.push(...changes.memories.map(({ id }) => id))
      return changes
    },
  }
  const onWarning = (message: string) => warnings.push(message)
  const service = createMemoryService({ records: counted, clock, onWarning })
  const signal = new AbortController().signal
  const found = []
  for (const question of questions) found.push(await service.recall(question, key, { limit: 20, signal }))
  return { found, read, warnings }
}

/** The same records, as of a store that keeps no copies. */
function withoutCopies({ readIndex: _, keepIndex: __, ...records }: MemoryRecords): MemoryRecords {
  return records
}

/** Asks a new service, and waits until a copy of its index is kept. */
async function keepCopy(records: MemoryRecords) {
  const isKept = Promise.withResolvers<boolean | undefined>()
  const keepIndex: MemoryRecords["keepIndex"] = async (...given) => {
    const kept = records.keepIndex?.(...given)
    kept?.then(isKept.resolve, isKept.reject)
    return (await kept) ?? false
  }
  const answers = await asked({ ...records, keepIndex })
  expect(await isKept.promise).toBe(true)
  return answers
}

const many = 2_100

describe("the copy of a large recall index", () => {
  const folder = mkdtempSync(join(tmpdir(), "promptstrata-"))
  beforeAll(async () => {
    const store = await openSqliteStore(join(folder, "store.sqlite"))
    const lines = Array.from({ length: many }, (_, at) => JSON.stringify({ table: "memory", hash: `h${at}`, memory: memory(at) }))
    await store.import(lines)
    await keepCopy(store.memories)
    await store.close()
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  /** A store of its own for a test, with a copy. */
  async function opened(): Promise<{ readonly store: SqliteStore; readonly rows: () => number; readonly damage: () => void }> {
    const file = join(tempFolder(), "store.sqlite")
    copyFileSync(join(folder, "store.sqlite"), file)
    const store = await openSqliteStore(file)
    onTestFinished(() => store.close())
    const rows = (): number => {
      const database = new DatabaseSync(file)
      const { count } = database.prepare("select count(*) as count from index_copies").get() as { readonly count: number }
      database.close()
      return count
    }
    const damage = (): void => {
      const database = new DatabaseSync(file)
      database.exec("update index_copies set bytes = zeroblob(length(bytes)) where part = 0")
      database.close()
    }
    return { store, rows, damage }
  }

  test("M1 answers a new process as all memories would, and no memory is read again", async () => {
    const { store } = await opened()
    const fresh = await asked(withoutCopies(store.memories))
    const copied = await asked(store.memories)
    expect(fresh.read).toHaveLength(many)
    expect(fresh.found.map(({ length }) => length)).toEqual([20, 20, 20, 20, 20])
    expect(copied).toEqual({ found: fresh.found, read: [], warnings: [] })
  })

  test("is there after a process that recalls and closes at once; `close` waits for it", async () => {
    const file = join(tempFolder(), "store.sqlite")
    const first = await openSqliteStore(file)
    await first.import(
      Array.from({ length: many }, (_, at) => JSON.stringify({ table: "memory", hash: `h${at}`, memory: memory(at) })),
    )
    await asked(first.memories)
    await first.close()
    const next = await openSqliteStore(file)
    onTestFinished(() => next.close())
    expect(await asked(next.memories)).toMatchObject({ read: [], warnings: [] })
  })

  test("that never ends delays `close` by five seconds at most", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    onTestFinished(() => void vi.useRealTimers())
    const store = await openSqliteStore(join(tempFolder(), "store.sqlite"))
    const begun = Promise.withResolvers<void>()
    async function* parts(): AsyncGenerator<Uint8Array> {
      begun.resolve()
      await new Promise(() => {})
      yield Uint8Array.of(1)
    }
    void store.memories.keepIndex?.({ form: indexForm, cursor: { epoch: 0, sequence: 0 }, parts: parts() }, key)
    await begun.promise
    let isClosed = false
    const closed = store.close().then(() => {
      isClosed = true
    })
    await vi.advanceTimersByTimeAsync(4_999)
    expect(isClosed).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await closed
  })

  test("is brought up to date with what changed since: new memories, uses, and what was replaced", async () => {
    const { store } = await opened()
    for (const [at, supersedes] of [
      [5_001, []],
      [5_002, []],
      [5_003, ["m311"]],
    ] as const) {
      const { conversation } = memory(at)
      await store.memories.put(memory(at), { hash: `h${at}`, supersedes, key: { ...key, conversation } })
    }
    await store.memories.markUsed(["m17"], { atMs: clock.nowMs(), key })
    const fresh = await asked(withoutCopies(store.memories))
    const copied = await asked(store.memories)
    expect(copied.found).toEqual(fresh.found)
    expect(copied.read.sort()).toEqual(["m17", "m311", "m5001", "m5002", "m5003"])
  })

  test("that is damaged is told, and all memories are read instead, for another copy", async () => {
    const { store, damage } = await opened()
    damage()
    const { problems } = await store.check()
    expect(problems).toEqual([expect.stringContaining("a copy of a recall index, which is made again from the memories")])
    const fresh = await asked(withoutCopies(store.memories))
    const { found, warnings, read } = await keepCopy(store.memories)
    expect(found).toEqual(fresh.found)
    expect(read).toHaveLength(many)
    expect(warnings).toEqual([expect.stringMatching(/^The copy of a recall index cannot be read.*index_copies.*part 0/u)])
    expect(await store.check()).toMatchObject({ ok: true })
    expect((await asked(store.memories)).read).toEqual([])
  })

  test("that is damaged can be repaired away", async () => {
    const { store, damage } = await opened()
    damage()
    expect(await store.repair(join(tempFolder(), "damaged.jsonl"))).toHaveLength(1)
    expect(await store.check()).toMatchObject({ ok: true })
    expect(await keepCopy(store.memories)).toMatchObject({ warnings: [] })
    expect((await asked(store.memories)).read).toEqual([])
  })

  test("is given up when a memory changes while it is written", async () => {
    const { store, rows } = await opened()
    const before = rows()
    const isOver = Promise.withResolvers<unknown>()
    const service = createMemoryService({
      clock,
      records: {
        ...withoutCopies(store.memories),
        async keepIndex({ parts, ...copy }, at) {
          async function* slowly(): AsyncGenerator<Uint8Array> {
            for await (const part of parts) {
              yield part
              await store.memories.markUsed(["m40"], { atMs: clock.nowMs(), key })
              await ask()
            }
          }
          const kept = store.memories.keepIndex?.({ ...copy, parts: slowly() }, at)
          kept?.then(isOver.resolve, isOver.resolve)
          return (await kept) ?? false
        },
      },
    })
    const ask = () => service.recall("tea", key, { limit: 5, signal: new AbortController().signal })
    await ask()
    expect(await isOver.promise).toMatchObject({ code: "aborted" })
    expect(rows()).toBe(before)
  })

  test("goes with the first memory that is forgotten, and a copy that is read in another form is none", async () => {
    const { store, rows } = await opened()
    expect(rows()).toBeGreaterThan(0)
    expect(await store.memories.readIndex?.(key, { form: "another" })).toBeUndefined()
    expect(await store.memories.readIndex?.(key, { form: indexForm })).toBeDefined()
    await store.forget({ agent: "fay", conversation: "talk 3" })
    expect(rows()).toBe(0)
    const fresh = await asked(withoutCopies(store.memories))
    expect((await asked(store.memories)).found).toEqual(fresh.found)
  })
})

test("the terms, marks and fact of a text are those of the index's form: with others, raise the number in `indexForm`", () => {
  expect(indexForm).toMatch(/^6, Unicode \d/u)
  const text = "Ann's running shoes cost $25 at the café, 昨天下雨了 C++ 🍕 inv-2024-17 ＴＥＡ"
  const { told, ...marks } = textMarks(`${text}, three days ago?`, Date.UTC(2026, 0, 9))
  expect([marks, told]).toEqual([
    { question: true, time: true, number: true },
    { fromDay: 20_461, toDay: 20_461 },
  ])
  const facts = ["I live in Paris now.", "我住在杭州。", "It rains."].map((said) => factsOf({ ...memory(0), text: said }))
  const home = [{ name: expect.stringContaining("home") }]
  expect(facts).toMatchObject([home, home, []])
  expect([...documentTerms("I'm told my boss is our manager").words.keys()].join(" ")).toBe("i tell boss is our")
  const terms = documentTerms(text, ["weather 天气"])
  expect(Object.entries(terms).map(([field, counts]) => [field, [...counts.keys()].join(" ")])).toMatchInlineSnapshot(`
    [
      [
        "words",
        "c++ 🍕 inv-2024-17 ann run shoe cost 25 at the cafe c inv 2024 17 tea",
      ],
      [
        "grams",
        "_ann ann' nn's n's_ _run runn unni nnin ning ing_ _sho shoe hoes oes_ _cos cost ost_ _caf cafe afe_ _202 2024 024_",
      ],
      [
        "characters",
        "昨 昨天 天 天下 下 下雨 雨 雨了 了",
      ],
      [
        "keyWords",
        "weather",
      ],
      [
        "keyCharacters",
        "天 天气 气",
      ],
    ]
  `)
})
