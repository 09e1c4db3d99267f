import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import type { ServiceKey } from "../../../../src/core/conversation.ts"
import { mulberry32 } from "../../../../src/core/mulberry.ts"
import { createMemoryService } from "../../../../src/memory/services/memory/create-memory-service.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { StoredMemory } from "../../../../src/memory/services/store/records.ts"
import type { Store } from "../../../../src/memory/services/store/store.ts"
import { manualClock } from "../../../../src/testing/index.ts"
import { type Dice, diceOf } from "../../../support/dice.ts"
import { longConversation } from "../../../support/long-conversations.ts"
import { amount, seedOf } from "../../../support/size.ts"
import { tempFolder } from "../../../support/temp-folder.ts"

const reads = amount("STORE_READS")

async function bothStores(): Promise<{ readonly stores: readonly Store[]; readonly close: () => Promise<void> }> {
  const file = await openSqliteStore(join(tempFolder(), "store.sqlite"))
  return { stores: [createInMemoryStore(), file], close: () => file.close() }
}

describe("the embedded store and the one in memory", () => {
  test("recall the same 50 memories with the same scores, also when some were superseded, told again or forgotten", async () => {
    const { stores, close } = await bothStores()
    const { lines, questions, nowMs } = longConversation(mulberry32(7), "development")
    const key: ServiceKey = { agent: "fay", conversation: "chat", audience: "private", user: "ann" }
    const clock = manualClock(nowMs)
    const services = stores.map(({ memories: records }) => createMemoryService({ records, clock }))
    const told = lines.slice(0, 300)
    for (const service of services)
      for (const [turn, { id, text, speaker, atMs }] of told.entries()) {
        const supersedes = turn % 40 === 39 ? [told[turn - 7]?.id ?? ""] : []
        const memory = { id, kind: "dialogue", text, speaker, atMs, turnId: id, turn, supersedes } as const
        await service.remember(memory, { ...key, conversation: `chat ${turn % 5}` })
      }
    const ask = async (text: string) => {
      const options = { limit: 50, signal: new AbortController().signal }
      return Promise.all(services.map((service) => service.recall(text, key, options)))
    }
    for (const { text } of questions.slice(0, 25)) {
      const [inMemory, inFile] = await ask(text)
      expect(inFile).toEqual(inMemory)
      expect(inFile?.length).toBeGreaterThan(0)
    }
    for (const store of stores) await store.forget({ agent: "fay", conversation: "chat 3" })
    const [inMemory, inFile] = await ask("What did we say?")
    expect(inFile).toEqual(inMemory)
    await close()
  })

  test("export each other's lines byte for byte, whatever the names and in whatever order the work was done", async () => {
    const { stores, close } = await bothStores()
    const [inMemory, inFile] = stores
    if (inMemory === undefined || inFile === undefined) throw new Error("expected two stores")
    // Names that databases, JSON and JavaScript sort differently.
    const names = ["%", "\0", "a\0b", "\ud800", "\uffee", "😀", '"', "z", "Z"]
    for (const [at, name] of names.entries()) {
      const key: ServiceKey = { agent: "fay", conversation: name, audience: at % 2 === 0 ? "group" : "private", user: name }
      const message = { role: "user", text: name, speaker: { id: name, name }, turnId: name, atMs: 5 } as const
      await inMemory.commit(key, { expectVersion: 0, append: [message], state: {}, jobs: [] })
      const memory = {
        ...key,
        id: name,
        kind: "dialogue",
        text: name,
        speaker: message.speaker,
        atMs: 5,
        turnId: name,
        turn: 0,
      } as const
      await inMemory.memories.put(memory, { hash: name, key })
      for (const model of names)
        await inMemory.memories.putVectors([{ memoryId: name, model, values: new Float32Array([at]) }], key)
      const receipt = { key, turnId: name, outcome: "ok", attempt: 1, durationMs: 1, startedMs: 9 - (at % 3) } as const
      for (const kind of ["z", "a"]) await inMemory.receipts.put({ ...receipt, kind })
    }
    const lines = await exportOf(inMemory)
    await inFile.import(lines)
    expect(await exportOf(inFile)).toEqual(lines)
    expect(lines.length).toBe(names.length * (5 + names.length))
    await close()
  })

  test(`answer ${reads} reads by random keys alike, and with no row of another key`, async () => {
    const { stores, close } = await bothStores()
    const dice = diceOf(mulberry32(seedOf(3)))
    const kept = Array.from({ length: 150 }, (_, at) => randomMemory(dice, at))
    for (const memory of kept) {
      const key = keyOf(memory)
      for (const store of stores) await store.memories.put(memory, { hash: memory.text, key })
    }
    let foreign = 0
    for (let read = 0; read < reads; read++) {
      const key = randomKey(dice)
      const { id } = dice.pick(...kept)
      const [inMemory, inFile] = await Promise.all(stores.map((store) => readsOf(store, key, id)))
      expect(inFile).toEqual(inMemory)
      foreign += (inFile ?? []).filter((memory) => !mayRead(memory, key)).length
    }
    expect(foreign).toBe(0)
    await close()
  })
})

async function exportOf(store: Store): Promise<readonly string[]> {
  const lines: string[] = []
  for await (const line of store.export({ agent: "fay" })) lines.push(line)
  return lines
}

async function readsOf({ memories }: Store, key: ServiceKey, id: string): Promise<readonly StoredMemory[]> {
  const one = await memories.get(id, key)
  const { memories: changed } = await memories.changes(key, { limit: 30 })
  return [...(one === undefined ? [] : [one]), ...changed, ...(await memories.recent(key, { limit: 30 }))]
}

/** In private the messages of the user, in a group all of its messages. */
function mayRead({ agent, user, conversation, audience }: StoredMemory, key: ServiceKey): boolean {
  if (agent !== key.agent) return false
  return key.audience === "private" ? user === key.user : audience === "group" && conversation === key.conversation
}

/** Few names for each part, some equal when joined, so that keys come close to each other. */
function randomKey(dice: Dice): ServiceKey {
  return {
    agent: dice.pick("fay", "fay:ann", ""),
    conversation: dice.pick("chat", "ann", "", 'a"b', "user:ann"),
    audience: dice.pick("private", "group"),
    user: dice.pick("ann", "bob", "", "ann:chat", "\ud800"),
  }
}

function randomMemory(dice: Dice, at: number): StoredMemory {
  const key = randomKey(dice)
  const speaker = { id: key.user, name: key.user }
  return {
    ...key,
    id: `memory ${at}`,
    kind: "dialogue",
    text: `${at}`,
    speaker,
    atMs: dice.below(50),
    turnId: `turn ${at}`,
    turn: at,
  }
}

function keyOf({ agent, conversation, audience, user }: StoredMemory): ServiceKey {
  return { agent, conversation, audience, user }
}
