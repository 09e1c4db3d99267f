import { afterEach, describe, expect, test, vi } from "vitest"
import type { BotChat } from "../../../src/apps/bots/deliver-turn.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { manualClock, manualTimers, scriptedModel } from "../../../src/testing/index.ts"
import { finish, testAgent } from "../../support/agents.ts"
import { takeMessage } from "../../support/take-message.ts"

const ann = { id: "ann", name: "Ann" }
const picture = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
)

let given = 0

function bot(answers: readonly string[], audience: "private" | "group" = "private", store = createInMemoryStore()) {
  const model = scriptedModel(answers.map(finish))
  // Agents of one store must not name two turns alike.
  const ids = { next: (prefix: string) => `${prefix}-${++given}` }
  const { agent } = testAgent(model, { memory: { enabled: false } }, { store, ports: { ids }, shouldAnswer: {} })
  const session = agent.session({ conversation: "c", audience })
  const sent: string[] = []
  const errors: unknown[] = []
  const chat: BotChat = { limit: 4096, sendText: (text) => void sent.push(text), onError: (error) => errors.push(error) }
  const take = (message: object) => takeMessage(session, { id: "1", text: "", from: ann, ...message }, chat)
  const history = async () => (await session.history()).map(({ text }) => text)
  return { model, session, take, sent, errors, history }
}

afterEach(() => vi.unstubAllGlobals())
const serve = (answer: () => Response) => vi.stubGlobal("fetch", async () => answer())

describe("a message of a platform", () => {
  test("is answered or heard, as the agent decides by the people that it names", async () => {
    const { take, sent, history, session } = bot(["Green tea."], "group")
    expect(await take({ text: "I like green tea.", atMs: 5 })).toBeUndefined()
    expect(await take({ id: "2", text: "What do I like?", mentions: [{ id: session.key.agent }] })).toMatchObject({
      ok: true,
      trace: { received: "mentioned" },
    })
    expect([sent, await history()]).toEqual([["Green tea."], ["I like green tea.", "What do I like?", "Green tea."]])
    expect((await session.history())[0]).toMatchObject({ atMs: 5, speaker: ann, unanswered: true })
  })

  test("without words and files is left out", async () => {
    const { take, sent, history } = bot([])
    expect([await take({}), sent, await history()]).toEqual([undefined, [], []])
  })

  test("brings its files, also without words", async () => {
    serve(() => new Response(picture))
    const { take, session } = bot(["A dot."])
    await take({ files: ["https://a.test/one.png", async () => "https://a.test/two.png"] })
    const [question] = await session.history()
    expect(question?.attachments).toMatchObject([{ name: "one.png", mediaType: "image/png" }, { name: "two.png" }])
  })

  test("with a file that cannot be loaded is told in words, and to the owner", async () => {
    serve(() => new Response("gone", { status: 404 }))
    const { take, sent, errors, history } = bot([])
    await take({ text: "look", files: ["https://a.test/one.png"] })
    expect(sent).toEqual([expect.stringContaining("could not use that file")])
    expect([errors, await history()]).toEqual([[expect.objectContaining({ code: "file-missing" })], []])
    const { take: inGroup, sent: told, session } = bot([], "group")
    await inGroup({ text: "look", files: ["https://a.test/one.png"] })
    await inGroup({ text: "look", files: ["https://a.test/one.png"], mentions: [{ id: "bob" }] })
    expect(told).toEqual([])
    await inGroup({ text: "look", files: ["https://a.test/one.png"], replyTo: { from: { id: session.key.agent } } })
    expect(told).toEqual([expect.stringContaining("could not use that file")])
  })

  test("that is edited is answered in its place if it was the last of a private conversation, else heard", async () => {
    const { take, sent, history } = bot(["Mimi?", "Momo.", "Rex."])
    await take({ id: "1", text: "My cat is Mimo." })
    await take({ id: "1", text: "My cat is Momo.", isEdit: true })
    expect(await history()).toEqual(["My cat is Momo.", "Momo."])
    await take({ id: "2", text: "And a dog?" })
    await take({ id: "1", text: "My cats are Momo and Mimi.", isEdit: true })
    expect(await history()).toEqual(["My cat is Momo.", "Momo.", "And a dog?", "Rex.", "My cats are Momo and Mimi."])
    expect(sent).toEqual(["Mimi?", "Momo.", "Rex."])
  })

  test("that is edited is answered in its place by another session object of the conversation, too", async () => {
    const store = createInMemoryStore()
    await bot(["Mimi?"], "private", store).take({ text: "My cat is Mimo." })
    const later = bot(["Momo."], "private", store)
    await later.take({ text: "My cat is Momo.", isEdit: true })
    expect(await later.history()).toEqual(["My cat is Momo.", "Momo."])
  })

  test("that is edited in a group is heard: what others said since stays", async () => {
    const { take, history, session } = bot(["One."], "group")
    await take({ id: "1", text: "hi", mentions: [{ id: session.key.agent }] })
    await take({ id: "1", text: "hello", isEdit: true })
    expect(await history()).toEqual(["hi", "One.", "hello"])
  })
})

test("messages that share an answer are sent one, and typing stops for each", async () => {
  const model = scriptedModel([finish("Both.")])
  const { agent, timers } = testAgent(model, { memory: { enabled: false }, conversation: { mergeMs: 100 } })
  const session = agent.session("c")
  const sent: string[] = []
  const typing = manualTimers(manualClock())
  const chat: BotChat = {
    ...{ limit: 4096, sendText: (text) => void sent.push(text), showTyping: () => undefined, timers: typing },
  }
  const results = ["Look", "here"].map((text, at) => takeMessage(session, { id: `${at}`, text, from: ann }, chat))
  expect(await results[0]).toMatchObject({ ok: true, stopReason: "joined" })
  await timers.whenPending(1)
  for (let round = 0; round < 20; round++) await new Promise((resolve) => setImmediate(resolve))
  timers.advance(100)
  expect(await results[1]).toMatchObject({ ok: true, text: "Both." })
  expect([sent, typing.pending]).toEqual([["Both."], 0])
})
