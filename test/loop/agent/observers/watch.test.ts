import { expect, test } from "vitest"
import { createAgent } from "../../../../src/loop/agent/agent.ts"
import { resolveProfile } from "../../../../src/profile/resolve.ts"
import { scriptedModel } from "../../../../src/testing/index.ts"
import { finish } from "../../../support/agents.ts"

test("R26 events that come before the feeds are loaded are told too, from the first, and once", async () => {
  const told: string[] = []
  const observer = { name: "o", observe: ({ type }: { readonly type: string }) => void told.push(type) }
  const agent = createAgent({ profile: resolveProfile(), model: scriptedModel([finish("hi")]), observers: [observer] })
  await agent.session("a").send("hello").result
  await agent.idle()
  expect(told[0]).toBe("turn-start")
  expect(told.filter((type) => type === "turn-start" || type === "turn-end")).toEqual(["turn-start", "turn-end"])
  await agent.close()
})

test("an agent that is closed before its observers are loaded tells them nothing more", async () => {
  const told: string[] = []
  const observer = { name: "o", observe: ({ type }: { readonly type: string }) => void told.push(type) }
  const agent = createAgent({ profile: resolveProfile(), model: scriptedModel([]), observers: [observer] })
  await agent.close()
  expect(await agent.session("a").send("hello").result).toMatchObject({ ok: false, error: { code: "closed" } })
  await agent.idle()
  expect(told).toEqual([])
})
