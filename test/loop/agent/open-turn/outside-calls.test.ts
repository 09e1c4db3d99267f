import { afterEach, describe, expect, test } from "vitest"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { defineTool } from "../../../../src/prompt/tools/define-tool.ts"
import { expectScriptsDone, type ScriptedAnswer, scriptedModel } from "../../../../src/testing/index.ts"
import { callTool, collect, finish, testAgent } from "../../../support/agents.ts"

afterEach(expectScriptsDone)

const lamp = { ...defineTool({ name: "lamp", description: "Switches.", execute: () => "NEVER" }), outside: true as const }
const store = createInMemoryStore()
let count = 0

function agentOf(answers: readonly ScriptedAnswer[], confirm?: () => Promise<boolean>) {
  const model = scriptedModel(answers)
  const ids = { next: (prefix: string) => `${prefix}-${++count}` }
  return { model, ...testAgent(model, { locale: "en", memory: { enabled: false } }, { store, confirm, ports: { ids } }) }
}

describe("N16 a tool that runs outside", () => {
  test("ends the turn with its call, without a question to a person, and goes on with its result after a restart", async () => {
    const before = agentOf([callTool("lamp", { on: true })], () => Promise.reject(new Error("nobody is asked")))
    const turn = before.session.send("Light!", { tools: [lamp] })
    const types = (await collect(turn)).map(({ type }) => type)
    expect(types.filter((type) => type.startsWith("tool") || type.startsWith("confirm"))).toEqual([])
    const result = await turn.result
    expect(result).toMatchObject({ ok: true, stopReason: "awaiting-approval", calls: [{ tool: "lamp", args: { on: true } }] })
    const id = (result.ok && result.calls?.[0]?.id) || ""
    const after = agentOf([finish("It shines.")])
    for (const refused of [
      after.session.approve(id),
      after.session.answerCall("other", "ON"),
      after.session.answerCall(id, "ON", { by: "eve" }),
    ])
      expect(await refused.result).toMatchObject({ ok: false, error: { code: "approval" } })
    const done = await after.session.answerCall(id, "IT IS ON", { tools: [lamp], by: "test" }).result
    expect(done).toMatchObject({ ok: true, text: "It shines.", trace: { runs: [{ tool: "lamp", result: "IT IS ON" }] } })
    expect(JSON.stringify(after.model.requests[0]?.messages)).toContain("IT IS ON")
    expect(await after.session.answerCall(id, "ON").result).toMatchObject({ ok: false, error: { code: "approval" } })
  })

  test("may be refused, and a result that is too long is cut like any other", async () => {
    const { session, model } = agentOf([callTool("lamp"), finish("No."), callTool("lamp"), finish("Long.")])
    const [call] = await session.send("Light!", { tools: [lamp] }).result.then((result) => (result.ok && result.calls) || [])
    await session.deny(call?.id ?? "", "not now", { tools: [lamp] }).result
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("not now")
    const [long] = await session.send("Light!", { tools: [lamp] }).result.then((result) => (result.ok && result.calls) || [])
    const { result } = session.answerCall(long?.id ?? "", "x".repeat(50_000), { tools: [lamp] })
    expect((await result).trace.runs[0]?.cappedFromCharacters).toBe(50_000)
  })

  test("is told to be of no use to a profile that offers no tools", async () => {
    const { session } = testAgent(scriptedModel(["Fine."]), {
      dialect: "layered",
      loop: { mode: "chat" },
      memory: { enabled: false },
    })
    const { trace } = await session.send("Light!", { tools: [lamp] }).result
    expect(trace.warnings).toMatchObject([{ kind: "tool", message: expect.stringContaining("mode `chat`") }])
  })
})
