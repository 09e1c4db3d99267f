import OpenAI from "openai"
import { afterEach, describe, expect, test } from "vitest"
import { z } from "zod"
import type { Caller } from "../../../src/apps/server/exchange.ts"
import { createHandler } from "../../../src/apps/server/handler.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { Store } from "../../../src/memory/services/store/store.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { expectScriptsDone, scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"
import { PageChat } from "../../support/page-chat.ts"

afterEach(expectScriptsDone)

let count = 0

/** A server whose character has a tool that needs approval. A second one over the same store is the server after a restart. */
function serverOf(answers: readonly string[], before?: { readonly store: Store; readonly paid: string[] }) {
  const store = before?.store ?? createInMemoryStore()
  const paid = before?.paid ?? []
  const pay = defineTool({
    name: "pay",
    description: "Sends money.",
    inputSchema: z.object({ to: z.string() }),
    needsApproval: true,
    execute: ({ to }) => `${paid.push(to)} payments`,
  })
  const ids = { next: (prefix: string) => `${prefix}-${++count}` }
  const own = { memory: { enabled: false }, locale: "en" }
  const { agent } = testAgent(scriptedModel(answers), own, { store, tools: [pay], ports: { ids } })
  const caller: { -readonly [K in keyof Caller]: Caller[K] } = { user: "ann", name: "Ann", conversation: "home" }
  const handle = createHandler({ agents: { fay: agent }, authorize: () => caller, onError: () => undefined })
  const fetch = async (input: unknown, init?: RequestInit) => handle(new Request(input as string, init))
  const client = new OpenAI({ apiKey: "key", baseURL: "http://bot.test/v1", fetch: fetch as never, maxRetries: 0 })
  const post = async (path: string, body: unknown) => {
    const response = await handle(new Request(`http://bot.test${path}`, { method: "POST", body: JSON.stringify(body) }))
    return { status: response.status, body: (await response.json()) as Record<string, never> }
  }
  const say = (content: string) => client.chat.completions.create({ model: "fay", messages: [{ role: "user", content }] })
  return { store, paid, caller, handle, fetch, client, post, say, agent }
}

interface Question {
  readonly id: string
  readonly code: string
}

describe("N12 a call that waits, over the OpenAI API", () => {
  test("is asked in words with a code, streamed or not, and a message with the code answers it after a restart", async () => {
    const before = serverOf([callTool("pay", { to: "Eve" }), callTool("pay", { to: "Bob" })])
    const [{ message } = { message: undefined }] = (await before.say("Pay Eve.")).choices
    expect(message?.content).toMatch(/^Ann, may I do this\? pay\(to=Eve\)\n.*\nAnswer "Yes (\w{6})" or "No \1"\.$/)
    expect(message).toMatchObject({ approvals: [{ tool: "pay", args: { to: "Eve" }, mayAnswer: { id: "ann" } }] })
    const stream = await before.client.chat.completions.create({
      ...{ model: "fay", stream: true },
      messages: [{ role: "user", content: "No, pay Bob." }],
    })
    let text = ""
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? ""
    const code = /"Yes (\w{6})"/.exec(text)?.[1]
    const after = serverOf([finish("Paid.")], before)
    expect((await after.say(`yes ${code}`)).choices[0]?.message.content).toBe("Paid.")
    expect(after.paid).toEqual(["Bob"])
  })

  test.each([true, false])(
    "N8, N9 a question and a yes that are repeated get their answer after a restart; a key: %s",
    async (hasKey) => {
      type Server = ReturnType<typeof serverOf>
      const asked = async ({ handle }: Server, content: string, key: string) => {
        const headers: Record<string, string> = hasKey ? { "idempotency-key": key } : {}
        const body = JSON.stringify({ model: "fay", messages: [{ role: "user", content }] })
        return handle(new Request("http://bot.test/v1/chat/completions", { method: "POST", headers, body }))
      }
      /** Without a key, the client leaves before it has the answer. */
      const first = async (server: Server, content: string, key: string) => {
        await (await asked(server, content, key)).body?.cancel()
        for (let round = 0; round < 30; round++) await new Promise((resolve) => setImmediate(resolve))
      }
      const again = async (server: Server, content: string, key: string) => {
        const { choices } = (await (await asked(server, content, key)).json()) as OpenAI.ChatCompletion
        return choices?.[0]?.message.content
      }
      const one = serverOf([callTool("pay", { to: "Eve" }), finish("Paid.")])
      await first(one, "Pay Eve.", "k1")
      const question = await again(serverOf([], one), "Pay Eve.", "k1")
      expect(question).toMatch(/^Ann, may I do this\? pay\(to=Eve\)/)
      const yes = `yes ${/"Yes (\w{6})"/.exec(question ?? "")?.[1]}`
      await first(one, yes, "k2")
      expect(await again(serverOf([], one), yes, "k2")).toBe("Paid.")
      expect(one.paid).toEqual(["Eve"])
    },
  )

  test("is listed and answered at /v1/approvals, once", async () => {
    const { say, post, fetch, paid } = serverOf([callTool("pay", { to: "Eve" }), finish("Paid.")])
    await say("Pay Eve.")
    const listed = (await (await fetch("http://bot.test/v1/approvals")).json()) as { data: Question[] }
    const [{ id, code } = { id: "", code: "" }] = listed.data
    expect(await post(`/v1/approvals/${code}`, { approved: "yes" })).toMatchObject({ status: 400 })
    const path = `/v1/approvals/${encodeURIComponent(id)}`
    const answered = await post(path, { approved: true })
    expect(answered).toMatchObject({
      status: 200,
      body: { object: "chat.completion", choices: [{ message: { content: "Paid." } }] },
    })
    const again = await post(path, { approved: true })
    expect(again).toMatchObject({
      status: 400,
      body: { error: { code: "approval", message: expect.stringContaining("answered already") } },
    })
    expect(paid).toEqual(["Eve"])
    expect(await (await fetch("http://bot.test/v1/approvals")).json()).toEqual({ object: "list", data: [] })
  })

  test("is refused to another user of the conversation, and not to an operator", async () => {
    const { say, post, fetch, paid, caller } = serverOf([callTool("pay", { to: "Eve" }), finish("No.")])
    await say("Pay Eve.")
    const [{ code } = { code: "" }] = ((await (await fetch("http://bot.test/v1/approvals")).json()) as { data: Question[] }).data
    caller.user = "bob"
    const refused = await post(`/v1/approvals/${code}`, { approved: true })
    expect(refused).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining("for somebody else") } } })
    await expect(say(`yes ${code}`)).rejects.toThrow("for somebody else")
    caller.operator = true
    expect((await say(`no ${code} too much`)).choices[0]?.message.content).toBe("No.")
    expect(paid).toEqual([])
  })

  test("needs a kept conversation", async () => {
    const { post, caller, fetch } = serverOf([])
    caller.conversation = undefined
    expect(await post("/v1/approvals/B2C3D4", { approved: true })).toMatchObject({ status: 400 })
    expect((await fetch("http://bot.test/v1/approvals")).status).toBe(400)
    expect((await fetch("http://bot.test/v1/approvals/%zz", { method: "POST", body: "{}" })).status).toBe(404)
  })
})

describe("N12 a call that waits, in useChat of the AI SDK", () => {
  test.each([true, false])("is shown with buttons, and %s goes on with the same message", async (approved) => {
    const { fetch, paid } = serverOf([callTool("pay", { to: "Eve" }), finish("Done.")])
    const chat = new PageChat(fetch)
    await chat.sendMessage({ text: "Pay Eve." })
    expect(chat.part).toMatchObject({ state: "approval-requested", input: { to: "Eve" }, toolName: "pay" })
    await chat.addToolApprovalResponse({ id: chat.part.approval.id, approved })
    await expect
      .poll(() => chat.shown)
      .toEqual([
        ["user", ["Pay Eve."]],
        ["assistant", ["Done."]],
      ])
    expect(chat.part.state).toBe(approved ? "output-available" : "output-denied")
    expect(paid).toEqual(approved ? ["Eve"] : [])
    expect(chat.error).toBeUndefined()
  })

  test("of two calls goes on once both are answered", async () => {
    const { fetch, paid } = serverOf([callTool("pay", { to: "Eve" }), callTool("pay", { to: "Bob" }), finish("Done.")])
    const chat = new PageChat(fetch)
    await chat.sendMessage({ text: "Pay both." })
    await chat.addToolApprovalResponse({ id: chat.part.approval.id, approved: true })
    await expect.poll(() => chat.part.state).toBe("approval-requested")
    await chat.addToolApprovalResponse({ id: chat.part.approval.id, approved: true })
    await expect.poll(() => chat.shown.at(-1)).toEqual(["assistant", ["Done."]])
    expect(paid).toEqual(["Eve", "Bob"])
  })
})

describe("N12 a call that waits, in a run of AG-UI", () => {
  const input = { threadId: "t", messages: [{ id: "1", role: "user", content: "Pay Eve." }], tools: [], context: [], state: {} }
  const run = async ({ fetch }: ReturnType<typeof serverOf>, more: object) => {
    const response = await fetch("http://bot.test/ag-ui", { method: "POST", body: JSON.stringify({ ...input, ...more }) })
    if (!response.ok) return [{ type: String(response.status), outcome: undefined }]
    const lines = (await response.text()).split("\n\n").filter((line) => line.startsWith("data: "))
    return lines.map((line) => JSON.parse(line.slice(6)) as { type: string; outcome?: { interrupts: { id: string }[] } })
  }

  test.each([
    [{ status: "resolved", payload: { approved: true } }, ["Eve"]],
    [{ status: "resolved", payload: false }, []],
    [{ status: "cancelled" }, []],
  ])("ends it with an interrupt, which a resume of %j answers", async (entry, done) => {
    const server = serverOf([callTool("pay", { to: "Eve" }), finish("Done.")])
    const { outcome } = (await run(server, { runId: "1" })).at(-1) ?? {}
    expect(outcome).toMatchObject({
      type: "interrupt",
      interrupts: [{ reason: "tool_call", message: expect.stringContaining("Ann, may I do this? pay(to=Eve)") }],
    })
    const interruptId = outcome?.interrupts[0]?.id
    const faulty = { resume: [{ interruptId, status: "resolved", payload: "maybe" }] }
    expect((await run(server, { runId: "2", ...faulty }))[0]?.type).toBe("400")
    const events = await run(server, { runId: "3", resume: [{ interruptId, ...entry }] })
    expect(events.map(({ type }) => type)).toContain("TEXT_MESSAGE_CONTENT")
    expect(events.at(-1)).toEqual({ type: "RUN_FINISHED", threadId: "t", runId: "3" })
    expect(server.paid).toEqual(done)
  })
})
