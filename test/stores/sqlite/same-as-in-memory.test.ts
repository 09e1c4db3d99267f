import { join } from "node:path"
import { describe, expect, test } from "vitest"
import type { ServiceKey } from "../../../src/core/keys.ts"
import { createInMemoryStore } from "../../../src/services/in-memory-store/in-memory-store.ts"
import { createMemoryService } from "../../../src/services/memory-service/create-memory-service.ts"
import type { Store } from "../../../src/services/store.ts"
import type { StoredMemory } from "../../../src/services/stored-memory.ts"
import { openSqliteStore } from "../../../src/stores/sqlite/open-sqlite-store.ts"
import { manualClock } from "../../../src/testing/index.ts"
import { type Dice, diceOf } from "../../support/dice.ts"
import { longConversation } from "../../support/long-conversations.ts"
import { mulberry } from "../../support/mulberry.ts"
import { tempFolder } from "../../support/temp-folder.ts"

const reads = Number(process.env.STORE_READS ?? 500)

async function bothStores(): Promise<{ readonly stores: readonly Store[]; readonly close: () => Promise<void> }> {
  const file = await openSqliteStore(join(tempFolder(), "store.sqlite"))
  return { stores: [createInMemoryStore(), file], close: () => file.close() }
}

describe("the embedded store and the one in memory", () => {
  test("recall the same 50 memories with the same scores, also when some were superseded, told again or forgotten", async () => {
    const { stores, close } = await bothStores()
    const { lines, questions, nowMs } = longConversation(mulberry(7), "development")
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

  test(`answer ${reads} reads by random keys alike, and with no row of another key`, async () => {
    const { stores, close } = await bothStores()
    const dice = diceOf(mulberry(3))
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

async function readsOf({ memories }: Store, key: ServiceKey, id: string): Promise<readonly StoredMemory[]> {
  const one = await memories.get(id, key)
  const { memories: changed } = await memories.changes(key, { limit: 30 })
  return [...(one === undefined ? [] : [one]), ...changed, ...(await memories.recent(key, { limit: 30 }))]
}

/** In private what its user said, in a group what was said in it. */
function mayRead({ agent, user, conversation, audience }: StoredMemory, key: ServiceKey): boolean {
  if (agent !== key.agent) return false
  return key.audience === "private" ? user === key.user : audience === "group" && conversation === key.conversation
}

/** Few names each, some of which look alike once they are joined, so that rows of other keys are near. */
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
