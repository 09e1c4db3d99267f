import { afterEach, describe, expect, test } from "vitest"
import { PromptStrataError } from "../../../src/core/errors.ts"
import { defineTool } from "../../../src/prompt/tools/define-tool.ts"
import { formatNamed } from "../../../src/reply/output/formats.ts"
import { expectScriptsDone, scriptedModel } from "../../../src/testing/index.ts"
import { collect, finish, testAgent } from "../../support/agents.ts"
import { createIdleStore } from "../../support/idle-store.ts"

afterEach(expectScriptsDone)

const format = formatNamed("emotion_pipe")
const output = { bubbles: true, ...(format ? { format } : {}) }

async function answered(
  steps: Parameters<typeof scriptedModel>[0],
  settings: typeof output | { bubbles: false } = output,
  mode: "json" | "chat" = "json",
) {
  const store = createIdleStore()
  const { agent, session } = testAgent(scriptedModel(steps), { output: settings, loop: { mode } }, { store })
  const turn = session.send("？")
  const events = await collect(turn)
  const said = (await store.load(session.key))?.history.at(-1)?.text
  await agent.close()
  return {
    events,
    said,
    bubbles: await collect(turn.bubbles),
    text: (await collect(turn.textStream)).join(""),
    result: await turn.result,
  }
}

describe("the way of an answer out", () => {
  test("is told as emotions, text and bubbles; history keeps what the model said (L4, R9, T29)", async () => {
    const raw = "[开心] ||| 你回来啦！\n@br\n[好奇] ||| 今天怎么样？"
    const { events, said, bubbles, text, result } = await answered([finish(raw)])
    expect(events.flatMap((event) => (event.type === "emotion" ? [event.emotion] : []))).toEqual(["开心", "好奇"])
    expect(bubbles).toEqual(["你回来啦！", "今天怎么样？"])
    expect(text).toBe("你回来啦！\n\n今天怎么样？")
    expect(result).toMatchObject({ ok: true, text })
    expect(said).toBe(raw)
  })

  test("does not depend on how the stream was cut", async () => {
    const raw = "[开心] ||| 好@br 的\n@br\n再见"
    const chunks = [...raw]
    const whole = await answered([raw], output, "chat")
    const cut = await answered([chunks], output, "chat")
    expect([cut.bubbles, cut.text, cut.said]).toEqual([whole.bubbles, whole.text, whole.said])
    expect(cut.bubbles).toEqual(["好", " 的", "再见"])
  })

  test("silence is an answer: nothing is delivered and the turn is kept (R10)", async () => {
    const { events, said, bubbles, result } = await answered([finish("<empty_reply>")])
    expect(bubbles).toEqual([])
    expect(events.map(({ type }) => type)).toContain("empty-reply")
    expect(result).toMatchObject({ ok: true, text: "" })
    expect(said).toBe("<empty_reply>")
  })

  test("what breaks the format is delivered as text, with a warning in the trace", async () => {
    const { text, result } = await answered([finish("开心：你好")])
    expect(text).toBe("开心：你好")
    expect(result.trace.warnings.map(({ kind }) => kind)).toEqual(["format"])
  })

  test("without bubbles and a format the marks are words, and the answer is one bubble", async () => {
    const { bubbles, text } = await answered([finish("a\n@br\n[b] ||| c")], { bubbles: false })
    expect(bubbles).toEqual(["a\n@br\n[b] ||| c"])
    expect(text).toBe("a\n@br\n[b] ||| c")
  })

  test("what was held back of a failed call is not part of the next one's answer", async () => {
    const fault = new PromptStrataError("model", "overloaded", { evidence: { isRetryable: true } })
    const model = scriptedModel([["[开", fault], "[难过] ||| 好"])
    const { session, timers } = testAgent(model, { output, loop: { mode: "chat" }, retry: { maxAttempts: 2 } })
    const turn = session.send("？")
    for await (const event of turn) if (event.type === "retry") timers.advance(60_000)
    expect(await collect(turn.bubbles)).toEqual(["好"])
  })

  test("a stretch between tool calls is a bubble of its own", async () => {
    const clock = defineTool({ name: "clock", description: "", execute: () => "11:04" })
    const call = { type: "tool-call", call: { id: "1", name: "clock", args: "{}" } } as const
    const model = scriptedModel([["我看看。", call], "十一点零四分。"], { capabilities: { tools: true } })
    const { session } = testAgent(model, { loop: { mode: "native" } }, { tools: [clock] })
    const turn = session.send("几点")
    expect(await collect(turn.bubbles)).toEqual(["我看看。", "十一点零四分。"])
    expect(await turn.result).toMatchObject({ text: "我看看。\n\n十一点零四分。" })
  })
})
