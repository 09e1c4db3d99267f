import { expect, test } from "vitest"
import type { ModelRequest } from "../../../../src/core/model/language-model.ts"
import { createUserProfileService } from "../../../../src/memory/services/create-user-profile-service.ts"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { finish, testAgent } from "../../../support/agents.ts"
import { backgroundModel } from "../../../support/remembering.ts"

const textOf = ({ messages }: ModelRequest) => messages.map(({ content }) => content).join("\n")

test.each([
  ["en", "home: Oslo\nworkplace: Siemens", "Use a name of the profile so far"],
  ["zh-CN", "home: Oslo\nworkplace: Siemens", "沿用画像里已有的名称"],
])("M20 a batch shows the facts that its lines may change, with their names (%s)", async (locale, facts, words) => {
  const answers = ['{"home": "Oslo", "workplace": "Siemens"}', '{"city": "Bergen", "company": null, "pet": "a cat"}']
  const model = backgroundModel({
    batch: () => `{"importance": 8, "profile": ${answers.shift() ?? "{}"}, "keys": {}}`,
    turn: () => finish("I see."),
  })
  const store = createInMemoryStore()
  const memory = { batchTurns: 10, reflectEvery: 0 }
  const { agent, session, timers } = testAgent(model, { dialect: "layered", locale, memory }, { store })
  const say = async (text: string) => {
    await session.send(text).result
    await agent.idle()
    timers.advance(60_000)
  }
  await say("I live in Oslo and work at Siemens")
  await say("We moved to Bergen, I quit, and we have a cat")
  const prompt = textOf(model.asked.findLast(({ facts }) => facts?.prompt === "importance-and-profile") as ModelRequest)
  expect(prompt).toContain(facts)
  expect(prompt).toContain(words)
  const { fields, history } = await createUserProfileService({ records: store.users }).get({ ...session.key, user: "test" })
  expect(fields.map(({ name, value }) => `${name}: ${value}`)).toEqual(["city: Bergen", "pet: a cat"])
  const [changed = 0, stated = 0] = [...new Set(history.map(({ atMs }) => atMs))]
  expect(changed).toBeGreaterThan(stated)
  expect(history.map(({ value, ended, atMs }) => [value, ended ?? false, atMs])).toEqual([
    ["Siemens", true, changed],
    ["Siemens", false, stated],
    ["Oslo", false, stated],
  ])
  expect(fields.map(({ atMs }) => atMs)).toEqual([changed, changed])
})
