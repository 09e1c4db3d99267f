import { expect, test, vi } from "vitest"
import { createAgent } from "../../../src/loop/agent/agent.ts"
import { resolveProfile } from "../../../src/profile/resolve.ts"
import { scriptedModel } from "../../../src/testing/index.ts"

let loads = 0

vi.mock("../../../src/prompt/assemble/fit/fit.ts", async (load) => {
  loads++
  return load()
})

test("only a request with a limit loads what fits it, also where the limit comes with a later turn", async () => {
  const answer = JSON.stringify({ action: "finish", message: "Here." })
  const agent = createAgent({
    profile: resolveProfile({ name: "test", persona: "You are Fay." }),
    model: scriptedModel([answer, answer]),
  })
  const session = agent.session("one")
  expect(await session.send("Hello").result).toMatchObject({ ok: true, text: "Here." })
  expect(loads).toBe(0)
  const news = { key: "news", content: "Rain. ".repeat(200), fit: { rank: 1, shrink: "head", maxTokens: 60 } } as const
  const { trace } = await session.send("Hello again", { inject: [news] }).result
  expect(loads).toBe(1)
  const { decisions } = trace.steps[0]?.assembly ?? { decisions: [] }
  expect(decisions.find(({ key }) => key === "news")).toMatchObject({ fate: "shortened" })
  await agent.close()
})
