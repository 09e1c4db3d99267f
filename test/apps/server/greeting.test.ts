import { describe, expect, test } from "vitest"
import { createHandler } from "../../../src/apps/server/handler.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import type { ProfileInput } from "../../../src/profile/profile.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { finish, testAgent } from "../../support/agents.ts"

const card = {
  name: "card",
  greetings: ({ name }: { readonly name: string }) => [`Welcome, ${name}!`, `Rain, ${name}.`],
}
const greeted: ProfileInput = { plugins: [card], greeting: "Rain, 主人.", greetings: ["Welcome, 主人!", "Rain, 主人."] }

/** A server whose caller is Ann, in a kept conversation or in one of her own. */
function served(conversation: string | undefined, profile: ProfileInput = greeted) {
  const model = scriptedModel([finish("Yes.")])
  const { agent } = testAgent(model, { memory: { enabled: false }, ...profile }, { store: createInMemoryStore() })
  const handle = createHandler({
    agents: { mei: agent },
    authorize: () => ({ user: "ann", name: "Ann", conversation }),
    onError: () => undefined,
  })
  const post = async (path: string, body: object) => {
    const response = await handle(
      new Request(`http://bot.test${path}`, { method: "POST", body: JSON.stringify({ model: "mei", ...body }) }),
    )
    return { status: response.status, text: await response.text() }
  }
  return { post, agent, model }
}

const run = { threadId: "t", runId: "r", tools: [], context: [], state: {}, forwardedProps: {} }
/** A request of each protocol with these messages, and the answer's words. */
const protocols: readonly (readonly [path: string, more: object, words: RegExp])[] = [
  ["/v1/chat/completions", {}, /"content":"([^"]*)"/g],
  ["/v1/chat/completions", { stream: true }, /"content":"([^"]+)"/g],
  ["/api/chat", { id: "page" }, /"type":"text-delta","id":"[^"]*","delta":"([^"]*)"/g],
  ["/ag-ui", run, /"TEXT_MESSAGE_CONTENT","messageId":"[^"]*","delta":"([^"]*)"/g],
]

describe("C34 a request without messages", () => {
  test.each(protocols)(
    "to %s %j is answered with the greeting that the profile chose, for the caller",
    async (path, more, words) => {
      for (const conversation of [undefined, "talk"]) {
        const { post, agent, model } = served(conversation)
        const { status, text } = await post(path, { ...more, messages: [] })
        expect([status, [...text.matchAll(words)].map(([, part]) => part).join("")]).toEqual([200, "Rain, Ann."])
        expect(model.requests).toEqual([])
        const kept = (await agent.session("talk").history()).map((message) => [message.role, message.text])
        expect(kept).toEqual(conversation === undefined ? [] : [["assistant", "Rain, Ann."]])
      }
    },
  )

  test.each(protocols)("to %s %j is refused where the conversation has begun, or where nobody greets", async (path, more) => {
    const { post, agent } = served("talk")
    await post(path, { ...more, messages: [] })
    const again = await post(path, { ...more, messages: [] })
    expect(again).toMatchObject({ status: 400, text: expect.stringContaining("this conversation has begun") })
    expect(await agent.session("talk").history()).toHaveLength(1)
    const without = await served(undefined, {}).post(path, { ...more, messages: [] })
    expect(without).toMatchObject({ status: 400, text: expect.stringContaining("this character has no greeting") })
  })

  test("begins a conversation that goes on, with the greeting in the next prompt", async () => {
    const { post, model, agent } = served("talk")
    await post("/v1/chat/completions", { messages: [] })
    await post("/v1/chat/completions", { messages: [{ role: "user", content: "Tea?" }] })
    expect(JSON.stringify(model.requests[0]?.messages)).toContain("Rain, Ann.")
    expect((await agent.session("talk").history()).map(({ text }) => text)).toEqual(["Rain, Ann.", "Tea?", "Yes."])
  })

  test("with the same idempotency-key gets the same greeting", async () => {
    const { agent } = served("talk")
    const handle = createHandler({ agents: { mei: agent }, authorize: () => ({ user: "ann", conversation: "talk" }) })
    const ask = async () => {
      const init = { method: "POST", headers: { "idempotency-key": "k" }, body: JSON.stringify({ model: "mei", messages: [] }) }
      const response = await handle(new Request("http://bot.test/v1/chat/completions", init))
      return (await response.json()) as { readonly choices: readonly { readonly message: { readonly content: string } }[] }
    }
    const [first, second] = [await ask(), await ask()]
    expect(first.choices[0]?.message.content).toBe("Rain, 主人.")
    expect(second.choices).toEqual(first.choices)
    expect(await agent.session("talk").history()).toHaveLength(1)
  })
})
