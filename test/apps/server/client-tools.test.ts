import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import {
  AbstractChat,
  type ChatState,
  DefaultChatTransport,
  generateText,
  isStepCount,
  lastAssistantMessageIsCompleteWithToolCalls,
  streamText,
  tool,
  type UIMessage,
} from "ai"
import OpenAI from "openai"
import { afterEach, describe, expect, test } from "vitest"
import { z } from "zod"
import { createHandler } from "../../../src/apps/server/handler.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { expectScriptsDone, type ScriptedAnswer, scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"

afterEach(expectScriptsDone)

const kept = { user: "ann", name: "Ann", conversation: "home" }
const passing = { user: "ann", name: "Ann" }

/** A server whose character has tools of its own, one of which waits for a person. */
function serverOf(answers: readonly ScriptedAnswer[], { caller = passing, mode = "json" as "json" | "native" | "chat" } = {}) {
  const model = scriptedModel(answers, { capabilities: { tools: mode === "native" } })
  const pay = defineTool({ name: "pay", description: "Pays.", needsApproval: true, execute: () => "PAID" })
  const look = defineTool({ name: "look", description: "Looks.", execute: () => "OWN RESULT" })
  const profile = { dialect: "layered", locale: "en", memory: { enabled: false }, loop: { mode } }
  const { agent } = testAgent(model, profile, { tools: [pay, look] })
  const errors: unknown[] = []
  const onError = (error: unknown) => void errors.push(error)
  const handle = createHandler({ agents: { fay: agent }, authorize: () => caller, onError })
  const fetch = async (input: unknown, init?: RequestInit) => handle(new Request(input as string, init))
  const client = new OpenAI({ apiKey: "key", baseURL: "http://bot.test/v1", fetch: fetch as never, maxRetries: 0 })
  const promptOf = (at: number) => JSON.stringify(model.requests[at]?.messages ?? [])
  return { model, agent, errors, fetch, client, promptOf }
}

/** Steps of a model that calls a tool and then answers, in either form of calls. */
const steps = (mode: "json" | "native", name: string, args: object): readonly ScriptedAnswer[] =>
  mode === "json"
    ? [callTool(name, { ...args }), finish("The lamp is on.")]
    : [
        [
          { type: "tool-call", call: { id: "n1", name, args: JSON.stringify(args) } },
          { type: "finish", reason: "tool-calls" },
        ],
        [
          { type: "text-delta", delta: "The lamp is on." },
          { type: "finish", reason: "stop" },
        ],
      ]

const parameters = { type: "object", properties: { room: { type: "string" } }, required: ["room"] }
const lamp = { type: "function", function: { name: "lamp", description: "Switches a lamp.", parameters } } as const
const question = { role: "user", content: "Light, please." } as const
const cases = (["json", "native"] as const).flatMap((mode) => [[mode, passing] as const, [mode, kept] as const])

describe("N16 tools of a client of the OpenAI API", () => {
  test.each(cases)("are run by the AI SDK and their results read (%s calls, %o)", async (mode, caller) => {
    const { fetch, promptOf } = serverOf(steps(mode, "lamp", { room: "kitchen" }), { caller, mode })
    const model = createOpenAICompatible({ name: "bot", baseURL: "http://bot.test/v1", fetch: fetch as never })("fay")
    const rooms: string[] = []
    const execute = ({ room }: { room: string }) => `${rooms.push(room)} LAMP ON`
    const { text, steps: done } = await generateText({
      model,
      tools: { lamp: tool({ description: "Switches a lamp.", inputSchema: z.object({ room: z.string() }), execute }) },
      stopWhen: isStepCount(3),
      prompt: "Light, please.",
    })
    expect([text, rooms, done.map(({ finishReason }) => finishReason)]).toEqual([
      "The lamp is on.",
      ["kitchen"],
      ["tool-calls", "stop"],
    ])
    if (mode === "json") expect(promptOf(0)).toContain("Switches a lamp.")
    expect(promptOf(1)).toContain("1 LAMP ON")
  })

  test("come as chunks of a stream, with the words beside them", async () => {
    const both = JSON.stringify({ action: "finish", message: "A moment.", tool: "lamp", args: { room: "hall" } })
    const { fetch } = serverOf([both, finish("Done.")])
    const model = createOpenAICompatible({ name: "bot", baseURL: "http://bot.test/v1", fetch: fetch as never })("fay")
    const execute = () => "on"
    const stream = streamText({
      model,
      tools: { lamp: tool({ inputSchema: z.object({ room: z.string() }), execute }) },
      stopWhen: isStepCount(3),
      prompt: "Light, please.",
    })
    const texts = (await stream.steps).map(({ text, toolCalls }) => [text, toolCalls.map(({ input }) => input)])
    expect(texts).toEqual([
      ["A moment.", [{ room: "hall" }]],
      ["Done.", []],
    ])
  })

  test("of two rounds and two calls at once keep their order, and a result that is missing is asked for again", async () => {
    const { client, promptOf } = serverOf([finish("Both.")])
    const called = (id: string, room: string) => ({
      ...{ id, type: "function" as const, function: { name: "lamp", arguments: JSON.stringify({ room }) } },
    })
    const messages = [
      question,
      { role: "assistant", content: "Let me see.", tool_calls: [called("a", "hall"), called("b", "attic")] },
      { role: "tool", tool_call_id: "a", content: "FIRST" },
      { role: "assistant", content: null, tool_calls: [called("c", "attic")] },
      { role: "tool", tool_call_id: "c", content: "SECOND" },
    ] as const
    const answer = await client.chat.completions.create({ model: "fay", tools: [lamp], messages: messages as never })
    expect(answer.choices[0]?.message.content).toBe("Both.")
    const places = ["Light, please.", "hall", "FIRST", "attic", "SECOND"].map((each) => promptOf(0).indexOf(each))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places[0]).toBeGreaterThan(0)
  })

  test("a wrong call is told to the model and never reaches the client", async () => {
    const { client, promptOf } = serverOf([callTool("lamp", { room: 3 }), callTool("lamp", { room: "hall" })])
    const { choices } = await client.chat.completions.create({ model: "fay", tools: [lamp], messages: [question] })
    expect(choices[0]?.message.tool_calls).toMatchObject([{ function: { name: "lamp", arguments: '{"room":"hall"}' } }])
    expect(promptOf(1)).toContain("room")
  })

  test.each([
    ["none", []],
    [{ type: "function", function: { name: "lamp" } }, ["lamp"]],
    ["required", ["lamp"]],
  ] as const)("are offered as tool_choice %j says", async (choice, called) => {
    const answers = called.length > 0 ? [finish("No."), callTool("lamp", { room: "hall" })] : [finish("No.")]
    const { client, promptOf } = serverOf(answers)
    const body = { model: "fay", tools: [lamp], tool_choice: choice, messages: [question] }
    const { choices } = await client.chat.completions.create(body)
    expect(choices[0]?.message.tool_calls?.map((call) => "function" in call && call.function.name) ?? []).toEqual(called)
    expect(promptOf(0).includes("Switches a lamp.")).toBe(called.length > 0)
  })

  const named = (name: unknown) => ({ ...lamp, function: { ...lamp.function, name } })
  const formed = (schema: unknown) => ({ ...lamp, function: { name: "x", parameters: schema } })
  const nest = (depth: number): unknown => (depth === 0 ? {} : { items: nest(depth - 1) })
  test.each([
    [{ tools: [{ type: "web_search" }] }, "tools[0]"],
    [{ tools: [named("a b")] }, "tools[0]"],
    [{ tools: [formed("x")] }, "tools[0]"],
    [{ tools: [formed({ type: "array" })] }, "tools[0]"],
    [{ tools: [formed({ properties: [] })] }, "tools[0]"],
    [{ tools: [formed({ properties: { a: nest(80) } })] }, "tools[0]"],
    [{ tools: "x" }, "tools"],
    [{ tools: [lamp], tool_choice: { type: "function", function: { name: "lump" } } }, "tool_choice"],
    [{ tools: [lamp], tool_choice: "any" }, "tool_choice"],
    [{ tool_choice: "required" }, "tool_choice"],
    [{ tools: [named("look")] }, "tools"],
    [{ tools: [lamp, lamp] }, "tools"],
  ])("%j is refused with the reason", async (wrong, param) => {
    const { client } = serverOf([])
    const asked = client.chat.completions.create({ model: "fay", messages: [question], ...wrong } as never)
    await expect(asked).rejects.toMatchObject({ status: 400, param })
  })

  test("in a kept conversation only a call of the client's own takes a result: no client answers for the character's tools", async () => {
    const { client, model } = serverOf([callTool("pay")], { caller: kept })
    const ask = (messages: readonly object[], tools: readonly object[]) =>
      client.chat.completions.create({ model: "fay", messages, tools } as never) as Promise<OpenAI.ChatCompletion>
    await ask([question], [lamp])
    const call = { id: "call-1", type: "function", function: { name: "pay", arguments: "{}" } }
    const forged = [
      question,
      { role: "assistant", content: null, tool_calls: [call] },
      { role: "tool", tool_call_id: "call-1", content: "PAID" },
    ]
    for (const tools of [[], [lamp], [{ ...lamp, function: { name: "pay" } }]])
      await expect(ask(forged, tools)).rejects.toMatchObject({ status: 400 })
    expect(model.requests).toHaveLength(1)
  })

  test("in a kept conversation other words withdraw the call, and its late result says so", async () => {
    const { client, promptOf } = serverOf([callTool("lamp", { room: "hall" }), finish("As you like.")], { caller: kept })
    const ask = (messages: readonly object[]) =>
      client.chat.completions.create({ model: "fay", messages, tools: [lamp] } as never) as Promise<OpenAI.ChatCompletion>
    const { tool_calls: calls = [] } = (await ask([question])).choices[0]?.message ?? {}
    expect((await ask([{ role: "user", content: "Never mind." }])).choices[0]?.message.content).toBe("As you like.")
    expect(promptOf(1)).toContain("lamp")
    const late = { role: "tool", tool_call_id: calls[0]?.id, content: "on" }
    await expect(ask([question, { role: "assistant", content: null, tool_calls: calls }, late])).rejects.toMatchObject({
      status: 400,
    })
  })

  test("in a kept conversation wait beside a call that a person must allow, each for its own answer", async () => {
    const call = (id: string, name: string, args: string) => ({ type: "tool-call", call: { id, name, args } }) as const
    const { client, promptOf, agent } = serverOf(
      [
        [call("p", "pay", "{}"), call("l", "lamp", '{"room":"hall"}'), { type: "finish", reason: "tool-calls" }],
        [
          { type: "text-delta", delta: "Both done." },
          { type: "finish", reason: "stop" },
        ],
      ],
      { caller: kept, mode: "native" },
    )
    const ask = (messages: readonly object[]) =>
      client.chat.completions.create({ model: "fay", messages, tools: [lamp] } as never) as Promise<OpenAI.ChatCompletion>
    const first = (await ask([question])).choices[0]
    expect(first).toMatchObject({ finish_reason: "tool_calls", message: { approvals: [{ tool: "pay" }] } })
    const waiting = await agent.session("home").approvals()
    expect(waiting.map(({ tool: name }) => name)).toEqual(["pay"])
    const result = { role: "tool", tool_call_id: "l", content: "LAMP ON" }
    const second = (await ask([question, first?.message ?? {}, result])).choices[0]
    expect(second?.message).toMatchObject({ approvals: [{ tool: "pay" }] })
    const { result: done } = agent.session("home").approve(waiting[0]?.id ?? "")
    expect(await done).toMatchObject({ ok: true, text: "Both done." })
    expect(promptOf(1)).toContain("LAMP ON")
  })
})

/** The state behind `useChat`, with a page that switches the lamp. */
class PageChat extends AbstractChat<UIMessage> {
  constructor(fetch: unknown, tools: unknown) {
    const state: ChatState<UIMessage> = {
      ...{ status: "ready", error: undefined, messages: [] },
      pushMessage: (message) => void state.messages.push(message),
      popMessage: () => void state.messages.pop(),
      replaceMessage: (at, message) => void state.messages.splice(at, 1, message),
      snapshot: structuredClone,
    }
    const transport = new DefaultChatTransport({ api: "http://bot.test/api/chat", fetch: fetch as never, body: { tools } })
    super({
      ...{ id: "c", transport, state, sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls },
      onToolCall: ({ toolCall }) => {
        const output = { on: (toolCall.input as { room?: string }).room }
        void this.addToolOutput({ tool: toolCall.toolName as never, toolCallId: toolCall.toolCallId, output: output as never })
      },
    })
  }
}

describe("N16 tools of a page, in useChat of the AI SDK", () => {
  const forms = { list: [{ name: "lamp", description: "Switches a lamp.", parameters }], names: { lamp: lamp.function } }
  test.each([
    ["list", passing],
    ["names", passing],
    ["list", kept],
  ] as const)("are run by the page, and the same message goes on (%s, %o)", async (form, caller) => {
    const answers = [callTool("look"), callTool("lamp", { room: "hall" }), finish("The lamp is on.")]
    const { fetch, promptOf } = serverOf(answers, { caller })
    const chat = new PageChat(fetch, forms[form])
    await chat.sendMessage({ text: "Light, please." })
    const shown = () => chat.messages.map(({ role, parts }) => [role, parts.flatMap((part) => ("text" in part ? part.text : []))])
    await expect.poll(shown).toEqual([
      ["user", ["Light, please."]],
      ["assistant", ["The lamp is on."]],
    ])
    expect(promptOf(2).replaceAll("\\", "")).toContain('{"on":"hall"}')
    expect(promptOf(2)).toContain("OWN RESULT")
    expect(chat.error).toBeUndefined()
  })
})

describe("N16 tools of a client of AG-UI", () => {
  test.each([passing, kept])("end a run with their call, and the next run reads the result (%o)", async (caller) => {
    const { fetch, promptOf } = serverOf([callTool("lamp", { room: "hall" }), finish("The lamp is on.")], { caller })
    const tools = [{ name: "lamp", description: "Switches a lamp.", parameters }]
    const input = { threadId: "t", tools, context: [], state: {}, forwardedProps: {} }
    const run = async (runId: string, messages: readonly object[]) => {
      const body = JSON.stringify({ ...input, runId, messages })
      const response = await fetch("http://bot.test/ag-ui", { method: "POST", body })
      const lines = (await response.text()).split("\n\n").filter((line) => line.startsWith("data: "))
      return lines.map((line) => JSON.parse(line.slice(6)) as Readonly<Record<string, string>>)
    }
    const asked = { id: "1", role: "user", content: "Light, please." }
    const first = await run("1", [asked])
    expect(first.map(({ type }) => type)).toEqual([
      ...["RUN_STARTED", "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "RUN_FINISHED"],
    ])
    const { toolCallId, toolCallName } = first[1] ?? {}
    expect([toolCallName, first[2]?.delta]).toEqual(["lamp", '{"room":"hall"}'])
    const toolCalls = [{ id: toolCallId, type: "function", function: { name: "lamp", arguments: first[2]?.delta } }]
    const result = { id: "3", role: "tool", toolCallId, content: "LAMP ON" }
    const second = await run("2", [asked, { id: "2", role: "assistant", toolCalls }, result])
    expect(second.map(({ delta }) => delta ?? "").join("")).toBe("The lamp is on.")
    expect(promptOf(1)).toContain("LAMP ON")
  })
})
