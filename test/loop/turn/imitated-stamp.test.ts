import { describe, expect, test } from "vitest"
import { createInMemoryStore } from "../../../src/memory/services/store/in-memory/in-memory-store.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { scriptedModel } from "../../../src/testing/index.ts"
import { collect, testAgent } from "../../support/agents.ts"

/** What is streamed, returned and kept of an answer that comes in these pieces. */
async function answered(pieces: readonly string[], dialect = "root") {
  const store = createInMemoryStore()
  const model = scriptedModel([pieces.map((delta) => ({ type: "text-delta" as const, delta }))])
  const { session } = testAgent(model, { dialect, loop: { mode: "chat" }, output: { bubbles: false } }, { store })
  const turn = session.send("在吗")
  const events = await collect(turn)
  const result = await turn.result
  const kept = (await store.load(session.key))?.history.findLast(({ role }) => role === "assistant")?.text
  const streamed = events.flatMap((event) => (event.type === "text-delta" ? [event.delta] : [])).join("")
  return { streamed, text: result.ok && result.text, kept }
}

const all = (text: string) => ({ streamed: text, text, kept: text })

describe("R11 an answer that begins with an imitated stamp", () => {
  const answer = "20260101 9:00 你好，10:30 见。\n20260102 8:00 也行。"
  test.each(Array.from({ length: answer.length }, (_, at) => at))("has no stamp, cut at %d", async (at) => {
    const pieces = [answer.slice(0, at), answer.slice(at)].filter((piece) => piece !== "")
    expect(await answered(pieces)).toEqual(all(answer.slice(14)))
  })

  test("has no stamp, cut everywhere", async () => {
    expect(await answered([...answer])).toEqual(all(answer.slice(14)))
  })

  test.each([
    "20260101",
    "20260101 9:00",
    "20260101 9:00:30 整",
    "20260101 9 点",
    "2026 年",
    "9:00 见",
    `${" ".repeat(100)}20260101 9:00 早`,
  ])("is words where it is no stamp: %s", async (text) => expect(await answered([...text])).toEqual(all(text)))

  test("has none behind a call of a tool, too", async () => {
    const look = defineTool({ name: "look", description: "looks", execute: () => "a cave" })
    const call = { type: "tool-call", call: { id: "a", name: "look", args: "{}" } } as const
    const model = scriptedModel([[call], answer], { capabilities: { tools: true } })
    const { session } = testAgent(model, { dialect: "root", loop: { mode: "native" } }, { tools: [look] })
    expect(await session.send("在吗").result).toMatchObject({ ok: true, text: answer.slice(14) })
  })

  test("is words in a dialect without times", async () => {
    expect(await answered([answer], "layered")).toEqual(all(answer))
  })
})
