import { afterEach, describe, expect, test } from "vitest"
import type { ProfileInput } from "../../../src/profile/profile.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { expectScriptsDone, type ScriptedStep, scriptedModel } from "../../../src/testing/index.ts"
import { callTool, collect, finish, testAgent } from "../../support/agents.ts"

afterEach(expectScriptsDone)

const reports: unknown[] = []
const report = defineTool({
  name: "report",
  description: "",
  withAnswer: "required",
  execute: (args) => void reports.push(args),
})

const json = (message: string) => JSON.stringify({ action: "finish", message, tool: "report", args: { used: ["a"] } })
const native = (name: string): ScriptedStep => [{ type: "tool-call", call: { id: "1", name, args: '{"used":["a"]}' } }]

function session(steps: readonly ScriptedStep[], profile: ProfileInput = {}, tools = false) {
  reports.length = 0
  const model = scriptedModel(steps, { capabilities: { tools } })
  return { model, ...testAgent(model, { dialect: "root", ...profile }, { tools: [report] }) }
}

describe("R16: a report that an answer owes", () => {
  test("is asked for once when the answer came without it; nothing of that is shown or stored", async () => {
    const { model, session: talk } = session([finish("好的"), callTool("report", { used: ["a"] }), json("嗯")])
    const turn = talk.send("早")
    const events = await collect(turn)
    const result = await turn.result
    expect(result).toMatchObject({ ok: true, text: "好的" })
    expect(reports).toEqual([{ used: ["a"] }])
    expect(result.trace.warnings).toEqual([])
    const [asked, missing] = model.requests.map(({ messages }) => messages)
    expect(missing?.slice(0, asked?.length)).toEqual(asked)
    expect(missing?.at(-1)?.content).toContain("report")
    const types = events.map(({ type }) => type)
    expect(types.indexOf("bubble")).toBeGreaterThan(0)
    expect(types.indexOf("bubble")).toBeLessThan(types.lastIndexOf("step-start"))
    await talk.send("晚").result
    expect(model.requests).toHaveLength(3)
    expect(JSON.stringify(model.requests[2]?.messages)).not.toContain("还差一次")
  })

  test("is not asked for when it came beside the answer, before it, or when nothing was said", async () => {
    const { model, session: talk } = session(
      [json("一"), callTool("report", {}), finish("二"), JSON.stringify({ action: "finish" })],
      { variables: { work_mode: true } },
    )
    await talk.send("早").result
    await talk.send("晚").result
    await talk.wake("闹钟").result
    expect(model.requests).toHaveLength(4)
  })

  test("is asked for by a native call too", async () => {
    const { session: talk } = session(["好的", native("report")], { loop: { mode: "native" } }, true)
    const result = await talk.send("早").result
    expect(result).toMatchObject({ ok: true, text: "好的" })
    expect(reports).toEqual([{ used: ["a"] }])
    expect(result.trace.runs).toMatchObject([{ tool: "report", status: "ok" }])
  })

  test.each([
    ["another answer", finish("还是不报")],
    ["another call", callTool("other", {})],
    ["what cannot be read", '{"action":'],
    ["a failing model", [new Error("down")] as ScriptedStep],
  ])("that does not come, but %s, leaves the answer as it is and warns once", async (_, second) => {
    const { model, session: talk } = session([finish("好的"), second])
    const result = await talk.send("早").result
    expect(result).toMatchObject({ ok: true, text: "好的" })
    expect(result.trace.warnings.map(({ message }) => message)).toEqual([expect.stringContaining("without report")])
    expect(model.requests).toHaveLength(2)
  })

  test("that stalls ends after a step's time, and the turn's own limit does not count it", async () => {
    const limits = { turnMs: 1_000, stepMs: 5_000, firstTokenMs: 60_000 }
    const { session: talk, timers } = session([finish("好的"), [{ stallUntilAborted: true }]], { limits })
    const turn = talk.send("早")
    for await (const event of turn) if (event.type === "step-start" && event.step === 2) timers.advance(5_000)
    expect(await turn.result).toMatchObject({ ok: true, text: "好的" })
  })

  test("is not owed by a profile that only chats", async () => {
    const { model, session: talk } = session(["好的"], { loop: { mode: "chat" } })
    await talk.send("早").result
    expect(model.requests).toHaveLength(1)
  })
})
