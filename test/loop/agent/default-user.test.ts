import { describe, expect, test } from "vitest"
import type { ModelRequest } from "../../../src/core/model/language-model.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import { testAgent } from "../../support/agents.ts"
import { backgroundModel } from "../../support/remembering.ts"

const secret = "我偷偷喜欢隔壁的图书管理员"

function remembering(store: Store) {
  const profile = ({ messages }: ModelRequest) => (JSON.stringify(messages).includes("偷偷") ? '{"秘密": "图书管理员"}' : "{}")
  return testAgent(backgroundModel({ profile }), {}, { store }).agent
}

async function rowsOf(store: Store, user: string): Promise<string[]> {
  const rows: string[] = []
  for await (const line of store.export({ agent: "test", user })) rows.push(line)
  return rows
}

describe("a turn without a speaker", () => {
  test.each(["", " "])("is not one whose speaker has the blank id %j: that is refused", async (id) => {
    const session = remembering(createInMemoryStore()).session("tg:42")
    const results = [session.send("你好", { from: { id } }), session.wake("早上了", { to: { id } })].map((turn) => turn.result)
    for (const result of await Promise.all(results)) expect(result).toMatchObject({ ok: false, error: { code: "usage" } })
  })

  test("belongs in a private conversation to that conversation: nobody else recalls it, and it alone is forgotten", async () => {
    const store = createInMemoryStore()
    const agent = remembering(store)
    await agent.session("tg:42").send(secret).result
    await agent.session("tg:77").send("你好").result
    await agent.idle()
    const question = "你知道谁喜欢图书管理员吗？"
    const shown = async (conversation: string) => JSON.stringify((await agent.session(conversation).preview(question)).messages)
    expect(await shown("tg:42")).toMatch(/秘密[\s\S]*图书管理员/)
    expect(await shown("tg:77")).not.toMatch(/秘密|偷偷/)
    const [{ trace }, other] = [
      await agent.session("tg:77").wake("早上了").result,
      await agent.session("tg:78").wake("早上了").result,
    ]
    expect([trace.recalled, other.trace.recalled].join()).not.toContain("偷偷")
    await agent.idle()
    expect((await rowsOf(store, "tg:42")).filter((row) => row.includes('"receipt"'))).toHaveLength(4)
    await store.forget({ agent: "test", user: "tg:42" })
    expect(await rowsOf(store, "tg:42")).toEqual([])
    expect(await rowsOf(store, "tg:77")).not.toEqual([])
    expect(await rowsOf(store, "user")).toEqual([])
  })

  test("belongs in a group to nobody who is known elsewhere", async () => {
    const store = createInMemoryStore()
    const agent = remembering(store)
    await agent.session({ conversation: "tea", audience: "group" }).send(secret).result
    await agent.idle()
    for (const conversation of ["tea", "user"]) {
      const { messages } = await agent.session(conversation).preview("你知道谁喜欢图书管理员吗？")
      expect(JSON.stringify(messages)).not.toContain("偷偷")
    }
    const record = await store.load({ agent: "test", conversation: "tea", audience: "group" })
    expect(record?.history[0]?.speaker).toEqual({ id: "#tea", name: "主人" })
  })

  test("one with an id and no name has the name of the profile's user", async () => {
    const store = createInMemoryStore()
    const session = remembering(store).session("tg:42")
    await session.send("你好", { from: { id: "ann" } }).result
    expect((await store.load(session.key))?.history[0]?.speaker).toEqual({ id: "ann", name: "主人" })
  })
})
