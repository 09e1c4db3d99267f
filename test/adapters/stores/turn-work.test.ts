import { expect, onTestFinished, test } from "vitest"
import type { ServiceKey } from "../../../src/core/conversation.ts"
import { mulberry32 } from "../../../src/core/mulberry.ts"
import type { Receipt } from "../../../src/memory/services/store/receipt.ts"
import type { ProfileStatement, ReceiptRecords, StoredMemory } from "../../../src/memory/services/store/records.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import { collect } from "../../support/collect.ts"
import { diceOf } from "../../support/dice.ts"
import { stores } from "./alike.ts"

type Work = Parameters<NonNullable<ReceiptRecords["putWork"]>>[0]
type Given = NonNullable<Work["memories"]>[number]

const talk: ServiceKey = { agent: "fay", conversation: "talk", audience: "private", user: "ann" }
const club: ServiceKey = { agent: "fay", conversation: "club", audience: "group", user: "ann" }

const receiptOf = (key: ServiceKey, turnId: string, kind: string): Receipt => {
  return { key, turnId, kind, outcome: "ok", attempt: 1, startedMs: 1, durationMs: 0 }
}

function memoryOf(
  key: ServiceKey,
  { id, turnId, words, atMs }: Record<"id" | "turnId" | "words", string> & { atMs: number },
): Given {
  const { agent, conversation, audience, user } = key
  const speaker = { id: user, name: user }
  const memory: StoredMemory = {
    agent,
    conversation,
    audience,
    user,
    id,
    kind: "dialogue",
    text: words,
    speaker,
    atMs,
    turnId,
    turn: 0,
  }
  return { memory, hash: words, key }
}

async function commitTurn(store: Store, key: ServiceKey, turnId: string): Promise<void> {
  const expectVersion = (await store.load(key, { last: 0 }))?.version ?? 0
  const append = [{ role: "user", text: turnId, speaker: { id: key.user, name: "Ann" }, turnId, atMs: 1 }] as const
  await store.commit(key, { expectVersion, append, state: {}, jobs: [] })
}

/** The same work, each part of it by itself. */
async function keptOneByOne(store: Store, work: Work, { turnId, key }: { turnId: string; key: ServiceKey }) {
  if (work.used) await store.memories.markUsed(work.used.ids, { atMs: work.used.atMs, key })
  const memories = []
  for (const { memory, hash, key: owner } of work.memories ?? [])
    memories.push(await store.memories.put(memory, { hash, ofTurn: true, key: owner }))
  const { version, statements } = await store.users.load(key)
  const added = work.statementsOf?.(statements) ?? []
  const { applied } = await store.users.append(added, { turnId, expectVersion: version, ofTurn: true, key })
  for (const kind of ["store", "profile"]) await store.receipts.put(receiptOf(key, turnId, kind), { ofTurn: true })
  return { memories, statements: applied ? added.length : 0 }
}

/** An export without the order in which changes of memories were counted. */
const exported = (store: Store) => collect(store.export({ agent: "fay" }))

test.each(stores)("the work of a turn that is kept in one step leaves in %s what it leaves part by part", async (_, open) => {
  const [together, apart] = [await open(), await open()]
  onTestFinished(async () => void (await Promise.all([together.close(), apart.close()])))
  const dice = diceOf(mulberry32(7))
  const ids: string[] = []
  for (let turn = 0; turn < 60; turn++) {
    const key = dice.pick(talk, club, { ...club, user: "bob" }, { ...talk, conversation: "other" })
    const turnId = dice.chance(0.4) ? `t${Math.max(0, turn - 1)}` : `t${turn}`
    for (const store of [together, apart]) await commitTurn(store, key, turnId)
    const memories = Array.from({ length: dice.below(5) }, (_, at) => {
      // Words and ids come again, also within one turn, and in a group as those of others.
      const id = dice.chance(0.2) ? dice.pick("again", ...ids) : `${turnId}:${at}`
      ids.push(id)
      const owner = key.audience === "group" && dice.chance(0.3) ? { ...key, user: "cid" } : key
      return memoryOf(owner, { id, turnId, words: `words ${dice.below(12)}`, atMs: turn * 10 + at })
    })
    const statementsOf = (known: readonly ProfileStatement[]) => {
      const { conversation, audience } = key
      const name = `field ${turn % 7}`
      const stated = { name, value: `${known.length}`, confidence: 1, turnId, atMs: turn, conversation, audience }
      return known.length % 3 === 2 ? [] : [stated, { ...stated, name: "second" }]
    }
    const used =
      dice.chance(0.5) && ids.length > 0
        ? { ids: [dice.pick("none", ...ids), dice.pick("none", ...ids)], atMs: turn * 10 }
        : undefined
    const work: Work = { used, memories, statementsOf }
    let outcome: unknown
    await together.receipts.putWork?.(work, {
      turnId,
      key,
      receiptsOf: (found) => {
        outcome = found
        return ["store", "profile"].map((kind) => receiptOf(key, turnId, kind))
      },
    })
    expect(outcome).toEqual(await keptOneByOne(apart, work, { turnId, key }))
    expect(await exported(together)).toEqual(await exported(apart))
  }
  for (const key of [talk, club]) {
    const changes = async (store: Store) =>
      (await store.memories.changes(key, { limit: 999 })).memories.map(({ id }) => id).sort()
    expect(await changes(together)).toEqual(await changes(apart))
    expect((await together.check()).problems).toEqual([])
  }
})

test.each(stores)("the work of a turn is kept whole or not at all in %s", async (_, open) => {
  const store = await open()
  onTestFinished(() => store.close())
  await commitTurn(store, talk, "t1")
  const statement = {
    name: "city",
    value: "Bath",
    confidence: 1,
    turnId: "t1",
    atMs: 1,
    conversation: "talk",
    audience: "private",
  } as const
  const work = { memories: [memoryOf(talk, { id: "m", turnId: "t1", words: "w", atMs: 1 })], statementsOf: () => [statement] }
  const before = await exported(store)
  const keep = (turnId: string, given: Work, receiptsOf = () => [receiptOf(talk, turnId, "store")]) =>
    store.receipts.putWork?.(given, { turnId, key: talk, receiptsOf })
  const fault = new Error("no receipts")
  await expect(
    keep("t1", work, () => {
      throw fault
    }),
  ).rejects.toThrow("no receipts")
  await expect(keep("t2", work)).rejects.toMatchObject({ code: "aborted" })
  const ofAnother = memoryOf(talk, { id: "m2", turnId: "t2", words: "x", atMs: 1 })
  await expect(keep("t1", { ...work, memories: [...work.memories, ofAnother] })).rejects.toMatchObject({ code: "aborted" })
  expect(await exported(store)).toEqual(before)
  await keep("t1", work)
  expect((await exported(store)).length).toBe(before.length + 4)
})

test.each(stores)("a turn states once, also when its work is done again with another answer, in %s", async (_, open) => {
  const store = await open()
  onTestFinished(() => store.close())
  await commitTurn(store, talk, "t1")
  const state = (value: string) => {
    const { conversation } = talk
    const stated = { name: "city", value, confidence: 1, turnId: "t1", atMs: 1, conversation, audience: "private" } as const
    return store.receipts.putWork?.({ statementsOf: () => [stated] }, { turnId: "t1", key: talk, receiptsOf: () => [] })
  }
  await state("Bath")
  await state("Oslo")
  const { version, statements } = await store.users.load(talk)
  expect([version, statements.map(({ value }) => value)]).toEqual([1, ["Bath"]])
})
