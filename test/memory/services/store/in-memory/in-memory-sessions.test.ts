import fc from "fast-check"
import { describe, expect, test, vi } from "vitest"
import type { HistoryMessage, SessionKey } from "../../../../../src/core/conversation.ts"
import { PromptStrataError } from "../../../../../src/core/errors.ts"
import { createKeyedQueue } from "../../../../../src/memory/services/keyed-queue.ts"
import { RowTable } from "../../../../../src/memory/services/store/in-memory/row-table.ts"
import type { Job } from "../../../../../src/memory/services/store/job-runner.ts"
import { filterMessages, type MessageFilter, type SessionCommit } from "../../../../../src/memory/services/store/session-store.ts"
import { createIdleStore } from "../../../../support/idle-store.ts"
import { runs } from "../../../../support/size.ts"

const key: SessionKey = { agent: "fay", conversation: "readme", audience: "private" }

function said(text: string): HistoryMessage {
  return { role: "user", text, speaker: { id: "u", name: "User" }, turnId: text, atMs: 0 }
}

function commitOf(expectVersion: number, words: string[], rest: Partial<SessionCommit> = {}): SessionCommit {
  return { expectVersion, append: words.map(said), state: {}, jobs: [], ...rest }
}

const textsOf = (history: readonly HistoryMessage[] = []) => history.map((message) => message.text)

describe("sessions of createInMemoryStore", () => {
  test("a session nobody wrote is absent", async () => {
    expect(await createIdleStore().load(key)).toBeUndefined()
  })

  test("each commit appends its words in order, replaces the state and raises the version by one", async () => {
    const store = createIdleStore()
    expect(await store.commit(key, commitOf(0, ["a", "b"], { state: { stack: [1], old: true } }))).toEqual({ version: 1 })
    expect(await store.commit(key, commitOf(1, ["c"], { state: { stack: [2] } }))).toEqual({ version: 2 })
    const record = await store.load({ ...key })
    expect(record?.version).toBe(2)
    expect(textsOf(record?.history)).toEqual(["a", "b", "c"])
    expect(record?.state).toEqual({ stack: [2] })
  })

  test("a state that holds what it was before is refused once it is nested too deep, as a database would have to refuse it", async () => {
    const store = createIdleStore()
    const turn = async (expectVersion: number) => {
      const before = (await store.load(key))?.state ?? {}
      return store.commit(key, commitOf(expectVersion, [], { state: { before, list: [{ before }] } }))
    }
    for (let version = 0; version < 166; version++) await turn(version)
    await expect(turn(166)).rejects.toMatchObject({ code: "usage", message: /state\.list\[0\]\.before .* more than 500 levels/ })
    expect((await store.load(key))?.version).toBe(166)
  })

  test("a number that JSON does not have is kept as JSON would give it back", async () => {
    const store = createIdleStore()
    await store.commit(key, commitOf(0, [], { state: { zero: -0, list: [-0] } }))
    expect((await store.load(key))?.state).toEqual({ zero: 0, list: [0] })
  })

  test.each([
    { expectVersion: 0, note: "a stale one" },
    { expectVersion: 2, note: "one ahead" },
    { expectVersion: Number.NaN, note: "no number" },
  ])("a commit that expects another version ($note) throws session-conflict and changes nothing", async ({ expectVersion }) => {
    const store = createIdleStore()
    await store.commit(key, commitOf(0, ["a"]))
    const before = await store.load(key)
    const job: Job = { id: "j", kind: "reflect", key: { ...key, user: "u" }, turnId: "t", atMs: 0, payload: {} }
    const error = await store.commit(key, commitOf(expectVersion, ["b"], { state: { lost: true }, jobs: [job] })).catch((e) => e)
    expect(PromptStrataError.isInstance(error)).toBe(true)
    expect(error.code).toBe("session-conflict")
    expect(error.evidence).toMatchObject({ expectedVersion: expectVersion, foundVersion: 1 })
    expect(await store.load(key)).toEqual(before)
    expect(store.takeJobs(key)).toEqual([])
  })

  test("keys that differ in one part, or that look alike when joined, are different sessions", async () => {
    const store = createIdleStore()
    const keys: SessionKey[] = [
      key,
      { ...key, agent: "other" },
      { ...key, conversation: "other" },
      { ...key, audience: "group" },
      { agent: 'fay","readme', conversation: "x", audience: "private" },
      { agent: "fay", conversation: 'readme","x', audience: "private" },
      { agent: "__proto__", conversation: "constructor", audience: "private" },
    ]
    for (const [index, each] of keys.entries()) await store.commit(each, commitOf(0, [String(index)]))
    for (const [index, each] of keys.entries()) expect(textsOf((await store.load(each))?.history)).toEqual([String(index)])
  })

  test("nothing a caller holds can change what is stored", async () => {
    const store = createIdleStore()
    const state = { list: [{ deep: 1 }] }
    const append = [said("a")]
    await store.commit(key, { expectVersion: 0, append, state, jobs: [] })
    state.list.push({ deep: 2 })
    append.push(said("b"))
    const record = await store.load(key)
    expect(record).toMatchObject({ state: { list: [{ deep: 1 }] }, history: [{ text: "a" }] })
    expect(() => Object.assign(record?.history ?? [], [said("c")])).toThrow(TypeError)
    expect(() => Object.assign(record?.history[0]?.speaker ?? {}, { name: "Mallory" })).toThrow(TypeError)
    expect(() => Object.assign(record?.state ?? {}, { list: [] })).toThrow(TypeError)
    expect(() => Object.assign(record ?? {}, { version: 9 })).toThrow(TypeError)
  })

  test("a loaded record stays as it was when a later commit lands", async () => {
    const store = createIdleStore()
    await store.commit(key, commitOf(0, ["a"]))
    const early = await store.load(key)
    await store.commit(key, commitOf(1, ["b"]))
    expect(textsOf(early?.history)).toEqual(["a"])
    expect(early?.version).toBe(1)
  })

  test.each([
    ["a function", { run: () => 1 }, "state.run"],
    ["a map", { list: [new Map()] }, "state.list[0]"],
    ["a number JSON lacks", { n: Number.POSITIVE_INFINITY }, "state.n"],
    ["a cycle", cyclic(), "state.self"],
  ])("state that is not plain JSON (%s) throws usage with its path and changes nothing", async (_, state, path) => {
    const store = createIdleStore()
    const error = await store.commit(key, commitOf(0, ["a"], { state })).catch((e) => e)
    expect(error).toMatchObject({ code: "usage" })
    expect(error.message).toContain(path)
    expect(await store.load(key)).toBeUndefined()
  })

  test("any JSON comes back equal, `__proto__` keys and lone surrogates included", async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), async (drawn) => {
        const state = JSON.parse(`{"__proto__":{"polluted":true},"rest":${JSON.stringify(drawn)}}`)
        const store = createIdleStore()
        await store.commit(key, commitOf(0, [], { state }))
        const stored = (await store.load(key))?.state
        expect(JSON.stringify(stored)).toBe(JSON.stringify(state))
        expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
      }),
    )
  })

  test("jobs are handed over once, in order, per session", async () => {
    const store = createIdleStore()
    const job = (id: string): Job => ({
      id,
      kind: "importance",
      key: { ...key, user: "u" },
      turnId: "t",
      atMs: 0,
      payload: {},
    })
    await store.commit(key, commitOf(0, [], { jobs: [job("1"), job("2")] }))
    await store.commit(key, commitOf(1, [], { jobs: [job("3")] }))
    await store.commit({ ...key, audience: "group" }, commitOf(0, [], { jobs: [job("other")] }))
    expect(store.takeJobs(key).map(({ id }) => id)).toEqual(["1", "2", "3"])
    expect(store.takeJobs(key)).toEqual([])
  })

  test("of turns that race, exactly those commit that saw the latest version; none is lost or doubled", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 8 }), fc.scheduler(), async (turns, scheduler) => {
        const store = createIdleStore()
        const landed: string[] = []
        const turn = async (name: string) => {
          const record = await scheduler.schedule(store.load(key))
          const version = record?.version ?? 0
          await scheduler.schedule(Promise.resolve())
          await store.commit(key, commitOf(version, [name])).then(
            () => landed.push(name),
            (error) => expect(error).toMatchObject({ code: "session-conflict" }),
          )
        }
        await scheduler.waitFor(Promise.all(Array.from({ length: turns }, (_, n) => turn(`turn ${n}`))))
        const record = await store.load(key)
        expect(textsOf(record?.history)).toEqual(landed)
        expect(record?.version).toBe(landed.length)
        expect(landed.length).toBeGreaterThan(0)
      }),
      { numRuns: runs(200) },
    )
  })

  test("the same turns behind a queue never conflict and land in the order they were asked for", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: 8 }), fc.scheduler(), async (turns, scheduler) => {
        const store = createIdleStore()
        const queue = createKeyedQueue()
        const names = Array.from({ length: turns }, (_, n) => `turn ${n}`)
        const all = names.map((name) =>
          queue.enqueue("readme", async () => {
            const record = await scheduler.schedule(store.load(key))
            await scheduler.schedule(Promise.resolve())
            return store.commit(key, commitOf(record?.version ?? 0, [name]))
          }),
        )
        await scheduler.waitFor(Promise.all(all))
        expect(textsOf((await store.load(key))?.history)).toEqual(names)
      }),
      { numRuns: runs(200) },
    )
  })
})

describe("messages of a store in memory", () => {
  test("are those of the whole history that meet a filter, in whatever order their times are", async () => {
    const store = createIdleStore()
    const words = fc.record({
      text: fc.constantFrom("cat", "Cat", "dog"),
      atMs: fc.nat(9),
      role: fc.constantFrom("user" as const, "assistant" as const),
    })
    const optional = (most: number) => fc.option(fc.nat(most), { nil: undefined })
    const filters = fc.record({
      fromMs: optional(9),
      beforeMs: optional(9),
      skip: fc.nat(4),
      limit: fc.integer({ min: -1, max: 9 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(words, { maxLength: 30 }), filters, fc.uuid(), async (all, filter, conversation) => {
        const own = { ...key, conversation }
        const history = all.map((one) => ({ ...said("t"), ...one }))
        await store.append(own, history)
        const asked = { ...filter, containing: "cat", role: "user" } as const
        expect(await store.messages(own, asked)).toEqual(filterMessages(history, asked))
      }),
      { numRuns: runs(300) },
    )
  })

  test.each<[string, MessageFilter]>([
    ["the newest", { limit: 3 }],
    ["the newest but one", { limit: 1, skip: 1 }],
    ["the newest of a speaker", { role: "user", limit: 3 }],
    ["from a moment on", { fromMs: 1_995, limit: 200 }],
  ])("are found in a long history without reading it: %s", async (_, filter) => {
    const store = createIdleStore()
    await store.append(
      key,
      Array.from({ length: 2_000 }, (_, atMs) => ({ ...said("t"), atMs })),
    )
    const find = vi.spyOn(RowTable.prototype, "find")
    expect((await store.messages(key, filter)).length).toBeGreaterThan(0)
    const read = find.mock.results.reduce((sum, { value }) => sum + (value as readonly unknown[]).length, 0)
    find.mockRestore()
    expect(read).toBeLessThanOrEqual(6)
  })
})

function cyclic(): Record<string, unknown> {
  const state: Record<string, unknown> = {}
  state.self = state
  return state
}
