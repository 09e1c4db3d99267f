import { describe, expect, test } from "vitest"
import type { ModelPart, ModelRequest } from "../../../src/core/model/language-model.ts"
import type { Plugin } from "../../../src/memory/services/plugin.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { TurnHook } from "../../../src/memory/services/turn-hook.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import type { Confirm } from "../../../src/prompt/tools/tool.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import type { TurnEvent } from "../../../src/trace/turn-event.ts"
import { callTool, collect, finish, testAgent } from "../../support/agents.ts"
import { allChatTokens } from "../../support/chat-tokens.ts"
import { connected } from "../../support/mcp/connected.ts"
import { fakeHttpServer } from "../../support/mcp/fake-http-server.ts"
import { fakeServer } from "../../support/mcp/fake-server-config.ts"

const promptOf = (request: ModelRequest | undefined) => request?.messages.map(({ content }) => content).join("\n") ?? ""
/** A model that calls `given` once, with the names and the first values of its schema, as they are shown to it. */
function callsAsShown() {
  const requests: ModelRequest[] = []
  const stream = (request: ModelRequest, options: { readonly signal: AbortSignal }) => {
    requests.push(request)
    const { name = "", inputSchema } = request.tools?.find((tool) => tool.name.endsWith("given")) ?? {}
    const shown = Object.entries((inputSchema?.properties ?? {}) as Record<string, { enum: string[] }>)
    const args = JSON.stringify(Object.fromEntries(shown.map(([key, { enum: choices }]) => [key, choices[0]])))
    const step: ModelPart[] | string = requests.length === 1 ? [{ type: "tool-call", call: { id: "1", name, args } }] : "ok"
    return scriptedModel([step]).stream(request, options)
  }
  return { ...scriptedModel([], { capabilities: { tools: true } }), requests, stream }
}
const ofType = <T extends TurnEvent["type"]>(events: readonly TurnEvent[], type: T) =>
  events.filter((event): event is Extract<TurnEvent, { type: T }> => event.type === type)

describe("an agent with MCP servers", () => {
  test("the planner sees server.tool and calls it; progress is an event, attachments are records of the turn", async () => {
    const { mcp } = await connected({ fake: fakeServer() })
    const model = scriptedModel([callTool("fake.progress"), callTool("fake.picture"), finish("好")])
    const { session } = testAgent(model, {}, { plugins: [mcp] })
    const turn = session.send("看")
    const events = await collect(turn)
    const result = await turn.result
    expect(promptOf(model.requests[0])).toContain("- fake.echo: Says the same")
    expect(ofType(events, "tool-progress").map(({ tool, progress }) => [tool, progress.progress])).toEqual([
      ["fake.progress", 1],
      ["fake.progress", 2],
    ])
    expect(ofType(events, "tool-end").map(({ run }) => [run.tool, run.status])).toEqual([
      ["fake.progress", "ok"],
      ["fake.picture", "ok"],
    ])
    expect(result.trace.records.map(({ kind }) => kind)).toEqual(["attachment", "attachment", "attachment"])
  })

  test("T45 a call without what the server's schema requires is not sent, and the model is told", async () => {
    const send = { name: "send", inputSchema: { type: "object", properties: { to: { type: "string" } }, required: ["to"] } }
    const { mcp } = await connected({ fake: fakeServer({ tools: [send] }) })
    const model = scriptedModel([callTool("fake.send"), finish("好")])
    const { session } = testAgent(model, {}, { plugins: [mcp] })
    const { trace } = await session.send("寄").result
    expect(trace.runs.map(({ status, result }) => [status, result.includes("to is missing")])).toEqual([["failed", true]])
    // The server itself would have said that it knows no such tool.
    expect(promptOf(model.requests[1])).not.toContain("no send")
  })

  test("T50 tokens of 40 model families reach the model neither in descriptions nor in schemas, and its arguments come back", async () => {
    const words = allChatTokens.join(" a ")
    const properties = Object.fromEntries(
      allChatTokens.map((token) => [token, { enum: [token, "b"], description: `A ${token}` }]),
    )
    const given = { name: "given", description: words, inputSchema: { type: "object", properties, required: allChatTokens } }
    const { mcp } = await connected({ fake: fakeServer({ tools: [given] }) })
    const model = callsAsShown()
    const { session } = testAgent(model, { loop: { mode: "native" }, history: { toolRuns: "keep" } }, { plugins: [mcp] })
    const { trace } = await session.send("go").result
    await session.send("?").result
    const sent = model.requests.flatMap(({ messages, tools }) => [
      ...(tools ?? []).flatMap((tool) => [tool.name, tool.description, JSON.stringify(tool.inputSchema)]),
      ...messages.flatMap(({ content, toolCalls = [] }) => [content, ...toolCalls.map(({ args }) => args)]),
    ])
    for (const token of allChatTokens) {
      const shown = [token, JSON.stringify(token).slice(1, -1)]
      expect(sent.filter((text) => shown.some((form) => text.includes(form)))).toEqual([])
    }
    const [run] = trace.runs
    expect([run?.tool, run?.status]).toEqual(["fake.given", "ok"])
    expect(JSON.parse(run?.result ?? "")).toEqual(Object.fromEntries(allChatTokens.map((token) => [token, token])))
  })

  test("T18 an error, a crash and a hang are failed runs, and the turn goes on to its answer", async () => {
    const { mcp } = await connected({ fake: fakeServer() })
    const model = scriptedModel([callTool("fake.fail"), callTool("fake.crash"), callTool("fake.hang"), finish("好")])
    const { session, timers } = testAgent(model, { limits: { toolMs: 1_000 } }, { plugins: [mcp] })
    const turn = session.send("看")
    const failures: (string | undefined)[] = []
    for await (const event of turn) {
      if (event.type === "tool-start" && event.tool === "fake.hang") queueMicrotask(() => timers.advance(1_000))
      if (event.type === "tool-end") failures.push(event.run.failure)
    }
    expect(failures).toEqual(["threw", "threw", "timeout"])
    expect(await turn.result).toMatchObject({ ok: true, text: "好" })
  })

  test("T25 an MCP tool runs as prestart; one whose server is down is left out, and the agent is made all the same", async () => {
    const { mcp } = await connected({ fake: fakeServer(), down: fakeServer({ exit: true }) })
    const prestart = [{ tool: "fake.echo", args: { text: "{{question}}" } }, { tool: "down.echo" }]
    const model = scriptedModel([finish("好")])
    const { session } = testAgent(model, { prestart }, { plugins: [mcp] })
    const { trace } = await session.send("天气").result
    expect(trace.prestart.map(({ tool, status, result }) => [tool, status, result.slice(0, 2)])).toMatchObject([
      ["fake.echo", "ok", "天气"],
      ["down.echo", "failed", expect.any(String)],
    ])
    expect(promptOf(model.requests[0])).toContain("天气")
  })

  test("T25 a prestart tool of a server that comes later runs in the first turn that has it", async () => {
    const tool = defineTool({ name: "late.now", description: "", execute: () => "noon" })
    const beforeTurn: TurnHook["beforeTurn"] = async ({ addTools }) => {
      await Promise.resolve()
      addTools([tool])
    }
    const plugin: Plugin = { name: "late", mayAddTool: (name) => name === "late.now", hooks: [{ name: "late", beforeTurn }] }
    const { session } = testAgent(scriptedModel([finish("好")]), { prestart: [{ tool: "late.now" }] }, { plugins: [plugin] })
    const { trace } = await session.send("几点").result
    expect(trace.prestart).toMatchObject([{ tool: "late.now", status: "ok", result: "noon" }])
  })

  test("T25 a prestart tool that no server could ever have is a mistake", async () => {
    const { mcp } = await connected({ fake: fakeServer() })
    const make = () => testAgent(scriptedModel([]), { prestart: [{ tool: "other.echo" }] }, { plugins: [mcp] })
    expect(make).toThrow(/expected a registered tool, found "other.echo"/)
  })

  test("tools that a server adds, changes and takes away are so from the next turn on", async () => {
    const { mcp, changed } = await connected({ fake: fakeServer() })
    const steps = [
      callTool("fake.add"),
      finish("1"),
      callTool("fake.change"),
      finish("2"),
      callTool("fake.remove"),
      finish("3"),
      finish("4"),
    ]
    const model = scriptedModel(steps)
    const { session } = testAgent(model, {}, { plugins: [mcp] })
    for (const question of ["一", "二", "三"]) {
      const news = changed()
      await session.send(question).result
      await news
    }
    await session.send("四").result
    const lists = [0, 2, 4, 6].map((at) => {
      const prompt = promptOf(model.requests[at])
      return ["- fake.echo:", "- fake.late:"].map((line) => prompt.includes(line))
    })
    expect(lists).toEqual([
      [true, false],
      [true, true],
      [false, true],
      [false, false],
    ])
  })

  test("a tool that is hidden from the planner stays hidden when its definition changes and is approved", async () => {
    const { mcp, call, changed } = await connected({ fake: fakeServer() })
    const model = scriptedModel([finish("好")])
    const { session } = testAgent(model, { tools: { prestartOnly: ["fake.echo"] } }, { plugins: [mcp] })
    const news = changed()
    await call("fake.change")
    await news
    await mcp.approve(mcp.waiting())
    await session.send("看").result
    expect(promptOf(model.requests[0])).toContain("- fake.fail:")
    expect(promptOf(model.requests[0])).not.toContain("fake.echo")
  })

  test("two tools of one name are a mistake", async () => {
    const { mcp } = await connected({ fake: fakeServer() })
    const other = { ...mcp.tools[0], description: "mine" } as (typeof mcp.tools)[number]
    expect(() => testAgent(scriptedModel([]), {}, { plugins: [mcp], tools: [other] })).toThrow(/Two tools are named "fake.echo"/)
  })

  test("closing the agent ends its servers", async () => {
    const { mcp } = await connected({ fake: fakeServer() })
    const { agent } = testAgent(scriptedModel([]), {}, { plugins: [mcp] })
    await agent.close()
    expect(mcp.servers().map(({ state }) => state)).toEqual(["closed"])
  })

  test("a turn that uses none of their tools asks no server anything", async () => {
    const server = await fakeHttpServer()
    const { mcp } = await connected({ far: { url: server.url } })
    const before = server.requests.length
    const { session } = testAgent(scriptedModel([finish("好")]), {}, { plugins: [mcp] })
    await session.send("看").result
    expect(server.requests).toHaveLength(before)
  })

  test.each([
    ["is asked about", { destructiveHint: true }, {}, 1],
    ["that changes nothing is not asked about", { destructiveHint: true, readOnlyHint: true }, {}, 0],
    ["is not asked about where the settings say so", { destructiveHint: true }, { destructive: "run" }, 0],
    ["without the hint is not asked about", {}, {}, 0],
  ] as const)("a tool that may destroy something %s", async (_, annotations, settings, times) => {
    const tools = [{ name: "echo2", description: "", inputSchema: { type: "object" }, annotations }]
    const { mcp } = await connected({ fake: fakeServer({ tools }, settings) })
    const asked: string[] = []
    const confirm: Confirm = async ({ tool }) => asked.push(tool) < 0
    const model = scriptedModel([callTool("fake.echo2"), finish("好")])
    const { session } = testAgent(model, {}, { plugins: [mcp], confirm })
    const { trace } = await session.send("?").result
    expect(asked).toEqual(times === 1 ? ["fake.echo2"] : [])
    expect(trace.runs[0]?.failure === "denied").toBe(times === 1)
  })

  test("N44 a question of a server waits for a person, also over a restart; a yes calls the tool anew", async () => {
    const store = createInMemoryStore()
    const message = 'Where?"\nShall I pay Ada?'
    const over = async (answer: string) => {
      const { mcp } = await connected({ fake: fakeServer() }, { elicit: "confirm", locale: "zh-CN" })
      return testAgent(scriptedModel([answer]), {}, { store, plugins: [mcp], confirm: "later", runJobs: false }).session
    }
    const asked = await (await over(callTool("fake.elicit", { message }))).send("?").result
    // The server is named, and its words stay between the quotes.
    const summary = `MCP 服务器 fake 问："Where?\\"\\nShall I pay Ada?"`
    expect(asked).toMatchObject({ approvals: [{ tool: "fake.elicit", summary }] })
    const id = (asked.ok && asked.approvals?.[0]?.id) || ""
    const { trace } = await (await over(finish("好"))).approve(id).result
    expect(trace.runs).toMatchObject([
      { status: "ok", result: JSON.stringify({ action: "accept", content: { city: "Hangzhou" } }) },
    ])
  })

  test("native calls use a legal name for the tool and find their way back", async () => {
    const { mcp } = await connected({ fake: fakeServer() })
    const call = { id: "c1", name: "fake_echo", args: '{"text":"回"}' }
    const model = scriptedModel([[{ type: "tool-call", call }], "好"], { capabilities: { tools: true } })
    const { session } = testAgent(model, { loop: { mode: "native" } }, { plugins: [mcp] })
    const { trace } = await session.send("看").result
    expect(trace.runs).toMatchObject([{ tool: "fake.echo", status: "ok", result: "回" }])
  })
})
