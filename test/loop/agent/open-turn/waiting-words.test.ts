import { afterEach, describe, expect, test } from "vitest"
import { z } from "zod"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../../src/memory/services/store/store.ts"
import type { ProfileInput } from "../../../../src/profile/profile.ts"
import { defineTool } from "../../../../src/prompt/tools/define-tool.ts"
import { expectScriptsDone, type ScriptedStep, scriptedModel } from "../../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../../support/agents.ts"
import { mortal } from "../../../support/mortal-store.ts"
import { png } from "../../../support/pictures.ts"

afterEach(expectScriptsDone)

const pay = defineTool({
  name: "pay",
  description: "sends money",
  inputSchema: z.object({}),
  needsApproval: true,
  execute: () => "sent",
})

/** An agent whose messages wait for open approvals. A second one over the same store is another process. */
function over(store: Store, steps: readonly ScriptedStep[], profile: ProfileInput = {}) {
  const model = scriptedModel(steps)
  const made = testAgent(
    model,
    { locale: "en", tools: { whileAsked: "wait" }, memory: { enabled: false }, retry: { maxAttempts: 1 }, ...profile },
    { store, tools: [pay], runJobs: false },
  )
  const shown = (at: number) => JSON.stringify(model.requests[at]?.messages)
  const texts = async () => (await made.session.history()).map(({ text }) => text)
  const held = (words: string) => expect.poll(texts).toContain(words)
  return { ...made, model, shown, texts, held }
}

/** The session's open approval. */
async function openId({ session }: Pick<ReturnType<typeof over>, "session">): Promise<string> {
  return (await session.approvals())[0]?.id ?? ""
}

async function asked(...given: Parameters<typeof over>) {
  const chat = over(...given)
  expect(await chat.session.send("Pay.").result).toMatchObject({ stopReason: "awaiting-approval" })
  return { ...chat, id: await openId(chat) }
}

describe("a message that waits for an approval", () => {
  test("is in the history at once, with its picture, and is answered after the approval, once", async () => {
    const store = createInMemoryStore()
    const chat = await asked(store, [callTool("pay"), finish("Paid."), finish("A cat."), finish("A dog.")])
    const waiting = chat.session.send("What is it?", { attachments: [{ bytes: png(8, 8), mediaType: "image/png" }] })
    await chat.held("What is it?")
    expect(await chat.session.history()).toMatchObject([
      { text: "Pay." },
      { text: "What is it?", unanswered: true, attachments: [{ name: "image.png" }] },
    ])
    expect(await chat.session.approve(chat.id).result).toMatchObject({ ok: true, text: "Paid." })
    expect(chat.shown(1)).not.toContain("What is it?")
    chat.timers.advance(250)
    expect(await waiting.result).toMatchObject({ ok: true, text: "A cat." })
    expect(chat.shown(2).split("What is it?")).toHaveLength(2)
    expect(chat.shown(2)).toContain("image.png")
    const history = await chat.session.history()
    expect(history.map(({ text }) => text)).toEqual(["Pay.", "What is it?", "Paid.", "A cat."])
    expect(history[3]).toMatchObject({ turnId: waiting.id, replyTo: { id: history[1]?.id } })
    // It can be answered again, and then it stands there once, too.
    expect(await chat.session.regenerate().result).toMatchObject({ ok: true, text: "A dog." })
    expect(await chat.texts()).toEqual(["Pay.", "What is it?", "Paid.", "A dog."])
  })

  test.each(["before", "after"] as const)(
    "is there after a crash %s it is answered, and the next turn answers it",
    async (when) => {
      const store = createInMemoryStore()
      const { store: own, dieAtNextWrite, die } = mortal(store)
      const first = await asked(own, [callTool("pay"), ...(when === "after" ? [finish("Paid."), finish("Tea it is.")] : [])])
      void first.session.send("And tea?")
      await first.held("And tea?")
      const second = over(store, when === "after" ? [finish("Hello.")] : [finish("Paid."), finish("Tea it is.")])
      if (when === "after") {
        await first.session.approve(first.id).result
        const dead = dieAtNextWrite("after")
        first.timers.advance(250)
        await dead
        const next = await second.session.send("Hi").result
        expect([next.ok, next.trace.merged]).toEqual([true, undefined])
        expect(await second.texts()).toEqual(["Pay.", "And tea?", "Paid.", "Tea it is.", "Hi", "Hello."])
        return
      }
      die()
      expect(await second.session.approve(first.id).result).toMatchObject({ ok: true, text: "Paid." })
      const next = await second.session.send("Hi").result
      expect(next).toMatchObject({ ok: true, text: "Tea it is.", trace: { merged: { turns: [expect.any(String)] } } })
      expect(second.shown(1)).toContain("And tea?")
      expect(await second.texts()).toEqual(["Pay.", "And tea?", "Paid.", "Hi", "Tea it is."])
    },
  )

  test("keeps its words if it is aborted, and if its turn fails; none if the profile keeps nothing of such turns", async () => {
    const chat = await asked(createInMemoryStore(), [callTool("pay"), finish("Paid."), [new Error("down")], finish("Tea.")])
    const [aborted, fails] = [chat.session.send("Coffee?"), chat.session.send("Tea?")]
    await chat.held("Tea?")
    aborted.abort()
    expect(await aborted.result).toMatchObject({ ok: false, error: { code: "aborted" } })
    await chat.session.approve(chat.id).result
    chat.timers.advance(250)
    expect(await fails.result).toMatchObject({ ok: false, error: { code: "model" } })
    await chat.agent.idle()
    expect(await chat.texts()).toEqual(["Pay.", "Coffee?", "Tea?", "Paid."])
    expect(await chat.session.send("Well?").result).toMatchObject({ ok: true, text: "Tea." })
    expect(await chat.texts()).toEqual(["Pay.", "Coffee?", "Tea?", "Paid.", "Well?", "Tea."])

    const none = await asked(createInMemoryStore(), [callTool("pay")], { history: { keepFailed: false } })
    const gone = none.session.send("Coffee?")
    await expect.poll(() => none.timers.pending).toBe(1)
    gone.abort()
    await gone.result
    expect(await none.texts()).toEqual(["Pay."])
  })

  test("ends if another process answered its words meanwhile, or if they were set aside", async () => {
    const store = createInMemoryStore()
    const chat = await asked(store, [callTool("pay")])
    const waiting = chat.session.send("And tea?")
    await chat.held("And tea?")
    const other = over(store, [finish("Paid."), finish("Tea."), callTool("pay")])
    await other.session.approve(chat.id).result
    const answer = other.session.send("Hi")
    expect(await answer.result).toMatchObject({ ok: true, text: "Tea." })
    chat.timers.advance(250)
    expect(await waiting.result).toMatchObject({ error: { code: "aborted", evidence: { interruptedBy: answer.id } } })

    await other.session.send("Pay again.").result
    const second = chat.session.send("And cake?")
    await chat.held("And cake?")
    await other.session.clear()
    chat.timers.advance(250)
    expect(await second.result).toMatchObject({ error: { code: "aborted", evidence: {} } })
    expect(await chat.texts()).toEqual([])
  })

  test("may itself have to wait for an approval", async () => {
    const chat = await asked(createInMemoryStore(), [callTool("pay"), finish("Paid."), callTool("pay"), finish("Twice.")])
    const waiting = chat.session.send("Pay again.")
    await chat.held("Pay again.")
    await chat.session.approve(chat.id).result
    chat.timers.advance(250)
    expect(await waiting.result).toMatchObject({ stopReason: "awaiting-approval" })
    expect(await chat.session.approve(await openId(chat)).result).toMatchObject({ ok: true, text: "Twice." })
    expect(chat.shown(3)).toContain("Pay again.")
    expect(await chat.texts()).toEqual(["Pay.", "Pay again.", "Paid.", "Twice."])
  })

  test("fails if its words cannot be kept, and says that nobody knows if they are there", async () => {
    const real = createInMemoryStore()
    const store = { ...real, append: () => Promise.reject(new Error("disk full")) }
    const chat = await asked(store, [callTool("pay")])
    const result = await chat.session.send("And tea?").result
    expect(result).toMatchObject({ ok: false, error: { code: "session-store" } })
    expect(result.trace.error?.message).toContain("They may be missing")
  })
})
