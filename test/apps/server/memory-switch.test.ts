import { expect, test } from "vitest"
import { createHandler } from "../../../src/apps/server/handler.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { finish, testAgent } from "../../support/agents.ts"
import { createIdleStore } from "../../support/idle-store.ts"

test("D16 D2 the memory of a kept conversation is told and switched over HTTP, for its caller", async () => {
  const model = scriptedModel([finish("Tea?"), finish("Hm."), finish("Oolong!")])
  const memory = { recall: async () => [{ id: "m1", text: "Ann likes oolong.", atMs: 0 }] }
  const { agent } = testAgent(model, {}, { store: createIdleStore(), memory })
  const handle = createHandler({
    agents: { fay: agent },
    authorize: ({ headers }) => ({ user: "ann", conversation: headers.get("x-conversation") ?? undefined }),
  })
  const ask = async (path: string, body?: object, conversation = "c") => {
    const sent = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
    const headers: Record<string, string> = conversation === "" ? {} : { "x-conversation": conversation }
    const response = await handle(new Request(`http://bot.test${path}`, { ...sent, headers }))
    return [response.status, await response.json()] as const
  }
  const says = (text: string) => ask("/v1/chat/completions", { model: "fay", messages: [{ role: "user", content: text }] })
  const shown = () => JSON.stringify(model.requests.at(-1)?.messages).includes("Ann likes oolong.")

  expect(await ask("/v1/memory")).toEqual([200, { object: "memory", on: true }])
  await says("What do I like?")
  expect(shown()).toBe(true)
  expect(await ask("/v1/memory", { on: false })).toEqual([200, { object: "memory", on: false }])
  expect(await ask("/v1/memory")).toEqual([200, { object: "memory", on: false }])
  expect(await ask("/v1/memory", undefined, "other")).toEqual([200, { object: "memory", on: true }])
  await says("What do I like?")
  expect(shown()).toBe(false)
  expect(await ask("/v1/memory", { on: true })).toEqual([200, { object: "memory", on: true }])
  await says("What do I like?")
  expect(shown()).toBe(true)
  expect(await ask("/v1/memory", { on: "no" })).toEqual([400, { error: expect.objectContaining({ param: "on" }) }])
  expect(await ask("/v1/memory", { on: false }, "")).toEqual([400, { error: expect.objectContaining({ param: "conversation" }) }])
})
