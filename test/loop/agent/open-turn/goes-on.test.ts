import { afterEach, describe, expect, test } from "vitest"
import { createInMemoryStore } from "../../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { defineTool } from "../../../../src/prompt/tools/define-tool.ts"
import { expectScriptsDone, type ScriptedStep, scriptedModel } from "../../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../../support/agents.ts"

afterEach(expectScriptsDone)

/** An agent with tools that count how often they ran, and one that needs an approval. */
function counting(mode: "json" | "native", steps: readonly ScriptedStep[], prestart: readonly { readonly tool: string }[] = []) {
  const ran: Record<string, number> = { weather: 0, look: 0, fails: 0, pay: 0 }
  const tool = (name: string, needsApproval = false, result = () => `${name} ${ran[name]}`) =>
    defineTool({
      name,
      description: "",
      ...(needsApproval && { needsApproval }),
      execute: () => {
        ran[name] = (ran[name] ?? 0) + 1
        return result()
      },
    })
  const fails = tool("fails", false, () => {
    if (ran.fails === 1) throw new Error("no network")
    return "works now"
  })
  const store = createInMemoryStore()
  const model = scriptedModel(steps, { capabilities: { tools: true } })
  const { session } = testAgent(
    model,
    { dialect: "layered", locale: "en", loop: { mode }, prestart },
    { store, tools: [tool("weather"), tool("look"), fails, tool("pay", true)], runJobs: false },
  )
  const approve = async () => {
    const [open] = await session.approvals()
    return session.approve(open?.id ?? "").result
  }
  const deny = async () => {
    const [open] = await session.approvals()
    return session.deny(open?.id ?? "", "no").result
  }
  const shown = (request: number) => (model.requests[request]?.messages ?? []).map(({ content }) => content).join("\n")
  const history = async () => (await store.load(session.key))?.history ?? []
  return { session, ran, approve, deny, shown, history }
}

const native = (id: string, name: string) => ({ type: "tool-call" as const, call: { id, name, args: "{}" } })

describe("a turn that goes on behind an approval", () => {
  test("does not run its prestart tools again, and has what they returned before", async () => {
    const { session, ran, approve, shown } = counting("json", [callTool("pay"), finish("Paid.")], [{ tool: "weather" }])
    await session.send("Pay.").result
    expect(await approve()).toMatchObject({ ok: true, text: "Paid.", trace: { prestart: [] } })
    expect(ran).toMatchObject({ weather: 1, pay: 1 })
    expect(shown(1).split("weather 1")).toHaveLength(2)
  })

  test("does not run again what ran beside the call that waited", async () => {
    const { session, ran, approve } = counting("native", [[native("a", "look"), native("b", "pay")], "Done."])
    await session.send("Look and pay.").result
    expect(ran).toMatchObject({ look: 1, pay: 0 })
    expect(await approve()).toMatchObject({ ok: true, text: "Done.", trace: { runs: [{ tool: "look" }, { tool: "pay" }] } })
    expect(ran).toMatchObject({ look: 1, pay: 1 })
  })

  test("T17 answers a repeated call with its result from before, but runs one that failed again", async () => {
    const steps = [callTool("look"), callTool("fails"), callTool("pay"), callTool("look"), callTool("fails"), finish("Done.")]
    const { session, ran, approve } = counting("json", steps)
    await session.send("Look and pay.").result
    const result = await approve()
    expect(result).toMatchObject({ ok: true, text: "Done." })
    expect(ran).toEqual({ weather: 0, look: 1, fails: 2, pay: 1 })
    expect(result.trace.runs.map(({ tool, status }) => `${tool} ${status}`)).toEqual([
      "look ok",
      "fails failed",
      "pay ok",
      "look ok",
      "fails ok",
    ])
  })

  test("keeps no empty list of runs where nothing ran any more", async () => {
    for (const mode of ["json", "native"] as const) {
      const steps = mode === "json" ? [callTool("pay"), finish("Well.")] : [[native("a", "pay")], "Well."]
      const { session, ran, deny, history } = counting(mode, steps)
      await session.send("Pay.").result
      expect(await deny()).toMatchObject({ ok: true, text: "Well." })
      expect(ran.pay).toBe(0)
      const words = await history()
      expect(words.at(-1)).toMatchObject({ role: "assistant", text: "Well." })
      for (const { runs } of words) expect(runs).not.toEqual([])
    }
  })
})
