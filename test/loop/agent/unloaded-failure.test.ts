import { expect, test, vi } from "vitest"
import { createAgent } from "../../../src/loop/agent/agent.ts"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { resolveProfile } from "../../../src/profile/resolve.ts"
import { type ScriptedStep, scriptedModel } from "../../../src/testing/index.ts"

vi.mock("../../../src/loop/agent/borders/aside.ts", () => {
  throw new Error("the file is gone")
})

const profile = resolveProfile({ name: "test", persona: "You are Fay.", loop: { mode: "chat" } })

function agentOf(answer: ScriptedStep, fault?: Error) {
  const warnings: string[] = []
  const store = createInMemoryStore()
  if (fault) store.commit = () => Promise.reject(fault)
  const onWarning = ({ message }: { message: string }) => void warnings.push(message)
  return { agent: createAgent({ profile, model: scriptedModel([answer]), store, onWarning }), warnings }
}

test("a failed turn whose words cannot be kept, because code cannot be loaded, ends as failed and tells so", async () => {
  const { agent, warnings } = agentOf([new Error("the model is away")])
  const turn = agent.session("one").send("Hello")
  const result = await turn.result
  expect(result).toMatchObject({ ok: false, error: { message: expect.stringContaining("the model is away") } })
  expect(result.trace.steps).toHaveLength(1)
  expect(warnings).toEqual([
    expect.stringMatching(/^The words of an unanswered turn are not kept: A part of promptstrata could not be loaded/),
  ])
  const events = []
  for await (const event of turn) events.push(event.type)
  expect(events.at(-1)).toBe("turn-end")
})

test("an answer whose store fails while code cannot be loaded ends as failed, with what was gathered", async () => {
  const { agent, warnings } = agentOf("Here I am.", new Error("the disk is full"))
  const result = await agent.session("one").send("Hello").result
  expect(result).toMatchObject({ ok: false, gathered: { text: "Here I am." } })
  if (result.ok) throw new Error("expected a failed turn")
  expect(result.error).toMatchObject({ code: "missing-dependency", hint: expect.stringContaining("start the program again") })
  expect(warnings).toHaveLength(1)
})

test("a turn that is aborted before it begins ends as failed, although the code of its end cannot be loaded", async () => {
  const { agent, warnings } = agentOf("Here I am.")
  const turn = agent.session("one").send("Hello")
  turn.abort()
  expect(await turn.result).toMatchObject({ ok: false, error: { code: "aborted" } })
  await agent.idle().catch(() => undefined)
  expect(warnings).toHaveLength(1)
})
