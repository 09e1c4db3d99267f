import { afterEach, describe, expect, test } from "vitest"
import { z } from "zod"
import type { ToolCall } from "../../../src/core/span.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import type { Confirm } from "../../../src/prompt/tools/tool.ts"
import { expectScriptsDone, scriptedModel } from "../../../src/testing/index.ts"
import { callTool, collect, finish, testAgent } from "../../support/agents.ts"

afterEach(expectScriptsDone)

function removing(needsApproval: boolean | ((args: { path: string }) => boolean | Promise<boolean>) = true) {
  const removed: string[] = []
  const remove = defineTool({
    name: "remove",
    description: "removes a file",
    inputSchema: z.object({ path: z.string(), force: z.boolean().default(false) }),
    needsApproval,
    execute: ({ path }) => {
      removed.push(path)
      return "gone"
    },
  })
  return { remove, removed }
}

function asked(
  given: ReturnType<typeof removing>,
  confirm: Confirm | undefined,
  args: Record<string, unknown> = { path: "a.md" },
) {
  const model = scriptedModel([callTool("remove", args), finish("Done.")])
  const profile = { locale: "en" as const, limits: { confirmMs: 1_000 } }
  return { model, ...testAgent(model, profile, { tools: [given.remove], ...(confirm && { confirm }) }) }
}

describe("a tool that needs approval", () => {
  test("runs once a person allowed it; question and events carry the id of the call", async () => {
    const tool = removing()
    const { session } = asked(
      tool,
      async ({ id, args, summary }) => id === "call-1" && args?.path === "a.md" && summary === "remove(path=a.md)",
    )
    const turn = session.send("Remove it.")
    const ids = (await collect(turn)).flatMap((event) =>
      event.type === "tool-start" || event.type.startsWith("confirm-") ? [event] : [],
    )
    expect(ids.map(({ type, ...rest }) => [type, "id" in rest ? rest.id : ""])).toEqual([
      ["tool-start", "call-1"],
      ["confirm-start", "call-1"],
      ["confirm-end", "call-1"],
    ])
    expect((await turn.result).trace.runs).toMatchObject([{ status: "ok", result: "gone" }])
    expect(tool.removed).toEqual(["a.md"])
  })

  test("is refused before the planner begins if nobody can be asked, and no turn waits for it", async () => {
    const { remove, removed } = removing()
    const profile = { locale: "en" as const, prestart: [{ tool: "remove", args: { path: "a.md" } }] }
    const { session } = testAgent(scriptedModel([finish("Done.")]), profile, { tools: [remove] })
    const result = await session.send("Hi").result
    expect(result).toMatchObject({ ok: true, stopReason: "finish" })
    expect(result.trace.prestart).toMatchObject([{ tool: "remove", status: "failed", failure: "denied" }])
    expect(removed).toEqual([])
  })

  test("does not run if it is refused, and the model is told", async () => {
    const tool = removing()
    const { session, model } = asked(tool, async () => false)
    const { trace } = await session.send("Remove it.").result
    expect(trace.runs).toMatchObject([{ status: "failed", failure: "denied" }])
    expect(JSON.stringify(model.requests[1]?.messages)).toContain("The user refused this call, so it did not run.")
    expect(tool.removed).toEqual([])
  })

  test("is judged by its checked arguments, with defaults", async () => {
    const tool = removing(({ path }) => path.startsWith("/"))
    const asks: unknown[] = []
    const confirm: Confirm = async (request) => asks.push(request) > 0
    await asked(tool, confirm).session.send("?").result
    expect(asks).toEqual([])
    await asked(tool, confirm, { path: "/etc" }).session.send("?").result
    expect(asks).toMatchObject([{ args: { path: "/etc" } }])
    expect(tool.removed).toEqual(["a.md", "/etc"])
  })

  test("with arguments that do not fit, nobody is asked", async () => {
    const tool = removing()
    const { session } = asked(tool, () => Promise.reject(new Error("asked")), {})
    expect((await session.send("?").result).trace.runs).toMatchObject([{ failure: "invalid-arguments" }])
  })

  test("whose function throws does not run", async () => {
    const tool = removing(() => Promise.reject(new Error("no list")))
    const { session } = asked(tool, async () => true)
    expect((await session.send("?").result).trace.runs).toMatchObject([
      { failure: "threw", result: expect.stringContaining("no list") },
    ])
    expect(tool.removed).toEqual([])
  })
})

test("calls of one native step are asked about one by one, each by its own id", async () => {
  const tool = removing()
  const call = (id: string, path: string): { type: "tool-call"; call: ToolCall } => ({
    type: "tool-call",
    call: { id, name: "remove", args: JSON.stringify({ path }) },
  })
  const model = scriptedModel([[call("x", "a"), call("y", "b")], "Half."], { capabilities: { tools: true } })
  const confirm: Confirm = async ({ id }) => id === "y"
  const { session } = testAgent(model, { dialect: "layered", loop: { mode: "native" } }, { tools: [tool.remove], confirm })
  expect((await session.send("?").result).trace.runs).toMatchObject([
    { id: "x", failure: "denied" },
    { id: "y", status: "ok" },
  ])
  expect(tool.removed).toEqual(["b"])
})

test("needsApproval of another type is a mistake in the definition", () => {
  expect(() => defineTool({ name: "t", description: "", needsApproval: "yes" as never, execute: () => "" })).toThrow(
    'needsApproval of tool "t" must be true, false or a function, not "yes".',
  )
})
