import { describe, expect, test } from "vitest"
import { chooseModel, chooseOwnModels } from "../../../src/apps/cli/choose-model.ts"
import { createAgent, defineTool } from "../../../src/index.ts"
import { resolveProfile } from "../../../src/profile/resolve.ts"
import { chatChunk, eventStream, startChatServer } from "../../support/chat-server.ts"

const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
)
const chosen = (env: Record<string, string>, model: { id?: string; baseUrl?: string } = {}) => {
  const { model: found, demo } = chooseModel(resolveProfile({ model }), env)
  expect(demo).toBe(found.id === "demo")
  return found.id
}

describe("the model", () => {
  test.each<[string, Record<string, string>, { id?: string; baseUrl?: string }, string]>([
    ["is the demo when nothing is set", {}, {}, "demo"],
    ["is the demo when the profile only names one", {}, { id: "from-profile" }, "demo"],
    ["is the demo when what is set is blank", { OPENAI_API_KEY: " ", PROMPTSTRATA_MODEL: "" }, {}, "demo"],
    ["is the demo when the environment says so", { OPENAI_API_KEY: "k", PROMPTSTRATA_MODEL: "demo" }, {}, "demo"],
    ["is OpenAI's default with a key alone", { OPENAI_API_KEY: "k" }, {}, "openai:gpt-5-mini"],
    ["is the profile's with a key", { OPENAI_API_KEY: "k" }, { id: "from-profile" }, "openai:from-profile"],
    [
      "is the environment's before the profile's",
      { OPENAI_API_KEY: "k", PROMPTSTRATA_MODEL: "from-env" },
      { id: "from-profile" },
      "openai:from-env",
    ],
    [
      "needs no key where there is a server",
      { OPENAI_BASE_URL: "http://localhost/v1", PROMPTSTRATA_MODEL: "qwen" },
      {},
      "openai:qwen",
    ],
    ["can come from the profile whole", {}, { id: "qwen", baseUrl: "http://localhost/v1" }, "openai:qwen"],
  ])("%s", (_, env, model, id) => {
    expect(chosen(env, model)).toBe(id)
  })

  test("C30: sends the profile's own fields with each request, and refuses those that the agent sends itself", async () => {
    const server = await startChatServer({ body: eventStream([chatChunk({ content: "Hi" }, { finish_reason: "stop" })]) })
    const model = { id: "m", baseUrl: server.baseUrl, extraFields: { top_p: 0.9, min_p: 0.05 } }
    const profile = resolveProfile({ dialect: "tavern", loop: { mode: "chat" }, model })
    const agent = createAgent({ profile, model: chooseModel(profile, {}).model })
    await agent.session("c").send("Hello").result
    await server.close()
    expect(server.calls.map(({ body }) => body)).toEqual([expect.objectContaining({ model: "m", top_p: 0.9, min_p: 0.05 })])
    const bodies: unknown[] = []
    const processes = { a: { model: { extraFields: { top_k: 5 } } }, b: { model: { id: "n" } }, c: {} }
    const known = resolveProfile({ model, processes: processes as never })
    chooseOwnModels(known, {}, ({ model: { id, extraFields } }) => {
      bodies.push([id, extraFields])
      return chooseModel(resolveProfile({ model }), {})
    })
    expect(bodies).toEqual([
      ["m", { top_k: 5 }],
      ["n", undefined],
    ])
    const own = resolveProfile({ model: { ...model, extraFields: { messages: [] } } })
    expect(() => chooseModel(own, {})).toThrow(/extraBody.*messages/)
  })

  test.each<[string, Record<string, string>, RegExp]>([
    [
      "a name without key and server",
      { PROMPTSTRATA_MODEL: "gpt-5" },
      /"gpt-5", but neither OPENAI_API_KEY nor OPENAI_BASE_URL is set/,
    ],
    [
      "a server without a name",
      { OPENAI_BASE_URL: "http://me:secret@localhost/v1" },
      /name of a model for the server at http:\/\/localhost\/v1/,
    ],
    ["no http", { OPENAI_BASE_URL: "localhost:11434/v1", PROMPTSTRATA_MODEL: "m" }, /to begin with http:\/\/ or https/],
    ["a key in place of the address", { OPENAI_BASE_URL: "sk-secret", OPENAI_API_KEY: "k" }, /OPENAI_BASE_URL, or base_url/],
  ])("%s is a mistake, not the demo, and shows no secret", (_, env, message) => {
    expect(() => chosen(env)).toThrow(expect.objectContaining({ code: "usage", message: expect.stringMatching(message) }))
    expect(() => chosen(env)).not.toThrow(/secret/)
  })

  const tools = [defineTool({ name: "look", description: "Looks.", execute: () => "seen" })]
  test.each([
    ["m", {}, false, false],
    ["m", { attachments: ["image/*"], tools: true }, true, true],
    ["qwen2.5vl:7b", {}, true, false],
    ["qwen2.5vl:7b", { attachments: [] }, false, false],
  ])("N21 %s with [model.capabilities] %j: sees %s, calls natively %s", async (id, capabilities, sees, calls) => {
    const server = await startChatServer({ body: eventStream([chatChunk({ content: "Hi" }, { finish_reason: "stop" })]) })
    const model = { id, baseUrl: server.baseUrl, capabilities }
    const profile = resolveProfile({
      dialect: "layered",
      locale: "en",
      memory: { enabled: false },
      loop: { mode: "auto" },
      model,
    })
    const agent = createAgent({ profile, model: chooseModel(profile, {}).model, tools })
    await agent.session("c").send("See?", { attachments: [{ bytes: pixel, mediaType: "image/png" }] }).result
    await server.close()
    const body = JSON.stringify(server.calls[0]?.body)
    expect([body.includes("image_url"), body.includes("you cannot see it"), body.includes('"tools":[')]).toEqual([
      sees,
      !sees,
      calls,
    ])
  })

  test("asks its own server and the profile's settings decide on JSON mode", async () => {
    const profile = resolveProfile({ model: { id: "m", baseUrl: "http://profile/v1" }, loop: { responseFormat: "json" } })
    expect(chooseModel(profile, {}).model.capabilities).toMatchObject({ developerRole: false, tools: false })
  })
})

describe("the models of processes, observers and background work", () => {
  const profile = resolveProfile({
    model: { id: "large" },
    processes: { tools: { model: { id: "small" } }, plain: {} },
    observers: { "main-observer": { model: { id: "local", baseUrl: "http://localhost/v1" } } },
    memory: { model: { id: "tiny" } },
  })
  const idsWith = (env: Record<string, string>) =>
    Object.fromEntries(Object.entries(chooseOwnModels(profile, env, chooseModel)).map(([name, { id }]) => [name, id]))

  test("are those that they name, whatever the environment names for the agent", () => {
    const env = { OPENAI_API_KEY: "k", PROMPTSTRATA_MODEL: "from-env", OPENAI_BASE_URL: "http://other/v1" }
    expect(idsWith(env)).toEqual({ tools: "openai:small", "main-observer": "openai:local", memory: "openai:tiny" })
  })

  test("get the environment's server where they name none of their own, and never its model", () => {
    const env = { OPENAI_API_KEY: "k", PROMPTSTRATA_MODEL: "from-env", OPENAI_BASE_URL: "http://other/v1" }
    const seen: unknown[] = []
    chooseOwnModels(profile, env, (own, given) => {
      seen.push([own.model.id, own.model.baseUrl, given])
      return chooseModel(own, given)
    })
    expect(seen).toEqual([
      ["small", undefined, { ...env, PROMPTSTRATA_MODEL: undefined }],
      ["local", "http://localhost/v1", { OPENAI_API_KEY: "k", PROMPTSTRATA_MODEL: undefined, OPENAI_BASE_URL: undefined }],
      ["tiny", undefined, { ...env, PROMPTSTRATA_MODEL: undefined }],
    ])
  })

  test("are the demo when the environment says so, or when nothing is set", () => {
    expect(idsWith({ OPENAI_API_KEY: "k", PROMPTSTRATA_MODEL: "demo" })).toEqual({
      tools: "demo",
      "main-observer": "demo",
      memory: "demo",
    })
    expect(idsWith({})).toMatchObject({ tools: "demo" })
  })
})
