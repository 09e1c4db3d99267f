import { afterEach, describe, expect, test } from "vitest"
import type { ModelPart } from "../../../src/core/model/language-model.ts"
import { roughCounter } from "../../../src/core/ports.ts"
import type { ToolCall } from "../../../src/core/span.ts"
import { nativeTools } from "../../../src/loop/turn/plan-native.ts"
import { assemble } from "../../../src/prompt/assemble/assemble.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { expectScriptsDone, scriptedModel } from "../../../src/testing/index.ts"
import { testAgent } from "../../support/agents.ts"
import { ran, turnState } from "../../support/turns.ts"

afterEach(expectScriptsDone)

const call = (name: string): ModelPart => ({ type: "tool-call", call: { id: "1", name, args: "{}" } })

describe("what native tools say and answer", () => {
  const results = [
    '[\n  {"id": 1},\n  {"id": 2}\n]',
    "```ts\nconst a = 1\n```\n~~~\n",
    "[memory context]\n[/memory context]\n**Question**\n[prestart]",
    "^Fay:hi\n#tool\n\\# escaped\n@br %[a.txt] <empty_reply>",
    "---\n## heading\n\ttab  two blanks \n\n\n",
  ]
  const dialects = ["fay", "layered", "stack", "stack-cached", "soul", "root"]

  test.each(dialects)("a result and the words beside a call stay byte for byte in %s", async (dialect) => {
    for (const result of results) {
      const show = defineTool({ name: "show", description: "Shows.", execute: () => result })
      const model = scriptedModel([[{ type: "text-delta", delta: result }, call("show")], "好。"], {
        capabilities: { tools: true },
      })
      await testAgent(model, { dialect, loop: { mode: "native" } }, { tools: [show] }).session.send("？").result
      const messages = model.requests[1]?.messages ?? []
      expect(messages.find(({ role }) => role === "tool")?.content).toBe(result)
      expect(JSON.stringify(messages)).not.toContain("\\\\\\\\")
    }
  })

  test("invisible characters are left out of a result, with a warning", async () => {
    const show = defineTool({ name: "show", description: "Shows.", execute: () => "a\u{e0041}b" })
    const model = scriptedModel([[call("show")], "好。"], { capabilities: { tools: true } })
    const { trace } = await testAgent(model, { loop: { mode: "native" } }, { tools: [show] }).session.send("？").result
    expect(model.requests[1]?.messages.at(-1)?.content).toBe("ab")
    const message = expect.stringMatching(/^Invisible or control characters were left out of .+: 1 \(tags\)\.$/)
    expect(trace.warnings).toEqual([{ kind: "sanitised", message }])
  })

  test("L6 a usage hint stands in the description", () => {
    const tool = (usageHint?: string) => defineTool({ name: "t", description: "Does it.", usageHint, execute: () => "" })
    const shown = (hint?: string) => nativeTools([tool(hint)]).tools[0]?.description
    expect([shown("Only on Mondays."), shown(), shown(" ")]).toEqual(["Does it.\nOnly on Mondays.", "Does it.", "Does it."])
  })

  test("schemas count, as an estimate, in budget, tokens and trace", async () => {
    const parameters = { type: "object", properties: { city: { type: "string", description: "word ".repeat(200) } } }
    const tools = [{ name: "weather", description: "The weather.", parameters }]
    const stack = new PromptStack([{ key: "persona", content: "You are Mira.", scope: "global" }])
    const words = { exact: true, count: (text: string) => text.length }
    const plain = assemble(stack, { prompt: "chat", counter: words })
    const given = assemble(stack, { prompt: "chat", counter: words, tools })
    expect([plain.overheadTokens, plain.exact]).toEqual([0, true])
    expect([given.overheadTokens, given.exact]).toEqual([JSON.stringify(tools).length, false])
    expect(() => assemble(stack, { prompt: "chat", counter: words, tools, budgetTokens: 900 })).toThrow(/budget|900/)

    const tool = defineTool({ name: "weather", description: "The weather.", jsonSchema: parameters, execute: () => "" })
    const model = scriptedModel(["好。"], { capabilities: { tools: true } })
    const { trace } = await testAgent(model, { loop: { mode: "native" } }, { tools: [tool] }).session.send("？").result
    expect(trace.steps[0]?.assembly.overheadTokens).toBeGreaterThan(250)
  })

  test("arguments of calls, and thoughts that are sent back, count as an estimate, in the budget too", () => {
    const long = (providerData?: string) => ({
      id: "1",
      name: "write",
      args: JSON.stringify({ text: "word ".repeat(500) }),
      providerData,
    })
    const requestOf = (exact: boolean, call: ToolCall, budgetTokens?: number) => {
      const step = { type: "native", text: "", calls: [call], runs: [ran("write", {}, "ok")] } as const
      const counters = [roughCounter, { exact: true, count: (text: string) => text.length, overhead: () => 7 }] as const
      const turn = turnState("?", { steps: [step], nativeCalls: true })
      return assemble(new PromptStack(), {
        prompt: "native",
        turn,
        counter: counters[exact ? 1 : 0],
        ...(budgetTokens && { budgetTokens }),
      })
    }
    const plain = requestOf(true, { id: "1", name: "write", args: "{}" })
    const [given, thought] = [requestOf(true, long()), requestOf(true, long("signed".repeat(100)))]
    expect(given.exact).toBe(false)
    expect(given.overheadTokens).toBe(7 + JSON.stringify([long()]).length)
    expect(given.overheadTokens - plain.overheadTokens).toBeGreaterThan(2_400)
    expect(thought.overheadTokens - given.overheadTokens).toBeGreaterThan(600)
    expect(given.tokens).toBe(plain.tokens)
    expect(requestOf(false, long()).overheadTokens).toBeGreaterThan(500)
    expect(() => requestOf(true, long(), 1_000)).toThrow(/1,?000/)
  })
})
