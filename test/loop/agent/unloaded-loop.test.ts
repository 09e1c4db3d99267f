import { expect, test, vi } from "vitest"
import { createAgent } from "../../../src/loop/agent/agent.ts"
import { resolveProfile } from "../../../src/profile/resolve.ts"
import { scriptedModel } from "../../../src/testing/index.ts"

let isGone = true

vi.mock("../../../src/loop/agent/session-turn.ts", async (load) => {
  if (isGone) throw new Error("the file is gone")
  return load()
})

test("a turn whose loop cannot be loaded ends as any failed turn does: once, typed, with nothing gathered", async () => {
  const model = scriptedModel([JSON.stringify({ action: "finish", message: "Here again." })])
  const agent = createAgent({ profile: resolveProfile({ name: "test", persona: "You are Fay." }), model })
  const turn = agent.session("one").send("Hello")
  const events = []
  for await (const event of turn) events.push(event.type)
  expect(events).toEqual(["turn-start", "turn-end"])
  const result = await turn.result
  expect(result).toMatchObject({ ok: false, gathered: { runs: [], text: "" } })
  if (result.ok) throw new Error("expected a failed turn")
  expect(result.error).toMatchObject({ code: "missing-dependency", hint: expect.stringContaining("start the program again") })
  expect(result.trace).toMatchObject({ turnId: turn.id, process: "main-virtual", steps: [], usage: {}, error: result.error })
  expect(result.trace.durationMs).toBe(0)
  expect(model.requests).toEqual([])
  isGone = false
  expect(await agent.session("one").send("Hello again").result).toMatchObject({ ok: true, text: "Here again." })
  await agent.close()
})
