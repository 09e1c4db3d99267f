import { join } from "node:path"
import { describe, expect, test } from "vitest"
import { openSqliteStore } from "../../../../src/adapters/stores/sqlite/open-sqlite-store.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../../src/memory/services/store/store.ts"
import { defineTool } from "../../../../src/prompt/tools/define-tool.ts"
import { type ScriptedStep, scriptedModel } from "../../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../../support/agents.ts"
import { tempFolder } from "../../../support/temp-folder.ts"

const pay = defineTool({ name: "pay", description: "sends money", needsApproval: true, execute: () => "sent" })
const key = { agent: "test", conversation: "test", audience: "private" } as const

function over(store: Store, steps: readonly ScriptedStep[]) {
  const model = scriptedModel(steps)
  const profile = { locale: "en", tools: { whileAsked: "wait" }, memory: { enabled: false } } as const
  return { model, ...testAgent(model, profile, { store, tools: [pay], runJobs: false }) }
}

const stores: readonly (readonly [string, () => Store | Promise<Store>])[] = [
  ["in memory", () => createInMemoryStore()],
  ["SQLite", () => openSqliteStore(join(tempFolder(), "store.sqlite"))],
]

describe("words that are heard while an approved turn goes on", () => {
  test.each(stores)("%s: no two turns have one id, and the answer can be made again and set aside", async (_, open) => {
    const store = await open()
    const first = over(store, [callTool("pay")])
    const asked = await first.session.send("Pay.").result
    const id = (asked.ok && asked.approvals?.[0]?.id) || ""
    const answering: ScriptedStep = async () => {
      await first.session.hear("Psst.", { from: { id: "ann", name: "Ann" } })
      return finish("Paid.")
    }
    const { session, agent } = over(store, [answering, finish("Paid again.")])
    expect(await session.approve(id).result).toMatchObject({ ok: true, text: "Paid." })
    const history = await session.history()
    expect(history.map(({ text }) => text)).toEqual(["Pay.", "Psst.", "Paid."])
    const ids = history.map((message) => message.id)
    expect(new Set(ids).size).toBe(ids.length)
    const turns = (await store.branches(key)).map(({ turnId }) => turnId)
    expect(new Set(turns).size).toBe(turns.length)
    expect(await session.regenerate().result).toMatchObject({ ok: true, text: "Paid again." })
    expect((await session.history()).map(({ text }) => text)).toContain("Paid again.")
    await agent.close()
    await store.close()
  })
})

describe("two messages that wait for an approval", () => {
  /** Two messages wait; after the approval the second one looks first. */
  async function twoWaiting(answers: readonly ScriptedStep[]) {
    const chat = over(createInMemoryStore(), [callTool("pay"), finish("Paid."), ...answers])
    const texts = async () => (await chat.session.history()).map(({ text }) => text)
    const asked = await chat.session.send("Pay.").result
    const one = chat.session.send("One?")
    await expect.poll(texts).toContain("One?")
    chat.timers.advance(100)
    const two = chat.session.send("Two?")
    await expect.poll(texts).toContain("Two?")
    chat.timers.advance(160)
    await expect.poll(() => chat.timers.pending).toBe(2)
    const approve = () => chat.session.approve((asked.ok && asked.approvals?.[0]?.id) || "").result
    /** Lets them look until all are answered. */
    const looking = async (turns: readonly { readonly result: Promise<unknown> }[]) => {
      let left = turns.length
      for (const { result } of turns) void result.then(() => left--)
      while (left > 0) {
        await new Promise((resolve) => setImmediate(resolve))
        chat.timers.advance(10)
      }
    }
    return { ...chat, one, two, approve, looking, texts }
  }

  test("are answered each by its own turn, in their order, also if the later one looks first", async () => {
    const chat = await twoWaiting([finish("First."), finish("Second."), finish("Third.")])
    expect(await chat.approve()).toMatchObject({ ok: true, text: "Paid." })
    const three = chat.session.send("Three?")
    await chat.looking([chat.one, chat.two, three])
    expect([await chat.one.result, await chat.two.result, await three.result]).toMatchObject([
      { ok: true, text: "First." },
      { ok: true, text: "Second." },
      { ok: true, text: "Third." },
    ])
    expect(JSON.stringify(chat.model.requests[2]?.messages)).not.toContain("Two?")
    expect(JSON.stringify(chat.model.requests[3]?.messages)).toContain("First.")
    const history = await chat.session.history()
    expect(history.map(({ text }) => text)).toEqual(["Pay.", "One?", "Two?", "Paid.", "Three?", "First.", "Second.", "Third."])
    for (const [answer, words] of [
      [5, 1],
      [6, 2],
      [7, 4],
    ] as const)
      expect(history[answer]?.replyTo?.id).toBe(history[words]?.id)
  })

  test("of which the first is aborted: the second answers both", async () => {
    const chat = await twoWaiting([finish("Both.")])
    chat.one.abort()
    await chat.one.result
    await chat.approve()
    await chat.looking([chat.two])
    expect(await chat.two.result).toMatchObject({ ok: true, text: "Both.", trace: { merged: { turns: [expect.any(String)] } } })
    expect(JSON.stringify(chat.model.requests[2]?.messages)).toContain("One?")
  })
})
