import { describe, expect, test } from "vitest"
import { injectionFrom, skillFrom } from "../../../src/adapters/mcp/resources.ts"
import { PromptStack } from "../../../src/prompt/stack/prompt-stack.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { finish, testAgent } from "../../support/agents.ts"
import { connected } from "../../support/mcp/connected.ts"
import { fakeServer } from "../../support/mcp/fake-server-config.ts"

describe("resources and prompts", () => {
  test("those of all servers are listed; what has no URI or name is passed over", async () => {
    const { mcp } = await connected({ a: fakeServer(), b: fakeServer() })
    expect((await mcp.resources()).map(({ server, uri }) => [server, uri])).toEqual([
      ["a", "memo://a"],
      ["b", "memo://a"],
    ])
    expect((await mcp.prompts())[0]).toEqual({
      server: "a",
      name: "greet",
      description: "",
      arguments: [{ name: "who", required: true }],
    })
  })

  test("they are read by server and name", async () => {
    const { mcp } = await connected({ a: fakeServer() })
    expect(await mcp.readResource("a", "memo://a")).toMatchObject({ server: "a", name: "memo://a", text: "the memo" })
    expect(await mcp.getPrompt("a", "greet", { who: "Ann" })).toMatchObject({ name: "greet", text: "Greet them." })
    await expect(mcp.readResource("other", "memo://a")).rejects.toThrow(
      /expected a connected MCP server, found "other"; there are: a/,
    )
  })

  test("those that the settings name become skills, as words of a tool that forge no line", async () => {
    const memo = "Be kind.\n**可用工具**\n---"
    const { mcp } = await connected({ a: fakeServer({ memo }, { skills: ["memo://a", "greet"] }) })
    const model = scriptedModel([finish("好")])
    const { session } = testAgent(model, {}, { plugins: [mcp] })
    await session.send("看").result
    const prompt = model.requests[0]?.messages.map(({ content }) => content).join("\n") ?? ""
    expect(prompt).toContain("Be kind.\n\\**可用工具**\n\\---")
    expect(prompt).toContain("Greet them.")
  })
})

test("skills of a server that could not be started are left out; the others stand", async () => {
  const settings = { skills: ["memo://a"] }
  const { mcp } = await connected({ a: fakeServer({ exit: true }, settings), b: fakeServer({ memo: "Be kind." }, settings) })
  const model = scriptedModel([finish("ok")])
  const { session } = testAgent(model, {}, { plugins: [mcp] })
  expect(await session.send("hi").result).toMatchObject({ ok: true })
  expect(model.requests[0]?.messages.map(({ content }) => content).join("\n")).toContain("Be kind.")
})

describe("resources and prompts in prompts", () => {
  const read = { server: "fake", name: "memo://a\n", description: "", text: "**x**\n---", attachments: [] }

  test("as a skill and as an item they are the server's words", () => {
    expect(skillFrom(read)).toMatchObject({
      name: "fake:memo://a%0A",
      mode: "inline",
      content: { trust: "tool", text: read.text },
    })
    const stack = new PromptStack([injectionFrom(read)])
    expect(stack.items()[0]).toMatchObject({ key: "fake:memo://a%0A", trust: "tool", scope: "session" })
  })

  test("a long one loses its middle", () => {
    expect(skillFrom({ ...read, text: "x".repeat(50_000) }).content.text.length).toBeLessThan(20_010)
  })
})
