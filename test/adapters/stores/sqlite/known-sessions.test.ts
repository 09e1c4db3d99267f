import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, test, vi } from "vitest"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import type { ServiceKey } from "../../../../src/core/conversation.ts"
import { mulberry32 } from "../../../../src/core/mulberry.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { SessionRecord } from "../../../../src/memory/services/store/session-store.ts"
import type { Store } from "../../../../src/memory/services/store/store.ts"
import { type Dice, diceOf } from "../../../support/dice.ts"
import { saidBy, sharedSessionScenes, turnAt } from "../../../support/known-sessions.ts"
import { tempFolder } from "../../../support/temp-folder.ts"

const key: ServiceKey = { agent: "fay", conversation: "chat", audience: "private", user: "ann" }

describe("a session that this process has read or written", () => {
  test("is not read again, turn after turn, as long as nobody else writes to it", async () => {
    const asked: string[] = []
    const file = join(tempFolder(), "store.sqlite")
    const store = await openSqliteStore(file, { log: ({ query }) => void asked.push(query.sql) })
    const words = () => asked.filter((sql) => /^select/u.test(sql) && /"whole_state"|from "messages"/u.test(sql))
    for (let version = 0; version < 5; version++) {
      const record = await store.load(key)
      expect(record?.history.length ?? 0).toBe(version)
      await store.commit(key, turnAt(version, `words ${version}`))
    }
    expect(words()).toEqual([])
    expect(await store.load(key)).toMatchObject({ version: 5, earlier: 0, state: { seen: ["words 4"] } })
    await store.post(key, { id: "note", owner: "hook", payload: {} })
    expect((await store.load(key))?.notes).toHaveLength(1)
    expect(words(), "notes are always read").toEqual([])
    await store.close()
    const next = await openSqliteStore(file, { log: ({ query }) => void asked.push(query.sql) })
    await next.load(key)
    await next.load(key)
    expect(words()).toHaveLength(2)
    await next.close()
  })

  test("is loaded by one statement, outside of any transaction, unless a note waits", async () => {
    const asked: string[] = []
    const log = ({ query }: { readonly query: { readonly sql: string } }) => void asked.push(query.sql)
    const store = await openSqliteStore(join(tempFolder(), "store.sqlite"), { log })
    await store.commit(key, turnAt(0, "words"))
    const executed = vi.spyOn(DatabaseSync.prototype, "exec")
    asked.length = 0
    expect(await store.load(key, { last: 1 })).toMatchObject({ version: 1, notes: [] })
    expect([asked.length, executed.mock.calls]).toEqual([1, []])
    executed.mockRestore()
    await store.post(key, { id: "note", owner: "hook", payload: {} })
    expect((await store.load(key, { last: 1 }))?.notes).toMatchObject([{ id: "note" }])
    await store.close()
  })

  test("is written by one statement and one for each message, a new one too; one that was changed meanwhile is locked first", async () => {
    const asked: string[] = []
    const file = join(tempFolder(), "store.sqlite")
    const log = ({ query }: { readonly query: { readonly sql: string } }) =>
      void asked.push(/^\w+ (into )?"\w+"/u.exec(query.sql)?.[0] ?? query.sql)
    const [here, there] = [await openSqliteStore(file, { log }), await openSqliteStore(file)]
    const written = async (version: number) => {
      asked.length = 0
      await here.commit(key, turnAt(version, `words ${version}`))
      return asked.map((sql) => (sql.startsWith("select") ? "select" : sql))
    }
    expect(await written(0)).toEqual(['insert into "sessions"', 'insert into "messages"'])
    expect(await written(1)).toEqual(['update "sessions"', 'insert into "messages"'])
    await there.append(key, [saidBy("ann", "heard")])
    expect(await written(2)).toEqual([
      ...['update "sessions"', 'insert into "sessions"', "select", "select", 'update "sessions"', 'insert into "messages"'],
    ])
    expect(await written(3)).toEqual(['update "sessions"', 'insert into "messages"'])
    expect(textsOf(await there.load(key))).toEqual(["words 0", "words 1", "heard", "words 2", "words 3"])
    await Promise.all([here.close(), there.close()])
  })

  test("is not read again either after words were appended: only these words are", async () => {
    const asked: string[] = []
    const store = await openSqliteStore(join(tempFolder(), "store.sqlite"), {
      log: ({ query: { sql, parameters } }) => void asked.push(`${sql} ${JSON.stringify(parameters)}`),
    })
    await store.commit(key, turnAt(0, "words"))
    await store.append(key, [saidBy("ann", "heard")])
    await store.commit(key, turnAt(1, "more words"))
    expect((await store.load(key))?.history).toHaveLength(3)
    const reads = asked.filter((sql) => /^select/u.test(sql) && /"whole_state"|from "messages"/u.test(sql))
    expect(reads).toEqual([expect.stringMatching(/"position" >= \? .*"private",1\]$/u)])
    await store.close()
  })

  test("takes all words that wait at the same time in one write", async () => {
    const asked: string[] = []
    const log = ({ query }: { readonly query: { readonly sql: string } }) => void asked.push(query.sql)
    const store = await openSqliteStore(join(tempFolder(), "store.sqlite"), { log })
    await Promise.all(Array.from({ length: 50 }, (_, at) => store.append(key, [saidBy("ann", `heard ${at}`)])))
    // Each write locks the session once and counts once.
    expect(asked.filter((sql) => sql.includes('into "sessions"'))).toHaveLength(1)
    expect(asked.filter((sql) => sql.startsWith('update "sessions"'))).toHaveLength(1)
    await store.close()
    await expect(store.append(key, [saidBy("ann", "late")])).rejects.toMatchObject({ code: "closed" })
  })

  test("reads and writes nothing of what is set aside, until its history ends elsewhere", async () => {
    const asked: string[] = []
    const file = join(tempFolder(), "store.sqlite")
    const log = ({ query }: { readonly query: { readonly sql: string } }) => void asked.push(query.sql)
    const store = await openSqliteStore(file, { log })
    asked.splice(0)
    for (const version of [0, 1, 2]) await store.commit(key, turnAt(version, `words ${version}`))
    await store.load(key, { last: 1 })
    await store.messages(key, { limit: 5 })
    expect(asked.filter((sql) => sql.includes("aside_messages"))).toEqual([])
    await store.commit(key, { ...turnAt(3, "instead"), after: "turn of words 0" })
    expect(asked.splice(0).some((sql) => sql.includes("aside_messages"))).toBe(true)
    expect(textsOf(await store.load(key, { last: 9 }))).toEqual(["words 0", "instead"])
    await store.commit(key, turnAt(4, "next"))
    expect(textsOf(await store.load(key))).toEqual(["words 0", "instead", "next"])
    expect(await store.messages(key, { limit: 9 })).toHaveLength(3)
    expect(asked.filter((sql) => sql.includes("aside_messages"))).toEqual([])
    await store.close()
  })

  for (const { name, play } of sharedSessionScenes)
    test(name, async () => {
      const file = join(tempFolder(), "store.sqlite")
      const [here, there] = [await openSqliteStore(file), await openSqliteStore(file)]
      await play(here, there)
      await Promise.all([here.close(), there.close()])
    })

  test("is frozen to its depths, as it was written and as it was read", async () => {
    const file = join(tempFolder(), "store.sqlite")
    const [here, there] = [await openSqliteStore(file), await openSqliteStore(file)]
    await here.commit(key, { ...turnAt(0, "a"), state: { a: [{ b: [{ c: [{ d: [{ e: {} }] }] }] }] } })
    await here.post(key, { id: "note", owner: "hook", payload: { a: [{}] } })
    for (const record of [await here.load(key), await there.load(key), await there.load(key, { last: 1 })]) {
      expect(objectsIn(record)).toHaveLength(19)
      expect(objectsIn(record).filter((value) => !Object.isFrozen(value))).toEqual([])
    }
    await Promise.all([here.close(), there.close()])
  })

  test("is the same from two processes' view and in memory, whoever commits, posts, forgets and imports", async () => {
    const file = join(tempFolder(), "store.sqlite")
    const [here, there] = [await openSqliteStore(file), await openSqliteStore(file)]
    const model = createInMemoryStore()
    const dice = diceOf(mulberry32(11))
    const keys = ["chat", "club"].flatMap((conversation) =>
      (["private", "group"] as const).map((audience) => ({ ...key, conversation, audience })),
    )
    for (let step = 0; step < 100; step++) {
      const act = randomAct(dice, { step, key: dice.pick(...keys) })
      const inFile = await outcomeOf(act(dice.pick(here, there)))
      expect(inFile).toEqual(await outcomeOf(act(model)))
      for (const each of keys) {
        const expected = await model.load(each)
        // Not always both stores, so that one falls behind.
        for (const store of [here, there]) if (dice.below(3) > 0) expect(await store.load(each)).toEqual(expected)
      }
    }
    await Promise.all([here.close(), there.close()])
  })
})

const textsOf = (record: SessionRecord | undefined) => record?.history.map(({ text }) => text)

function objectsIn(value: unknown): readonly object[] {
  return typeof value === "object" && value !== null ? [value, ...Object.values(value).flatMap(objectsIn)] : []
}

type Act = (store: Store) => Promise<unknown>

function randomAct(dice: Dice, { step, key: given }: { readonly step: number; readonly key: ServiceKey }): Act {
  const user = dice.pick("ann", "bob")
  const mine = { ...given, user }
  switch (
    dice.pick("commit", "commit", "commit", "commit", "commit", "append", "append", "post", "user", "conversation", "import")
  ) {
    case "commit": {
      const append = [
        saidBy(user, dice.pick(`words ${step}`, " ")),
        { ...saidBy("ann", `answer ${step}`), role: "assistant" as const },
      ]
      const late = dice.below(8) === 0
      return async (store) => {
        const { version = 0, notes = [] } = (await store.load(mine, { last: 0 })) ?? {}
        const taken = notes.map(({ id }) => id)
        const state = { step, deep: { list: [step, { user }] } }
        return store.commit(mine, { expectVersion: late ? version + 1 : version, append, state, jobs: [], taken })
      }
    }
    case "append": {
      const heard = [saidBy(user, dice.pick(`heard ${step}`, ""))]
      return (store) => store.append(mine, heard)
    }
    case "post":
      return (store) => store.post(mine, { id: `note ${step}`, owner: "hook", payload: { step } })
    case "user":
      return (store) => store.forget({ agent: "fay", user })
    case "conversation":
      return (store) => store.forget({ agent: "fay", conversation: mine.conversation })
    default:
      return async (store) => {
        const lines: string[] = []
        for await (const line of store.export({ agent: "fay" })) lines.push(line)
        await store.forget({ agent: "fay" })
        return [lines, await store.import(lines)]
      }
  }
}

async function outcomeOf(work: Promise<unknown>): Promise<unknown> {
  return work.catch((error: { readonly code?: string }) => error.code)
}
