import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { scriptedModel } from "../../../../src/testing/index.ts"
import { testAgent } from "../../../support/agents.ts"
import { amount, seedOf } from "../../../support/size.ts"
import { tempFolder } from "../../../support/temp-folder.ts"
import { killAfter, startChild } from "./support/children.ts"

const group = { conversation: "group", audience: "group" } as const

describe("words that are heard", () => {
  test("50 at a time share one write and keep their order", async () => {
    const asked: string[] = []
    const log = ({ query }: { readonly query: { readonly sql: string } }) => void asked.push(query.sql)
    const store = await openSqliteStore(join(tempFolder(), "store.sqlite"), { log })
    const { agent } = testAgent(scriptedModel([]), {}, { store })
    const session = agent.session(group)
    await session.hear("first")
    asked.length = 0
    const texts = Array.from({ length: 50 }, (_, at) => `words ${at}`)
    await Promise.all(texts.map((text, at) => session.hear(text, { from: { id: `speaker ${at % 7}` } })))
    // The session's row is locked, and its counts are written, once in a transaction.
    expect(asked.filter((sql) => sql.startsWith('insert into "sessions"'))).toHaveLength(1)
    expect(asked.filter((sql) => sql.startsWith('update "sessions"'))).toHaveLength(1)
    expect((await store.load(session.key))?.history.map(({ text }) => text)).toEqual(["first", ...texts])
    await agent.close()
    await store.close()
  })

  test("none that were acknowledged are lost when the process is killed, and the order of each speaker stays", async () => {
    const file = join(tempFolder(), "store.sqlite")
    const all: string[] = []
    for (let round = 0; round < amount("STORE_KILL_ROUNDS"); round++) {
      const child = startChild("hear-child", { file, name: `round${round}` })
      await child.until("ack", 5)
      await killAfter(child, (seedOf(round) * 37) % 500)
      all.push(...child.lines.filter((line) => line.startsWith("ack ")).map((line) => line.slice(4)))
    }
    const store = await openSqliteStore(file)
    const stored = (await store.load({ agent: "test", ...group }))?.history.map(({ text }) => text) ?? []
    expect(stored).toEqual(expect.arrayContaining(all))
    expect(new Set(stored).size).toBe(stored.length)
    const ofAda = all.filter((text) => text.includes("-ada-"))
    expect(stored.filter((text) => ofAda.includes(text))).toEqual(ofAda)
    expect(await store.check()).toMatchObject({ ok: true })
    await store.close()
  })
})
