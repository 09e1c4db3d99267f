import { connect } from "node:net"
import { afterEach, describe, expect, test } from "vitest"
import type { ChatFacts } from "../../../../src/apps/server/inspector/chat-routes.ts"
import { inspector } from "../../../../src/apps/server/inspector/inspector.ts"
import type { RecordedRequest, TurnSummary } from "../../../../src/apps/server/inspector/turn-record.ts"
import { resolveProfile } from "../../../../src/profile/resolve.ts"
import { callTool, finish } from "../../../support/agents.ts"
import { contents, inspected } from "./inspected.ts"

const refused = async (answer: Promise<Response>) => {
  const { status, headers } = await answer
  return { status, cors: headers.get("access-control-allow-origin"), csp: headers.get("content-security-policy") !== null }
}

describe("who may read the page", () => {
  const { made, fetch } = inspected([])
  const url = `http://127.0.0.1:1/${made.token}/api/turns`
  const ask = (headers: Record<string, string>, address = url) => refused(made.fetch(new Request(address, { headers })))

  test.each([
    ["another host, as of a page whose name was made to point here", { host: "evil.test" }],
    ["a host that begins like this computer", { host: "127.0.0.1.evil.test" }],
    ["another origin", { origin: "https://evil.test" }],
    ["another port of this computer", { origin: "http://127.0.0.1:2" }],
    ["an opaque origin", { origin: "null" }],
    ["a page elsewhere that embeds it", { "sec-fetch-site": "cross-site" }],
    ["another port's page that embeds it", { "sec-fetch-site": "same-site" }],
  ])("%s is refused", async (_, headers) => {
    expect(await ask(headers)).toEqual({ status: 403, cors: null, csp: true })
  })

  test("its own page is answered, and no header lets another one read", async () => {
    expect(await ask({ origin: "http://127.0.0.1:1", "sec-fetch-site": "same-origin" })).toEqual({
      status: 200,
      cors: null,
      csp: true,
    })
    expect(await ask({ host: "[::1]:8080", origin: "http://[::1]:8080" })).toMatchObject({ status: 200 })
    const preflight = made.fetch(new Request(url, { method: "OPTIONS", headers: { origin: "https://evil.test" } }))
    expect(await refused(preflight)).toMatchObject({ status: 403, cors: null })
  })

  test("a link from elsewhere opens it, as a person clicked that knows the address", async () => {
    expect(await ask({ "sec-fetch-site": "cross-site", "sec-fetch-dest": "document" })).toMatchObject({ status: 200 })
    expect(await ask({ "sec-fetch-site": "cross-site", "sec-fetch-dest": "iframe" })).toMatchObject({ status: 403 })
  })

  test("a host is allowed if it is named", async () => {
    const { made, fetch } = inspected([], { hosts: ["dev.test"] })
    const headers = { host: "dev.test:80" }
    expect((await made.fetch(new Request(`http://dev.test/${made.token}/api/turns`, { headers }))).status).toBe(200)
    expect((await fetch("api/turns", { headers: { host: "evil.test" } })).status).toBe(403)
  })

  test.each(["", "x/", `${made.token.slice(1)}/`, `${made.token}x/`])("without the token there is nothing: %j", async (start) => {
    expect(await ask({}, `http://127.0.0.1:1/${start}api/turns`)).toMatchObject({ status: 404 })
  })

  test.each([
    "../../etc/passwd",
    "%2e%2e/%2e%2e/etc/passwd",
    "page.js/../../package.json",
    "..%2fpackage.json",
    "api/turns/..%2f..%2fpackage.json",
    "page.js%00.css",
    "api/turns/__proto__",
  ])("a path leads nowhere but to the routes: %s", async (path) => {
    expect([403, 404]).toContain((await fetch(path)).status)
  })

  test("another method is refused", async () => {
    expect((await fetch("api/turns", { method: "DELETE" })).status).toBe(405)
  })
})

describe("in production", () => {
  afterEach(() => {
    process.env.NODE_ENV = "test"
  })

  test("nothing is recorded, answered or served, unless it is asked for", async () => {
    process.env.NODE_ENV = "production"
    const off = inspected([finish("a")])
    const { turnId } = (await off.session.send("hi").result).trace
    expect((await off.fetch("")).status).toBe(404)
    expect(await off.made.record(turnId)).toBeUndefined()
    await expect(off.made.listen()).rejects.toMatchObject({ code: "usage" })
    const on = inspected([finish("a")], { inProduction: true })
    await on.session.send("hi").result
    expect(await on.get("api/turns")).toMatchObject({ turns: [{ question: "hi" }] })
  })
})

describe("mistakes", () => {
  test("are told: another object than an agent, a guessable token, an address that others reach", async () => {
    expect(() => inspector({} as never)).toThrow("expected an agent that createAgent made")
    expect(() => inspected([], { token: "short" })).toThrow("expected a token of at least 16")
    await expect(inspected([]).made.listen({ host: "0.0.0.0" })).rejects.toThrow("expected an address of this computer alone")
  })
})

describe("the list of turns", () => {
  test("is paged, newest first, and filtered by conversation, state and words", async () => {
    const { agent, session, get, fetch } = inspected(["one", "two", "three", "four"].map(finish))
    for (const text of ["a", "b", "c"]) await session.send(text).result
    await agent.session("other").send("d").result
    await session.send(" ").result
    const list = async (query: string) => {
      const { turns, more } = await get<{ turns: TurnSummary[]; more: boolean }>(`api/turns?${query}`)
      return [turns.map(({ question }) => question).join(""), more]
    }
    expect(await list("")).toEqual([" dcba", false])
    expect(await list("conversation=other")).toEqual(["d", false])
    expect(await list("state=failed")).toEqual([" ", false])
    expect(await list("search=TWO")).toEqual(["b", false])
    const { turns } = await get<{ turns: TurnSummary[] }>("api/turns?limit=2")
    expect(await list("limit=2")).toEqual([" d", true])
    expect(await list(`limit=2&before=${turns[1]?.id}`)).toEqual(["cb", true])
    expect((await fetch("api/turns?limit=0")).status).toBe(400)
    expect((await fetch("api/turns?before=gone")).status).toBe(404)
    expect((await fetch("api/turns/gone")).status).toBe(404)
  })
})

describe("a preview", () => {
  const memories = { recall: async () => [{ id: "m", text: "Tea is green.", score: 1 }] }
  const profile = { memory: { enabled: true }, dialect: "layered", locale: "en", prestart: [{ tool: "look" }] }

  test("with no change is the request that was sent, and runs no tool again", async () => {
    const { session, post, record } = inspected([finish("one"), finish("two"), finish("three")], {
      profile,
      agentOptions: { memory: memories, onWarning: () => undefined },
    })
    await session.send("before").result
    session.stack.add({ key: "mood", content: "calm", scope: "session" })
    session.stack.add({ key: "hint", content: "for one turn" })
    const inject = [{ key: "extra", content: "given with the turn" }]
    const { turnId } = (await session.send("What is green?", { inject }).result).trace
    session.stack.add({ key: "mood", content: "angry", scope: "session" })
    await session.send("after").result
    const [sent] = (await record(turnId)).requests
    const again = (await (await post(`api/turns/${turnId}/preview`, {})).json()) as RecordedRequest
    expect(contents(again)).toEqual(contents(sent as RecordedRequest))
    expect(again.tokens).toBe(sent?.tokens)
    expect(again.change).toMatchObject({ outcome: "none", lostTokens: 0, since: { turn: turnId, step: 1 } })
    expect(contents(again).join()).toMatch(/Tea is green[\s\S]*three/u)
  })

  test("leaves out what is switched off, and cuts to another budget", async () => {
    const { session, post } = inspected([finish("one ".repeat(300)), finish("two")], {
      profile: { dialect: "layered", locale: "en" },
    })
    await session.send("before").result
    session.stack.add({ key: "mood", content: "calm as a lake" })
    const { turnId } = (await session.send("now").result).trace
    const preview = async (changes: object) =>
      (await (await post(`api/turns/${turnId}/preview`, changes)).json()) as RecordedRequest
    const whole = await preview({})
    expect(contents(whole).join()).toContain("calm as a lake")
    expect(contents(await preview({ off: ["mood"] })).join()).not.toContain("calm as a lake")
    const small = await preview({ budgetTokens: 600 })
    expect(small.tokens + small.overheadTokens).toBeLessThanOrEqual(600)
    expect(small.decisions.find(({ key }) => key === "history")?.fate).not.toBe("kept")
  })

  test("tells the part of a budget that the steps of a cut history leave free", async () => {
    const { session, post } = inspected(Array(9).fill(finish("one ".repeat(60))), {
      profile: { dialect: "layered", locale: "en" },
    })
    const turns = []
    for (let at = 0; at < 9; at++) turns.push((await session.send(`question ${at}`).result).trace.turnId)
    const body = { budgetTokens: 800 }
    const small = (await (await post(`api/turns/${turns.at(-1)}/preview`, body)).json()) as RecordedRequest
    expect(small.windowRoom).toMatchObject({ budgetTokens: 800, freeTokens: 800 - small.tokens - small.overheadTokens })
  })

  test("L13: shows an edit of the profile at once, and where the request parts from the one that was sent", async () => {
    const profileOf = (persona: string) =>
      resolveProfile({ persona, dialect: "layered", locale: "en", memory: { enabled: false } })
    let profile = profileOf("You are calm.")
    const source = { profile, current: () => profile }
    const { session, post, record } = inspected([finish("one")], { agentOptions: { profile: source } })
    const { turnId } = (await session.send("now").result).trace
    profile = profileOf("You are wild.")
    const again = (await (await post(`api/turns/${turnId}/preview`, {})).json()) as RecordedRequest
    expect(contents(again)[0]).toContain("You are wild.")
    expect(again.change).toMatchObject({ outcome: "changed", cause: { key: "persona", change: "changed" } })
    expect(contents((await record(turnId)).requests[0] as RecordedRequest)[0]).toContain("You are calm.")
  })

  test("is refused for mistakes, and for a turn without words", async () => {
    const { session, post } = inspected([finish("one"), finish("two")])
    const { turnId } = (await session.send("now").result).trace
    const woken = (await session.wake("sunrise").result).trace.turnId
    const status = async (id: string, body: unknown) => (await post(`api/turns/${id}/preview`, body)).status
    for (const [name, value] of [
      ["budgetTokens", -1],
      ["budgetTokens", 1.5],
      ["budgetTokens", "1"],
      ["off", [1]],
      ["off", "x"],
    ] as const) {
      const refused = await post(`api/turns/${turnId}/preview`, { [name]: value })
      expect([refused.status, JSON.stringify(await refused.json()).includes(`"param":"${name}"`)]).toEqual([400, true])
    }
    expect(await status(turnId, "x")).toBe(400)
    expect(await status(woken, {})).toBe(409)
  })
})

describe("memories", () => {
  test("are searched as a turn of that session would, with scores", async () => {
    const asked: unknown[] = []
    const memory = {
      recall: async (query: string, key: unknown) => {
        asked.push(query, key)
        return [{ id: "m", text: "Tea is green.", score: 0.5, why: [{ signal: "words" as const, value: 1, share: 1 }] }]
      },
    }
    const setup = { profile: { memory: { enabled: true } }, agentOptions: { memory, onWarning: () => undefined } }
    const { session, post, record } = inspected([finish("one")], setup)
    const { turnId } = (await session.send("hi", { from: { id: "ann" } }).result).trace
    expect((await record(turnId)).recalled).toMatchObject([{ text: "Tea is green.", score: 0.5 }])
    const found = await (await post(`api/turns/${turnId}/recall`, { query: "tea?" })).json()
    expect(found).toMatchObject({ memories: [{ text: "Tea is green.", why: [{ signal: "words" }] }] })
    expect(asked.slice(2)).toEqual(["tea?", expect.objectContaining({ user: "ann", conversation: "test" })])
  })
})

describe("chat", () => {
  test("is refused unless it is asked for; then a message begins a turn", async () => {
    const { post } = inspected([])
    expect((await post("api/chat", { text: "hi" })).status).toBe(403)
    const open = inspected([finish("Hello!")], { chat: { user: "me", conversation: "terminal" } })
    expect((await open.post("api/chat", { text: " " })).status).toBe(400)
    const { turn } = (await (await open.post("api/chat", { text: "hi" })).json()) as { turn: string }
    await open.agent.idle()
    expect(await open.record(turn)).toMatchObject({
      question: "hi",
      answer: "Hello!",
      speaker: { id: "me" },
      session: { conversation: "terminal" },
    })
  })

  test("C34 shows the greeting of a new conversation, keeps it with the first words, and another one takes its place", async () => {
    const greetings = ["Welcome.", "Rain again."]
    const { get, post, agent } = inspected([finish("Yes.")], { profile: { greetings, greeting: "Rain again." }, chat: true })
    const greeting = async () => (await get<ChatFacts>("api/chat?locale=en")).greeting
    const both = await Promise.all([greeting(), greeting()])
    expect(both).toEqual([both[0], { text: "Rain again.", number: 2, count: 2 }])
    const history = async () => (await agent.session("inspector").history()).map(({ text }) => text)
    expect(await history()).toEqual([])
    await post("api/chat", { text: "/swipe 1" })
    expect(await history()).toEqual(["Welcome."])
    expect(await greeting()).toEqual({ text: "Welcome.", number: 1, count: 2 })
    await post("api/chat", { text: "Hi" })
    await agent.idle()
    expect([await greeting(), await history()]).toEqual([undefined, ["Welcome.", "Hi", "Yes."]])
    const other = inspected([finish("Yes.")], { profile: { greeting: "Welcome." }, chat: true })
    expect((await other.get<ChatFacts>("api/chat?locale=en")).greeting?.text).toBe("Welcome.")
    await other.post("api/chat", { text: "Hi" })
    await other.agent.idle()
    const said = await other.agent.session("inspector").history()
    expect(said.map(({ text }) => text)).toEqual(["Welcome.", "Hi", "Yes."])
  })

  test("takes no body over the limit", async () => {
    const { post } = inspected([], { chat: true, maxBodyBytes: 100 })
    expect((await post("api/chat", { text: "x".repeat(200) })).status).toBe(413)
  })
})

describe("live events", () => {
  /** Reads the turns of the next event. */
  async function next(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<TurnSummary[]> {
    const { value } = await reader.read()
    const text = new TextDecoder().decode(value)
    return (JSON.parse(text.slice("data: ".length)) as { turns: TurnSummary[] }).turns
  }

  test("tell what changed; a reader that was slow gets each turn once, as it stands then", async () => {
    const { session, fetch } = inspected([callTool("look"), finish("one"), finish("two")])
    const reader = (await fetch("api/live")).body?.getReader()
    if (!reader) throw new Error("Expected a body.")
    await session.send("a").result
    await session.send("b").result
    const seen: TurnSummary[] = []
    while (seen.at(-1)?.outcome.state !== "answered" || seen.at(-1)?.question !== "b") seen.push(...(await next(reader)))
    expect(seen.length).toBeLessThanOrEqual(4)
    expect(seen.at(-1)).toMatchObject({ question: "b", answer: "two", calls: 1 })
    await reader.cancel()
  })
})

describe("the server", () => {
  test("serves the page on this computer alone, and cuts a body of 100 MB", async () => {
    const { made } = inspected([], { chat: true })
    const server = await made.listen()
    expect(server.url).toBe(`http://127.0.0.1:${new URL(server.url).port}/${made.token}/`)
    const page = await fetch(server.url)
    expect(page.headers.get("content-security-policy")).toContain("default-src 'none'")
    expect(await page.text()).toContain('<script type="module" src="page.js">')
    const { answer, sent } = await sendForever(server.url)
    expect(answer).toMatch(/^HTTP\/1.1 413/u)
    expect(sent).toBeLessThan(100_000_000)
    await server.close()
  })
})

/** Sends a body of 100 MB as fast as the server reads it, until it answers. */
function sendForever(url: string): Promise<{ answer: string; sent: number }> {
  const { port, pathname, host } = new URL(url)
  const { promise, resolve } = Promise.withResolvers<{ answer: string; sent: number }>()
  const socket = connect(Number(port), "127.0.0.1")
  const chunk = Buffer.alloc(100_000, "x")
  let sent = 0
  let isAnswered = false
  const write = (): void => {
    while (!isAnswered && sent < 100_000_000) {
      sent += chunk.length
      if (!socket.write(chunk)) return
    }
  }
  socket.on("error", () => undefined)
  socket.on("drain", write)
  socket.once("data", (data) => {
    isAnswered = true
    resolve({ answer: data.toString(), sent })
    socket.destroy()
  })
  socket.write(`POST ${pathname}api/chat HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 100000000\r\n\r\n`)
  write()
  return promise
}
