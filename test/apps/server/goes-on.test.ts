import OpenAI from "openai"
import { afterEach, expect, test } from "vitest"
import { createHandler } from "../../../src/apps/server/handler.ts"
import { expectScriptsDone, scriptedModel } from "../../../src/testing/index.ts"
import { collect, finish, testAgent } from "../../support/agents.ts"

afterEach(expectScriptsDone)

/** A client of a character that answers `answer`. */
function clientOf(answer: string, locale: string) {
  const model = scriptedModel([finish(answer)])
  const { agent } = testAgent(model, { memory: { enabled: false }, locale })
  const handle = createHandler({ agents: { fay: agent }, authorize: () => ({ user: "ann" }), locale })
  const fetch = async (input: unknown, init?: RequestInit) => handle(new Request(input as string, init))
  const client = new OpenAI({ apiKey: "key", baseURL: "http://bot.test/v1", fetch: fetch as never, maxRetries: 0 })
  return { client, shown: () => JSON.stringify(model.requests[0]?.messages) }
}

test.each([
  ["en", "The dragon opened its eyes and", "opened its eyes and looked at her.", " looked at her.", "which ends like this: "],
  ["zh-CN", "龙睁开眼睛，", "龙睁开眼睛，看着她。", "看着她。", "它的结尾是："],
])("N45 an answer that a client wants more of goes on where it stopped (%s)", async (locale, before, answer, fresh, told) => {
  const messages = [
    { role: "user" as const, content: "A story!" },
    { role: "assistant" as const, content: before },
  ]
  const { client, shown } = clientOf(answer, locale)
  const { choices } = await client.chat.completions.create({ model: "fay", messages, max_tokens: 300 })
  expect(choices[0]?.message.content).toBe(fresh)
  expect(shown()).toContain(`${told}${before}`)
  const streamed = await collect(
    await clientOf(answer, locale).client.chat.completions.create({ model: "fay", messages, stream: true }),
  )
  expect(streamed.map(({ choices: [choice] }) => choice?.delta.content ?? "").join("")).toBe(fresh)
})
