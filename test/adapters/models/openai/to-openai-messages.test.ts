import OpenAI from "openai"
import { afterEach, beforeEach, expect, test } from "vitest"
import { toOpenaiMessages } from "../../../../src/adapters/models/openai/index.ts"
import { assemble } from "../../../../src/prompt/assemble/assemble.ts"
import { PromptStack } from "../../../../src/prompt/stack/prompt-stack.ts"
import { type ChatServer, chatChunk, eventStream, startChatServer } from "../../../support/chat-server.ts"
import { collect } from "../../../support/collect.ts"
import { turnState } from "../../../support/turns.ts"

let server: ChatServer
beforeEach(async () => {
  server = await startChatServer({ body: eventStream([chatChunk({ content: "ok" }, { finish_reason: "stop" })]) })
})
afterEach(() => server.close())

const stack = new PromptStack([
  { key: "base", content: "You are Fay.", scope: "global", trust: "author" },
  { key: "manners", content: "polite", role: "developer" },
])

test.each([
  [true, ["system", "developer", "user"]],
  [false, ["system", "user"]],
])("the real client sends an assembly's messages as they are; a developer role: %s", async (developer, roles) => {
  const assembly = assemble(stack, { dialect: "stack", prompt: "chat", turn: turnState("hi"), roles: { developer } })
  const client = new OpenAI({ apiKey: "k", baseURL: server.baseUrl })
  await collect(await client.chat.completions.create({ model: "m", stream: true, messages: toOpenaiMessages(assembly) }))
  expect(server.calls[0]?.body.messages).toEqual(assembly.messages)
  expect(assembly.messages.map(({ role }) => role)).toEqual(roles)
})

test("tool calls and results have the API's shape", () => {
  const messages = [
    { role: "assistant" as const, content: "", toolCalls: [{ id: "a", name: "now", args: "" }] },
    { role: "tool" as const, content: "12:00", toolCallId: "a" },
  ]
  expect(toOpenaiMessages({ messages })).toEqual([
    { role: "assistant", content: "", tool_calls: [{ id: "a", type: "function", function: { name: "now", arguments: "{}" } }] },
    { role: "tool", content: "12:00", tool_call_id: "a" },
  ])
})
