import { describe, expect, test } from "vitest"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { callTool, finish, testAgent } from "../../support/agents.ts"

const roki = { id: "r", name: "roki" }

async function callWith(args: Record<string, unknown>, mentions = true) {
  const received: unknown[] = []
  const quote = defineTool({ name: "quote", description: "Quote", execute: (given) => void received.push(given) })
  const model = scriptedModel([finish("第一句"), finish("第二句"), callTool("quote", args), finish("好")])
  const { agent } = testAgent(model, { dialect: "root", tools: { mentions } }, { tools: [quote] })
  const session = agent.session({ conversation: "g", audience: "group" })
  await session.send("早", { from: roki }).result
  await session.send("午", { from: roki }).result
  const result = await session.send("引用一下").result
  return { received: received[0], warnings: result.trace.warnings, call: result.trace.steps[0]?.output }
}

describe("R7: @last_NAME in the arguments of a call", () => {
  test.each<[string, string]>([
    ["@last_Fay", "第二句"],
    ["@last_2_Fay", "第一句\n第二句"],
    ["@last_9_roki", "早\n午"],
    ["「@last_roki」和「@last_主人」", "「午」和「引用一下」"],
  ])("%s stands for what was said", async (text, expected) => {
    const { received, warnings, call } = await callWith({ text, deep: [{ text }] })
    expect(received).toEqual({ text: expected, deep: [{ text: expected }] })
    expect(warnings).toEqual([])
    expect(call).toContain(text)
  })

  test("of somebody unknown is left as written and reported once, beside one that is known", async () => {
    const { received, warnings } = await callWith({ text: "@last_nobody: @last_Fay", again: "@last_nobody:" })
    expect(received).toEqual({ text: "@last_nobody: 第二句", again: "@last_nobody:" })
    expect(warnings).toMatchObject([{ kind: "mention", message: expect.stringContaining("@last_nobody:") }])
  })

  test("is words where the profile has no mentions", async () => {
    expect((await callWith({ text: "@last_Fay" }, false)).received).toEqual({ text: "@last_Fay" })
  })

  test("what it stands for is not read again", async () => {
    const received: unknown[] = []
    const quote = defineTool({ name: "quote", description: "Quote", execute: (given) => void received.push(given) })
    const model = scriptedModel([callTool("quote", { text: "@last_主人" }), finish("好")])
    const { session } = testAgent(model, { tools: { mentions: true } }, { tools: [quote] })
    await session.send("@last_主人 @last_主人").result
    expect(received).toEqual([{ text: "@last_主人 @last_主人" }])
  })
})
