import { afterEach, describe, expect, test } from "vitest"
import { z } from "zod"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import type { Confirm } from "../../../src/prompt/tools/tool.ts"
import { expectScriptsDone, scriptedModel } from "../../../src/testing/index.ts"
import { callTool, collect, finish, testAgent } from "../../support/agents.ts"

afterEach(expectScriptsDone)

/** A tool that asks before it does anything. */
const careful = defineTool({
  name: "careful",
  description: "asks first",
  inputSchema: z.object({}),
  writes: true,
  async execute(_args, { confirm, signal, record }) {
    const confirmed = confirm ? await confirm({ tool: "careful", summary: "do it" }, signal) : false
    if (confirmed) record?.({ kind: "write", tool: "careful", summary: "did it", id: "1" })
    return confirmed ? "done" : "refused"
  },
})

function asking(confirm?: Confirm, answers: readonly string[] = [finish("好")]) {
  const model = scriptedModel([callTool("careful"), ...answers])
  return testAgent(
    model,
    { limits: { toolMs: 1_000, turnMs: 5_000, confirmMs: 60_000 } },
    { tools: [careful], ...(confirm ? { confirm } : {}) },
  )
}

test.each(["plain words", { path: "/etc" }])(
  "T40 a call runs with what was checked, whatever confirm makes of its arguments (%j)",
  async (planted) => {
    const ran: unknown[] = []
    const remove = defineTool({
      name: "remove",
      description: "removes a file",
      inputSchema: z.object({ path: z.string(), more: z.object({ deep: z.boolean() }) }),
      needsApproval: true,
      execute: (args) => void ran.push(args),
    })
    const args = { path: "drafts/a.md", more: { deep: false } }
    const { session } = testAgent(
      scriptedModel([callTool("remove", args), finish("好")]),
      {},
      {
        tools: [remove],
        confirm: async (request) => {
          const own = request.args as { path: unknown; more: { deep: unknown } }
          own.path = "/"
          own.more.deep = planted
          return true
        },
      },
    )
    await session.send("？").result
    expect(ran).toEqual([args])
  },
)

describe("a tool that asks", () => {
  test("goes on when it is confirmed, and what it did stands in the trace", async () => {
    const { session } = asking(async ({ summary }) => summary === "do it")
    const { trace } = await session.send("？").result
    expect(trace.runs[0]?.result).toBe("done")
    expect(trace.records).toEqual([{ kind: "write", tool: "careful", summary: "did it", id: "1" }])
  })

  test("is refused where nobody can be asked", async () => {
    const { trace } = await asking().session.send("？").result
    expect(trace.runs[0]?.result).toBe("refused")
    expect(trace.records).toEqual([])
  })

  test("takes a person's time and not its own: the tool's and the turn's limits stand still", async () => {
    let answer: (confirmed: boolean) => void = () => undefined
    const { session, timers } = asking(() => new Promise((resolve) => (answer = resolve)))
    const turn = session.send("？")
    for await (const event of turn) if (event.type === "confirm-start") break
    timers.advance(50_000)
    answer(true)
    const { ok, trace } = await turn.result
    expect({ ok, result: trace.runs[0]?.result }).toEqual({ ok: true, result: "done" })
  })

  test("that nobody answers in time is refused, and the turn says so and ends", async () => {
    const { session, timers } = asking(() => new Promise(() => undefined))
    const turn = session.send("？")
    for await (const event of turn) if (event.type === "confirm-start") break
    timers.advance(60_000)
    const { trace } = await turn.result
    expect(trace.runs[0]?.result).toBe("refused")
    expect(trace.warnings.map(({ message }) => message).join()).toContain("no answer within 60000 ms")
  })

  test("whose asking fails is refused, and the events say what was asked and decided", async () => {
    const { session } = asking(() => Promise.reject(new Error("no terminal")))
    const turn = session.send("？")
    const events = await collect(turn)
    expect(events.filter(({ type }) => type.startsWith("confirm"))).toEqual([
      { type: "confirm-start", id: "call-1", request: { id: "call-1", tool: "careful", summary: "do it" } },
      { type: "confirm-end", id: "call-1", request: { id: "call-1", tool: "careful", summary: "do it" }, confirmed: false },
    ])
    expect((await turn.result).trace.warnings.map(({ message }) => message).join()).toContain("no terminal")
  })

  test("and is aborted with its turn", async () => {
    const { session } = asking(() => new Promise(() => undefined), [])
    const turn = session.send("？")
    for await (const event of turn) if (event.type === "confirm-start") break
    turn.abort()
    const result = await turn.result
    expect(result.ok).toBe(false)
  })
})
