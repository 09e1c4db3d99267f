import OpenAI from "openai"
import { describe, expect, test } from "vitest"
import { createHandler } from "../../../src/apps/server/handler.ts"
import { type ScriptedStep, scriptedModel } from "../../../src/testing/index.ts"
import { finish, testAgent } from "../../support/agents.ts"

const system = { role: "system", content: "Write the next reply of Fay." }
const [hello, question] = [
  { role: "assistant", content: "Hello, traveller." },
  { role: "user", content: "What is the weather?" },
]
const weather = { name: "get_weather", description: "The weather.", parameters: { type: "object", properties: {} } }
const tools = [{ type: "function", function: weather }]
const call = { id: "c1", type: "function", function: { name: "get_weather", arguments: '{"city":"Paris"}' } }
const toolHistory = [
  { role: "user", content: "And in Paris?" },
  { role: "assistant", content: null, tool_calls: [call] },
  { role: "tool", tool_call_id: "c1", content: "Sunny, 21 degrees." },
  { role: "assistant", content: "It is sunny there." },
]

/** What SillyTavern sends beside the messages. */
const tavern = {
  ...{ temperature: 1, max_tokens: 300, presence_penalty: 0, frequency_penalty: 0, top_p: 1, stream: false },
  ...{ stop: ["\nUser:"], logit_bias: {}, n: 1, seed: -1 },
}
const webUi = { stream: true, stream_options: { include_usage: true }, metadata: { chat_id: "1" }, features: {}, id: "m" }

/** A body, and what comes of it: words that the prompt has, or the field that the refusal names with a word of its reason. */
type Outcome = readonly [prompt: string] | { readonly param: string; readonly why: string }
const bodies: Readonly<Record<string, readonly [body: object, outcome: Outcome]>> = {
  "SillyTavern, a reply": [{ ...tavern, messages: [system, hello, question] }, ["What is the weather?"]],
  "SillyTavern, instructions behind the words": [{ ...tavern, messages: [hello, question, system] }, ["What is the weather?"]],
  "SillyTavern, continue by a nudge": [
    { ...tavern, messages: [question, hello, { role: "system", content: "[Continue your last message.]" }] },
    ["[Continue your last message.]"],
  ],
  "SillyTavern, continue by a prefill": [{ ...tavern, messages: [system, question, hello] }, ["Go on."]],
  "SillyTavern, impersonate": [
    { ...tavern, messages: [question, hello, { role: "system", content: "[Write from the view of User.]" }] },
    ["[Write from the view of User.]"],
  ],
  "SillyTavern, a quiet prompt": [
    { ...tavern, messages: [system, question, hello, { role: "system", content: "[Summarise the chat.]" }] },
    ["[Summarise the chat.]"],
  ],
  "SillyTavern, a first message": [
    { ...tavern, messages: [system, { role: "system", content: "[Start a new chat]" }] },
    ["[Start a new chat]"],
  ],
  "SillyTavern, an empty list of tools": [{ ...tavern, tools: [], messages: [question] }, ["What is the weather?"]],
  "SillyTavern, tools": [{ ...tavern, tools, tool_choice: "auto", messages: [question] }, ["get_weather"]],
  "SillyTavern, example messages": [
    { ...tavern, messages: [{ role: "system", name: "example_user", content: "Hi." }, question] },
    ["What is the weather?"],
  ],
  "Open WebUI, a reply": [{ ...webUi, messages: [question] }, ["What is the weather?"]],
  "Open WebUI, a title": [
    {
      stream: false,
      max_completion_tokens: 1000,
      metadata: { task: "title" },
      messages: [{ role: "user", content: "### Task: a title" }],
    },
    ["### Task: a title"],
  ],
  "Open WebUI, tool history": [{ ...webUi, messages: [...toolHistory, question] }, ["Sunny, 21 degrees."]],
  "Open WebUI, a tool's result at the end": [{ ...webUi, messages: toolHistory.slice(0, 3) }, ["Sunny, 21 degrees."]],
  "LibreChat, a reply": [
    { user: "u", stream: true, top_p: 1, response_format: { type: "text" }, messages: [system, question] },
    ["What is the weather?"],
  ],
  "LibreChat, a title in JSON": [
    { messages: [question], response_format: { type: "json_schema", json_schema: {} } },
    { param: "response_format", why: "own form" },
  ],
  "Home Assistant, a conversation without control": [
    { user: "01J", max_tokens: 150, top_p: 1, temperature: 0.5, tool_choice: "auto", messages: [system, question] },
    ["What is the weather?"],
  ],
  "Home Assistant, control of the house": [
    { user: "01J", tools, tool_choice: "auto", messages: [system, question] },
    ["get_weather"],
  ],
  "a client with functions of the older form": [
    { functions: [weather], messages: [question] },
    { param: "functions", why: "Send `tools`" },
  ],
  "Home Assistant, functions of an older client": [
    {
      messages: [
        { role: "user", content: "And in Paris?" },
        { role: "assistant", content: null, function_call: { name: "get_weather", arguments: "{}" } },
        { role: "function", name: "get_weather", content: "Rain." },
        { role: "assistant", content: "Rain." },
        question,
      ],
      function_call: "none",
      functions: [weather],
    },
    ["get_weather"],
  ],
  "Continue, a chat": [
    {
      max_tokens: 4096,
      stream: true,
      modalities: ["text"],
      messages: [{ role: "user", content: [{ type: "text", text: "Why?" }] }],
    },
    ["Why?"],
  ],
  "Continue, tools that it may not use": [{ tools, tool_choice: "none", messages: [question] }, ["What is the weather?"]],
}

function serverOf(steps: readonly ScriptedStep[]) {
  const model = scriptedModel(steps)
  const { agent } = testAgent(model, { dialect: "layered", locale: "en", memory: { enabled: false } })
  const handle = createHandler({ agents: { fay: agent }, authorize: () => ({ user: "u" }), onError: () => undefined })
  const fetch = async (input: unknown, init?: RequestInit) => handle(new Request(input as string, init))
  const client = new OpenAI({ apiKey: "key", baseURL: "http://bot.test/v1", fetch: fetch as never, maxRetries: 0 })
  return { model, client, handle }
}

describe("N14 a body as clients send it", () => {
  test.each(Object.entries(bodies))("of %s is followed, or told why not", async (_, [body, outcome]) => {
    const { model, client } = serverOf([finish("Fine.")])
    const asked = client.chat.completions.create({ model: "fay", ...body } as never) as Promise<unknown>
    if (!Array.isArray(outcome)) {
      const { param, why } = outcome as { readonly param: string; readonly why: string }
      await expect(asked).rejects.toMatchObject({ status: 400, param, message: expect.stringContaining(why) })
      return
    }
    const answer = (await asked) as OpenAI.ChatCompletion | AsyncIterable<OpenAI.ChatCompletionChunk>
    let text = "choices" in answer ? answer.choices[0]?.message.content : ""
    if (!("choices" in answer)) for await (const { choices } of answer) text += choices[0]?.delta.content ?? ""
    expect(text).toBe("Fine.")
    expect(model.requests[0]?.messages.map(({ content }) => content).join("\n")).toContain(outcome[0])
  })

  test("with the results of tools shows them to the model with their call, in the place where they ran", async () => {
    const { model, client } = serverOf([finish("Fine.")])
    await client.chat.completions.create({ model: "fay", messages: [...toolHistory, question] } as never)
    const prompt = model.requests[0]?.messages.map(({ content }) => content).join("\n") ?? ""
    const places = ["And in Paris?", "get_weather", "Paris", "Sunny, 21 degrees.", "It is sunny there."].map((each) =>
      prompt.indexOf(each),
    )
    expect(Math.min(...places)).toBeGreaterThanOrEqual(0)
    expect(prompt.indexOf("Sunny")).toBeLessThan(prompt.indexOf("What is the weather?"))
  })

  test("N39 with names has them before the words of an example, and of several people or characters", async () => {
    const { model, client } = serverOf([finish("Fine."), finish("Fine.")])
    const example = [
      { role: "system", name: "example_user", content: "Do you bake?" },
      { role: "system", name: "example_assistant", content: "Every day." },
    ]
    const named = { user: { ...question, name: "Tom" }, character: { ...hello, name: "Fay" } }
    const asked = async (...messages: readonly object[]) => {
      await client.chat.completions.create({ model: "fay", messages } as never)
      return (
        model.requests
          .at(-1)
          ?.messages.map(({ content }) => content)
          .join("\n") ?? ""
      )
    }
    const one = await asked(...example, named.character, named.user)
    expect(one).toContain("example_user: Do you bake?\n\nexample_assistant: Every day.")
    expect(one).not.toMatch(/Tom: |Fay: /u)
    const other = { role: "assistant", name: "Mia", content: "I am Mia." }
    const group = await asked(named.character, { ...named.user, name: "Ann", content: "Hi." }, other, named.user)
    for (const words of ["Fay: Hello, traveller.", "Ann: Hi.", "Mia: I am Mia.", "Tom: What is the weather?"])
      expect(group).toContain(words)
  })

  test("gets thoughts also without a stream, and the end by a content filter as that", async () => {
    const { client } = serverOf([
      [
        { type: "thinking-delta", delta: "Hm." },
        { type: "text-delta", delta: finish("A part") },
        { type: "finish", reason: "content-filter" },
      ],
    ])
    const [choice] = (await client.chat.completions.create({ model: "fay", messages: [question as never] })).choices
    expect(choice).toMatchObject({ message: { content: "A part", reasoning_content: "Hm." }, finish_reason: "content_filter" })
  })

  test("asks for one model by its name", async () => {
    const { client } = serverOf([])
    expect(await client.models.retrieve("fay")).toMatchObject({ id: "fay", object: "model" })
    await expect(client.models.retrieve("fya")).rejects.toMatchObject({ status: 404, code: "model_not_found" })
  })
})
